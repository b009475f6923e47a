#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::dictionaries_serve_every_engine_or_are_refused;

fuzz_target!(|bytes: &[u8]| dictionaries_serve_every_engine_or_are_refused(bytes, &mut Lcg::of(bytes)));
