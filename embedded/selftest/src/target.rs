//! On the target.

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::hprintln;
use zvet_embedded::board;

use crate::Memory;

#[entry]
fn main() -> ! {
    // What `entry` makes of it is lent to this function alone.
    static mut MEMORY: Memory = Memory::new();
    crate::run(MEMORY);
    crate::corpus::memory(MEMORY);
    board::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    board::exit(101)
}
