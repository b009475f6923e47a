//! The board: a Cortex-M in qemu, with semihosting for a console. On another one this is what to write anew.

use core::ptr::{addr_of, addr_of_mut};
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use cortex_m_semihosting::{nr, syscall, syscall1};

unsafe extern "C" {
    // From memory.x and from cortex-m-rt: only their addresses mean something.
    static _slot_start: u8;
    static _slot_end: u8;
    static mut _stack_end: u32;
}

/// The image in the slot: four bytes of size, the lowest first, and as many bytes. `None` where the size cannot be one:
/// erased flash says 2^32 - 1.
#[must_use]
pub fn image() -> Option<&'static [u8]> {
    let start = addr_of!(_slot_start);
    let room = (addr_of!(_slot_end) as usize).checked_sub(start as usize)?;
    // SAFETY: memory.x gives the slot to nothing else, it is memory from its start to its end, and nobody writes to it.
    let slot = unsafe { slice::from_raw_parts(start, room) };
    let (size, content) = slot.split_first_chunk::<4>()?;
    content.get(..usize::try_from(u32::from_le_bytes(*size)).ok()?)
}

/// Where the image begins.
#[must_use]
pub fn image_address() -> u32 {
    (addr_of!(_slot_start) as u32).wrapping_add(4)
}

/// A line for the console. What has no room in it is dropped. There is nothing of `core::fmt` in it, which is larger than
/// the whole check and has ways to panic.
pub struct Line {
    text: [u8; 128],
    size: usize,
}

impl Line {
    /// A line of nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { text: [0; 128], size: 0 }
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// Adds a number.
    #[must_use]
    pub fn number(self, number: u64) -> Self {
        let mut digits = [b'0'; 20];
        let mut left = number;
        let mut first = digits.len();
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (left % 10) as u8;
            left /= 10;
            first = place;
            if left == 0 {
                break;
            }
        }
        self.bytes(digits.get(first..).unwrap_or_default())
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        // Two bytes are kept for the end of the line.
        let room = self.text.get_mut(self.size..126).unwrap_or_default();
        let taken = room.len().min(bytes.len());
        for (to, &from) in room.iter_mut().zip(bytes) {
            *to = from;
        }
        self.size += taken;
        self
    }

    /// Writes the line to the console of the debugger.
    pub fn print(mut self) {
        if let Some([end, nul]) = self.text.get_mut(self.size..).and_then(|rest| rest.first_chunk_mut()) {
            (*end, *nul) = (b'\n', 0);
        }
        // SAFETY: the text ends with a zero, and the debugger only reads it.
        unsafe { syscall1(nr::WRITE0, self.text.as_ptr() as usize) };
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

/// Ends the program, with a status for the debugger.
pub fn exit(status: u8) -> ! {
    const EXIT_EXTENDED: usize = 0x20;
    const APPLICATION_EXIT: u32 = 0x2_0026;
    loop {
        // SAFETY: the call takes two words. It does not return where a debugger listens.
        unsafe { syscall(EXIT_EXTENDED, &[APPLICATION_EXIT, u32::from(status)]) };
    }
}

/// Counts with SysTick: cycles of the core on a board. In qemu with `-icount shift=3` an instruction takes 8 ns and a tick
/// of the 25 MHz clock 40, so a tick is five instructions.
pub struct Clock(SYST);

/// How often the 24 bits of SysTick ran out.
static WRAPS: AtomicU32 = AtomicU32::new(0);
const RELOAD: u32 = 0x00FF_FFFF;

#[exception]
fn SysTick() {
    // There is one writer, and thumbv6m has no fetch_add.
    WRAPS.store(WRAPS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

impl Clock {
    /// Starts to count.
    #[must_use]
    pub fn start(mut systick: SYST) -> Self {
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(RELOAD);
        systick.clear_current();
        systick.enable_interrupt();
        systick.enable_counter();
        Self(systick)
    }

    /// Ticks since the start.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        loop {
            let wraps = WRAPS.load(Ordering::Relaxed);
            let now = SYST::get_current();
            // It may have run out in between.
            if wraps == WRAPS.load(Ordering::Relaxed) {
                return u64::from(wraps) * (u64::from(RELOAD) + 1) + u64::from(RELOAD - (now & RELOAD));
            }
        }
    }
}

/// Paint for the part of the stack that is not used.
const PAINT: u32 = 0xDEAD_57AC;

/// Room for the painter's own few words, which may lie below the stack pointer that it reads. What is measured is deeper.
const OWN: usize = 128;

/// Paints the free part of the stack, and returns where that begins.
#[inline(never)]
pub fn paint_stack() -> usize {
    let top = cortex_m::register::msp::read() as usize;
    let mut word = addr_of_mut!(_stack_end);
    while (word as usize) < top.saturating_sub(OWN) {
        // SAFETY: from the end of the stack to the words of this function there is memory that nobody uses.
        unsafe {
            word.write_volatile(PAINT);
            word = word.add(1);
        }
    }
    top
}

/// How many bytes of stack were used below `top` since it was painted.
#[inline(never)]
#[must_use]
pub fn stack_used(top: usize) -> usize {
    let mut word = addr_of_mut!(_stack_end);
    // SAFETY: as above; it is only read.
    while (word as usize) < top && unsafe { word.read_volatile() } == PAINT {
        // SAFETY: it stays within the stack.
        word = unsafe { word.add(1) };
    }
    top - word as usize
}
