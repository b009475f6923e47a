//! Exit codes.

use std::process::ExitCode;

use zvet::StreamVerdict;

/// What became of an input, and of the command as a whole. Of several, the worst wins: later ones here are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Valid,
    NeedsDictionary,
    OverLimit,
    Invalid,
    /// Usage, or something could not be read or written.
    Failed,
}

impl From<StreamVerdict> for Outcome {
    fn from(verdict: StreamVerdict) -> Self {
        match verdict {
            StreamVerdict::Valid => Self::Valid,
            StreamVerdict::NeedsDictionary => Self::NeedsDictionary,
            StreamVerdict::OverLimit => Self::OverLimit,
            StreamVerdict::Invalid => Self::Invalid,
            _ => Self::Failed,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Valid => 0,
            Outcome::Invalid => 1,
            Outcome::Failed => 2,
            Outcome::OverLimit => 3,
            Outcome::NeedsDictionary => 4,
        })
    }
}

/// Says on standard error what failed. If that is closed, there is nobody left to tell.
pub(crate) fn complain(message: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "zvet: {message}");
}
