use core::fmt;

/// What is known of a size before the bytes are there: at least `low`, at most `high` bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SizeRange {
    /// The smallest size possible, in bytes.
    pub low: u64,
    /// The largest size possible, in bytes; `u64::MAX` stands for any size that does not fit.
    pub high: u64,
}

impl SizeRange {
    /// A size that is known.
    #[must_use]
    pub const fn exactly(size: u64) -> Self {
        Self { low: size, high: size }
    }

    /// The size, where only one is possible.
    #[must_use]
    pub const fn exact(self) -> Option<u64> {
        if self.low == self.high { Some(self.low) } else { None }
    }

    /// Whether `size` is possible.
    #[must_use]
    pub const fn contains(self, size: u64) -> bool {
        self.low <= size && size <= self.high
    }

    /// The size of both, one after the other. Saturates at `u64::MAX`.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }
}

/// `12` where the size is exact, `3 to 12` where it is not.
impl fmt::Display for SizeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(size) => write!(f, "{size}"),
            None => write!(f, "{} to {}", self.low, self.high),
        }
    }
}
