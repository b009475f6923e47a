//! zvet for JavaScript: an instance of this module walks one stream at a time.
//!
//! There is no allocator. Everything has its place before the first call, an instance is as large at the end of a stream
//! as at its start, and only dictionaries make it grow. `js/session.js` is the one caller of what [`abi`] exports.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg_attr(not(target_family = "wasm"), expect(dead_code, reason = "only JavaScript calls it"))]

#[cfg(target_family = "wasm")]
mod abi;
mod dictionaries;
mod output;
mod session;
mod settings;
