//! What counts against a stream.

use core::fmt;

use zvet_core::{Class, Error, Location};

/// Why a stream is not valid, as reports need it.
pub trait Fault {
    /// What it says of the stream; `None` where it says nothing of it, since it could not be read or decoded.
    fn class(&self) -> Option<Class>;
    /// The stable id of the rule that is broken.
    fn rule(&self) -> Option<&'static str>;
    /// Where in the stream.
    fn location(&self) -> Option<Location>;
    /// What is wrong, without place and rule id.
    fn message(&self) -> impl fmt::Display + '_;
}

impl Fault for Error {
    fn class(&self) -> Option<Class> {
        Some(self.class())
    }

    fn rule(&self) -> Option<&'static str> {
        Some(self.rule())
    }

    fn location(&self) -> Option<Location> {
        Some(self.at)
    }

    fn message(&self) -> impl fmt::Display + '_ {
        self.kind
    }
}
