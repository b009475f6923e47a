//! zvet on bare metal: what the firmware in `src/bin/firmware.rs` is made of.
//!
//! [`check`] is the part to take away: no heap, no unsafe, nothing of any board. [`board`] is the Cortex-M that it runs on
//! here: where the image lies, the console, the clock and the stack.
#![no_std]

#[cfg(target_os = "none")]
pub mod board;
pub mod check;

/// Makes the binary one that links only without a way to panic. A build with debug assertions links in any case: there a
/// panic ends the program with status 101.
#[macro_export]
macro_rules! never_panics {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            #[cfg(debug_assertions)]
            $crate::board::exit(101);
            #[cfg(not(debug_assertions))]
            {
                unsafe extern "C" {
                    fn there_is_a_way_to_panic() -> !;
                }
                // SAFETY: there is no such function, so a program with this call in it does not link.
                unsafe { there_is_a_way_to_panic() }
            }
        }
    };
}

/// A program that checks the image in the slot and tells nothing but the outcome: for measuring sizes.
#[macro_export]
macro_rules! check_and_exit {
    (|$image:ident| $check:expr) => {
        $crate::never_panics!();

        #[cortex_m_rt::entry]
        fn main() -> ! {
            let $image = $crate::board::image().unwrap_or_default();
            let right: bool = $check;
            $crate::board::exit(u8::from(!right))
        }
    };
}
