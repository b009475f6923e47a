//! Checks the update image in its slot, and tells what it found. The status at the exit is that of the command: 0 valid,
//! 1 invalid, 3 over a limit, 4 needs a dictionary; 2 where there is no image.
#![no_std]
#![no_main]

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use zvet_core::entropy::Workspace;
use zvet_core::{Class, Error, Limits};
use zvet_embedded::board::{self, Clock, Line};
use zvet_embedded::check::{self, Index};

zvet_embedded::never_panics!();

#[entry]
fn main() -> ! {
    // What `entry` makes of these is lent to this function alone.
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut INDEX: Index = Index::new();

    let (Some(image), Some(peripherals)) = (board::image(), Peripherals::take()) else {
        Line::new().text("no image in the slot").print();
        board::exit(2)
    };
    Line::new().text("image: ").number(image.len() as u64).text(" bytes").print();
    #[cfg(feature = "a-way-to-panic")]
    Line::new().number(image[image.len() / 2].into()).print();
    let clock = Clock::start(peripherals.SYST);

    // The headers are cheap, and tell most of what can be wrong.
    run("envelope", &clock, || check::envelope([image], Limits::EMBEDDED, INDEX));
    for (number, frame) in INDEX.entries().iter().enumerate() {
        let line = Line::new().text("frame ").number(number as u64).text(": byte ").number(frame.offset);
        let line = line.text(", ").number(frame.compressed_size).text(" bytes");
        let line = if frame.skippable { line.text(", skippable") } else { line };
        line.print();
    }
    if !INDEX.is_complete() {
        Line::new().text("and ").number(INDEX.missed()).text(" frames that the index has no room for").print();
    }
    // The image is in memory whole, and not cut short: there is no block to be gathered.
    run("entropy", &clock, || check::entropy([image], Limits::EMBEDDED, WORKSPACE, &mut [], &mut Index::new()));
    board::exit(0)
}

/// Runs a check, tells of it, and ends the program where the image is not to be used.
fn run(name: &str, clock: &Clock, check: impl FnOnce() -> Result<(), Error>) {
    let top = board::paint_stack();
    let start = clock.ticks();
    let result = check();
    let ticks = clock.ticks() - start;
    let stack = board::stack_used(top);
    match result {
        Ok(()) => Line::new().text(name).text(": valid").print(),
        Err(error) => tell(name, &error),
    }
    Line::new()
        .text(name)
        .text(": ")
        .number(ticks)
        .text(" ticks, ")
        .number(stack as u64)
        .text(" bytes of stack")
        .print();
    if let Err(error) = result {
        board::exit(status(&error));
    }
}

/// Where it is wrong and by which rule. The rule's sentence would take `core::fmt` and more flash than the check.
fn tell(name: &str, error: &Error) {
    let verdict = match error.class() {
        Class::OverLimit => ": over-limit: frame ",
        Class::NeedsDictionary => ": needs-dictionary: frame ",
        _ => ": invalid: frame ",
    };
    let line = Line::new().text(name).text(verdict).number(error.at.frame);
    let line = match error.at.block {
        Some(block) => line.text(", block ").number(block),
        None => line,
    };
    line.text(", byte ").number(error.at.offset).text(" (").text(error.rule()).text(")").print();
}

fn status(error: &Error) -> u8 {
    match error.class() {
        Class::OverLimit => 3,
        Class::NeedsDictionary => 4,
        _ => 1,
    }
}
