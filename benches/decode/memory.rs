//! The memory of eight readers at once, beside what is stated. Each way is measured in a process of its own, in which there is
//! nothing else: the stream is in a file.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;
use std::{env, thread};

use zvet::Slots;
use zvet::source::Seekable;
use zvet_tests::data::Shape;

use crate::counting;
use crate::data::{Frames, LEVEL};
use crate::options::Options;
use crate::readers::READERS;
use crate::zvets::{Way, cores, read};

/// The argument that makes this process measure, and say it: the engine, whether it is trusted, the file, its content's size.
pub(crate) const CHILD: &str = "--memory-of";
const FRAME: usize = 16 << 20;
const FRAMES: usize = 4;

pub(crate) fn run(_: &Options) {
    let cores = cores();
    println!(
        "\nmemory: {READERS} readers at once of {FRAMES} frames of 16 MiB, {cores} workers each, {cores} slots for all, level {LEVEL}"
    );
    println!(
        "heap without what C allocates; the process' with code, stacks and all; stated is `Settings::peak_memory_of({READERS})`\n"
    );
    println!("{:<10} {:<18} {:>12} {:>12} {:>12}", "data", "engine", "stated", "heap", "process");
    let text: Vec<_> = (0..FRAMES as u64).flat_map(|seed| Shape::Text.data(FRAME, seed)).collect();
    let dense: Vec<_> = (0..FRAMES as u64).flat_map(dense).collect();
    for (name, content) in [("text", text), ("dense", dense)] {
        let stream = Frames::of(&content, FRAME, LEVEL).stream;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&stream).unwrap();
        for way in Way::all() {
            let mut command = Command::new(env::current_exe().unwrap());
            command.args(["--bench", CHILD, way.engine(), way.vetting()]).arg(file.path());
            let output = command.arg(content.len().to_string()).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            println!("{name:<10} {:<18} {}", way.name(), said.trim_end());
        }
    }
}

/// Frames whose input is nearly as large as it may be.
fn dense(seed: u64) -> Vec<u8> {
    let mut content = Shape::Noise.data(FRAME - (1 << 20), seed);
    content.resize(FRAME, 0);
    content
}

/// The child's part.
pub(crate) fn measure_here(arguments: &[String]) {
    let [engine, vetting, path, content_size] = arguments else { panic!("not as it is called: {arguments:?}") };
    let way = Way::all().find(|way| way.engine() == engine && way.vetting() == vetting).expect("it was named by one");
    let content_size = content_size.parse().unwrap();
    let settings = way.settings(cores(), Slots::new(cores()));
    let stated = settings.peak_memory_of(READERS);
    let heap = counting::peak(|| {
        thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| read(Seekable::new(File::open(path).unwrap()).unwrap(), &settings, content_size));
            }
        });
    });
    let process = peak_of_process().map_or("unknown".to_owned(), mib);
    println!("{:>12} {:>12} {process:>12}", mib(stated), mib(heap));
}

#[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The most memory of this process that was resident at a time; `None` where the system does not tell.
fn peak_of_process() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}
