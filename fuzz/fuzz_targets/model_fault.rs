#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::model::{Fault, Stream};
use zvet_tests::properties::single_faults_are_named;

fuzz_target!(|input: (Stream, Fault, u64)| {
    let (stream, fault, choices) = input;
    let (built, expected) = stream.build_with(fault);
    single_faults_are_named(&built, &expected, &mut Lcg(choices));
});
