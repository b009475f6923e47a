#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::what_is_encoded_comes_back;

fuzz_target!(|content: &[u8]| what_is_encoded_comes_back(content, &mut Lcg::of(content)));
