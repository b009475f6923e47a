#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::model::Stream;
use zvet_tests::properties::valid_streams_are_valid;

fuzz_target!(|input: (Stream, u64)| {
    let (stream, choices) = input;
    valid_streams_are_valid(&stream.build(), &mut Lcg(choices));
});
