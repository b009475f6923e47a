#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::parallel_frames_are_within_their_bounds;

fuzz_target!(|stream: &[u8]| parallel_frames_are_within_their_bounds(stream, &mut Lcg::of(stream)));
