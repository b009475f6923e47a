#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::seek_tables_are_held_to_the_frames;

fuzz_target!(|stream: &[u8]| seek_tables_are_held_to_the_frames(stream, &mut Lcg::of(stream)));
