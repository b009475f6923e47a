//! What the caller sets: level, frame size, checksum, workers, encoder.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::thread;

use super::encoder::{Encoder, EncoderError, Ruzstd, max_frame_size};
use super::error::EncodeError;

/// Less than this is more header than content.
pub(super) const FRAME_SIZE_MIN: usize = 1 << 10;
/// What is as large as it can be and still, compressed or not, within the 16 MiB that a frame of
/// [`Bounds`](crate::Bounds)' default may take of input.
pub(super) const FRAME_SIZE_MAX: usize = (16 << 20) - (64 << 10);

const _: () = assert!(max_frame_size(FRAME_SIZE_MAX) as u64 <= crate::Bounds::SNAPSHOT.input);

/// How a stream is written. The default is 8 MiB a frame with checksums, on all cores, with the first encoder that is
/// built in of mzstd, libzstd and ruzstd, at its own default level.
///
/// ```
/// use zvet::EncodeSettings;
///
/// let settings = EncodeSettings { frame_size: 2 << 20, ..EncodeSettings::default() };
/// assert!(settings.check().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct EncodeSettings {
    /// How hard the encoder tries, in zstd's numbers: 1 to 22, and negative ones that are faster; 0 is 3. `None` is the
    /// encoder's default.
    pub level: Option<i32>,
    /// The most content of a frame, in bytes: 1 KiB to 16 MiB less 64 KiB, so that every frame, also of what does not
    /// compress, fits the default bounds of 16 MiB and is decoded beside others. Larger frames compress better, smaller
    /// ones keep more cores busy.
    pub frame_size: usize,
    /// Whether each frame ends with a checksum of its content. It costs four bytes a frame and little time, and finds
    /// damage.
    pub checksum: bool,
    /// How many frames are encoded at the same time. With 1, the caller's thread encodes, and there is no other.
    pub workers: NonZeroUsize,
    /// What encodes.
    pub encoder: EncoderChoice,
}

impl Default for EncodeSettings {
    fn default() -> Self {
        Self {
            level: None,
            frame_size: 8 << 20,
            checksum: true,
            workers: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            encoder: EncoderChoice::default(),
        }
    }
}

/// What is not buffers or tables, and the same again for each worker: a thread's own, channels.
const FIXED_MEMORY: u64 = 64 << 10;

impl EncodeSettings {
    /// Whether a stream can be written with these settings.
    ///
    /// # Errors
    /// [`EncodeError::Level`], [`EncodeError::FrameSize`].
    pub fn check(&self) -> Result<(), EncodeError> {
        let EncoderChoice { name, levels, .. } = &self.encoder;
        let level = self.effective_level();
        if !levels.contains(&level) {
            return Err(EncodeError::Level { level, encoder: name, levels: levels.clone() });
        }
        if !(FRAME_SIZE_MIN..=FRAME_SIZE_MAX).contains(&self.frame_size) {
            return Err(EncodeError::FrameSize(self.frame_size));
        }
        Ok(())
    }

    /// The level that is encoded at: the one set, or the encoder's default.
    #[must_use]
    pub fn effective_level(&self) -> i32 {
        self.level.unwrap_or(self.encoder.default_level)
    }

    /// The most memory, in bytes, that a writer takes with these settings, whatever the content:
    ///
    /// `chunks x (frame_size + frame) + workers x (encoder(frame_size) + 64 KiB) + 64 KiB`
    ///
    /// where `chunks` is 1 for one worker and else two for each, `frame` is [`max_frame_size`], which is a 256th more
    /// than the content, and `encoder` is what the encoder says: for mzstd and libzstd the tables of the level, from 4
    /// MiB for fast levels to 132 MiB for 22 with frames of 8 MiB; for ruzstd 4 MiB. The sink's own is not counted.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let workers = self.workers.get() as u64;
        let chunks = if workers == 1 { 1 } else { workers.saturating_mul(2) };
        let content = self.frame_size as u64;
        let frame = max_frame_size(self.frame_size) as u64;
        let encoder = self.encoder.make(&self.encoder_options()).map_or(0, |encoder| encoder.memory(content));
        content
            .saturating_add(frame)
            .saturating_mul(chunks)
            .saturating_add(encoder.saturating_add(FIXED_MEMORY).saturating_mul(workers))
            .saturating_add(FIXED_MEMORY)
    }

    pub(super) fn encoder_options(&self) -> EncoderOptions {
        EncoderOptions { level: self.effective_level(), checksum: self.checksum, content_size: self.frame_size }
    }
}

