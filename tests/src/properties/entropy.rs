use zvet::{Level, Settings, StreamVerdict, verify};

use super::LIMITS;
use crate::compare::{engines, others, refused};
use crate::libzstd::Decoder;
use crate::offset_codes;

/// What passes the level entropy decodes, with libzstd, mzstd and every engine of zvet's, to exactly the size that was computed and to the
/// same bytes; what does not is refused by libzstd, but for what it is known to take.
///
/// Returns which of these it was.
pub fn what_passes_decodes(stream: &[u8]) -> String {
    let settings = Settings { limits: LIMITS, workers: 1.try_into().unwrap(), ..Settings::default() };
    let report = verify(stream, Level::Entropy, &settings, &mut |_| {});
    let class = match report.verdict {
        StreamVerdict::OverLimit => Ok("over a limit".to_owned()),
        // Valid, and no other decoder takes it.
        StreamVerdict::Valid if offset_codes::largest(stream) > 31 => match Decoder::new(false, None).stream(stream) {
            Ok(_) => Err("libzstd takes offset codes past 31".to_owned()),
            Err(_) => Ok("passed: offset codes past 31".to_owned()),
        },
        StreamVerdict::Valid => {
            others(stream, &report, None).and_then(|others| engines(stream, &others)).map(ToOwned::to_owned)
        }
        _ => refused(stream, &report, None),
    };
    class.unwrap_or_else(|why| panic!("{why}: {}", crate::hex(stream)))
}
