//! What the tests of the command share: a folder of inputs, runs of `zvet` in it that are bounded in time, and streams.

#![allow(dead_code, reason = "each test uses some of it")]

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use zvet_tests::bytes::{MAGIC, compressed_rle, frame, hello, raw, rle, skippable, unsized_header};

/// What every run stays far below.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of its own, in which the command runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these files.
    pub(crate) fn with<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let folder = Self::new();
        for (name, bytes) in files {
            folder.write(name, &bytes);
        }
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all that is in it, hidden files included, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `zvet` in this folder, with nothing at standard input.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zvet"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs `zvet` in this folder, with the arguments split at spaces.
    pub(crate) fn zvet(&self, args: &str) -> Ran {
        run(&mut self.command(args.split_whitespace()))
    }

    /// Runs `zvet` in this folder with a pipe of these bytes at standard input.
    pub(crate) fn zvet_piped(&self, args: &str, input: Vec<u8>) -> Ran {
        let mut child = started(self.command(args.split_whitespace()).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().unwrap();
        // The command may well stop before the end of its input.
        thread::spawn(move || drop(stdin.write_all(&input)));
        ended(child)
    }

    /// Runs `zvet` in this folder with one of its files at standard input.
    pub(crate) fn zvet_redirected(&self, args: &str, input: &str) -> Ran {
        run(self.command(args.split_whitespace()).stdin(fs::File::open(self.path(input)).unwrap()))
    }

    /// The JSON document of a command on one input, and its exit code.
    pub(crate) fn json(&self, args: &str) -> (Value, i32) {
        let ran = self.zvet(args);
        (ran.json(), ran.code)
    }
}

/// What a run came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON values of all lines.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs a command to its end, and keeps what it says.
pub(crate) fn run(command: &mut Command) -> Ran {
    ended(started(command))
}

/// Runs a command to its end with this file at standard output.
pub(crate) fn run_into(command: &mut Command, stdout: fs::File) -> Ran {
    ended(command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap())
}

/// Starts a command with pipes at its outputs.
pub(crate) fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for a child, and keeps what it says to the pipes that are left at its outputs.
pub(crate) fn ended(mut child: Child) -> Ran {
    let stdout = child.stdout.take().map(gathered);
    let stderr = gathered(child.stderr.take().unwrap());
    let status = wait(&mut child, PATIENCE).expect("it ends in time");
    let ran = Ran {
        code: status.code().expect("it ends by itself"),
        stdout: stdout.map(|stdout| stdout.join().unwrap()).unwrap_or_default(),
        stderr: String::from_utf8(stderr.join().unwrap()).unwrap(),
    };
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

fn gathered(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// The status that a child ends with, or `None` after so long; then it is killed.
pub(crate) fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if start.elapsed() > patience {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Asserts that `actual` has all that `expected` has; more keys may be there.
#[track_caller]
pub(crate) fn assert_holds(actual: &Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (key, expected) in expected {
                let actual = actual.get(key).unwrap_or_else(|| panic!("no key {key} in {actual:?}"));
                assert_holds(actual, expected);
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert_eq!(actual.len(), expected.len(), "{actual:?}");
            for (actual, expected) in actual.iter().zip(expected) {
                assert_holds(actual, expected);
            }
        }
        _ => assert_eq!(actual, expected),
    }
}

pub(crate) const KIB: usize = 1 << 10;
pub(crate) const MIB: usize = 1 << 20;
/// The largest block.
pub(crate) const BLOCK: u32 = 128 << 10;

/// `Content_Checksum` of `hello, world`.
const HELLO_CHECKSUM: [u8; 4] = [0x42, 0x12, 0x1B, 0x6D];

/// `hello, world` with a checksum.
pub(crate) fn checked_hello() -> Vec<u8> {
    [&frame(&[0x24, 12], &[raw(true, b"hello, world")])[..], &HELLO_CHECKSUM].concat()
}

/// `hello, world` with a checksum that is not its own.
pub(crate) fn wrong_checksum() -> Vec<u8> {
    let mut bytes = checked_hello();
    *bytes.last_mut().unwrap() ^= 1;
    bytes
}

/// `hello, world` with the size and window that this header says.
pub(crate) fn hello_with(header: &[u8]) -> Vec<u8> {
    frame(header, &[raw(true, b"hello, world")])
}

/// `hello, world` that needs dictionary 7.
pub(crate) fn needs_dictionary() -> Vec<u8> {
    hello_with(&[0x21, 7, 12])
}

/// `hello, world` with a window of 256 MiB, which is over the limit.
pub(crate) fn over_limit() -> Vec<u8> {
    hello_with(&unsized_header(window_descriptor(28)))
}

/// A frame whose second block is of the reserved type.
pub(crate) fn reserved_block() -> Vec<u8> {
    frame(&unsized_header(0), &[raw(false, b"hello"), vec![0b111, 0, 0]])
}

/// `hello, world` without its last byte.
pub(crate) fn truncated() -> Vec<u8> {
    let mut bytes = hello();
    bytes.pop();
    bytes
}

/// `Window_Descriptor` of a window of `2^log` bytes.
pub(crate) fn window_descriptor(log: u8) -> u8 {
    (log - 10) << 3
}

/// RLE blocks of 128 KiB, the last of them the last one.
pub(crate) fn rle_blocks(byte: u8, blocks: usize) -> Vec<Vec<u8>> {
    (1..=blocks).map(|block| rle(block == blocks, byte, BLOCK)).collect()
}

/// A frame of RLE blocks of 128 KiB, without declared size, with a window of 128 KiB.
pub(crate) fn run_of(byte: u8, blocks: usize) -> Vec<u8> {
    frame(&unsized_header(window_descriptor(17)), &rle_blocks(byte, blocks))
}

/// A stream of all kinds of frames, and what it decodes to: skippable ones, empty ones, ones with and without declared
/// size and checksum, ones that are decoded beside others and ones that are not.
pub(crate) fn all_kinds() -> (Vec<u8>, Vec<u8>) {
    let mut stream = Vec::new();
    let mut content = Vec::new();
    let mut add = |frame: Vec<u8>, holds: &[u8]| {
        stream.extend(frame);
        content.extend_from_slice(holds);
    };
    add(skippable(0, b"before"), b"");
    for round in 0..3 {
        let byte = b'a' + round;
        add(hello(), b"hello, world");
        add(skippable(round, &[round; 100]), b"");
        add(run_of(byte, 8), &vec![byte; MIB]);
        add(frame(&[0x20, 0], &[raw(true, b"")]), b"");
        add(checked_hello(), b"hello, world");
        add(
            frame(&unsized_header(window_descriptor(20)), &[compressed_rle(true, byte, 100_000)]),
            &vec![byte; 100_000],
        );
        // More than 16 MiB: alone.
        if round == 1 {
            add(run_of(b'x', 136), &vec![b'x'; 17 * MIB]);
        }
    }
    add(skippable(15, b""), b"");
    (stream, content)
}

/// The start of a frame of any size: its header, and RLE blocks of which none is the last.
pub(crate) fn endless(blocks: usize) -> Vec<u8> {
    let block = rle(false, b'z', BLOCK);
    [&MAGIC[..], &unsized_header(window_descriptor(17)), &block.repeat(blocks)].concat()
}
