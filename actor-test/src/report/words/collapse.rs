//! Folds a long story: selects the steps that are shown, and counts the others.

use std::collections::{BTreeMap, BTreeSet};

use super::count;
use super::escape::{plain, shortened};
use crate::data::step::StepKind;
use crate::data::story::{
    CausalIndex, Effect, MessageFate, OperationKind, Repetition, Step, Story, name_of,
};

/// A story of at most this many steps is shown unfolded.
const SHORT: usize = 60;

/// The smallest number of steps in a row that are folded.
const RUN: usize = 4;

/// The smallest number of steps of plumbing in a row that are folded.
const PLUMBING_RUN: usize = 2;

/// The number of important steps that are always shown.
const MATTER: usize = 40;

/// An event handled this often by an actor without a `Debug` is assumed to change nothing.
const OFTEN: usize = 10;

#[derive(Debug)]
pub(super) enum FoldedPart<'a> {
    Step(&'a Step),
    /// Folded steps, with a summary.
    Steps(String),
}

/// The interest of a step to a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interest {
    Shown,
    /// Nothing of interest changes.
    Dull,
    /// Boot code or a link does its undisturbed work.
    Plumbing,
}

/// Folds runs of steps into one line each: of plumbing, and in a long story of steps in which nothing changes.
pub(super) fn folded(story: &Story) -> Vec<FoldedPart<'_>> {
    let mut left = &story.steps[..];
    let mut parts = Vec::new();
    let causes = CausalIndex::of(story);
    for run in interests(story, &causes).chunk_by(|one, other| one == other) {
        let steps;
        (steps, left) = left.split_at(run.len());
        match run[0] {
            Interest::Dull if steps.len() >= RUN => {
                parts.push(FoldedPart::Steps(run_in_words(story, steps)));
            }
            Interest::Plumbing if steps.len() >= PLUMBING_RUN => {
                let steps = count(steps.len() as u64, "step");
                let text = format!("… {steps} of boot code or links");
                parts.push(FoldedPart::Steps(text));
            }
            _ => parts.extend(steps.iter().map(FoldedPart::Step)),
        }
    }
    parts
}

/// Returns the steps that are not plumbing.
pub(super) fn without_plumbing(story: &Story, causes: &CausalIndex<'_>) -> BTreeSet<u64> {
    let steps = story.steps.iter().zip(plumbing(story, causes));
    let rest = steps.filter(|(_, is_plumbing)| !is_plumbing);
    rest.map(|(step, _)| step.number).collect()
}

/// Returns for each step whether boot code or a link does its undisturbed work in it.
fn plumbing(story: &Story, causes: &CausalIndex<'_>) -> Vec<bool> {
    let speaks = |effect: &Effect| effect.is_fault() || effect.is_logged();
    let is_plumbing = |at: usize, step: &Step| {
        let is_last = at + 1 == story.steps.len();
        let matters = is_last || !step.monitors.is_empty() || story.critical == Some(step.number);
        !matters && causes.is_plumbing(at) && !step.effects.iter().any(speaks)
    };
    let steps = story.steps.iter().enumerate();
    steps.map(|(at, step)| is_plumbing(at, step)).collect()
}

fn interests(story: &Story, causes: &CausalIndex<'_>) -> Vec<Interest> {
    let dull = match story.steps.len() > SHORT {
        true => dull(story, causes),
        false => vec![false; story.steps.len()],
    };
    let steps = dull.into_iter().zip(plumbing(story, causes));
    let interest = steps.map(|(is_dull, is_plumbing)| match is_dull {
        true => Interest::Dull,
        false if is_plumbing => Interest::Plumbing,
        false => Interest::Shown,
    });
    interest.collect()
}

/// Returns the chosen steps, with what is between them: the number of steps, or that a round repeats. Nothing
/// is said of a gap that is all plumbing.
pub(super) fn chosen<'a>(
    story: &'a Story,
    causes: &CausalIndex<'_>,
    chosen: &BTreeSet<u64>,
) -> Vec<FoldedPart<'a>> {
    let repetitions = Repetition::all(story);
    let plumbing = plumbing(story, causes);
    let mut parts = Vec::new();
    // The position behind the last shown step.
    let mut next = 0;
    let gap = |parts: &mut Vec<_>, from: usize, to: usize| {
        if plumbing[from..to].contains(&false) {
            let missing = missing(story, from, to);
            let repeats = |found: &&Repetition| {
                found.repeated().contains(&from) && found.repeated().contains(&(to - 1))
            };
            parts.push(FoldedPart::Steps(match repetitions.iter().find(repeats) {
                Some(found) => {
                    let what = match found.period {
                        1 => "the same step".into(),
                        period => format!("the same {period} steps"),
                    };
                    format!("… {what} again and again, {}", count(missing, "step"))
                }
                None => format!("… {}", count(missing, "step")),
            }));
        }
    };
    for (at, step) in story.steps.iter().enumerate() {
        if chosen.contains(&step.number) {
            gap(&mut parts, next, at);
            parts.push(FoldedPart::Step(step));
            next = at + 1;
        }
    }
    gap(&mut parts, next, story.steps.len());
    parts
}

