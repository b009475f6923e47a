//! How fast zvet decodes, and in what memory, against libzstd 1.5.7: `cargo bench -p zvet-benches --bench decode`.
//!
//! Rates are of content, in MB/s (10^6 bytes). What is compared runs one after the other, round by round, so that what slows the
//! machine down slows all of it. A rate is the median over the rounds, and so is the ratio after it: to libzstd on one
//! thread in the same round, with one context, in place into one buffer of a frame that is used again and again.
//!
//! Options are environment variables:
//!
//! - `ZVET_BENCH_ONLY`: the parts to run, with commas between them, of `workers`, `readers`, `sizes`, `commands`, `allocations`,
//!   `memory`, `adaptive`.
//! - `ZVET_BENCH_FILES`: files of real data, with `:` between them, besides the data that is made.
//! - `ZVET_BENCH_MIB`: how much content, in MiB, of each kind of data: 64.
//! - `ZVET_BENCH_ROUNDS`: how many rounds: 5.
//! - `ZVET_BENCH_LEVELS`: the levels of `sizes`, with commas between them: 3. Level 19 takes minutes to make.
//! - `ZVET_BENCH_COMMAND`: the command `zvet`, to be compared with `zstd` and `pzstd`.

mod adaptive;
mod allocations;
mod commands;
mod counting;
mod data;
mod libzstd;
mod memory;
mod options;
mod race;
mod readers;
mod sizes;
mod workers;
mod zvets;

use options::Options;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

type Part = (&'static str, fn(&Options));

const PARTS: [Part; 7] = [
    ("workers", workers::run),
    ("readers", readers::run),
    ("sizes", sizes::run),
    ("commands", commands::run),
    ("allocations", allocations::run),
    ("memory", memory::run),
    ("adaptive", adaptive::run),
];

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    // Tests of all targets run this, too, and do not ask for figures.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    if let Some(at) = arguments.iter().position(|argument| argument == memory::CHILD) {
        return memory::measure_here(&arguments[at + 1..]);
    }
    let options = Options::from_environment();
    println!("{} cores, {} rounds, {} MiB of each kind of data", zvets::cores(), options.rounds, options.content >> 20);
    for (name, run) in PARTS {
        if options.wants(name) {
            run(&options);
        }
    }
}
