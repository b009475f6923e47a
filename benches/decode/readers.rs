//! One reader, and eight at once that share their slots; new ones, and those that were there before.

use std::thread;

use zvet::{Settings, Slots};

use crate::data::{Content, FRAME, Frames, LEVEL, source};
use crate::libzstd::{ONE_THREAD, OneThread};
use crate::options::Options;
use crate::race::{self, Race};
use crate::zvets::{Way, cores, read};

pub(crate) const READERS: usize = 8;
/// Few frames, so that what a new reader costs shows.
const FRAMES: usize = 4;

pub(crate) fn run(options: &Options) {
    println!(
        "\nreaders: {FRAMES} frames of 8 MiB each, level {LEVEL}, {} workers and as many slots; all content, per second",
        cores()
    );
    for content in Content::all(options) {
        let frames = Frames::of(&content.bytes[..content.bytes.len().min(FRAMES * FRAME)], FRAME, LEVEL);
        drop(content.bytes);
        let frames = &frames;
        let mut race = Race::new();
        let mut one = OneThread::new(frames);
        race.add(ONE_THREAD, move || one.decode(frames));
        race.add(format!("libzstd alone, {READERS} at once, fresh"), || {
            let mut pool: Vec<_> = (0..READERS).map(|_| OneThread::new(frames)).collect();
            libzstd_at_once(&mut pool, frames)
        });
        let mut pool: Vec<_> = (0..READERS).map(|_| OneThread::new(frames)).collect();
        race.add(format!("libzstd alone, {READERS} at once, pooled"), move || libzstd_at_once(&mut pool, frames));
        for way in Way::of_default() {
            for count in [1, READERS] {
                let name = |kind| format!("{}, {count} at once, {kind}", way.name());
                race.add(name("fresh"), move || at_once(count, frames, &way.settings(cores(), Slots::new(cores()))));
                let settings = way.settings(cores(), Slots::new(cores()));
                race.add(name("pooled"), move || at_once(count, frames, &settings));
            }
        }
        println!("\n{}", content.name);
        race::print(&race.run(options.rounds));
    }
}

fn at_once(readers: usize, frames: &Frames, settings: &Settings) -> u64 {
    thread::scope(|scope| {
        let read = || read(source(&frames.stream), settings, frames.content_size);
        let readers: Vec<_> = (0..readers).map(|_| scope.spawn(read)).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    })
}

fn libzstd_at_once(pool: &mut [OneThread], frames: &Frames) -> u64 {
    thread::scope(|scope| {
        let readers: Vec<_> = pool.iter_mut().map(|one| scope.spawn(|| one.decode(frames))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    })
}
