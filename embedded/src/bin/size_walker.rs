//! For `sizes`: the walk over headers.
#![no_std]
#![no_main]

use zvet_core::Walker;

zvet_embedded::check_and_exit!(|image| {
    let mut walker = Walker::new();
    let mut rest = image;
    while let Ok(step) = walker.push(rest) {
        rest = rest.get(step.consumed..).unwrap_or_default();
        if step.event.is_none() {
            break;
        }
    }
    walker.finish().is_ok()
});
