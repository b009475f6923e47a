//! What the module exports. Sizes are in bytes. What is yes or no is 0 for no, and comes as any number.
//!
//! The order of calls is: [`reset`]; [`preset`], [`set`], [`set_ratio`], [`clear_ratio`], [`name`], [`dictionary_room`] and
//! [`dictionary`] as it is wished; [`start`]; then [`push`], [`skippable`] and [`skipped`]; [`finish`]. What [`text`] and
//! [`blocks`] hold is from the last [`push`] or [`finish`]. A call out of order does nothing; none traps.

use core::arch::wasm32;
use core::cell::UnsafeCell;
use core::fmt::Write as _;
use core::panic::PanicInfo;
use core::slice;

use zvet_core::Ratio;
use zvet_core::consts::BLOCK_SIZE_MAX;
use zvet_core::entropy::{Dictionary, Workspace};
use zvet_report::json::Form;

use crate::dictionaries::{DICTIONARIES_MAX, Dictionaries};
use crate::output::{NAME_SIZE_MAX, Output, Text};
use crate::session::{Memory, Session};
use crate::settings::{Look, Settings};

/// How much is pushed in one call at most.
const INPUT_SIZE: usize = 128 << 10;

const PAGE_SIZE: usize = 64 << 10;

/// What an instance knows.
struct State {
    settings: Settings,
    dictionaries: Dictionaries,
    /// Where the bytes of the next dictionary are to be, and how many.
    room: Option<(*mut u8, usize)>,
    name: Option<Text<NAME_SIZE_MAX>>,
    session: Option<Session>,
}

/// A static that is written to.
struct Own<T>(UnsafeCell<T>);

// SAFETY: an instance of the module has one thread: its memory is not shared, and it imports nothing that could start one.
unsafe impl<T> Sync for Own<T> {}

impl<T> Own<T> {
    const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    /// No other reference to it may be in use until this one is not any more.
    #[expect(clippy::mut_from_ref, reason = "the caller answers for it")]
    unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller's.
        unsafe { &mut *self.0.get() }
    }
}

// The large ones are statics of their own: all zeros, they take no room in the module.
static STATE: Own<State> = Own::new(State {
    settings: Settings::DEFAULT,
    dictionaries: Dictionaries::NONE,
    room: None,
    name: None,
    session: None,
});
static INPUT: Own<[u8; INPUT_SIZE]> = Own::new([0; INPUT_SIZE]);
static OUTPUT: Own<Output> = Own::new(Output::new());
static WORKSPACE: Own<Workspace> = Own::new(Workspace::new());
static BLOCK: Own<[u8; BLOCK_SIZE_MAX as usize]> = Own::new([0; BLOCK_SIZE_MAX as usize]);

/// All that an export works with.
struct Instance {
    state: &'static mut State,
    input: &'static mut [u8; INPUT_SIZE],
    output: &'static mut Output,
}

/// Every export calls this once, and no other export.
fn instance() -> Instance {
    // SAFETY: there is one thread (see above), and the module imports nothing, so no export is called while one runs. The
    // references do not outlive it. So each of them is the only one.
    unsafe { Instance { state: STATE.get(), input: INPUT.get(), output: OUTPUT.get() } }
}

impl State {
    /// The memory of a walk, from the session that had it, which ends.
    fn reclaim(&mut self) -> Memory {
        self.session = None;
        // SAFETY: only a session keeps these references past the call that made them, and there is none now. Each export
        // calls this once at most.
        unsafe { Memory { workspace: WORKSPACE.get(), block: BLOCK.get() } }
    }
}

/// Forgets everything but dictionaries' memory, which never shrinks: take a new instance after those.
#[unsafe(no_mangle)]
extern "C" fn reset() {
    let Instance { state, output, .. } = instance();
    state.session = None;
    state.settings = Settings::DEFAULT;
    state.dictionaries = Dictionaries::NONE;
    state.room = None;
    state.name = None;
    output.clear();
}

/// Takes bounds and limits of a preset. Returns whether there is one of that number.
#[unsafe(no_mangle)]
extern "C" fn preset(number: u32) -> bool {
    let Some(settings) = Settings::preset(number) else { return false };
    instance().state.settings = settings;
    true
}

/// Sets one bound or limit. Returns whether there is one of that number.
#[unsafe(no_mangle)]
extern "C" fn set(field: u32, value: u64) -> bool {
    instance().state.settings.set(field, value)
}

#[unsafe(no_mangle)]
extern "C" fn set_ratio(slack: u64, factor: u64) {
    instance().state.settings.set_ratio(Some(Ratio { slack, factor }));
}

#[unsafe(no_mangle)]
extern "C" fn clear_ratio() {
    instance().state.settings.set_ratio(None);
}

/// Where input is to be written.
#[unsafe(no_mangle)]
extern "C" fn input() -> *mut u8 {
    instance().input.as_mut_ptr()
}

/// How much input can be written there.
#[unsafe(no_mangle)]
extern "C" fn input_size() -> usize {
    INPUT_SIZE
}

