//! Streams of the zstd command before zvet, for as long as there is time.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;
use zvet_tests::compare::table;
use zvet_tests::driver::Driver;

/// Makes streams with the zstd command, and compares what zvet says of them, and of them with damage, with what is known
/// of them and with what other decoders say.
///
/// The exit code is 0 if all agree, 1 at the first difference, 2 if there is no zstd command. With the seed that it
/// prints, the same zstd command makes the same case again.
#[derive(Debug, Parser)]
#[command(name = "zvet-driver")]
struct Args {
    /// How long to run.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// The seed of the first case; each case after it has the next one. Without it, the time is the seed.
    #[arg(long)]
    seed: Option<u64>,
    /// How often each stream is damaged.
    #[arg(long, default_value_t = 4)]
    damaged: usize,
    /// Where failing streams are kept.
    #[arg(long, default_value = "target/zvet-driver")]
    keep: PathBuf,
}

fn main() -> ExitCode {
    const PROGRESS: Duration = Duration::from_secs(10);
    let args = Args::parse();
    let Some(mut driver) = Driver::new(&args.keep) else {
        eprintln!("zvet-driver: no zstd command here");
        return ExitCode::from(2);
    };
    let first = args.seed.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs());
    println!("first seed {first}, {} minutes", args.minutes);
    let started = Instant::now();
    let mut told = started;
    let mut seed = first;
    let failed = loop {
        if let Err(difference) = driver.run(seed, args.damaged) {
            break Some(difference);
        }
        seed = seed.wrapping_add(1);
        if started.elapsed().as_secs_f64() >= args.minutes * 60.0 {
            break None;
        }
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            println!("{:>6} s: {}", started.elapsed().as_secs(), sum(&driver, seed.wrapping_sub(first), args.damaged));
        }
    };
    print!("{}", table(&driver.counts));
    println!("{}", sum(&driver, seed.wrapping_sub(first), args.damaged));
    let Some(difference) = failed else { return ExitCode::SUCCESS };
    println!("\nDIFFERENCE at seed {seed}: {}", difference.what);
    if let Some(path) = difference.kept {
        println!("the stream is kept in {}", path.display());
    }
    println!("again: cargo run --release -p zvet-tests -- --seed {seed} --damaged {} --minutes 0", args.damaged);
    ExitCode::FAILURE
}

fn sum(driver: &Driver, cases: u64, damaged: usize) -> String {
    let mib = |bytes: u64| bytes >> 20;
    format!(
        "{cases} streams and {} damaged, {} MiB of {} MiB",
        cases * damaged as u64,
        mib(driver.compressed),
        mib(driver.content)
    )
}
