//! Compiles the corpus and its manifest in.

use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    println!("cargo::rerun-if-changed={}", corpus.display());
    let manifest: Table = fs::read_to_string(corpus.join("MANIFEST.toml")).expect("a manifest").parse().expect("TOML");
    let cases: String = manifest["file"].as_array().expect("files").iter().map(|file| case(&corpus, file)).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("cases.rs"), format!("&[\n{cases}]\n")).expect("room for the cases");

    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo::rustc-link-search={}/..", env!("CARGO_MANIFEST_DIR"));
        println!("cargo::rustc-link-arg-bins=-Tlink.x");
    }
}

fn case(corpus: &Path, file: &Value) -> String {
    let text = |key: &str| file.get(key).map(|value| value.as_str().expect("a text"));
    let number = |key: &str| file.get(key).map(|value| value.as_integer().expect("a number"));
    let path = text("path").expect("a path");
    let stream = fs::canonicalize(corpus.join(path)).expect("the file");
    let stream = stream.to_str().expect("a path in UTF-8");
    format!(
        "Case {{ path: {path:?}, stream: include_bytes!({stream:?}), envelope: {:?}, content: {:?}, rule: {:?}, \
         offset: {:?}, frame: {:?}, block: {:?}, decoded_size: {:?}, dictionary: {:?} }},\n",
        text("envelope").expect("a verdict"),
        text("content").expect("a verdict"),
        text("rule"),
        number("offset"),
        number("frame"),
        number("block"),
        number("decoded_size"),
        text("dictionary").is_some(),
    )
}
