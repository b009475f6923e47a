//! Streams as the zstd command makes them, of all of its settings that change a stream.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use zvet::Dictionary;

use crate::bytes::skippable;
use crate::data::{Lcg, Shape};
use crate::zstd;

/// What cases are made with.
#[derive(Debug)]
pub(super) struct Maker {
    folder: TempDir,
    dictionaries: Vec<DictionaryFile>,
    pzstd: bool,
}

/// A dictionary, and the file that it is in for the command.
#[derive(Clone, Debug)]
pub(super) struct DictionaryFile {
    pub(super) path: PathBuf,
    pub(super) dictionary: Dictionary,
}

/// A stream and what it was made of.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) stream: Vec<u8>,
    pub(super) parts: Vec<Part>,
    pub(super) dictionary: Option<DictionaryFile>,
}

/// A part of a stream.
#[derive(Debug)]
pub(super) struct Part {
    /// Its size in the stream.
    pub(super) compressed_size: usize,
    pub(super) kind: Kind,
    how: String,
}

#[derive(Debug)]
pub(super) enum Kind {
    Skippable,
    /// One frame of this content.
    Frame(Vec<u8>),
    /// Frames that have this content together, with skippable ones in between.
    Frames(Vec<u8>),
}

impl DictionaryFile {
    pub(super) fn bytes(&self) -> &[u8] {
        self.dictionary.bytes()
    }
}

impl Part {
    pub(super) fn content(&self) -> &[u8] {
        match &self.kind {
            Kind::Skippable => &[],
            Kind::Frame(content) | Kind::Frames(content) => content,
        }
    }
}

impl Case {
    pub(super) fn content(&self) -> Vec<u8> {
        self.parts.iter().flat_map(Part::content).copied().collect()
    }

    pub(super) fn content_size(&self) -> u64 {
        self.parts.iter().map(|part| part.content().len() as u64).sum()
    }

    /// How it was made, to be read.
    pub(super) fn how(&self) -> String {
        let parts: Vec<_> = self.parts.iter().map(|part| part.how.as_str()).collect();
        parts.join("; ")
    }
}

