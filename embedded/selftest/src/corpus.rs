//! Every line of `corpus/MANIFEST.toml`, at the levels that need no decoder.

use zvet_core::{Class, Error, Limits, SizeRange};
use zvet_embedded::check::{self, Index};

use crate::Memory;

/// A line of the manifest, and its stream.
pub(crate) struct Case {
    path: &'static str,
    pub(crate) stream: &'static [u8],
    envelope: &'static str,
    content: &'static str,
    rule: Option<&'static str>,
    offset: Option<u64>,
    frame: Option<u64>,
    block: Option<u64>,
    decoded_size: Option<u64>,
    /// Whether it was made with a dictionary.
    dictionary: bool,
}

#[expect(clippy::unreadable_literal, reason = "made by build.rs")]
pub(crate) static CASES: &[Case] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// How streams are cut: a byte at a time, in some odd sizes, and not at all.
const PIECES: [usize; 5] = [1, 3, 64, 4093, usize::MAX];

/// Checks every stream, and returns how many checks that were.
pub(crate) fn verdicts(memory: &mut Memory) -> u32 {
    let mut checks = 0;
    for case in CASES {
        for size in PIECES {
            // An empty stream is a piece of nothing.
            let pieces = || case.stream.chunks(size);
            let mut index = Index::new();
            case.holds(case.envelope, check::envelope(pieces(), Limits::SNAPSHOT, &mut index));
            case.holds_size(&index, false);

            let Memory { workspace, block, .. } = memory;
            let mut index = Index::new();
            case.holds(case.entropy(), check::entropy(pieces(), Limits::SNAPSHOT, workspace, block, &mut index));
            case.holds_size(&index, true);
            checks += 2;
        }
    }
    checks
}

impl Case {
    /// Only a checksum is for a decoder alone.
    fn entropy(&self) -> &'static str {
        if self.rule == Some("F10") { self.envelope } else { self.content }
    }

    fn holds(&self, expected: &str, result: Result<(), Error>) {
        let verdict = match result.map_err(|error| error.class()) {
            Ok(()) => "valid",
            Err(Class::OverLimit) => "over-limit",
            Err(Class::NeedsDictionary) => "needs-dictionary",
            Err(_) => "invalid",
        };
        assert_eq!(verdict, expected, "{}: {result:?}", self.path);
        // The place is that of the fault at the level of the content.
        let Err(error) = result else { return };
        if expected != self.content || self.rule == Some("F10") {
            return;
        }
        assert!(self.rule.is_none_or(|rule| rule == error.rule()), "{}: {error}", self.path);
        assert!(self.offset.is_none_or(|offset| offset == error.at.offset), "{}: {error}", self.path);
        if let Some(frame) = self.frame {
            assert_eq!((error.at.frame, error.at.block), (frame, self.block), "{}: {error}", self.path);
        }
    }

    /// Holds the sizes of the frames to that of the content.
    fn holds_size(&self, index: &Index, exact: bool) {
        let (Some(size), "valid", true) = (self.decoded_size, self.content, index.is_complete()) else { return };
        let sizes = index.entries().iter().map(|frame| frame.decoded_size);
        let decoded_size = sizes.fold(SizeRange::exactly(0), SizeRange::plus);
        assert!(decoded_size.contains(size), "{}: {decoded_size}", self.path);
        assert!(!exact || self.dictionary || decoded_size.exact().is_some(), "{}: {decoded_size}", self.path);
    }
}

/// Tells the sizes in memory, and the most stack that a check of any stream took.
#[cfg(target_os = "none")]
pub(crate) fn memory(memory: &mut Memory) {
    use cortex_m_semihosting::hprintln;
    use zvet_core::Walker;
    use zvet_core::entropy::{EntropyWalker, Workspace};
    use zvet_embedded::board::{paint_stack, stack_used};

    hprintln!("Walker: {} bytes", size_of::<Walker>());
    hprintln!("EntropyWalker: {} bytes", size_of::<EntropyWalker<&mut Workspace, &mut [u8], ()>>());
    hprintln!("Workspace: {} bytes", Workspace::SIZE);
    let (mut envelope, mut entropy) = (0, 0);
    for Case { stream, .. } in CASES {
        let mut index = Index::new();
        let top = paint_stack();
        let _ = check::envelope([*stream], Limits::SNAPSHOT, &mut index);
        envelope = envelope.max(stack_used(top));

        let mut index = Index::new();
        let top = paint_stack();
        let _ = check::entropy([*stream], Limits::SNAPSHOT, &mut memory.workspace, &mut [], &mut index);
        entropy = entropy.max(stack_used(top));
    }
    hprintln!("stack of envelope: {} bytes", envelope);
    hprintln!("stack of entropy: {} bytes", entropy);
}
