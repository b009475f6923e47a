//! Streams of other projects and bug reports, with expected verdicts. Runs where the data is there.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use sha2::{Digest, Sha256};
use zvet::{Dictionary, Level, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_tests::vectors;

fn run(bytes: &[u8], level: Level, settings: &Settings) -> Report {
    verify(bytes, level, settings, &mut |_| {})
}

fn main_settings() -> Settings {
    Settings { workers: 2.try_into().unwrap(), ..Settings::default() }
}

#[test]
fn dump() {
    let Some(folder) = vectors::folder() else { return };
    for row in vectors::table(&folder.join("cases/matrix.tsv")) {
        let bytes = fs::read(folder.join(format!("cases/{}.zst", row["id"]))).unwrap();
        let e = run(&bytes, Level::Envelope, &main_settings());
        let c = run(&bytes, Level::Content, &main_settings());
        println!(
            "{}\t{}\t{:?}\t{:?}\t{}",
            row["id"],
            row["spec"],
            e.verdict,
            c.verdict,
            c.error.map(|e| e.to_string()).unwrap_or_default()
        );
    }
    for row in vectors::table(&folder.join("public/manifest.tsv")) {
        let bytes = fs::read(folder.join("public").join(&row["file"])).unwrap();
        let mut settings = main_settings();
        if let Some((_, path)) = row["kind"].split_once("dict=") {
            settings.dictionaries =
                vec![Dictionary::new(&fs::read(folder.join("public").join(path)).unwrap()).unwrap()];
        }
        let e = run(&bytes, Level::Envelope, &settings);
        let c = run(&bytes, Level::Content, &settings);
        println!(
            "PUB\t{}\t{}\t{:?}\t{:?}\t{}\t{}",
            row["file"],
            row["expected"],
            e.verdict,
            c.verdict,
            c.error.map(|e| e.to_string()).unwrap_or_default(),
            row["kind"]
        );
        let _ = StreamVerdict::Valid;
        if row["expected"] == "ok" && row["sha256"] != "-" {
            let mut out = Vec::new();
            if ParallelReader::with_settings(std::io::Cursor::new(bytes).into_inner().leak() as &[u8], &settings)
                .unwrap()
                .read_to_end(&mut out)
                .is_ok()
            {
                let sha: String = Sha256::digest(&out).iter().map(|b| format!("{b:02x}")).collect();
                if sha != row["sha256"] {
                    println!("SHA\t{}", row["file"]);
                }
            }
        }
    }
    let _: BTreeMap<u8, u8> = BTreeMap::new();
}
