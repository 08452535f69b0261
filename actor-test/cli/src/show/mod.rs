//! `cargo actor-test show`: the story of a trace, for people, for browsers and for other tools.
//!
//! Each reader of the story has a file of its own, and none of them knows of another.

mod mermaid;
mod page;
mod shiviz;

use std::fs;
use std::path::Path;

use actor_test::story::Story;
use actor_test::tool::trace::{Document, Trace};

use super::options::{Show, ShowFormat};
use super::screen::Screen;
use super::{Exit, Trouble};
use crate::words;

/// Tells the story of a trace without running it.
pub(crate) fn run(options: &Show, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    if trace.story().is_empty() {
        return Err(Trouble(words::no_story(&options.trace)));
    }
    let story = &options.part.of(trace.story())?;
    if let Some(file) = &options.html {
        return write_page(&document(&trace, story)?, file, screen);
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
        ShowFormat::Json => screen.raw(&document(&trace, story)?),
        ShowFormat::Shiviz => shiviz::log(story, &mut |line| screen.raw(line)),
        ShowFormat::Mermaid => screen.raw(&mermaid::diagram(&trace, story)),
    }
    Ok(Exit::Clean)
}

fn write_page(document: &str, file: &Path, screen: &Screen) -> Result<Exit, Trouble> {
    let page = page::page(document);
    fs::write(file, page).map_err(|error| Trouble(words::no_page(file, &error)))?;
    screen.line(&words::page_written(file));
    Ok(Exit::Clean)
}

fn document(trace: &Trace, story: &Story) -> Result<String, Trouble> {
    serde_json::to_string(&Document::of(trace, story)).map_err(Trouble::new)
}
