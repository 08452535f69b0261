//! Search patterns of the debugger's `find`: plain text or a regular expression.

use actor_test::story::{Step, Story};
use actor_test::tool::words::step_action;
use regex_lite::Regex;

/// A plain text, or a regular expression if written between slashes.
#[derive(Debug)]
pub(super) enum Pattern {
    Text(String),
    Regex(Regex),
}

impl Pattern {
    /// Parses a pattern; an error describes an invalid regular expression.
    pub(super) fn new(written: &str) -> Result<Self, String> {
        let inner = written.strip_prefix('/').filter(|rest| !rest.is_empty());
        let Some(inner) = inner.and_then(|rest| rest.strip_suffix('/')) else {
            return Ok(Self::Text(written.into()));
        };
        let regex = Regex::new(inner);
        regex.map(Self::Regex).map_err(|error| {
            format!("`{inner}` is no regular expression: {error}; without the slashes it is a text")
        })
    }

    /// Returns true if the pattern occurs in the description of a step.
    pub(super) fn is_in(&self, story: &Story, step: &Step) -> bool {
        let who = story.name(step.who);
        let monitors = step.monitors.iter().filter_map(|change| {
            let monitor = story.monitors.get(change.monitor as usize)?;
            Some(became(&monitor.name, &change.before, &change.after))
        });
        let nothing = "nothing";
        let changes = step.changes.iter().map(|change| {
            let before = change.before.as_deref().unwrap_or(nothing);
            let after = change.after.as_deref().unwrap_or(nothing);
            became(&change.field, before, after)
        });
        let states = step
            .state_before
            .as_deref()
            .zip(step.state_after.as_deref());
        let states = states
            .filter(|(before, after)| before != after)
            .map(|(before, after)| became("state", before, after));
        self.is_found(&format!("{who} {}", step_action(story, step)))
            || monitors
                .chain(changes)
                .chain(states)
                .any(|line| self.is_found(&line))
    }

    fn is_found(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.contains(text),
            Self::Regex(regex) => regex.is_match(line),
        }
    }
}

fn became(what: &str, before: &str, after: &str) -> String {
    format!("{what}: {before} → {after}")
}
