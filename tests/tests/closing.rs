//! Closing at random, and what is left then. One test alone in its process, since threads are counted.

use std::fs;
use std::io::{self, Read};
use std::thread;
use std::time::{Duration, Instant};

use zvet::source::Stream;
use zvet::{Bounds, Dictionary, EngineChoice, FileDecoder, ParallelReader, Settings, Slots};
use zvet_tests::data::Lcg;
use zvet_tests::mix::{self, Kind};

/// Gives a stream piece by piece, with pauses now and then.
struct Pausing {
    stream: io::Cursor<Vec<u8>>,
    lcg: Lcg,
}

impl Read for Pausing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.lcg.below(50) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let n = buffer.len().min(1 + self.lcg.skewed(20_000));
        self.stream.read(&mut buffer[..n])
    }
}

/// How many threads there are of readers; `None` where that cannot be told.
fn threads() -> Option<usize> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let is_ours = |name: String| name.starts_with("zvet-");
    Some(
        tasks
            .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok())
            .filter(|name| is_ours(name.clone()))
            .count(),
    )
}

#[test]
fn readers_that_are_closed_at_random_leave_no_thread_and_no_slot() {
    let slots = Slots::new(3);
    let dictionary = mix::dictionary();
    let engines: Vec<_> = EngineChoice::names().filter_map(EngineChoice::named).collect();
    let mut lcg = Lcg(11);
    for round in 0..400 {
        let (mut stream, mut content) = (Vec::new(), Vec::new());
        for _ in 0..=lcg.below(30) {
            let kind = Kind::ALL[lcg.below(Kind::ALL.len())];
            let (frame, decoded) = kind.frame(lcg.skewed(60_000), lcg.next_number(), &dictionary);
            stream.extend(frame);
            content.extend(decoded);
        }
        let damaged = lcg.below(3) == 0;
        if damaged {
            let at = lcg.below(stream.len());
            stream[at] ^= 0x55;
        }
        let settings = Settings {
            slots: slots.clone(),
            workers: (1 + lcg.below(8)).try_into().unwrap(),
            bounds: Bounds { output: 30_000, ..Bounds::SNAPSHOT },
            adaptive: lcg.below(2) == 0,
            engine: engines[lcg.below(engines.len())].clone(),
            second_opinion: (lcg.below(4) == 0).then(EngineChoice::ruzstd),
            dictionaries: vec![Dictionary::raw(&dictionary)],
            ..Settings::default()
        };
        let source = Stream::new(Pausing { stream: io::Cursor::new(stream), lcg: Lcg(lcg.next_number()) });
        let started = Instant::now();
        if lcg.below(8) == 0 {
            let report = FileDecoder::new(source, tempfile::tempfile().unwrap(), true, &settings).unwrap().run();
            assert!(damaged || report.error.is_none(), "round {round}: {report:?}");
        } else {
            let mut reader = ParallelReader::with_settings(source, &settings).unwrap();
            let mut taken = vec![0; lcg.below(content.len() + 1)];
            let read = reader.read_exact(&mut taken);
            assert!(damaged || (read.is_ok() && content.starts_with(&taken)), "round {round}: {read:?}");
            match lcg.below(4) {
                0 => drop(reader),
                1 => drop(reader.into_report()),
                2 => drop(reader.abandon()),
                _ => drop(reader.finish()),
            }
        }
        // Threads of what was abandoned end by themselves.
        while threads().unwrap_or(0) > 0 || slots.in_use() > 0 {
            let waited = started.elapsed();
            assert!(waited < Duration::from_secs(20), "round {round}: {:?} threads, {slots:?}", threads());
            thread::sleep(Duration::from_micros(100));
        }
    }
}
