//! The properties of `fuzz/`, over the corpus and over damaged streams.

use proptest::prelude::*;
use zvet_tests::data::Lcg;
use zvet_tests::{corpus, properties};

/// All of them. What takes threads or other decoders is left to the fuzz targets where a stream is large.
fn hold(stream: &[u8], choices: &mut Lcg) {
    properties::headers_read_alike_in_any_part(stream);
    properties::walks_alike_however_it_is_cut(stream, choices);
    properties::frames_tile_the_input_however_it_is_cut(stream, choices);
    properties::parallel_frames_are_within_their_bounds(stream, choices);
    properties::seek_tables_are_held_to_the_frames(stream, choices);
    properties::what_passes_decodes(stream);
    properties::decodes_alike_for_any_workers_and_bounds(stream, choices);
    properties::what_is_encoded_comes_back(stream, choices);
}

#[test]
fn properties_hold_for_the_corpus() {
    for case in corpus::cases() {
        let stream = case.bytes();
        if stream.len() < 64 << 10 {
            println!("{}", case.path);
            hold(&stream, &mut Lcg::of(&stream));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn properties_hold_for_damaged_streams(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        choices in any::<u64>(),
    ) {
        let cases = corpus::cases();
        let mut stream = which.get(&cases).bytes();
        stream.truncate(16 << 10);
        for (at, byte) in changes.into_iter().filter(|_| !stream.is_empty()).collect::<Vec<_>>() {
            let at = at.index(stream.len());
            stream[at] = byte;
        }
        hold(&stream, &mut Lcg(choices));
    }

    #[test]
    fn dictionaries_serve_every_engine_or_are_refused(
        formatted in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 0..4),
        size in any::<prop::sample::Index>(),
        choices in any::<u64>(),
    ) {
        let name = if formatted { "trained.dict" } else { "raw.dict" };
        let mut dictionary = std::fs::read(corpus::folder().join("dict").join(name)).unwrap();
        if choices % 4 == 0 {
            dictionary.truncate(size.index(dictionary.len()));
        }
        for (at, early, byte) in changes.into_iter().filter(|_| !dictionary.is_empty()).collect::<Vec<_>>() {
            let size = dictionary.len();
            // Its tables are at its start.
            let at = at.index(if early { size.min(200) } else { size });
            dictionary[at] = byte;
        }
        properties::dictionaries_serve_every_engine_or_are_refused(&dictionary, &mut Lcg(choices));
    }
}
