use std::io::Write;

use zvet::{Decode, EncodeSettings, EncoderChoice, FrameReport, ParallelWriter, Settings, StreamVerdict, inspect};

use crate::cut::{Cut, pieces};
use crate::data::Lcg;
use crate::decode::decode_from;
use crate::hex;
use crate::libzstd::Decoder;

/// Any content, written in any pieces with any encoder, level, size of frames and number of workers, comes back from zvet and
/// from libzstd, and every frame of it is parallel.
pub fn what_is_encoded_comes_back(content: &[u8], choices: &mut Lcg) {
    let encoders = EncoderChoice::built_in();
    let encoder = encoders[choices.below(encoders.len())].clone();
    let levels = encoder.levels();
    let settings = EncodeSettings {
        // The high levels take long to begin.
        level: Some(
            (-7..=12).map(|level: i32| level.clamp(*levels.start(), *levels.end())).nth(choices.below(20)).unwrap(),
        ),
        frame_size: 1024 + choices.skewed(64 << 10),
        checksum: choices.below(2) == 0,
        workers: (1 + choices.below(3)).try_into().unwrap(),
        encoder,
    };
    let what = || format!("{settings:?}: {}", hex(&content[..content.len().min(2000)]));
    let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
    for piece in pieces(content, choices) {
        writer.write_all(piece).unwrap_or_else(|error| panic!("{error}: {}", what()));
    }
    let (stream, report) = writer.finish().unwrap_or_else(|error| panic!("{error}: {}", what()));
    assert_eq!(
        (report.content_size, report.compressed_size),
        (content.len() as u64, stream.len() as u64),
        "{}",
        what()
    );

    let mut frames = 0;
    let inspected = inspect(&stream[..], false, &Settings::default(), &mut |frame| {
        let FrameReport::Zstandard(frame) = frame else { panic!("{frame:?}: {}", what()) };
        assert!(matches!(frame.decode, Decode::Parallel(_)), "{frame:?}: {}", what());
        frames += 1;
    });
    assert_eq!((inspected.verdict, frames), (StreamVerdict::Valid, report.frames), "{}", what());
    assert_eq!(frames, content.len().div_ceil(settings.frame_size).max(1) as u64, "{}", what());

    let input = Cut::new(std::io::Cursor::new(stream.clone()), choices);
    let (decoded, result) = decode_from(input, &Settings::default());
    result.unwrap_or_else(|error| panic!("{error}: {}", what()));
    assert!(decoded == content, "zvet: other content: {}", what());
    assert!(Decoder::new(true, None).stream(&stream).as_deref() == Ok(content), "libzstd: other content: {}", what());
}
