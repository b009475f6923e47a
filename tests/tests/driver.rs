//! The driver, for some seconds; by hand it runs for hours.

use zvet_tests::compare::table;
use zvet_tests::driver::Driver;

/// Of these seeds one case each, which is the same again with the same zstd command.
const CASES: u64 = 150;

#[test]
fn streams_of_the_command_and_damaged_ones_are_what_they_are_known_to_be() {
    let keep = std::env::temp_dir().join("zvet-driver");
    let Some(mut driver) = Driver::new(&keep) else { return eprintln!("no zstd command here") };
    for seed in 0..CASES {
        if let Err(difference) = driver.run(seed, 4) {
            panic!("seed {seed}: {}\nkept in {:?}", difference.what, difference.kept);
        }
    }
    println!("{}", table(&driver.counts));
    for class in [
        "parts: frames of zstd",
        "parts: skippable frames",
        "frames: parallel (bound)",
        "frames: serial (window)",
        "without its dictionary: needs it",
        "damaged: valid, and the same from all",
        "damaged: only the checksum is another",
    ] {
        assert!(driver.counts.get(class).is_some_and(|&count| count > 0), "there was no {class}");
    }
    assert_eq!(driver.counts["cases"], CASES);
}
