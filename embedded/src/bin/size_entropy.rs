//! For `sizes`: the inside of blocks with limits and an index.
#![no_std]
#![no_main]

use zvet_core::Limits;
use zvet_core::entropy::Workspace;
use zvet_embedded::check::{Index, entropy};

static mut WORKSPACE: Workspace = Workspace::new();

zvet_embedded::check_and_exit!(|image| {
    // SAFETY: this is the one place that uses it, and it is come to once.
    let workspace = unsafe { &mut *core::ptr::addr_of_mut!(WORKSPACE) };
    entropy([image], Limits::EMBEDDED, workspace, &mut [], &mut Index::new()).is_ok()
});
