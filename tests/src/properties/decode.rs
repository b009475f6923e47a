use std::io::{Cursor, Read};

use zvet::source::Stream;
use zvet::{EngineChoice, Error, Level, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_core::Bounds;

use super::{Cut, LIMITS, bounds};
use crate::data::Lcg;
use crate::offset_codes;

/// Nothing is held whole: every frame is decoded alone, as it is read.
const SERIAL: Bounds = Bounds { window: 0, output: 0, input: 0, blocks: 0 };

/// What a decode came to: the content that was given, and the end.
type Decoded = (Vec<u8>, Result<Report, Error>);

/// Any engine, any number of workers, any bounds and any cuts give the content and the error of a decode of one frame after
/// the other; what is given before an error is the front of it.
pub fn decodes_alike_for_any_workers_and_bounds(stream: &[u8], choices: &mut Lcg) {
    let entropy = verify(stream, Level::Entropy, &Settings { limits: LIMITS, ..with_workers(1) }, &mut |_| {});
    // Where a limit of output is told depends on how much is held. What only an engine does not take is found when it gets
    // there, which is after the end of a frame that is held.
    let place_depends = entropy.verdict == StreamVerdict::OverLimit || offset_codes::largest(stream) > 31;
    let engines: Vec<EngineChoice> = EngineChoice::names().filter_map(EngineChoice::named).collect();
    let one = Settings { bounds: SERIAL, limits: LIMITS, engine: EngineChoice::ruzstd(), ..with_workers(1) };
    let serial = decode(stream, &one, choices);
    for workers in [1, 1 + choices.below(2), 2 + choices.below(4)] {
        let settings = Settings {
            bounds: bounds(choices),
            limits: LIMITS,
            engine: engines[choices.below(engines.len())].clone(),
            adaptive: choices.below(2) == 0,
            ..with_workers(workers)
        };
        let parallel = decode(stream, &settings, choices);
        alike(&serial, &parallel, place_depends).unwrap_or_else(|why| panic!("{why}: {settings:?}"));
    }
}

fn alike(serial: &Decoded, parallel: &Decoded, place_depends: bool) -> Result<(), String> {
    match (&serial.1, &parallel.1) {
        (Ok(one), Ok(other)) => {
            let sizes = [one, other].map(|report| report.totals.decoded_size.exact());
            let same = serial.0 == parallel.0 && sizes == [Some(serial.0.len() as u64); 2];
            same.then_some(()).ok_or_else(|| format!("other content, or {sizes:?} are not its size"))
        }
        (Err(one), Err(other)) => {
            if !serial.0.starts_with(&parallel.0) && !parallel.0.starts_with(&serial.0) {
                return Err("other content".to_owned());
            }
            let same = if place_depends {
                one.class().is_some() && other.class().is_some()
            } else {
                one.to_string() == other.to_string()
            };
            same.then_some(()).ok_or_else(|| format!("{one}; {other}"))
        }
        (one, other) => Err(format!("{one:?}; {other:?}")),
    }
}

fn with_workers(workers: usize) -> Settings {
    Settings { workers: workers.try_into().unwrap(), ..Settings::default() }
}

fn decode(stream: &[u8], settings: &Settings, choices: &mut Lcg) -> Decoded {
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
