//! The workers: frames that are held whole, one after the other.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use zvet_core::{Frame, Limits};

use super::pace::Pace;
use super::{Decoded, Job, lock};
use crate::engine::Guarded;
use crate::error::Error;
use crate::placing::Placing;
use crate::settings::Settings;

/// A worker's thread.
#[derive(Debug)]
pub(crate) struct Working {
    pub(super) jobs: Arc<Mutex<Receiver<Job>>>,
    pub(super) settings: Arc<Settings>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) placing: Option<Arc<Placing>>,
    pub(super) pace: Arc<Pace>,
}

impl Working {
    /// Decodes frames until there are no more.
    pub(crate) fn run(self) {
        let mut engine = Guarded::new(&self.settings);
        loop {
            let job = lock(&self.jobs).recv();
            let Ok(Job { frame, mut slot, place, reply }) = job else { return };
            let started = Instant::now();
            let mut result = engine.decode_whole(&frame, &mut slot.input, &mut slot.output, &self.stop);
            self.pace.note_decoded(frame.compressed_size, started.elapsed());
            let mut placed = false;
            if let (Ok(size), Some(placing), Some(place)) = (&result, &self.placing, place)
                && self.is_within_limits(&frame, place + *size as u64)
            {
                match placing.write(&slot.output[..*size], place) {
                    Ok(()) => placed = true,
                    Err(error) => result = Err(Error::Unwritten(Arc::new(error))),
                }
            }
            // Nobody waits for it where the consumer stopped.
            let _ = reply.send(Decoded { slot, result, placed });
        }
    }

    /// Whether this much content of the stream may be written. What may not is left to the consumer, which says why.
    fn is_within_limits(&self, frame: &Frame, content: u64) -> bool {
        let Limits { output, ratio, .. } = self.settings.limits;
        let input = frame.offset.saturating_add(frame.compressed_size);
        content <= output && ratio.is_none_or(|ratio| content <= ratio.allowed(input))
    }
}