/// Returns the number of steps from one position to another, with those that the story has left out.
fn missing(story: &Story, from: usize, to: usize) -> u64 {
    let before = match from.checked_sub(1) {
        Some(at) => story.steps[at].number,
        None => 0,
    };
    let end = match story.steps.get(to) {
        Some(step) => step.number,
        None => story.steps[to - 1].number + 1,
    };
    end - before - 1
}

/// Returns for each step whether it is dull: nothing of interest changed in it.
fn dull(story: &Story, causes: &CausalIndex<'_>) -> Vec<bool> {
    let matter = causes.most_relevant(MATTER, &[]);
    let handled_by = |step: &Step| {
        (
            step.who,
            step.message
                .and_then(|number| story.message(number))
                .map(|message| message.event.clone()),
        )
    };
    let mut often: BTreeMap<_, usize> = BTreeMap::new();
    for step in &story.steps {
        *often.entry(handled_by(step)).or_default() += 1;
    }
    let changes_nothing = |step: &Step| {
        let moved = step.state_after.is_some() && step.state_before != step.state_after;
        let has_news = step.effects.iter().any(is_news);
        let prints = story
            .operations
            .get(step.who as usize)
            .is_some_and(|who| who.prints);
        let is_known = prints || often[&handled_by(step)] >= OFTEN;
        let is_quiet = step.changes.is_empty() && step.monitors.is_empty();
        is_quiet && !moved && !has_news && is_known && !matter.contains(&step.number)
    };
    let runs: BTreeMap<u64, bool> = story
        .steps
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Handle | StepKind::Resume))
        .map(|step| (step.number, changes_nothing(step)))
        .collect();
    let is_dull = |step: &Step| match step.kind {
        StepKind::Handle | StepKind::Resume => runs[&step.number],
        StepKind::Flush | StepKind::Timer => {
            let news = step.effects.iter().any(is_news) || !step.monitors.is_empty();
            // A send matters as much as the step that handles it.
            let leads_to = |number: u32| story.message(number).and_then(|message| message.handled);
            let mut handled = step.sent().filter_map(leads_to);
            let is_empty = step.sent().next().is_none() && step.timer.is_none();
            let leads_on = handled.any(|step| !runs.get(&step).copied().unwrap_or(true));
            !news && !is_empty && !leads_on && !matter.contains(&step.number)
        }
        _ => false,
    };
    story.steps.iter().map(is_dull).collect()
}

/// Returns true for an effect that is always of interest.
fn is_news(effect: &Effect) -> bool {
    !matches!(
        effect,
        Effect::Sent {
            arrival: MessageFate::Arrived,
            ..
        } | Effect::Armed { .. }
            | Effect::Cancelled { .. }
            | Effect::Awaits
            | Effect::Replied { .. }
    )
}

/// Formats folded steps: `… 240 steps in which nothing changes: Tick at Server (80), Ask at Client#2 (40)`.
fn run_in_words(story: &Story, steps: &[Step]) -> String {
    const NAMED: usize = 3;
    let mut events: BTreeMap<String, usize> = BTreeMap::new();
    for step in steps {
        let message = step.message.and_then(|number| story.message(number));
        if let Some(message) = message {
            let event = format!(
                "{} at {}",
                shortened(name_of(&message.event)),
                shortened(story.name(step.who))
            );
            *events.entry(event).or_default() += 1;
        }
    }
    let mut events: Vec<(String, usize)> = events.into_iter().collect();
    events.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let named = events.iter().take(NAMED).map(|(event, times)| match times {
        1 => event.clone(),
        times => format!("{event} ({times})"),
    });
    let named: Vec<String> = named.collect();
    let more = if events.len() > NAMED { " …" } else { "" };
    let about = match named.is_empty() {
        true => String::new(),
        false => format!(": {}{more}", named.join(", ")),
    };
    format!(
        "… {} in which nothing changes{about}",
        count(steps.len() as u64, "step")
    )
}

/// Lists the types of actors whose fields are not known, since they have no `Debug`.
pub(super) fn unprinted(story: &Story) -> Option<String> {
    let hidden = story
        .operations
        .iter()
        .filter(|operation| operation.kind == OperationKind::Actor && !operation.prints);
    let types = hidden.filter_map(|operation| operation.of_type.as_deref());
    let types: BTreeSet<String> = types.map(plain).collect();
    if types.is_empty() {
        return None;
    }
    let types: Vec<String> = types.iter().map(|name| format!("`{name}`")).collect();
    Some(format!(
        "changes in {} are not shown, for want of a `Debug`",
        types.join(", ")
    ))
}
