#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::data::Lcg;
use zvet_tests::model::Stream;
use zvet_tests::properties::{decodes_alike_for_any_workers_and_bounds, what_passes_decodes};

fuzz_target!(|input: (Stream, [(u32, u8); 3])| {
    let (stream, changes) = input;
    let mut bytes = stream.build().bytes;
    for (at, change) in changes {
        let at = at as usize % bytes.len();
        bytes[at] ^= change;
    }
    what_passes_decodes(&bytes);
    decodes_alike_for_any_workers_and_bounds(&bytes, &mut Lcg::of(&bytes));
});
