//! The commands, from a file to nowhere: whole processes, with what it takes to start them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use zvet::Slots;

use crate::data::{Content, FRAME, Frames, LEVEL, source};
use crate::libzstd::{ONE_THREAD, OneThread, Threads};
use crate::options::Options;
use crate::race::{self, Race};
use crate::zvets::{Way, read};

/// The same for all.
const THREADS: usize = 2;

pub(crate) fn run(options: &Options) {
    println!(
        "\ncommands: {THREADS} threads, frames of 8 MiB, level {LEVEL}; whole processes, from a file to /dev/null"
    );
    let pzstd_threads = format!("-p{THREADS}");
    let zvet_workers = format!("--workers={THREADS}");
    let zvet = options.command.as_ref().map(|path| path.to_str().expect("a path in UTF-8"));
    let mut commands: Vec<(&str, Vec<&str>)> =
        vec![("zstd", vec!["-d", "-q", "-c"]), ("pzstd", vec!["-d", &pzstd_threads, "-q", "-c"])];
    if let Some(path) = zvet {
        commands.push((path, vec!["decode", "-q", "-c", &zvet_workers]));
        commands.push((path, vec!["decode", "-q", "-c", &zvet_workers, "--trust-engine"]));
    }
    commands.retain(|(program, _)| is_there(program));
    let pzstd = commands.iter().any(|(program, _)| *program == "pzstd");

    for content in Content::all(options) {
        let frames = &Frames::of(&content.bytes, FRAME, LEVEL);
        let file = file_of(&frames.stream);
        // Which alone it decodes on several threads: each frame's size is before it.
        let of_pzstd = pzstd.then(|| file_of(&compress("pzstd", &["-q", "-c", &pzstd_threads], &content.bytes)));
        let size = content.bytes.len() as u64;
        drop(content.bytes);

        let mut race = Race::new();
        let mut one = OneThread::new(frames);
        race.add(ONE_THREAD, move || one.decode(frames));
        let mut threads = Threads::new(frames, THREADS);
        race.add(format!("libzstd alone on {THREADS} threads, in place"), move || threads.decode(frames));
        for way in Way::of_default() {
            let settings = way.settings(THREADS, Slots::new(THREADS));
            race.add(format!("zvet in this process, {}", way.vetting()), move || {
                read(source(&frames.stream), &settings, frames.content_size)
            });
        }
        let files = [("", Some(&file)), (", file of pzstd's", of_pzstd.as_ref())];
        for (kind, file) in files.into_iter().filter_map(|(kind, file)| Some((kind, file?))) {
            for (program, arguments) in &commands {
                let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
                let name = format!("{name} {}{kind}", arguments.join(" "));
                race.add(name, move || {
                    decode(program, arguments, file.path());
                    size
                });
            }
        }
        println!("\n{}", content.name);
        let speeds = race.run(options.rounds);
        race::print(&speeds);
        println!("  the second thread gives libzstd itself x{:.2}", speeds[1].ratio);
    }
    for (program, _) in commands.iter().take_while(|(program, _)| Some(*program) != zvet) {
        let version = Command::new(program).arg("--version").output().unwrap();
        // pzstd says it on its other output.
        let version = [version.stdout, version.stderr].concat();
        println!("  {program}: {}", String::from_utf8_lossy(&version).trim().lines().next().unwrap_or_default());
    }
}

fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("  {program} is not there");
    }
    there
}

fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".zst").tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn compress(program: &str, arguments: &[&str], content: &[u8]) -> Vec<u8> {
    let file = file_of(content);
    let output = Command::new(program).args(arguments).arg(file.path()).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}");
    output.stdout
}

fn decode(program: &str, arguments: &[&str], file: &Path) {
    let status = Command::new(program).args(arguments).arg(file).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{program} {arguments:?}");
}
