//! What to do with a frame, and why.

use core::fmt;

/// How a frame may be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decode {
    /// Whole, beside other frames.
    Parallel(Proof),
    /// Alone, as a stream.
    Serial(Reason),
}

/// What shows that a frame's output fits its bound. The cheapest one that holds is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Proof {
    /// The blocks themselves: raw and RLE ones exactly, a compressed one by the block maximum.
    Bound,
    /// The size that the header declares. The decoder's buffer has that size, so a frame that makes more fails.
    Declared,
    /// The exact size, from a walk through the sequences of its blocks.
    Walked,
}

/// `bound`, `declared`, `walked`.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bound => "bound",
            Self::Declared => "declared",
            Self::Walked => "walked",
        })
    }
}

/// Why a frame is not held whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Its window is over the bound.
    Window,
    /// Its output is over the bound, or nothing proves that it is not.
    Output,
    /// It takes more room in the stream than the bound.
    Input,
    /// It has more blocks than the bound.
    Blocks,
    /// It names a dictionary that is not at hand.
    Dictionary,
}

/// `window`, `output`, `input`, `blocks`, `dictionary`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Window => "window",
            Self::Output => "output",
            Self::Input => "input",
            Self::Blocks => "blocks",
            Self::Dictionary => "dictionary",
        })
    }
}
