//! The subcommand `show`: prints the story of a trace as text, JSON, Mermaid or page.
//!
//! Each format has a file of its own, which depends on no other format.

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

/// The maximum number of bytes of a document. A trace stores each text once, but a document repeats it at
/// each use, so a small file may lead to a document that fills the disk.
const DOCUMENT_MAX: u64 = 1 << 30;

/// The maximum number of bytes of the document in a page; browsers fail at about that size.
const PAGE_MAX: u64 = 256 << 20;

/// Prints the story of a trace without running it.
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
        ShowFormat::Mermaid => {
            screen.raw(&mermaid::diagram(&trace, story, options.part.every_step()))
        }
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

/// Checks the size of a document before any part of it is written.
fn fits(document: &Document<'_>, max: u64) -> Result<(), Trouble> {
    let written = serde_json::to_writer(SizeLimit { left: max }, document);
    written.map_err(|_| Trouble(words::document_too_large(max)))
}

/// A writer that counts bytes and fails at the limit.
struct SizeLimit {
    left: u64,
}

impl Write for SizeLimit {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
