//! Frames of several sizes, and of several levels.

use zvet::Slots;

use crate::data::{Content, Frames, source};
use crate::libzstd::{ONE_THREAD, OneThread, Threads};
use crate::options::Options;
use crate::race::Race;
use crate::zvets::{Way, cores, read};

pub(crate) const SIZES: [usize; 3] = [2 << 20, 8 << 20, 16 << 20];

pub(crate) fn run(options: &Options) {
    let cores = cores();
    println!("\nsizes: {cores} threads; MB/s of content, and the ratio to {ONE_THREAD}\n");
    println!(
        "{:<20} {:>5} {:>6} {:>7} {:>12} {:>16} {:>16} {:>16}",
        "data", "level", "frames", "content", "one thread", "libzstd alone", "zvet vetted", "zvet trusted"
    );
    for content in Content::all(options) {
        for &level in &options.levels {
            for size in SIZES {
                let frames = &Frames::of(&content.bytes, size, level);
                let mut race = Race::new();
                let mut one = OneThread::new(frames);
                race.add(ONE_THREAD, move || one.decode(frames));
                let mut threads = Threads::new(frames, cores);
                race.add("", move || threads.decode(frames));
                for way in Way::of_default() {
                    let settings = way.settings(cores, Slots::new(cores));
                    race.add("", move || read(source(&frames.stream), &settings, frames.content_size));
                }
                let speeds = race.run(options.rounds);
                let size = format!("{} MiB", size >> 20);
                print!("{:<20} {level:>5} {size:>6} {:>7.2} {:>12.0}", content.name, frames.ratio(), speeds[0].rate);
                for speed in &speeds[1..] {
                    print!(" {:>16}", speed.figures());
                }
                println!();
            }
        }
    }
}
