//! Runs zvet's core over its corpus where `usize` has 32 bits: every verdict and its place, whole and in pieces, damaged
//! streams, and streams of more than 4 GiB. On the host it does the same, and must print the same.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod corpus;
mod damaged;
mod giants;
#[cfg(target_os = "none")]
mod target;

#[cfg(not(target_os = "none"))]
use std::println;

#[cfg(target_os = "none")]
use cortex_m_semihosting::hprintln as println;
use zvet_core::entropy::Workspace;

/// What the checks work in: a firmware has it in a static.
struct Memory {
    workspace: Workspace,
    /// Room for a block that comes in pieces.
    block: [u8; 128 << 10],
    /// Room for a stream to be damaged in.
    stream: [u8; damaged::SIZE_MAX],
}

impl Memory {
    #[expect(clippy::large_stack_arrays, reason = "it is a static, or on the host's stack, which has room")]
    const fn new() -> Self {
        Self { workspace: Workspace::new(), block: [0; 128 << 10], stream: [0; damaged::SIZE_MAX] }
    }
}

// The target's `println` takes no names inside of its text.
#[allow(clippy::uninlined_format_args)]
fn run(memory: &mut Memory) {
    let checks = corpus::verdicts(memory);
    println!("corpus: {} streams, {} checks", corpus::CASES.len(), checks);
    let (streams, digest) = damaged::digest(memory);
    println!("damaged: {} streams, digest {:016x}", streams, digest);
    giants::skippable_frames();
    giants::raw_blocks();
    giants::rle_blocks();
    giants::a_fault_inside_of_a_block(&mut memory.workspace);
    println!("past 4 GiB: offsets and sizes are right");
}

#[cfg(not(target_os = "none"))]
fn main() {
    run(&mut Memory::new());
}
