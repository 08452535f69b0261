//! Selection of steps of a story: by actor, by event, by range and by causal cone.

use std::collections::BTreeSet;

use super::cone::CausalIndex;
use super::{Effect, Step, Story, Text};

/// A filter of the steps of a story; the default selects all.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Selects the steps of an actor, those that send to it, and the crashes and restarts of its node. A name
    /// without the number of an incarnation, as `n1/server`, stands for all incarnations.
    pub actor: Option<String>,
    /// Selects the steps that send, handle or fire an event.
    pub event: Option<String>,
    /// The first step to select.
    pub from: Option<u64>,
    /// The last step to select.
    pub to: Option<u64>,
    /// Selects this step, and the steps that led to it.
    pub causes_of: Option<u64>,
}

impl Selection {
    /// Returns true if the filter selects all steps.
    pub fn is_everything(&self) -> bool {
        let Self {
            actor,
            event,
            from,
            to,
            causes_of,
        } = self;
        actor.is_none() && event.is_none() && from.is_none() && to.is_none() && causes_of.is_none()
    }

    /// Returns the story with the selected steps alone.
    ///
    /// # Errors
    ///
    /// Names a selection that does not exist in the story, and lists the existing ones.
    pub fn of(&self, story: &Story) -> Result<Story, String> {
        if self.is_everything() {
            return Ok(story.clone());
        }
        self.check_steps(story)?;
        let actors = self.actors(story)?;
        let causes = self
            .causes_of
            .map(|step| CausalIndex::of(story).of_step(step));
        if let Some(event) = &self.event {
            has_event(story, event)?;
        }
        let is_wanted = |step: &&Step| {
            let number = step.number;
            let in_range = self.from.is_none_or(|from| number >= from)
                && self.to.is_none_or(|to| number <= to);
            let is_cause = causes
                .as_ref()
                .is_none_or(|causes| causes.contains(&number));
            let of_actor = actors
                .as_ref()
                .is_none_or(|actors| concerns(story, step, actors));
            let of_event = self
                .event
                .as_ref()
                .is_none_or(|event| carries(story, step, event));
            in_range && is_cause && of_actor && of_event
        };
        let steps: Vec<Step> = story.steps.iter().filter(is_wanted).cloned().collect();
        if steps.is_empty() {
            return Err("no step is all that was asked for: ask for less at once".into());
        }
        Ok(Story {
            steps,
            operations: story.operations.clone(),
            monitors: story.monitors.clone(),
            messages: story.messages.clone(),
            timers: story.timers.clone(),
            left_out: story.left_out,
            inspected: story.inspected.clone(),
            remembered: story.remembered.clone(),
            critical: story.critical,
        })
    }

    fn check_steps(&self, story: &Story) -> Result<(), String> {
        let last = story.steps.last().map_or(0, |step| step.number);
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from > to
        {
            return Err(format!("--from {from} is behind --to {to}"));
        }
        let named = [("--from", self.from), ("--causes-of", self.causes_of)];
        for (flag, step) in named {
            if let Some(step) = step
                && (step > last || step == 0)
            {
                return Err(format!(
                    "{flag} {step}: there is no such step; they count from 1 to {last}"
                ));
            }
        }
        match self.causes_of {
            Some(step) if story.step(step).is_none() => Err(format!(
                "--causes-of {step}: the story does not contain that step, since there were too many"
            )),
            _ => Ok(()),
        }
    }

    /// Returns the operations of that name, in all incarnations of their node, or else of that type.
    fn actors(&self, story: &Story) -> Result<Option<SelectedActors>, String> {
        let Some(wanted) = &self.actor else {
            return Ok(None);
        };
        let numbered = || (0..).zip(&story.operations);
        let named: BTreeSet<u32> = numbered()
            .filter(|(_, found)| found.name == **wanted)
            .map(|(number, _)| number)
            .collect();
        let typed = || {
            let of_type = numbered().filter(|(_, found)| {
                found
                    .of_type
                    .as_ref()
                    .is_some_and(|of_type| **of_type == **wanted)
            });
            of_type.map(|(number, _)| number).collect()
        };
        let mut found: BTreeSet<u32> = if named.is_empty() { typed() } else { named };
        let mut nodes = Vec::new();
        for lifeline in story.lifelines() {
            let Some((first, later)) = lifeline.operations.split_first() else {
                continue;
            };
            if lifeline.operations.iter().any(|who| found.contains(who)) {
                nodes.extend(lifeline.node);
            }
            if found.contains(first) {
                found.extend(later);
            }
        }
        if found.is_empty() {
            let names = story.operations.iter().map(|found| found.name.to_string());
            let names = some_of(names.collect());
            return Err(format!(
                "--actor {wanted}: nobody has this name or type; there are {names}"
            ));
        }
        Ok(Some(SelectedActors {
            operations: found,
            nodes,
        }))
    }
}

/// The selected actors, and their nodes.
struct SelectedActors {
    operations: BTreeSet<u32>,
    nodes: Vec<Text>,
}

fn concerns(story: &Story, step: &Step, actors: &SelectedActors) -> bool {
    let mut sent = step.sent().filter_map(|number| story.message(number));
    let strikes = |effect: &Effect| {
        let node = effect.crashed_or_restarted();
        node.is_some_and(|node| actors.nodes.iter().any(|other| other == node))
    };
    actors.operations.contains(&step.who)
        || sent.any(|message| actors.operations.contains(&message.to))
        || step.effects.iter().any(strikes)
}

fn carries(story: &Story, step: &Step, event: &str) -> bool {
    let carried = step.message.into_iter().chain(step.received());
    let mut messages = carried.chain(step.sent());
    messages.any(|number| is_event(story, number, event))
}

fn is_event(story: &Story, number: u32, event: &str) -> bool {
    story
        .message(number)
        .is_some_and(|message| name_of(&message.event) == event || *message.event == *event)
}

/// Returns the name with which a printed event begins.
pub(crate) fn name_of(event: &str) -> &str {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = event.find(|letter| !is_name(letter)).unwrap_or(event.len());
    &event[..end]
}

fn has_event(story: &Story, event: &str) -> Result<(), String> {
    let is_there = (0..story.messages.len() as u32).any(|number| is_event(story, number, event));
    if is_there {
        return Ok(());
    }
    let names: BTreeSet<&str> = story
        .messages
        .iter()
        .map(|message| name_of(&message.event))
        .collect();
    let names = some_of(names.into_iter().map(str::to_owned).collect());
    Err(format!(
        "--event {event}: nobody sends such an event; there are {names}"
    ))
}

/// Lists the first names, and the number of further ones.
fn some_of(names: Vec<String>) -> String {
    const SHOWN: usize = 12;
    let shown = names.len().min(SHOWN);
    let more = match names.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match shown {
        0 => "none".into(),
        _ => format!("{}{more}", names[..shown].join(", ")),
    }
}
