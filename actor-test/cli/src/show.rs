//! `cargo actor-test show`.

use super::options::{Format, Show};
use super::screen::Screen;
use super::{Exit, Trouble};
use crate::words;
use actor_test::tool::trace::{Document, Trace};

/// Tells the story of a trace without running it.
pub(crate) fn run(options: &Show, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    if trace.story().is_empty() {
        return Err(Trouble(words::no_story(&options.trace)));
    }
    if let Format::Json = options.format {
        let document = serde_json::to_string(&Document::of(&trace)).map_err(Trouble::new)?;
        screen.raw(&document);
        return Ok(Exit::Clean);
    }
    screen.line(&words::trace_head(&trace));
    for line in words::story_lines(trace.story(), screen.width(options.width)) {
        screen.line(&line);
    }
    Ok(Exit::Clean)
}
