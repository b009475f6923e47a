//! Where the output of each input goes, as the arguments say.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::args::OutputArgs;
use crate::input;
use crate::output::Output;

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

/// What a command makes of its inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs {
    /// The name that an output has by its input's.
    pub(crate) name: fn(&Path) -> Result<PathBuf, String>,
    /// What an input does: `decodes`.
    pub(crate) verb: &'static str,
    /// What an output is: `decoded content`.
    pub(crate) what: &'static str,
}

impl Outputs {
    /// Where the output of an input goes.
    pub(crate) fn target(&self, path: &Path, args: &OutputArgs) -> Result<Target, String> {
        match &args.output {
            Some(output) if output == Path::new("-") => Ok(Target::Stdout),
            Some(output) => Ok(Target::File(output.clone())),
            None if args.stdout || input::is_stdin(path) => Ok(Target::Stdout),
            None => (self.name)(path).map(Target::File),
        }
    }

    /// Whether all outputs can go where the arguments say.
    pub(crate) fn check(&self, inputs: &[PathBuf], args: &OutputArgs, json: bool) -> Result<(), String> {
        if args.output.is_some() && inputs.len() > 1 {
            return Err("--output is for one input; use --stdout to join several".to_owned());
        }
        let mut targets = HashSet::new();
        for path in inputs {
            // A name that is none is said when its turn comes.
            let Ok(target) = self.target(path, args) else { continue };
            if target != Target::Stdout && !targets.insert(target.clone()) {
                return Err(format!("{}: another input {} to the same file", input::shown(path), self.verb));
            }
            targets.insert(target);
        }
        let to_stdout = targets.contains(&Target::Stdout);
        if to_stdout && json {
            return Err(format!("--json and the {} cannot both go to standard output", self.what));
        }
        if to_stdout && !args.force && io::stdout().is_terminal() {
            return Err(format!("not writing {} to a terminal; --force does it all the same", self.what));
        }
        Ok(())
    }
}

impl Target {
    /// How messages name it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::File(path) => input::shown(path),
        }
    }

    /// Whether it is the input itself.
    pub(crate) fn is_input(&self, path: &Path) -> bool {
        let Self::File(target) = self else { return false };
        match (path.canonicalize(), target.canonicalize()) {
            (Ok(path), Ok(target)) => path == target,
            _ => false,
        }
    }

    /// Makes ready to write it; `like` is the file whose permissions and time of change it gets.
    pub(crate) fn create(&self, force: bool, like: Option<Metadata>) -> io::Result<Output> {
        match self {
            Self::Stdout => Ok(Output::Stdout(io::stdout())),
            Self::File(target) => Output::create(target, force, like),
        }
    }
}
