//! The memory of eight readers at once, beside what is stated. Each way is measured in a process of its own, in which there is
//! nothing else: the stream is in a file.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;
use std::{env, thread};

use zvet::source::Seekable;
use zvet::{Limits, Settings, Slots};
use zvet_tests::data::Shape;

use crate::counting;
use crate::data::{Frames, LEVEL};
use crate::options::Options;
use crate::readers::READERS;
use crate::zvets::{Way, cores, read};

/// The argument that makes this process measure, and say it: the engine, whether it is trusted, the file, the size of its
/// windows, and that of its content.
pub(crate) const CHILD: &str = "--memory-of";
const FRAME: usize = 16 << 20;
const FRAMES: u64 = 4;

pub(crate) fn run(_: &Options) {
    let cores = cores();
    println!(
        "\nmemory: {READERS} readers at once, {cores} workers each, {cores} slots for all; {FRAMES} frames of a single segment, level {LEVEL}"
    );
    println!(
        "stated is `Settings::peak_memory_of({READERS})` under the default limits, which allow windows of 128 MiB,"
    );
    println!(
        "and where no window is larger than the frames'; heap is without what C allocates, and the process is all of it\n"
    );
    println!(
        "{:<28} {:<18} {:>12} {:>12} {:>12} {:>12}",
        "frames", "engine", "by default", "stated", "heap", "process"
    );
    let streams = [
        ("16 MiB of text", FRAME, content(|seed| Shape::Text.data(FRAME, seed))),
        ("16 MiB that hardly compress", FRAME, content(dense)),
        ("a byte too large, serial", FRAME + 1, content(|seed| Shape::Text.data(FRAME + 1, seed))),
    ];
    for (name, frame_size, content) in streams {
        let stream = Frames::of_single_segments(&content, frame_size, LEVEL).stream;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&stream).unwrap();
        for way in Way::all() {
            let mut command = Command::new(env::current_exe().unwrap());
            command.args(["--bench", CHILD, way.engine(), way.vetting()]).arg(file.path());
            let output = command.args([frame_size, content.len()].map(|size| size.to_string())).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            println!("{name:<28} {:<18} {}", way.name(), said.trim_end());
        }
    }
}

fn content(frame: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    (0..FRAMES).flat_map(frame).collect()
}

/// Frames whose input is nearly as large as it may be.
fn dense(seed: u64) -> Vec<u8> {
    let mut content = Shape::Noise.data(FRAME - (1 << 20), seed);
    content.resize(FRAME, 0);
    content
}

/// The child's part.
pub(crate) fn measure_here(arguments: &[String]) {
    let [engine, vetting, path, window, content_size] = arguments else { panic!("not as it is called: {arguments:?}") };
    let way = Way::all().find(|way| way.engine() == engine && way.vetting() == vetting).expect("it was named by one");
    let content_size = content_size.parse().unwrap();
    let settings = way.settings(cores(), Slots::new(cores()));
    let by_default = settings.peak_memory_of(READERS);
    let settings = Settings { limits: Limits { window: window.parse().unwrap(), ..Limits::default() }, ..settings };
    let stated = settings.peak_memory_of(READERS);
    let heap = counting::peak(|| {
        thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| read(Seekable::new(File::open(path).unwrap()).unwrap(), &settings, content_size));
            }
        });
    });
    let process = peak_of_process().map_or("unknown".to_owned(), mib);
    println!("{:>12} {:>12} {:>12} {process:>12}", mib(by_default), mib(stated), mib(heap));
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
