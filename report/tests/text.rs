//! Strings in documents, against `serde_json`.

use std::fmt;

use proptest::prelude::*;
use zvet_core::{Class, Location};
use zvet_report::json::{Form, Summary, Writer};
use zvet_report::{Fault, Level, Totals};

#[derive(Debug)]
struct Said(String);

impl Fault for Said {
    fn class(&self) -> Option<Class> {
        None
    }

    fn rule(&self) -> Option<&'static str> {
        None
    }

    fn location(&self) -> Option<Location> {
        None
    }

    fn message(&self) -> impl fmt::Display + '_ {
        &self.0
    }
}

/// A document of an input without frames.
fn document(file: Option<&str>, message: &str) -> String {
    let mut text = String::new();
    let error = Some(Said(message.to_owned()));
    let summary =
        Summary { size: None, verdict: "unreadable", level: Level::Envelope, totals: Totals::default(), error };
    Writer::new(Form::Document).end(&mut text, file, &summary).unwrap();
    text
}

proptest! {
    #[test]
    fn names_and_messages_of_any_characters_are_written_as_serde_json_writes_them(file: String, message: String) {
        let text = document(Some(&file), &message);
        let start = format!("{{\"file\":{},\"frames\":[],\"size\":null,", serde_json::to_string(&file).unwrap());
        prop_assert!(text.starts_with(&start), "{text}");
        let end = format!("\"message\":{}}}}}\n", serde_json::to_string(&message).unwrap());
        prop_assert!(text.ends_with(&end), "{text}");
    }
}

#[test]
fn every_ascii_character_is_written_as_serde_json_writes_it() {
    let all: String = (0..=127_u8).map(char::from).collect();
    let text = document(Some(&all), &all);
    assert_eq!(text.matches(&serde_json::to_string(&all).unwrap()).count(), 2, "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["file"], all.as_str());
}

#[test]
fn an_input_without_a_name_has_no_file() {
    assert!(document(None, "").starts_with("{\"frames\":["));
}
