#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::properties::what_passes_decodes;

fuzz_target!(|stream: &[u8]| {
    what_passes_decodes(stream);
});
