use zstd::bulk::Compressor;
use zvet::{Class, Dictionary, EngineChoice, Error, Settings};

use crate::bytes::{W_128K, block, coded_literals, compressed, frame, one_match, only};
use crate::data::Lcg;
use crate::decode::{Decoded, decode, ended, with_workers};

/// Bytes are a dictionary or are refused as one; what is a dictionary is one for every engine: frames that use it come out
/// of them alike, and those that libzstd makes with it come out as what went in.
pub fn dictionaries_serve_every_engine_or_are_refused(bytes: &[u8], choices: &mut Lcg) {
    let dictionary = match Dictionary::new(bytes) {
        Ok(dictionary) => dictionary,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let id = dictionary.id().unwrap_or(0).to_le_bytes();
    let header = [&[3, W_128K][..], &id].concat();
    let treeless = only(&coded_literals(3, 0, 3, &[choices.next_number().to_le_bytes()[0] | 1]));
    let repeated = block(b"ab", &[1, 0b1111_1100, choices.next_number().to_le_bytes()[0], 0x40, 1]);
    let far = one_match(1 + choices.below(bytes.len() + 4) as u64);
    for content in [treeless, repeated, far] {
        alike(&frame(&header, &[compressed(true, &content)]), &dictionary);
    }

    let content: Vec<u8> = (0..8)
        .flat_map(|_| {
            let start = choices.below(bytes.len() + 1);
            &bytes[start..bytes.len().min(start + 1 + choices.below(100))]
        })
        .copied()
        .collect();
    let made = Compressor::with_dictionary(3, bytes).and_then(|mut compressor| compressor.compress(&content));
    if let Ok(stream) = made {
        for (output, result) in alike(&stream, &dictionary) {
            assert!(result.is_ok() && output == content, "not what libzstd was given: {:?}", result.err());
        }
    }
}

/// What all engines make of a stream, which is the same unless it is over a limit of theirs.
fn alike(stream: &[u8], dictionary: &Dictionary) -> Vec<Decoded> {
    let engines = EngineChoice::names().filter_map(EngineChoice::named);
    let decoded: Vec<_> = engines
        .map(|engine| decode(stream, &Settings { engine, dictionaries: vec![dictionary.clone()], ..with_workers(1) }))
        .filter(|(_, result)| result.as_ref().err().and_then(Error::class) != Some(Class::OverLimit))
        .collect();
    for pair in decoded.windows(2) {
        assert!(pair[0].0 == pair[1].0, "other content");
        assert_eq!(ended(&pair[0]), ended(&pair[1]));
    }
    decoded
}
