#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::decodes_alike_for_any_workers_and_bounds;

fuzz_target!(|stream: &[u8]| decodes_alike_for_any_workers_and_bounds(stream, &mut Lcg::of(stream)));
