//! The events of a walk against limits and bounds.

use zvet_core::{Bounds, Budget, Decode, Error, ErrorKind, Event, Frame, Limits};

use crate::fault::Fault;
use crate::report::{FrameReport, Level, Report, Tally, ZstandardReport, classify};
use crate::walk::Insight;

/// Takes the events of a walk, tells of every frame at its end, and gathers the report.
///
/// - Call [`event`](Self::event) with each event of the walk. An error ends the walk, as one of the walk itself does.
/// - An error, of whichever of them, goes to [`fail`](Self::fail), with the frame that it cuts short.
/// - [`report`](Self::report) is the end of it.
///
/// A frame whose window is over the limit, or whose dictionary is not at hand, is walked over: a fault that comes after
/// outweighs it. Past any other limit the walk ends.
#[derive(Debug)]
pub struct Audit<E, I> {
    tally: Tally<E>,
    bounds: Bounds,
    budget: Budget,
    dictionary_ids: I,
}

impl<E, I> Audit<E, I>
where
    E: Fault + Clone + From<Error>,
    I: AsRef<[u32]>,
{
    /// An audit at the start of a stream. `dictionary_ids` are those of the dictionaries at hand.
    #[must_use]
    pub const fn new(level: Level, bounds: Bounds, limits: Limits, dictionary_ids: I) -> Self {
        Self { tally: Tally::new(level), bounds, budget: Budget::new(limits), dictionary_ids }
    }

    /// Takes the next event, with what a look inside of blocks found beside it. Tells of the frame that ends there.
    ///
    /// # Errors
    /// The limit that the stream is over.
    pub fn event(
        &mut self,
        event: &Event,
        insight: Insight,
        observe: &mut dyn FnMut(&FrameReport),
    ) -> Result<(), Error> {
        if let Some(error) = insight.undecided {
            self.tally.error(error.into());
        }
        if let (Event::Block(block), Some(made)) = (event, insight.made) {
            self.budget.made_before(block, made)?;
        }
        let spent = match self.budget.observe(event) {
            Err(error) if about_one_frame(&error) => {
                self.tally.error(error.into());
                Ok(())
            }
            result => result,
        };
        match event {
            Event::FrameStart(frame) => {
                if let Err(error) = frame.check_dictionary(self.dictionary_ids.as_ref()) {
                    self.tally.error(error.into());
                }
            }
            Event::FrameEnd(frame) => {
                let report = ZstandardReport::complete(*frame, self.classify(frame));
                self.tell(&FrameReport::Zstandard(report), observe);
            }
            Event::SkippableEnd(frame) => self.tell(&FrameReport::complete_skippable(*frame), observe),
            Event::Block(_) | Event::SkippableStart(_) => {}
        }
        spent
    }

    /// Ends the walk with an error, and tells of the frame that it cuts short.
    pub fn fail(&mut self, error: E, unfinished: Option<&FrameReport>, observe: &mut dyn FnMut(&FrameReport)) {
        if let Some(report) = unfinished {
            self.tell(report, observe);
        }
        self.tally.error(error);
    }

    /// How a frame may be decoded.
    #[must_use]
    pub fn classify(&self, frame: &Frame) -> Decode {
        classify(&self.bounds, self.dictionary_ids.as_ref(), frame)
    }

    /// What is known of the stream, of which this many bytes were walked.
    #[must_use]
    pub fn report(&self, size: u64) -> Report<E> {
        self.tally.finish(size)
    }

    fn tell(&mut self, report: &FrameReport, observe: &mut dyn FnMut(&FrameReport)) {
        self.tally.frame(report);
        observe(report);
    }
}

/// Whether an error says nothing of the frames that come after the one that it is about.
#[must_use]
pub const fn about_one_frame(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::WindowOverLimit { .. } | ErrorKind::UnknownDictionary { .. })
}
