//! For `sizes`: what a program has besides its check.
#![no_std]
#![no_main]

zvet_embedded::check_and_exit!(|image| !image.is_empty());
