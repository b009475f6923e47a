//! A writer takes no more memory than it is said to. One test alone in its process, since memory is the process'.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use peak_alloc::PeakAlloc;
use zvet::{EncodeSettings, EncoderChoice, ParallelWriter};
use zvet_tests::data::Shape;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// How much more memory than before `run` takes at most.
fn peak(run: impl FnOnce()) -> u64 {
    ALLOCATED.reset_peak_usage();
    let before = ALLOCATED.current_usage();
    run();
    (ALLOCATED.peak_usage() - before) as u64
}

/// Takes everything, slowly at first, so that chunks pile up.
struct Slow(u32);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 > 0 {
            self.0 -= 1;
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn memory_stays_under_what_is_stated() {
    // Of libzstd the allocator sees nothing; a test of its own asks it.
    let mut cases = Vec::new();
    for workers in [1, 2, 4] {
        cases.push((EncoderChoice::ruzstd(), Some(1), 256 * KIB, workers));
        cases.push((EncoderChoice::mzstd(), Some(3), 256 * KIB, workers));
    }
    for level in (-5..=22).chain([-131_072]) {
        cases.push((EncoderChoice::mzstd(), Some(level), if level > 15 { 130 * KIB } else { 600 * KIB }, 1));
    }
    for (level, frame_size) in [(1, 8 * MIB), (5, 8 * MIB), (12, 8 * MIB), (3, 1024), (19, 20_000), (22, MIB)] {
        cases.push((EncoderChoice::mzstd(), Some(level), frame_size, 2));
    }
    for (encoder, level, frame_size, workers) in cases {
        let workers = NonZeroUsize::new(workers).unwrap();
        let settings = EncodeSettings { level, frame_size, workers, encoder, ..EncodeSettings::default() };
        let promised = settings.peak_memory();
        let mut most = 0;
        for shape in [Shape::Noise, Shape::Text, Shape::Runs] {
            let frames = if frame_size > MIB { 2 } else { 3 * workers.get() };
            let content = shape.data(frame_size * frames + 1000, 1);
            most = most.max(peak(|| {
                let mut writer = ParallelWriter::with_settings(Slow(2), &settings).unwrap();
                // A small frame first, so that buffers have to grow.
                writer.write_all(&content[..500]).unwrap();
                writer.flush().unwrap();
                writer.write_all(&content[500..]).unwrap();
                writer.finish().unwrap();
            }));
        }
        let name = settings.encoder.name();
        println!("{name} level {level:?}, frames of {frame_size}, {workers} workers: {most} of {promised}");
        assert!(most <= promised, "{name} level {level:?}: {most} were taken, promised are {promised}");
        // A promise of ten times as much would hold as well, and say nothing.
        assert!(promised <= most.max(4 * MIB as u64) * 8, "{name} level {level:?}: {most} of {promised}");
    }
}
