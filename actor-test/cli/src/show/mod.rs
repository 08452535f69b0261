//! `cargo actor-test show`: the story of a trace, for people, for browsers and for other tools.
//!
//! Each reader of the story has a file of its own, and none of them knows of another.

mod mermaid;
mod page;

#[cfg(any(test, fuzzing))]
#[path = "../../tests/traces/hostile.rs"]
pub mod hostile;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use actor_test::tool::trace::{Document, Trace};

use super::options::{Show, ShowFormat};
use super::screen::Screen;
use super::{Exit, Trouble};
use crate::words;

/// How many bytes a document has. In a trace each text stands once, and in a document wherever it is
/// told: a small file can stand for a document that fills the disk.
const DOCUMENT_MAX: u64 = 1 << 30;

/// How many bytes the document in a page has; browsers give up at about as much.
const PAGE_MAX: u64 = 256 << 20;

/// Tells the story of a trace without running it.
pub(crate) fn run(options: &Show, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    if trace.story().is_empty() {
        return Err(Trouble(words::no_story(&options.trace)));
    }
    let story = &options.part.of(trace.story())?;
    if let Some(file) = &options.html {
        return write_page(&Document::of(&trace, story), file, screen);
    }
    match options.format {
        ShowFormat::Human => {
            screen.line(&words::trace_head(&trace));
            for line in options.part.lines(story, screen) {
                screen.raw(&line);
            }
            for line in trace.causes().map_or_else(Vec::new, words::causes) {
                screen.line(&line);
            }
        }
        ShowFormat::Json => {
            let document = Document::of(&trace, story);
            fits(&document, DOCUMENT_MAX)?;
            screen.program(&mut |out| Ok(serde_json::to_writer(out, &document)?));
        }
        ShowFormat::Mermaid => screen.raw(&mermaid::diagram(&trace, story)),
    }
    Ok(Exit::Clean)
}

fn write_page(document: &Document<'_>, file: &Path, screen: &Screen) -> Result<Exit, Trouble> {
    fits(document, PAGE_MAX)?;
    let written = File::create(file).and_then(|file| {
        let mut file = BufWriter::new(file);
        page::write(&mut file, &mut |page| {
            Ok(serde_json::to_writer(page, document)?)
        })?;
        file.flush()
    });
    written.map_err(|error| Trouble(words::no_page(file, &error)))?;
    screen.line(&words::page_written(file));
    Ok(Exit::Clean)
}

/// Sees that a document is no larger than that, before anything of it is written.
fn fits(document: &Document<'_>, max: u64) -> Result<(), Trouble> {
    let written = serde_json::to_writer(Room { left: max }, document);
    written.map_err(|_| Trouble(words::document_too_large(max)))
}

/// Takes what is written until there is no room.
struct Room {
    left: u64,
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
