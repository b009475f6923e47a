use std::fs;
use zvet_core::entropy::{Depth, Dictionary, EntropyWalker, Workspace};
use zvet_core::{Error, Event};
use zvet_tests::vectors;

fn run(stream: &[u8], depth: Depth, dictionaries: &[Dictionary<'_>]) -> (u64, Option<Error>, Result<(), Error>) {
    let mut workspace = Workspace::new();
    let mut walker = EntropyWalker::new(depth, &mut workspace, [], dictionaries);
    let mut rest = stream;
    let mut size = 0;
    let mut und = None;
    let r = loop {
        match walker.push(rest) {
            Ok(step) => {
                rest = &rest[step.consumed..];
                if let Some(e) = walker.undecided() {
                    und.get_or_insert(e);
                }
                match step.event {
                    Some(Event::FrameEnd(frame)) => size += frame.content.low,
                    Some(_) => {}
                    None => break walker.finish(),
                }
            }
            Err(error) => break Err(error),
        }
    };
    (size, und, r)
}

#[test]
fn dump() {
    println!("{}", Workspace::SIZE);
    let Some(folder) = vectors::folder() else { return };
    for row in vectors::table(&folder.join("cases/matrix.tsv")) {
        let bytes = fs::read(folder.join(format!("cases/{}.zst", row["id"]))).unwrap();
        for depth in [Depth::Streams, Depth::Sizes] {
            let (size, und, r) = run(&bytes, depth, &[]);
            let v = match (&r, &und) {
                (Err(e), _) => format!("{:?}", e.class()),
                (_, Some(_)) => "Needs".into(),
                _ => "Valid".to_string(),
            };
            println!(
                "CASE\t{}\t{}\t{}\t{:?}\t{}\t{}\t{}",
                row["id"],
                row["spec"],
                v,
                depth,
                row["size"],
                size,
                r.err().or(und).map(|e| e.to_string()).unwrap_or_default()
            );
        }
    }
    for row in vectors::table(&folder.join("public/manifest.tsv")) {
        let bytes = fs::read(folder.join("public").join(&row["file"])).unwrap();
        let mut dict = vec![];
        let d;
        if let Some((_, path)) = row["kind"].split_once("dict=") {
            d = fs::read(folder.join("public").join(path)).unwrap();
            dict.push(Dictionary::parse(&d, &mut Workspace::new()).unwrap());
        }
        let (size, und, r) = run(&bytes, Depth::Streams, &dict);
        let v = match (&r, &und) {
            (Err(e), _) => format!("{:?}", e.class()),
            (_, Some(_)) => "Needs".into(),
            _ => "Valid".to_string(),
        };
        println!(
            "PUB\t{}\t{}\t{}\t{}\t{}\t{}",
            row["file"],
            row["expected"],
            v,
            row["decoded_size"],
            size,
            r.err().or(und).map(|e| e.to_string()).unwrap_or_default()
        );
    }
}
