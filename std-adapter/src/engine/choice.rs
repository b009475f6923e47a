//! Which engine decodes.

use std::fmt;
use std::sync::Arc;

#[cfg(feature = "libzstd")]
use super::Libzstd;
#[cfg(feature = "mzstd")]
use super::Mzstd;
use super::{Engine, EngineMaker, Ruzstd};

/// What makes the engines that decode: one for each worker.
///
/// The default is the fastest one that is built in: mzstd, and without that feature libzstd, and without either ruzstd.
#[derive(Clone)]
pub struct EngineChoice(Kind);

#[derive(Clone)]
enum Kind {
    BuiltIn(BuiltIn),
    Custom(EngineMaker),
}

/// The engines that are built in, the preferred ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BuiltIn {
    #[cfg(feature = "mzstd")]
    Mzstd,
    #[cfg(feature = "libzstd")]
    Libzstd,
    Ruzstd,
}

impl BuiltIn {
    const ALL: &[Self] = &[
        #[cfg(feature = "mzstd")]
        Self::Mzstd,
        #[cfg(feature = "libzstd")]
        Self::Libzstd,
        Self::Ruzstd,
    ];

    const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "mzstd")]
            Self::Mzstd => "mzstd",
            #[cfg(feature = "libzstd")]
            Self::Libzstd => "libzstd",
            Self::Ruzstd => "ruzstd",
        }
    }

    fn make(self) -> Box<dyn Engine> {
        match self {
            #[cfg(feature = "mzstd")]
            Self::Mzstd => Box::new(Mzstd::new()),
            #[cfg(feature = "libzstd")]
            Self::Libzstd => Box::new(Libzstd::new()),
            Self::Ruzstd => Box::new(Ruzstd::new()),
        }
    }
}

impl EngineChoice {
    /// The reference engine, which is always built in.
    #[must_use]
    pub fn ruzstd() -> Self {
        Self(Kind::BuiltIn(BuiltIn::Ruzstd))
    }

    /// Engines of your own.
    pub fn custom<E: Engine + 'static>(make: impl Fn() -> E + Send + Sync + 'static) -> Self {
        Self(Kind::Custom(Arc::new(move || Box::new(make()))))
    }

    /// The engine of this name, if it is built in.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let found = BuiltIn::ALL.iter().find(|built_in| built_in.name() == name);
        found.map(|&built_in| Self(Kind::BuiltIn(built_in)))
    }

    /// The names of the engines that are built in; the default comes first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BuiltIn::ALL.iter().map(|built_in| built_in.name())
    }

    /// The engine's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Kind::BuiltIn(built_in) => built_in.name(),
            Kind::Custom(make) => make().name(),
        }
    }

    pub(crate) fn make(&self) -> Box<dyn Engine> {
        match &self.0 {
            Kind::BuiltIn(built_in) => built_in.make(),
            Kind::Custom(make) => make(),
        }
    }

    /// Whether it makes the same engines as the other, so that they may take each other's place.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::BuiltIn(one), Kind::BuiltIn(other)) => one == other,
            (Kind::Custom(one), Kind::Custom(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Default for EngineChoice {
    fn default() -> Self {
        Self(Kind::BuiltIn(BuiltIn::ALL[0]))
    }
}

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EngineChoice").field(&self.name()).finish()
    }
}
