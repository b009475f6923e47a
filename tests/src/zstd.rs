//! The zstd command, where it is installed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// The command, or `None` where it is not installed. Where `CI` is set it must be.
pub fn command() -> Option<&'static str> {
    let there = Command::new("zstd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    assert!(
        there || std::env::var_os("CI").is_none(),
        "the zstd command is not installed, and CI may not skip these tests"
    );
    there.then_some("zstd")
}

/// What the command makes of input from a pipe.
pub fn pipe(args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("zstd")
        .args(args)
        .args(["-q", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A command that fails closes its end.
            let _ = stdin.write_all(input);
        });
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "zstd {args:?}");
        output.stdout
    })
}

/// What the command makes of a file, whose size it then knows.
pub fn file(args: &[&str], input: &Path) -> Vec<u8> {
    let output = Command::new("zstd").args(args).args(["-q", "-c"]).arg(input).output().unwrap();
    assert!(output.status.success(), "zstd {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