impl Maker {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut dictionaries = Vec::new();
        // Ids of one, two and four bytes.
        for (name, shape, args) in [
            ("log", Shape::Log, ["--maxdict=8192", "--dictID=7"]),
            ("text", Shape::Text, ["--maxdict=32768", "--dictID=40000"]),
            ("binary", Shape::Binary, ["--maxdict=4096", "--dictID=3000000000"]),
        ] {
            let path = folder.path().join(name);
            let dictionary = Dictionary::new(&zstd::train(&path, shape, &args)).unwrap();
            dictionaries.push(DictionaryFile { path, dictionary });
        }
        for (name, size) in [("raw", 20_000), ("raw-short", 40), ("raw-long", 300_000)] {
            let path = folder.path().join(name);
            let bytes = Shape::Text.data(size, 8);
            fs::write(&path, &bytes).unwrap();
            dictionaries.push(DictionaryFile { path, dictionary: Dictionary::raw(&bytes) });
        }
        Self { folder, dictionaries, pzstd: zstd::is_there("pzstd") }
    }

    /// A stream of one to five parts.
    pub(super) fn make(&self, lcg: &mut Lcg) -> Case {
        if lcg.below(24) == 0 {
            return self.patch(lcg);
        }
        let dictionary = (lcg.below(4) == 0).then(|| self.dictionaries[lcg.below(self.dictionaries.len())].clone());
        let parts = if lcg.below(3) == 0 { 2 + lcg.below(4) } else { 1 };
        let mut case = Case { stream: Vec::new(), parts: Vec::new(), dictionary };
        for _ in 0..parts {
            let (bytes, kind, how) = match lcg.below(10) {
                0 | 1 if parts > 1 => {
                    let (variant, size) = (lcg.below(16), lcg.skewed(5000));
                    let content = Shape::Noise.data(size, lcg.next_number());
                    let bytes = skippable(u8::try_from(variant).unwrap(), &content);
                    (bytes, Kind::Skippable, format!("skippable {variant} of {size} bytes"))
                }
                2 if self.pzstd && case.dictionary.is_none() => self.pzstd(lcg),
                _ => self.frame(case.dictionary.as_ref(), lcg),
            };
            case.parts.push(Part { compressed_size: bytes.len(), kind, how });
            case.stream.extend(bytes);
        }
        case
    }

    /// A frame of the command, of a file or of a pipe.
    fn frame(&self, dictionary: Option<&DictionaryFile>, lcg: &mut Lcg) -> (Vec<u8>, Kind, String) {
        let (mut args, slow) = level(lcg);
        let (content, what) = content(lcg, if slow { 400_000 } else { 6 << 20 });
        parameters(&mut args, lcg);
        if let Some(dictionary) = dictionary {
            args.extend(["-D".to_owned(), dictionary.path.to_str().unwrap().to_owned()]);
            if lcg.below(3) == 0 {
                args.push("--no-dictID".to_owned());
            }
        }
        let piped = lcg.below(2) == 0;
        let bytes = if piped {
            match lcg.below(4) {
                0 => args.push(format!("--stream-size={}", content.len())),
                1 => args.push(format!("--size-hint={}", 1 + lcg.skewed(4 << 20))),
                _ => {}
            }
            zstd::pipe(&args, &content)
        } else {
            zstd::file(&args, &self.file("input", &content))
        };
        let how = format!("zstd {} of {what} from a {}", args.join(" "), if piped { "pipe" } else { "file" });
        (bytes, Kind::Frame(content), how)
    }

    fn pzstd(&self, lcg: &mut Lcg) -> (Vec<u8>, Kind, String) {
        let args = [format!("-{}", 1 + lcg.below(9)), format!("-p{}", 1 + lcg.below(4))];
        let (content, what) = content(lcg, 24 << 20);
        let bytes = zstd::parallel(&args, &self.file("input", &content));
        (bytes, Kind::Frames(content), format!("pzstd {} of {what}", args.join(" ")))
    }

    /// A frame whose matches lie in another version of the same file.
    fn patch(&self, lcg: &mut Lcg) -> Case {
        let (mut before, what) = content(lcg, 2 << 20);
        // The command fails an assertion of its own where there is nothing to compare with.
        before.push(b'.');
        let mut content = before.clone();
        for _ in 0..lcg.below(20) {
            let at = lcg.below(content.len() + 1);
            let end = (at + lcg.skewed(5000)).min(content.len());
            content.splice(at..end, Shape::Text.data(lcg.skewed(5000), lcg.next_number()));
        }
        content.push(b'.');
        let path = self.file("before", &before);
        let mut args = vec![format!("--patch-from={}", path.to_str().unwrap()), format!("-{}", 1 + lcg.below(12))];
        if lcg.below(2) == 0 {
            args.push("--long=24".to_owned());
        }
        let bytes = zstd::file(&args, &self.file("input", &content));
        let how = format!("zstd {} of {what}, changed", args.join(" "));
        let part = Part { compressed_size: bytes.len(), kind: Kind::Frame(content), how };
        let dictionary = Some(DictionaryFile { path, dictionary: Dictionary::raw(&before) });
        Case { stream: bytes, parts: vec![part], dictionary }
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// A level, and whether it is one of the slow ones.
fn level(lcg: &mut Lcg) -> (Vec<String>, bool) {
    match lcg.below(8) {
        0 => (vec![format!("--fast={}", 1 + lcg.skewed(100))], false),
        1 => (vec!["--ultra".to_owned(), format!("-{}", 20 + lcg.below(3))], true),
        _ => {
            let level = 1 + lcg.below(19);
            (vec![format!("-{level}")], level > 12)
        }
    }
}

/// What else changes a frame.
fn parameters(args: &mut Vec<String>, lcg: &mut Lcg) {
    let mut sometimes = |one_in: usize, arg: &dyn Fn(&mut Lcg) -> String| {
        if lcg.below(one_in) == 0 {
            args.push(arg(lcg));
        }
    };
    sometimes(3, &|lcg| ["--check", "--no-check"][lcg.below(2)].to_owned());
    sometimes(3, &|_| "--no-content-size".to_owned());
    sometimes(4, &|lcg| format!("--long={}", if lcg.below(2) == 0 { 27 } else { 10 + lcg.below(18) }));
    sometimes(8, &|lcg| format!("--target-compressed-block-size={}", 64 + lcg.skewed(131_000)));
    sometimes(8, &|lcg| ["--no-compress-literals", "--compress-literals"][lcg.below(2)].to_owned());
    sometimes(8, &|lcg| ["--no-row-match-finder", "--row-match-finder"][lcg.below(2)].to_owned());
    sometimes(8, &|lcg| {
        let (window, hash, chain, search) = (10 + lcg.below(14), 6 + lcg.below(15), 6 + lcg.below(15), lcg.below(7));
        let (shortest, target, strategy) = (3 + lcg.below(5), lcg.skewed(1000), 1 + lcg.below(7));
        format!(
            "--zstd=wlog={window},hlog={hash},clog={chain},slog={},mml={shortest},tlen={target},strat={strategy}",
            1 + search
        )
    });
    let mut threads = false;
    sometimes(4, &|lcg| format!("-T{}", lcg.below(4)));
    if args.last().is_some_and(|arg| arg.starts_with("-T") && arg != "-T1") {
        threads = true;
    }
    let mut add = |arg: &str| args.push(arg.to_owned());
    match lcg.below(8) {
        0 if threads => add("--rsyncable"),
        1 if threads => add("-B524288"),
        2 if threads => add("--adapt"),
        3 if !threads => add("--single-thread"),
        _ => {}
    }
}

/// Data of some shape and size, and what it is.
fn content(lcg: &mut Lcg, most: usize) -> (Vec<u8>, String) {
    let size = match lcg.below(8) {
        0 => lcg.below(20),
        // Where fields of sizes and blocks have their boundaries.
        1 => {
            let boundary = [32, 128, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, (64 << 10) + 256, 128 << 10, 256 << 10];
            boundary[lcg.below(boundary.len())] + lcg.below(3) - 1
        }
        2 => lcg.below(300_000),
        3 => lcg.below(most),
        4 => lcg.below(1 << 20),
        _ => lcg.skewed(1 << 20),
    };
    let size = size.min(most);
    let shape = Shape::ALL[lcg.below(Shape::ALL.len())];
    let seed = lcg.next_number();
    (shape.data(size, seed), format!("{size} bytes of {shape:?} {seed}"))
}
