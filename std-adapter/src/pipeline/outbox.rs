//! What the splitter hands on, and when: in batches, but never late.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex};

use super::pace::Pace;
use super::{Gone, Item, lock};
use crate::source::Source;

/// Items in the order of the stream, and the content of the small frames among them. The consumer gives it back to be filled
/// again.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) items: VecDeque<Item>,
    pub(super) content: Vec<u8>,
    /// How much of the content was taken.
    pub(super) taken: usize,
}

/// What the splitter found and has not yet handed on. It is handed on in batches, since waking the consumer for every
/// small frame costs more than the frame; but always before the splitter waits for input.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) batch: Batch,
    pub(super) free: Receiver<Batch>,
    pub(super) to_consumer: SyncSender<Batch>,
}

/// More items are not kept back.
const BATCH_ITEMS: usize = 64;
/// Nor is more content.
pub(super) const BATCH_CONTENT: usize = 128 << 10;

impl Outbox {
    /// Takes an item, and hands it on if it is one to be acted upon, or makes the batch full.
    pub(super) fn put(&mut self, item: Item) -> Result<(), Gone> {
        let urgent = match &item {
            Item::Small { result, .. } => result.is_err(),
            Item::Skippable(_) | Item::SteppedOver(..) => false,
            Item::Whole { .. } | Item::Serial { .. } | Item::End { .. } => true,
        };
        let Batch { items, content, .. } = &mut self.batch;
        items.push_back(item);
        if urgent || items.len() >= BATCH_ITEMS || content.len() >= BATCH_CONTENT { self.flush() } else { Ok(()) }
    }

    /// Takes the content of the small frame whose item comes next.
    pub(super) fn put_content(&mut self, content: &[u8]) {
        self.batch.content.extend_from_slice(content);
    }

    pub(super) fn flush(&mut self) -> Result<(), Gone> {
        if self.batch.items.is_empty() {
            return Ok(());
        }
        let free = self.free.try_recv().unwrap_or_default();
        self.to_consumer.send(std::mem::replace(&mut self.batch, free)).map_err(|_| Gone)
    }
}

/// The pipeline's view of the source: reads fail once it is to stop, and hand on what was found before they wait.
#[derive(Debug)]
pub(crate) struct Attended<S> {
    pub(super) source: S,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) outbox: Arc<Mutex<Outbox>>,
    /// Where it is noted how long reads take, if somebody asks.
    pub(super) pace: Option<Arc<Pace>>,
}

impl<S: Source> Attended<S> {
    fn before_reading(&self) -> io::Result<()> {
        let stopped = || io::Error::other("stopped");
        if self.stop.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        if self.source.is_ready() {
            return Ok(());
        }
        lock(&self.outbox).flush().map_err(|Gone| stopped())
    }
}

impl<S: Source> Source for Attended<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.before_reading()?;
        let Self { source, pace, .. } = self;
        if source.is_ready() {
            return source.fill();
        }
        Pace::reading(pace.as_deref(), || source.fill())
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }

    fn consume(&mut self, n: usize) {
        self.source.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.before_reading()?;
        let Self { source, pace, .. } = self;
        Pace::reading(pace.as_deref(), || source.read_some(buffer))
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        self.before_reading()?;
        let Self { source, pace, .. } = self;
        Pace::reading(pace.as_deref(), || source.skip(n))
    }
}