/// What an encoder is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncoderOptions {
    /// The level, one that the encoder has.
    pub level: i32,
    /// Whether frames end with a checksum.
    pub checksum: bool,
    /// The most content of a frame, in bytes.
    pub content_size: usize,
}

type EncoderMaker = Arc<dyn Fn(&EncoderOptions) -> Result<Box<dyn Encoder>, EncoderError> + Send + Sync>;

/// What makes the encoders: one for each worker, and new ones for those that failed.
#[derive(Clone)]
pub struct EncoderChoice {
    name: &'static str,
    levels: RangeInclusive<i32>,
    default_level: i32,
    make: EncoderMaker,
}

/// zstd's levels: the negative ones are as many as the bytes of a block.
#[cfg(any(feature = "mzstd", feature = "libzstd"))]
const ZSTD_LEVELS: RangeInclusive<i32> = -(128 << 10)..=22;
#[cfg(any(feature = "mzstd", feature = "libzstd"))]
const ZSTD_DEFAULT_LEVEL: i32 = 3;
const RUZSTD_LEVEL: i32 = 1;

impl EncoderChoice {
    /// [`Ruzstd`], which has one level, 1.
    #[must_use]
    pub fn ruzstd() -> Self {
        Self::custom("ruzstd", RUZSTD_LEVEL..=RUZSTD_LEVEL, RUZSTD_LEVEL, |options| Ok(Ruzstd::new(options.checksum)))
    }

    /// [`Mzstd`](super::encoder::Mzstd), which has zstd's levels.
    #[cfg(feature = "mzstd")]
    #[must_use]
    pub fn mzstd() -> Self {
        Self::custom("mzstd", ZSTD_LEVELS, ZSTD_DEFAULT_LEVEL, |options| {
            super::encoder::Mzstd::new(options.level, options.checksum, options.content_size)
        })
    }

    /// [`Libzstd`](super::encoder::Libzstd), which has zstd's levels.
    #[cfg(feature = "libzstd")]
    #[must_use]
    pub fn libzstd() -> Self {
        Self::custom("libzstd", ZSTD_LEVELS, ZSTD_DEFAULT_LEVEL, |options| {
            super::encoder::Libzstd::new(options.level, options.checksum, options.content_size)
        })
    }

    /// Encoders of your own, with the levels that they have.
    pub fn custom<E: Encoder + 'static>(
        name: &'static str,
        levels: RangeInclusive<i32>,
        default_level: i32,
        make: impl Fn(&EncoderOptions) -> Result<E, EncoderError> + Send + Sync + 'static,
    ) -> Self {
        let make: EncoderMaker = Arc::new(move |options| Ok(Box::new(make(options)?)));
        Self { name, levels, default_level, make }
    }

    /// Those that are built in, the default first.
    #[must_use]
    pub fn built_in() -> Vec<Self> {
        vec![
            #[cfg(feature = "mzstd")]
            Self::mzstd(),
            #[cfg(feature = "libzstd")]
            Self::libzstd(),
            Self::ruzstd(),
        ]
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The levels that it has.
    #[must_use]
    pub fn levels(&self) -> RangeInclusive<i32> {
        self.levels.clone()
    }

    /// The level that it has where none is set.
    #[must_use]
    pub fn default_level(&self) -> i32 {
        self.default_level
    }

    pub(super) fn make(&self, options: &EncoderOptions) -> Result<Box<dyn Encoder>, EncoderError> {
        (self.make)(options)
    }
}

/// The first of [`built_in`](Self::built_in): mzstd, else libzstd, else ruzstd.
impl Default for EncoderChoice {
    fn default() -> Self {
        #[cfg(feature = "mzstd")]
        return Self::mzstd();
        #[cfg(all(feature = "libzstd", not(feature = "mzstd")))]
        return Self::libzstd();
        #[cfg(not(any(feature = "mzstd", feature = "libzstd")))]
        Self::ruzstd()
    }
}

impl fmt::Debug for EncoderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EncoderChoice").field(&self.name).finish()
    }
}
