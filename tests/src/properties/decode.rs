use std::io::{Cursor, Read};

use zvet::source::Stream;
use zvet::{EngineChoice, Error, Level, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_core::Bounds;

use super::{Cut, LIMITS, bounds};
use crate::data::Lcg;
use crate::offset_codes;

/// Nothing is held whole: every frame is decoded alone, as it is read.
const SERIAL: Bounds = Bounds { window: 0, output: 0, input: 0, blocks: 0 };

/// Any engine, any number of workers, any bounds and any cuts give the content and the error of a decode of one frame after the other;
/// what is given before an error is the front of it.
pub fn decodes_alike_for_any_workers_and_bounds(stream: &[u8], choices: &mut Lcg) {
    let level = |level| {
        let settings = Settings { limits: LIMITS, ..with_workers(1) };
        verify(stream, level, &settings, &mut |_| {})
    };
    let entropy = level(Level::Entropy);
    let one = Settings { bounds: SERIAL, limits: LIMITS, engine: EngineChoice::ruzstd(), ..with_workers(1) };
    let serial = decode(stream, &one, choices);
    for workers in [1, 1 + choices.below(2), 2 + choices.below(4)] {
        let engines: Vec<EngineChoice> = EngineChoice::names().filter_map(EngineChoice::named).collect();
        let settings = Settings {
            bounds: bounds(choices),
            limits: LIMITS,
            engine: engines[choices.below(engines.len())].clone(),
            adaptive: choices.below(2) == 0,
            ..with_workers(workers)
        };
        let what = format!("{settings:?}");
        let parallel = decode(stream, &settings, choices);
        match (&serial.1, &parallel.1) {
            (Ok(one), Ok(other)) => {
                assert!(serial.0 == parallel.0, "other content: {what}");
                assert_eq!(one.totals.decoded_size, other.totals.decoded_size, "{what}");
                assert_eq!(one.totals.decoded_size.exact(), Some(serial.0.len() as u64), "{what}");
            }
            (Err(one), Err(other)) => {
                let (longer, shorter) =
                    if serial.0.len() < parallel.0.len() { (&parallel.0, &serial.0) } else { (&serial.0, &parallel.0) };
                assert!(longer.starts_with(shorter), "other content: {what}");
                // Where a limit of output is told depends on how much is held. What only an engine does not take is found
                // when it gets there, which is after the end of a frame that is held.
                if entropy.verdict == StreamVerdict::OverLimit || offset_codes::largest(stream) > 31 {
                    assert!(one.class().is_some() && other.class().is_some(), "{one}; {other}: {what}");
                } else {
                    assert_eq!(one.to_string(), other.to_string(), "{what}");
                }
            }
            (one, other) => panic!("{one:?}; {other:?}: {what}"),
        }
    }
}

fn with_workers(workers: usize) -> Settings {
    Settings { workers: workers.try_into().unwrap(), ..Settings::default() }
}

fn decode(stream: &[u8], settings: &Settings, choices: &mut Lcg) -> (Vec<u8>, Result<Report, Error>) {
    let source = Stream::new(Cut::new(Cursor::new(stream.to_vec()), choices));
    let mut reader = ParallelReader::with_settings(source, settings).unwrap();
    let mut content = Vec::new();
    match reader.read_to_end(&mut content) {
        Ok(_) => (content, reader.finish()),
        Err(error) => {
            let error = error.get_ref().and_then(|error| error.downcast_ref::<Error>()).unwrap().clone();
            let again = reader.finish().unwrap_err();
            assert_eq!(again.to_string(), error.to_string(), "the first error stays");
            (content, Err(error))
        }
    }
}
