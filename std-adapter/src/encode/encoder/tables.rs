//! The size of the tables of libzstd 1.5.7's levels, which mzstd has as well.

/// `hashLog` and `chainLog` of the levels below 1, and of 1 to 22, for content of more than 256 KiB. For smaller
/// content they are smaller, or small enough to be within what is added.
const LOGS: [(u32, u32); 23] = [
    (13, 12),
    (14, 13),
    (16, 15),
    (17, 16),
    (18, 18),
    (19, 18),
    (19, 18),
    (20, 19),
    (20, 19),
    (21, 20),
    (22, 21),
    (22, 21),
    (23, 22),
    (22, 22),
    (23, 22),
    (23, 23),
    (22, 22),
    (22, 23),
    (22, 23),
    (22, 24),
    (23, 25),
    (24, 26),
    (25, 27),
];

/// What level 0 stands for.
const DEFAULT_LEVEL: usize = 3;

/// Levels from here on have trees, and no tags beside the first table.
const TREES_FROM: usize = 13;

/// What goes with a block, whatever the level: its literals, its sequences, and what they are priced with.
const BLOCK_MEMORY: u64 = 4 << 20;

/// The most bytes that a level takes for content of up to this size. Entries of tables are of four bytes, and two more
/// for tags. Neither log is more than one above that of the content.
pub(super) fn memory_of_level(level: i32, content_size: u64) -> u64 {
    let level = if level == 0 { DEFAULT_LEVEL } else { usize::try_from(level).unwrap_or(0).min(LOGS.len() - 1) };
    let content_log = log_of(content_size).max(17);
    let (hash, chain) = LOGS[level];
    let entry = if level < TREES_FROM { 6 } else { 4 };
    entry * (1 << hash.min(content_log + 1)) + 4 * (1 << chain.min(content_log + 1)) + BLOCK_MEMORY
}

/// `windowLog` that covers content of up to this size: then the frame is a single segment, whatever the level.
pub(super) fn window_log(content_size: usize) -> u32 {
    const WINDOW_LOG_MIN: u32 = 10;
    log_of(content_size as u64).max(WINDOW_LOG_MIN)
}

/// The smallest power of two that is not below a size.
fn log_of(size: u64) -> u32 {
    size.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}
