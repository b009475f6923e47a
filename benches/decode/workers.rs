//! One thread against several, with every engine.

use zvet::Slots;

use crate::data::{Content, FRAME, Frames, LEVEL, source};
use crate::libzstd::{ONE_THREAD, OneThread, Threads};
use crate::options::Options;
use crate::race::Race;
use crate::zvets::{Way, read};

const WORKERS: [usize; 4] = [1, 2, 4, 8];

pub(crate) fn run(options: &Options) {
    println!("\nworkers: frames of 8 MiB, level {LEVEL}; MB/s of content, and the ratio to {ONE_THREAD}");
    for content in Content::all(options) {
        let frames = &Frames::of(&content.bytes, FRAME, LEVEL);
        drop(content.bytes);
        let mut race = Race::new();
        let mut one = OneThread::new(frames);
        race.add(ONE_THREAD, move || one.decode(frames));
        for mut threads in WORKERS.map(|count| Threads::new(frames, count)) {
            race.add("libzstd alone, in place", move || threads.decode(frames));
        }
        for way in Way::all() {
            for count in WORKERS {
                // As many slots as workers, however many cores there are.
                let settings = way.settings(count, Slots::new(count));
                race.add(way.name(), move || read(source(&frames.stream), &settings, frames.content_size));
            }
        }
        let speeds = race.run(options.rounds);
        let (one, rest) = speeds.split_first().expect("there is the first one");
        println!(
            "\n{}, {:.2} bytes of content for one of input; {}: {:.0} MB/s",
            content.name,
            frames.ratio(),
            one.name,
            one.rate
        );
        let [a, b, c, d] = WORKERS.map(|count| format!("{count} threads"));
        println!("  {:<26} {a:>14} {b:>14} {c:>14} {d:>14}", "");
        for row in rest.chunks(WORKERS.len()) {
            print!("  {:<26}", row[0].name);
            for speed in row {
                print!(" {:>14}", speed.figures());
            }
            println!();
        }
        println!("  the second thread gives libzstd itself x{:.2}", rest[1].ratio);
    }
}
