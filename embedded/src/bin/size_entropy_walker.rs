//! For `sizes`: the walk with the inside of blocks.
#![no_std]
#![no_main]

use zvet_core::entropy::{Depth, EntropyWalker, Workspace};

static mut WORKSPACE: Workspace = Workspace::new();

zvet_embedded::check_and_exit!(|image| {
    // SAFETY: this is the one place that uses it, and it is come to once.
    let workspace = unsafe { &mut *core::ptr::addr_of_mut!(WORKSPACE) };
    let mut walker = EntropyWalker::new(Depth::Streams, workspace, [], ());
    let mut rest = image;
    while let Ok(step) = walker.push(rest) {
        rest = rest.get(step.consumed..).unwrap_or_default();
        if step.event.is_none() {
            break;
        }
    }
    walker.finish().is_ok()
});
