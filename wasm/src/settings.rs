//! What the caller sets, as numbers. `js/options.js` has the same ones.

use zvet_core::entropy::Depth;
use zvet_core::{Bounds, Limits, Ratio};
use zvet_report::Level;

/// How deep a stream is looked at, and what that is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) level: Level,
    pub(crate) inside: Option<Depth>,
}

impl Look {
    pub(crate) const fn of(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self { level: Level::Envelope, inside: None },
            1 => Self { level: Level::Envelope, inside: Some(Depth::Sizes) },
            2 => Self { level: Level::Entropy, inside: Some(Depth::Streams) },
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) bounds: Bounds,
    pub(crate) limits: Limits,
}

impl Settings {
    pub(crate) const DEFAULT: Self = Self { bounds: Bounds::SNAPSHOT, limits: Limits::SNAPSHOT };

    pub(crate) const fn preset(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::DEFAULT,
            1 => Self { bounds: Bounds::CLI, limits: Limits::CLI },
            2 => Self { bounds: Bounds::WEB, limits: Limits::WEB },
            3 => Self { bounds: Bounds::EMBEDDED, limits: Limits::EMBEDDED },
            4 => Self { bounds: Bounds::UNLIMITED, limits: Limits::UNLIMITED },
            _ => return None,
        })
    }

    /// Sets one field, and says whether there is one of that number.
    pub(crate) const fn set(&mut self, field: u32, value: u64) -> bool {
        let Self { bounds, limits } = self;
        match field {
            0 => limits.window = value,
            1 => limits.output = value,
            2 => limits.frames = value,
            3 => bounds.window = value,
            4 => bounds.output = value,
            5 => bounds.input = value,
            6 => bounds.blocks = value,
            _ => return false,
        }
        true
    }

    pub(crate) const fn set_ratio(&mut self, ratio: Option<Ratio>) {
        self.limits.ratio = ratio;
    }
}
