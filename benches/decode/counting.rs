//! An allocator that counts. What C allocates for itself it does not see.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LARGEST: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What was allocated in some time.
#[derive(Clone, Copy)]
pub(crate) struct Allocated {
    pub(crate) count: u64,
    /// The sum of their sizes; what is allocated anew to be larger counts with its new size.
    pub(crate) bytes: u64,
    pub(crate) largest: u64,
}

/// Counts from here on.
pub(crate) struct Count {
    count: u64,
    bytes: u64,
}

impl Count {
    /// There is one at a time: the largest is that since the last start.
    pub(crate) fn start() -> Self {
        LARGEST.store(0, Relaxed);
        Self { count: ALLOCATIONS.load(Relaxed), bytes: BYTES.load(Relaxed) }
    }

    pub(crate) fn stop(&self) -> Allocated {
        Allocated {
            count: ALLOCATIONS.load(Relaxed) - self.count,
            bytes: BYTES.load(Relaxed) - self.bytes,
            largest: LARGEST.load(Relaxed),
        }
    }
}

/// How much more memory than before `run` takes at most, in bytes.
pub(crate) fn peak(run: impl FnOnce()) -> u64 {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    run();
    PEAK.load(Relaxed) - before
}

fn allocated(size: usize) {
    let size = size as u64;
    ALLOCATIONS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size, Relaxed);
    LARGEST.fetch_max(size, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(size, Relaxed) + size, Relaxed);
}

fn freed(size: usize) {
    LIVE.fetch_sub(size as u64, Relaxed);
}

#[expect(unsafe_code, reason = "nothing else counts all allocations of all threads")]
// SAFETY: every call goes to the system's allocator as it came, and nothing here allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old one and the new one may both be there for a while.
        allocated(size);
        // SAFETY: the caller's promise.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        freed(layout.size());
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}
