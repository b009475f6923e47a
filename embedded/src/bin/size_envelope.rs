//! For `sizes`: the walk over headers with limits and an index.
#![no_std]
#![no_main]

use zvet_core::Limits;
use zvet_embedded::check::{Index, envelope};

zvet_embedded::check_and_exit!(|image| envelope([image], Limits::EMBEDDED, &mut Index::new()).is_ok());
