//! What holds for any bytes. Each property is a fuzz target in `fuzz/`, and a property test here.
//!
//! A property panics where it does not hold. What it chooses besides the stream (cuts, bounds, workers) comes from an
//! [`Lcg`]; [`Lcg::of`] makes one from the stream itself, so that a stream alone is a whole case.

mod decode;
mod dictionary;
mod encode;
mod entropy;
mod header;
mod model;
mod seek_table;
mod split;
mod verdict;
mod walk;

pub use decode::decodes_alike_for_any_workers_and_bounds;
pub use dictionary::dictionaries_serve_every_engine_or_are_refused;
pub use encode::what_is_encoded_comes_back;
pub use entropy::what_passes_decodes;
pub use header::headers_read_alike_in_any_part;
pub use model::{single_faults_are_named, valid_streams_are_valid};
pub use seek_table::seek_tables_are_held_to_the_frames;
pub use split::frames_tile_the_input_however_it_is_cut;
pub use verdict::parallel_frames_are_within_their_bounds;
pub use walk::walks_alike_however_it_is_cut;

use zvet::Error;
use zvet_core::{Bounds, Limits};

use crate::data::Lcg;

/// So much output, so that streams that expand do not take all the time there is.
const OUTPUT_MAX: u64 = 4 << 20;

/// The default limits, and one of output.
const LIMITS: Limits = Limits { output: OUTPUT_MAX, ..Limits::SNAPSHOT };

/// Bounds on both sides of what small streams have.
fn bounds(choices: &mut Lcg) -> Bounds {
    let mut bound = |most: usize| choices.skewed(most) as u64;
    Bounds { window: bound(16 << 20), output: bound(1 << 20), input: bound(16 << 10), blocks: bound(64) }
}

/// An error as a person sees it: rule, place, values.
fn text<T>(result: &Result<T, Error>) -> Option<String> {
    result.as_ref().err().map(ToString::to_string)
}
