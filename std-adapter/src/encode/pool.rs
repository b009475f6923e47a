//! Threads that encode chunks, and give them back in order.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle};

use super::error::EncodeError;
use super::framer::{Framer, Place};
use super::settings::EncodeSettings;

/// A chunk of content, and the frame that is made of it. Chunks go round, so that none is ever made anew.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// All of it is there; the first `filled` bytes are content.
    pub(super) content: Vec<u8>,
    pub(super) filled: usize,
    pub(super) frame: Vec<u8>,
}

/// A chunk on its way to a worker.
struct Job {
    chunk: Chunk,
    place: Place,
    reply: SyncSender<Done>,
}

/// A chunk that comes back, with its frame or what is wrong.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) chunk: Chunk,
    pub(super) result: Result<(), EncodeError>,
}

/// Workers, and the chunks that they have.
#[derive(Debug)]
pub(super) struct Pool {
    settings: EncodeSettings,
    /// `None` once it is closed.
    jobs: Option<Sender<Job>>,
    queue: Arc<Mutex<Receiver<Job>>>,
    in_flight: VecDeque<Receiver<Done>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Threads are started when there are chunks for them.
    pub(super) fn new(settings: &EncodeSettings) -> Self {
        let (jobs, queue) = channel();
        Self {
            settings: settings.clone(),
            jobs: Some(jobs),
            queue: Arc::new(Mutex::new(queue)),
            in_flight: VecDeque::new(),
            stop: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// Whether all chunks that there may be are on their way: two for each worker.
    pub(super) fn is_full(&self) -> bool {
        self.in_flight.len() >= self.settings.workers.get().saturating_mul(2)
    }

    /// Gives a chunk to the workers.
    pub(super) fn submit(&mut self, chunk: Chunk, place: Place) -> Result<(), EncodeError> {
        if self.threads.len() < self.settings.workers.get() {
            self.start_thread().map_err(|error| EncodeError::Unstarted(Arc::new(error)))?;
        }
        let (reply, done) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or(EncodeError::Closed)?;
        jobs.send(Job { chunk, place, reply }).expect("the other end of the channel is here, too");
        self.in_flight.push_back(done);
        Ok(())
    }

    fn start_thread(&mut self) -> io::Result<()> {
        let mut framer = Framer::new(&self.settings);
        let (queue, stop) = (Arc::clone(&self.queue), Arc::clone(&self.stop));
        let run = move || {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job { mut chunk, place, reply }) = job else { return };
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let result = framer.frame(&chunk.content[..chunk.filled], &mut chunk.frame, place);
                // Nobody waits for it where the writer stopped.
                let _ = reply.send(Done { chunk, result });
            }
        };
        self.threads.push(Builder::new().name("zvet-encoder".to_owned()).spawn(run)?);
        Ok(())
    }

    /// The oldest chunk, if it is done.
    pub(super) fn take_ready(&mut self) -> Option<Done> {
        let result = self.in_flight.front()?.try_recv();
        if matches!(result, Err(TryRecvError::Empty)) {
            return None;
        }
        self.in_flight.pop_front();
        Some(result.unwrap_or_else(|_| self.lost()))
    }

    /// The oldest chunk, once it is done; `None` if there is none.
    pub(super) fn take(&mut self) -> Option<Done> {
        let result = self.in_flight.pop_front()?.recv();
        Some(result.unwrap_or_else(|_| self.lost()))
    }

    fn lost(&mut self) -> Done {
        self.close();
        unreachable!("a thread that is gone before its chunk is done has panicked");
    }

    /// Lets the threads end after the frame that each is in, whatever else there is to do.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.jobs = None;
        self.in_flight.clear();
    }

    /// Stops, waits for the threads, and passes a panic of theirs on.
    pub(super) fn close(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join()
                && !thread::panicking()
            {
                resume_unwind(panic);
            }
        }
    }

    /// Stops without waiting.
    pub(super) fn detach(&mut self) {
        self.stop();
        self.threads.clear();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}
