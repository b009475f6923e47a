#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::walks_alike_however_it_is_cut;

fuzz_target!(|stream: &[u8]| walks_alike_however_it_is_cut(stream, &mut Lcg::of(stream)));
