//! Frames that are held whole: decoded in one go, by workers or by the splitter.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use zvet_core::Frame;

use super::{Decoded, Job, lock};
use crate::content::Content;
use crate::engine::Guarded;
use crate::error::Error;
use crate::settings::Settings;

/// A worker's thread.
#[derive(Debug)]
pub(crate) struct Working {
    pub(super) jobs: Arc<Mutex<Receiver<Job>>>,
    pub(super) settings: Arc<Settings>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Working {
    /// Decodes frames until there are no more.
    pub(crate) fn run(self) {
        let mut engine = Guarded::new(&self.settings);
        loop {
            let job = lock(&self.jobs).recv();
            let Ok(Job { frame, mut slot, reply }) = job else { return };
            let decoding = Decoding { settings: &self.settings, stop: &self.stop };
            let result = decoding.run(&mut engine, &frame, &slot.input, &mut slot.output);
            // Nobody waits for it where the consumer stopped.
            let _ = reply.send(Decoded { slot, result });
        }
    }
}

/// What is looked at past the room of a frame, to know that there is nothing.
const PROBE_SIZE: usize = 1;

/// Decodes frames that are held whole.
pub(super) struct Decoding<'a> {
    pub(super) settings: &'a Settings,
    pub(super) stop: &'a AtomicBool,
}

impl Decoding<'_> {
    /// Decodes a frame into the front of `output`, and returns how much that is.
    pub(super) fn run(
        &self,
        engine: &mut Guarded,
        frame: &Frame,
        mut input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let high = frame.decoded_size().high;
        // Every proof says that it fits the bound, so it fits a usize.
        let room = usize::try_from(high).unwrap_or(usize::MAX);
        make_room(output, room, self.settings.bounds.output);
        let mut running = engine.start(frame, &mut input)?;
        let mut content = Content::of(frame, running.name());
        let mut filled = 0;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::read(frame.offset, io::Error::other("stopped")));
            }
            let mut probe = [0; PROBE_SIZE];
            let full = filled == room;
            let to = if full { &mut probe[..] } else { &mut output[filled..room] };
            let progress = running.decode(to)?;
            content.take(&to[..progress.written], frame, high)?;
            filled += progress.written;
            if progress.done {
                break;
            }
        }
        content.finish(frame, running.exact_size())?;
        Ok(filled)
    }
}

/// Sees to it that there is room for so much output. What was there is dropped first, so that at no time there is both.
fn make_room(output: &mut Vec<u8>, room: usize, limit: u64) {
    if output.len() < room {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let size = (output.len() * 2).min(limit).max(room);
        *output = Vec::new();
        *output = vec![0; size];
    }
}
