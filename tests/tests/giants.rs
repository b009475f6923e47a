//! Streams of more than 4 GiB, by their headers alone. The self-test for targets of 32 bits runs the same.

use zvet_core::entropy::Workspace;

#[path = "../../embedded/selftest/src/giants.rs"]
mod giants;

#[test]
fn frames_after_skippable_ones_of_4_gib_have_their_true_offsets() {
    giants::skippable_frames();
}

#[test]
fn raw_blocks_of_more_than_4_gib_have_their_true_offsets_and_sum() {
    giants::raw_blocks();
}

#[test]
fn rle_blocks_that_make_more_than_4_gib_have_their_true_sum() {
    giants::rle_blocks();
}

#[test]
fn offsets_past_4_gib_of_content_are_held_to_the_window_and_faults_have_their_true_place() {
    giants::a_fault_inside_of_a_block(&mut Workspace::new());
}
