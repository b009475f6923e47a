#![no_main]

use libfuzzer_sys::fuzz_target;
use zvet_tests::properties::headers_read_alike_in_any_part;

fuzz_target!(|stream: &[u8]| {
    headers_read_alike_in_any_part(stream);
});
