//! Command-line options that select a part of a story.

use clap::Args;

use crate::Trouble;
use crate::screen::Screen;
use crate::words;
use actor_test::story::{Selection, Story};

/// The part of a story to print.
#[derive(Args, Debug)]
#[command(next_help_heading = "Story")]
pub(crate) struct StoryPart {
    /// Prints only the steps of an actor, by its name or type, those in which something is sent to it, and the
    /// crashes and restarts of its node. A name without the number of an incarnation stands for all of them.
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Prints only the steps in which an event is sent, handled or fired.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The first step to print.
    #[arg(long, value_name = "STEP")]
    from: Option<u64>,
    /// The last step to print.
    #[arg(long, value_name = "STEP")]
    to: Option<u64>,
    /// Prints only this step and those that led to it.
    #[arg(long, value_name = "STEP")]
    causes_of: Option<u64>,
    /// Prints every step; by default, runs of steps in which nothing changes are folded, and boot code and
    /// links left out.
    #[arg(long)]
    every_step: bool,
    /// The maximum width of a line [default: the terminal's width, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    width: Option<u16>,
}

impl StoryPart {
    /// Returns the selected part of a story.
    pub(crate) fn of(&self, story: &Story) -> Result<Story, Trouble> {
        self.selection().of(story).map_err(Trouble)
    }

    /// Returns the lines of a story. Selected steps are not folded.
    pub(crate) fn lines(&self, story: &Story, screen: &Screen) -> Vec<String> {
        let all = self.every_step || !self.selection().is_everything();
        words::story_lines(story, screen.width(self.width), all)
    }

    /// Returns true if no step is to be folded or left out.
    pub(crate) fn every_step(&self) -> bool {
        self.every_step
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.actor.clone_from(&self.actor);
        selection.event.clone_from(&self.event);
        selection.from = self.from;
        selection.to = self.to;
        selection.causes_of = self.causes_of;
        selection
    }
}
