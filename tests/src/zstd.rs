//! The zstd command, where it is installed.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::data::Shape;

/// The command, or `None` where it is not installed. Where `CI` is set it must be.
pub fn command() -> Option<&'static str> {
    let there = is_there("zstd");
    assert!(
        there || std::env::var_os("CI").is_none(),
        "the zstd command is not installed, and CI may not skip these tests"
    );
    there.then_some("zstd")
}

/// Whether a command is installed.
pub fn is_there(command: &str) -> bool {
    Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Runs the command with input from a pipe.
fn run_piped(args: &[impl AsRef<OsStr>], input: &[u8]) -> Output {
    let mut child = Command::new("zstd")
        .args(args)
        .args(["-q", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A command that fails closes its end.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    })
}

/// What the command makes of input from a pipe.
pub fn pipe(args: &[impl AsRef<OsStr>], input: &[u8]) -> Vec<u8> {
    made(run_piped(args, input), args)
}

/// What the command makes of a file, whose size it then knows.
pub fn file(args: &[impl AsRef<OsStr>], input: &Path) -> Vec<u8> {
    made(Command::new("zstd").args(args).args(["-q", "-c"]).arg(input).output().unwrap(), args)
}

fn made(output: Output, args: &[impl AsRef<OsStr>]) -> Vec<u8> {
    let args: Vec<_> = args.iter().map(AsRef::as_ref).collect();
    assert!(output.status.success(), "zstd {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Whether `zstd -t` accepts a stream.
pub fn accepts(stream: &[u8], dictionary: Option<&Path>) -> bool {
    let mut args = vec![OsStr::new("-t")];
    if let Some(path) = dictionary {
        args.extend([OsStr::new("-D"), path.as_os_str()]);
    }
    run_piped(&args, stream).status.success()
}

/// Trains a dictionary on data of a shape, in this file. The samples lie beside it.
pub fn train(path: &Path, shape: Shape, args: &[&str]) -> Vec<u8> {
    let samples: Vec<_> = shape
        .data(300_000, 9)
        .chunks(1500)
        .enumerate()
        .map(|(n, sample)| {
            let path = path.with_extension(format!("sample{n}"));
            fs::write(&path, sample).unwrap();
            path
        })
        .collect();
    let output = Command::new("zstd").args(["-q", "--train", "-o"]).arg(path).args(args).args(&samples).output();
    let output = output.unwrap();
    assert!(output.status.success(), "zstd --train: {}", String::from_utf8_lossy(&output.stderr));
    for sample in samples {
        fs::remove_file(sample).unwrap();
    }
    fs::read(path).unwrap()
}

/// What pzstd makes of a file: frames with a skippable one before each, that holds its size.
pub fn parallel(args: &[impl AsRef<OsStr>], input: &Path) -> Vec<u8> {
    made(Command::new("pzstd").args(args).args(["-q", "-c"]).arg(input).output().unwrap(), args)
}
