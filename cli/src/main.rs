//! The `zvet` command. It owns what a person reads: arguments, tables, JSON, progress, exit codes.

mod args;
mod check;
mod decode;
mod document;
mod encode;
mod input;
mod outcome;
mod output;
mod progress;
mod size;
mod table;
mod target;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    // A panic inside of an engine is caught, and becomes an error of the frame.
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !zvet::engine::in_engine() {
            report(info);
        }
    }));
    let outcome = match Args::parse().command {
        Command::Inspect(args) => check::inspect(&args),
        Command::Verify(args) => check::verify(&args),
        Command::Decode(args) => decode::decode(&args),
        Command::Encode(args) => encode::encode(&args),
    };
    outcome.into()
}
