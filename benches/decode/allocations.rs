//! What frames and readers allocate. libzstd's contexts are not counted: C allocates them, once for each engine.

use std::io::BufRead;

use zvet::{ParallelReader, Settings, Slots};
use zvet_tests::data::Shape;

use crate::counting::{Allocated, Count};
use crate::data::{Bytes, Frames, LEVEL, source};
use crate::options::Options;
use crate::sizes::SIZES;
use crate::zvets::{Way, cores};

/// What is cycled through, so that frames differ in size.
const SHAPES: [Shape; 4] = [Shape::Text, Shape::Log, Shape::Binary, Shape::Image];
/// How many frames come before a reader is warm, and how many then.
const WARMING: usize = 24;
const WARM: usize = 24;

pub(crate) fn run(_: &Options) {
    let cores = cores();
    println!(
        "\nallocations: {cores} workers, {cores} slots, level {LEVEL}; {WARMING} frames to warm up, and then {WARM}"
    );
    println!("one reader, and then a second one over the same slots, of {} frames\n", WARMING + WARM);
    println!(
        "{:<18} {:>6}  {:>32}  {:>32}  {:>32}",
        "engine", "frames", "first reader, to warm up", "then, for each frame", "second reader, all of it"
    );
    let streams = SIZES.map(|size| (size, stream(size)));
    for way in Way::all() {
        for (size, stream) in &streams {
            let settings = way.settings(cores, Slots::new(cores));
            let (warming, mut warm) = measure(stream, *size, &settings);
            let (second_warming, second_warm) = measure(stream, *size, &settings);
            let second = Allocated {
                count: second_warming.count + second_warm.count,
                bytes: second_warming.bytes + second_warm.bytes,
                largest: second_warming.largest.max(second_warm.largest),
            };
            warm.count = warm.count.div_ceil(WARM as u64);
            warm.bytes = warm.bytes.div_ceil(WARM as u64);
            let size = format!("{} MiB", size >> 20);
            println!("{:<18} {size:>6}  {}  {}  {}", way.name(), said(warming), said(warm), said(second));
        }
    }
}

fn said(Allocated { count, bytes, largest }: Allocated) -> String {
    format!("{count:>6} {:>10} max {:>10}", kib(bytes), kib(largest))
}

fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

fn stream(frame_size: usize) -> Bytes {
    let frames = SHAPES.map(|shape| Frames::of(&shape.data(frame_size, 1), frame_size, LEVEL).stream);
    (0..WARMING + WARM).flat_map(|i| frames[i % frames.len()].iter().copied()).collect()
}

/// What is allocated until so many frames were taken, and then to the end of the content.
fn measure(stream: &Bytes, frame_size: usize, settings: &Settings) -> (Allocated, Allocated) {
    let warming = Count::start();
    let mut reader = ParallelReader::with_settings(source(stream), settings).unwrap();
    take(&mut reader, WARMING * frame_size);
    let warming = warming.stop();
    let warm = Count::start();
    take(&mut reader, WARM * frame_size);
    let warm = warm.stop();
    reader.finish().unwrap();
    (warming, warm)
}

fn take(reader: &mut ParallelReader, mut size: usize) {
    while size > 0 {
        let taken = reader.fill_buf().unwrap().len().min(size);
        assert!(taken > 0, "the content ends early");
        reader.consume(taken);
        size -= taken;
    }
}
