//! libzstd by itself: what zvet is compared with.

use std::sync::Mutex;
use std::thread;

use zstd::bulk::Decompressor;

use crate::data::Frames;

pub(crate) const ONE_THREAD: &str = "libzstd on one thread";

/// On one thread, in place into one buffer of a frame.
pub(crate) struct OneThread {
    context: Decompressor<'static>,
    output: Vec<u8>,
}

impl OneThread {
    pub(crate) fn new(frames: &Frames) -> Self {
        Self { context: Decompressor::new().unwrap(), output: vec![0; frames.frame_size] }
    }

    pub(crate) fn decode(&mut self, frames: &Frames) -> u64 {
        let sizes = frames.list.iter().map(|frame| decode(&mut self.context, frame, &mut self.output));
        let size = sizes.sum();
        assert_eq!(size, frames.content_size as u64);
        size
    }
}

/// On several threads, each with a context that is used again and again, in place into all of the content: what the cores of
/// the machine give libzstd itself. Nobody takes the content, and none of it is checked before.
pub(crate) struct Threads {
    contexts: Vec<Decompressor<'static>>,
    output: Vec<u8>,
}

impl Threads {
    pub(crate) fn new(frames: &Frames, threads: usize) -> Self {
        let contexts = (0..threads).map(|_| Decompressor::new().unwrap()).collect();
        Self { contexts, output: vec![0; frames.content_size] }
    }

    pub(crate) fn decode(&mut self, frames: &Frames) -> u64 {
        let Self { contexts, output } = self;
        let places = Mutex::new(frames.list.iter().zip(output.chunks_mut(frames.frame_size)));
        let next = || places.lock().unwrap().next();
        let size = thread::scope(|scope| {
            let work = |context: &mut Decompressor<'_>| {
                std::iter::from_fn(next).map(|(frame, output)| decode(context, frame, output)).sum::<u64>()
            };
            let threads: Vec<_> = contexts.iter_mut().map(|context| scope.spawn(move || work(context))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(size, frames.content_size as u64);
        size
    }
}

fn decode(context: &mut Decompressor<'_>, frame: &[u8], output: &mut [u8]) -> u64 {
    context.decompress_to_buffer(frame, output).unwrap() as u64
}