/// Takes the first bytes of the input, UTF-8, for the name of the stream's file. Returns whether they can be one.
#[unsafe(no_mangle)]
extern "C" fn name(size: usize) -> bool {
    let Instance { state, input, .. } = instance();
    let Some(Ok(given)) = input.get(..size).map(str::from_utf8) else { return false };
    state.name.insert(Text::new()).write_str(given).is_ok()
}

/// Makes room for the bytes of a dictionary; null where there is no memory for it.
#[unsafe(no_mangle)]
extern "C" fn dictionary_room(size: usize) -> *mut u8 {
    let Instance { state, .. } = instance();
    state.room = None;
    let before = wasm32::memory_grow::<0>(size.div_ceil(PAGE_SIZE));
    if before == usize::MAX {
        return core::ptr::null_mut();
    }
    // Wraps to null where memory is at its largest already, which is no place.
    let place = before.wrapping_mul(PAGE_SIZE) as *mut u8;
    if !place.is_null() {
        state.room = Some((place, size));
    }
    place
}

/// Takes a dictionary from the room that was made for it. Returns whether it is one; if not, the text says why.
#[unsafe(no_mangle)]
extern "C" fn dictionary() -> bool {
    let Instance { state, output, .. } = instance();
    output.clear();
    let Some((place, size)) = state.room.take() else { return false };
    // SAFETY: the room is memory that was grown for this dictionary alone. It stays, for memory does not shrink, and it
    // holds zeros or what the caller wrote. The caller writes there before this call only.
    let bytes: &'static [u8] = unsafe { slice::from_raw_parts(place, size) };
    let memory = state.reclaim();
    match Dictionary::parse(bytes, memory.workspace) {
        Ok(dictionary) if state.dictionaries.add(dictionary) => return true,
        Ok(_) => output.write(|text| write!(text, "more than {DICTIONARIES_MAX} dictionaries")),
        Err(kind) => output.write(|text| write!(text, "the dictionary is malformed: {kind} ({})", kind.rule())),
    }
    false
}

/// Begins a stream. `look` is how deep to look, `form` 0 a document, 1 lines. Returns whether both are known.
#[unsafe(no_mangle)]
extern "C" fn start(look: u32, form: u32, tells_blocks: u32) -> bool {
    let Instance { state, .. } = instance();
    let form = match form {
        0 => Form::Document,
        1 => Form::Lines,
        _ => return false,
    };
    let Some(look) = Look::of(look) else { return false };
    let memory = state.reclaim();
    state.session = Some(Session::new(look, &state.settings, &state.dictionaries, form, tells_blocks != 0, memory));
    true
}

/// Walks over the input from one place to another, and returns how far it came. To be called again while it did not come
/// to the end, or [`has_more`] says so, once text and blocks were taken.
#[unsafe(no_mangle)]
extern "C" fn push(from: usize, to: usize) -> usize {
    let Instance { state, input, output } = instance();
    let State { session, name, .. } = state;
    output.clear();
    let (Some(session), Some(input)) = (session, input.get(from..to)) else { return to };
    let name = name.as_ref().map(Text::as_str);
    from + session.push(input, name, output)
}

/// Whether there is more to be told before more is pushed.
#[unsafe(no_mangle)]
extern "C" fn has_more() -> bool {
    instance().state.session.as_ref().is_some_and(Session::has_more)
}

/// Whether the stream came to an end: by [`finish`], or by an error before.
#[unsafe(no_mangle)]
extern "C" fn has_ended() -> bool {
    instance().state.session.as_ref().is_some_and(Session::has_ended)
}

/// How many bytes need not be pushed, if [`skipped`] is told.
#[unsafe(no_mangle)]
extern "C" fn skippable() -> u64 {
    instance().state.session.as_ref().map_or(0, Session::skippable)
}

/// Goes on as if bytes had been pushed; returns how many of them need not be.
#[unsafe(no_mangle)]
extern "C" fn skipped(bytes: u64) -> u64 {
    instance().state.session.as_mut().map_or(0, |session| session.skipped(bytes))
}

/// How many bytes of the stream were walked over.
#[unsafe(no_mangle)]
extern "C" fn offset() -> u64 {
    instance().state.session.as_ref().map_or(0, Session::offset)
}

/// Ends the stream. `size` is that of the input, where it is known.
#[unsafe(no_mangle)]
extern "C" fn finish(allow_empty: u32, size_is_known: u32, size: u64) {
    let Instance { state, output, .. } = instance();
    let State { session, name, .. } = state;
    output.clear();
    let name = name.as_ref().map(Text::as_str);
    if let Some(session) = session {
        session.finish(allow_empty != 0, (size_is_known != 0).then_some(size), name, output);
    }
}

/// Text that was written by the last call that writes some.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    instance().output.text.bytes().as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn text_size() -> usize {
    instance().output.text.bytes().len()
}

/// Records of blocks that the last push found.
#[unsafe(no_mangle)]
extern "C" fn blocks() -> *const u8 {
    instance().output.blocks().as_ptr().cast()
}

/// How many records there are.
#[unsafe(no_mangle)]
extern "C" fn block_count() -> usize {
    instance().output.blocks().len()
}

/// Nothing here panics.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
