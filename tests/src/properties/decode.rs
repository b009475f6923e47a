use std::io::Cursor;

use zvet::{Class, EngineChoice, Level, Settings, StreamVerdict, verify};
use zvet_core::Bounds;

use super::{LIMITS, bounds};
use crate::cut::Cut;
use crate::data::Lcg;
use crate::decode::{Decoded, decode_from, with_workers};
use crate::offset_codes;

/// Nothing is held whole: every frame is decoded alone, as it is read.
const SERIAL: Bounds = Bounds { window: 0, output: 0, input: 0, blocks: 0 };

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
            let over = [one, other].iter().any(|error| error.class() == Some(Class::OverLimit));
            let same = one.to_string() == other.to_string();
            (same || place_depends && over).then_some(()).ok_or_else(|| format!("{one}; {other}"))
        }
        (one, other) => Err(format!("{one:?}; {other:?}")),
    }
}

fn decode(stream: &[u8], settings: &Settings, choices: &mut Lcg) -> Decoded {
    decode_from(Cut::new(Cursor::new(stream.to_vec()), choices), settings)
}
