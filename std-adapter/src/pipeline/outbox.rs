//! What the splitter hands on, and when: in batches, but never late.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

use super::{Gone, Item, lock};
use crate::source::Source;

/// What the splitter found and has not yet handed on. It is handed on in batches, since waking the consumer for every
/// small frame costs more than the frame; but always before the splitter waits for input.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) items: Vec<Item>,
    /// How much content the items carry.
    pub(super) content: usize,
    pub(super) to_consumer: SyncSender<Vec<Item>>,
}

/// More items are not kept back.
const BATCH_ITEMS: usize = 64;
/// Nor is more content.
pub(super) const BATCH_CONTENT: usize = 128 << 10;

impl Outbox {
    /// Takes an item, and hands it on if it is one to be acted upon, or makes the batch full.
    pub(super) fn put(&mut self, item: Item) -> Result<(), Gone> {
        let (content, urgent) = match &item {
            Item::Small { result, .. } => (result.as_ref().map_or(0, Vec::len), result.is_err()),
            Item::Skippable(_) | Item::SteppedOver(..) => (0, false),
            Item::Whole { .. } | Item::Serial { .. } | Item::End { .. } => (0, true),
        };
        self.content += content;
        self.items.push(item);
        if urgent || self.items.len() >= BATCH_ITEMS || self.content >= BATCH_CONTENT { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<(), Gone> {
        if self.items.is_empty() {
            return Ok(());
        }
        self.content = 0;
        self.to_consumer.send(std::mem::take(&mut self.items)).map_err(|_| Gone)
    }
}

/// The pipeline's view of the source: reads fail once it is to stop, and hand on what was found before they wait.
#[derive(Debug)]
pub(crate) struct Attended<S> {
    pub(super) source: S,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) outbox: Arc<Mutex<Outbox>>,
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
        self.source.fill()
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }

    fn consume(&mut self, n: usize) {
        self.source.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.before_reading()?;
        self.source.read_some(buffer)
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        self.before_reading()?;
        self.source.skip(n)
    }
}
