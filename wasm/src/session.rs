//! The walk over one stream.

use zvet_core::entropy::Workspace;
use zvet_core::{Error, Event};
use zvet_report::json::{Form, Summary, Writer};
use zvet_report::{Audit, Walk};

use crate::dictionaries::{Dictionaries, Ids};
use crate::output::Output;
use crate::settings::{Look, Settings};

/// The name of an input, if it has one.
pub(crate) type Name<'a> = Option<&'a str>;

#[derive(Debug)]
pub(crate) struct Session {
    walk: Walk<&'static mut Workspace, &'static mut [u8], Dictionaries>,
    audit: Audit<Error, Ids>,
    json: Writer,
    tells_blocks: bool,
    ended: bool,
    /// Whether an event may be left to be found without input.
    has_more: bool,
}

/// Memory that a walk takes.
pub(crate) struct Memory {
    pub(crate) workspace: &'static mut Workspace,
    pub(crate) block: &'static mut [u8],
}

impl Session {
    pub(crate) fn new(
        look: Look,
        settings: &Settings,
        dictionaries: &Dictionaries,
        form: Form,
        tells_blocks: bool,
        memory: Memory,
    ) -> Self {
        let walk = match look.inside {
            Some(depth) => Walk::inside(depth, memory.workspace, memory.block, *dictionaries),
            None => Walk::envelope(),
        };
        let audit = Audit::new(look.level, settings.bounds, settings.limits, dictionaries.ids());
        Self { walk, audit, json: Writer::new(form), tells_blocks, ended: false, has_more: false }
    }

    /// Walks on, until the input is walked over or the output has no room. Returns how much was walked over.
    pub(crate) fn push(&mut self, input: &[u8], name: Name<'_>, output: &mut Output) -> usize {
        let mut rest = input;
        self.has_more = false;
        while !self.ended {
            if !output.has_room() {
                self.has_more = true;
                break;
            }
            match self.step(&mut rest, name, output) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => self.fail(error, name, output),
            }
        }
        input.len() - rest.len()
    }

    /// Walks on to the next event, and says whether there is one.
    fn step(&mut self, rest: &mut &[u8], name: Name<'_>, output: &mut Output) -> Result<bool, Error> {
        let step = self.walk.push(rest)?;
        *rest = rest.get(step.consumed..).unwrap_or_default();
        let Some(event) = step.event else { return Ok(false) };
        if self.tells_blocks
            && let Event::Block(block) = &event
        {
            output.block(block);
        }
        let Self { walk, audit, json, .. } = self;
        audit.event(&event, walk.insight(), &mut |report| output.write(|text| json.frame(text, name, report)))?;
        Ok(true)
    }

    fn fail(&mut self, error: Error, name: Name<'_>, output: &mut Output) {
        let Self { walk, audit, json, .. } = self;
        let unfinished = walk.unfinished(|frame| audit.classify(frame));
        audit.fail(error, unfinished.as_ref(), &mut |report| output.write(|text| json.frame(text, name, report)));
        self.ended = true;
    }

    /// Ends the stream, and writes what is said of it. `size` is that of the input, where it is known.
    pub(crate) fn finish(&mut self, allow_empty: bool, size: Option<u64>, name: Name<'_>, output: &mut Output) {
        self.push(&[], name, output);
        if !self.ended
            && let Err(error) = self.walk.finish(allow_empty)
        {
            self.fail(error, name, output);
        }
        self.ended = true;
        let summary = Summary::of(self.audit.report(self.walk.offset()), size);
        output.write(|text| self.json.end(text, name, &summary));
    }

    /// How many of the bytes that come next need not be pushed.
    pub(crate) const fn skippable(&self) -> u64 {
        if self.ended { 0 } else { self.walk.skippable() }
    }

    pub(crate) fn skipped(&mut self, bytes: u64) -> u64 {
        if self.ended { 0 } else { self.walk.skipped(bytes) }
    }

    pub(crate) const fn offset(&self) -> u64 {
        self.walk.offset()
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) const fn has_more(&self) -> bool {
        self.has_more
    }
}
