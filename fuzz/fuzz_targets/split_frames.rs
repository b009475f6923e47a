#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::properties::frames_tile_the_input_however_it_is_cut;

fuzz_target!(|stream: &[u8]| frames_tile_the_input_however_it_is_cut(stream, &mut Lcg::of(stream)));
