//! Formats a story as columns, with one or more lines for each step.

use std::collections::BTreeSet;
use std::time::Duration;

use super::collapse::{FoldedPart, chosen, folded, unprinted, without_plumbing};
use super::command::CommandContext;
use super::count;
use super::escape::{cut, plain, shortened, wrapped};
use super::lifeline_columns::LifelineColumns;
use super::story_steps::{became, details, happening, who};
use crate::data::bug::BugKind;
use crate::data::story::{CausalIndex, InspectedActor, Step, Story};
use crate::report::data::Bug;
use crate::report::shell;

/// A story of at most this many steps is shown whole at the end of a failing test's report.
const WHOLE: usize = 30;

/// The number of steps that are selected of a longer story.
const STEPS: usize = 20;

/// The largest width of the column of names.
const NAME_MAX: usize = 24;

/// The smallest width of the column of actions.
const WHAT_MIN: usize = 30;

/// Formats the steps of a failing execution's story that matter most.
pub(super) fn decisive_steps(bug: &Bug, place: &CommandContext) -> Vec<String> {
    let critical = bug.causes.as_ref().and_then(|causes| causes.critical());
    let mut story = bug.trace.story.clone();
    story.critical = critical.or(story.critical);
    let story = &story;
    if story.is_empty() {
        return Vec::new();
    }
    let all = story.steps.len();
    let named = bug.causes.as_ref().map(|causes| causes.named());
    let (causes, mut named) = (CausalIndex::of(story), named.unwrap_or_default());
    if bug.kind() == BugKind::Deadlock {
        named.extend(causes.awaited());
    }
    let own = without_plumbing(story, &causes);
    let plumbing = all - own.len();
    let is_whole = own.len() <= WHOLE;
    let matter = match is_whole {
        true => own,
        false => causes.most_relevant(STEPS, &named),
    };
    let steps = count(matter.len() as u64, "step");
    let head = match (is_whole, plumbing) {
        (true, 0) => format!("the story, {steps}"),
        (true, plumbing) => {
            format!("the story, {steps}, without {plumbing} of boot code and links")
        }
        (false, _) => format!("{} of {all} steps", matter.len()),
    };
    let head = match &bug.trace_path {
        Some(path) if matter.len() < all => {
            let path = shell::short(path, &place.here);
            format!("{head}; all of them: cargo actor-test show {path}")
        }
        _ => head,
    };
    let width = place.width.saturating_sub(6);
    let mut lines = vec![head];
    lines.extend(laid_out(
        story,
        &chosen(story, &causes, &matter),
        width,
        None,
    ));
    lines.extend(round(bug, width));
    lines.extend(inspected(story, width));
    lines
        .into_iter()
        .map(|line| format!("      {line}"))
        .collect()
}

/// Formats one round of what goes on for ever behind the story.
fn round(bug: &Bug, width: usize) -> Vec<String> {
    let dead = bug
        .minimized
        .as_ref()
        .and_then(|minimized| minimized.dead.as_ref());
    let round = dead.map_or(&[][..], |dead| &dead.round);
    let Some(widest) = round.iter().map(|step| step.actor.chars().count()).max() else {
        return Vec::new();
    };
    let actor = widest.min(NAME_MAX);
    let mut lines = vec!["and then, again and again:".to_owned()];
    for step in round {
        let what = hanging(&plain(&step.what), width.saturating_sub(actor + 4));
        let heads =
            std::iter::once(fit(&step.actor, actor)).chain(std::iter::repeat(fit("", actor)));
        lines.extend(
            heads
                .zip(what)
                .map(|(head, text)| format!("  {head}  {text}")),
        );
    }
    lines
}

/// Formats a story as columns: step, time, lanes if it has nodes, actor, action. Unless `all` is set, idle
/// steps and plumbing are folded.
pub fn story_lines(story: &Story, width: usize, all: bool) -> Vec<String> {
    let parts = match all {
        true => story.steps.iter().map(FoldedPart::Step).collect(),
        false => folded(story),
    };
    let columns = LifelineColumns::of(story, all, width);
    let mut lines = laid_out(story, &parts, width, columns.as_ref());
    if let Some(out) = story.left_out {
        lines.push(format!(
            "steps {} to {} are left out: there were too many",
            out.from, out.to
        ));
    }
    lines.extend(inspected(story, width));
    lines.extend(
        unprinted(story)
            .into_iter()
            .flat_map(|text| wrapped(&text, width)),
    );
    lines
}

/// Formats some steps of a story as columns, and nothing else.
pub fn step_lines(story: &Story, wanted: &BTreeSet<u64>, width: usize) -> Vec<String> {
    let steps = wanted.iter().filter_map(|number| story.step(*number));
    let parts: Vec<FoldedPart<'_>> = steps.map(FoldedPart::Step).collect();
    laid_out(story, &parts, width, None)
}

fn laid_out(
    story: &Story,
    parts: &[FoldedPart<'_>],
    width: usize,
    columns: Option<&LifelineColumns>,
) -> Vec<String> {
    let whole = parts.iter().filter_map(|part| match part {
        FoldedPart::Step(step) => Some(*step),
        FoldedPart::Steps(_) => None,
    });
    let shown: BTreeSet<u64> = whole.clone().map(|step| step.number).collect();
    let widest = |texts: &mut dyn Iterator<Item = String>| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let number = widest(&mut whole.clone().map(|step| step.number.to_string()));
    let time = widest(&mut whole.clone().map(|step| virtual_time(step.time_ns)));
    let actor = widest(&mut whole.map(|step| who(story, step))).min(NAME_MAX);
    let before_lifelines = " ".repeat(number + time + 4);
    let lifelines = |letters: fn(&LifelineColumns, &Step) -> String, step: &Step| {
        columns.map_or_else(String::new, |columns| letters(columns, step) + "  ")
    };
    let drawn = columns.map_or(0, |columns| columns.width() + 2);
    let taken = before_lifelines.len() + drawn + actor + 2;
    let room = width.saturating_sub(taken).max(WHAT_MIN);
    let head = columns.map(|columns| before_lifelines.clone() + &columns.head());
    let mut lines: Vec<String> = head.into_iter().collect();
    for part in parts {
        let step = match part {
            FoldedPart::Step(step) => step,
            FoldedPart::Steps(text) => {
                let indent = " ".repeat(number + 2);
                let room = width.saturating_sub(number + 2).max(WHAT_MIN);
                lines.extend(
                    wrapped(text, room)
                        .iter()
                        .map(|line| format!("{indent}{line}")),
                );
                continue;
            }
        };
        let state = became(step).map_or_else(String::new, |state| format!("  [{state}]"));
        let what = happening(story, step, &shown) + &state;
        let mut texts = hanging(&what, room);
        for detail in details(story, step) {
            texts.extend(hanging(&format!("  {detail}"), room));
        }
        let first = format!(
            "{:>number$}  {:>time$}  {}{}  ",
            step.number,
            virtual_time(step.time_ns),
            lifelines(LifelineColumns::row, step),
            fit(&who(story, step), actor)
        );
        let below = lifelines(LifelineColumns::below, step);
        let blank = format!("{before_lifelines}{below}{}", " ".repeat(actor + 2));
        let heads = std::iter::once(first).chain(std::iter::repeat(blank));
        let step_lines = heads.zip(texts).map(|(head, text)| format!("{head}{text}"));
        lines.extend(step_lines.map(|line| line.trim_end().to_owned()));
    }
    lines
}

/// Indents the lines after the first.
fn hanging(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let lines = wrapped(text.trim_start(), width.saturating_sub(indent + 2));
    let lines = lines.iter().enumerate().map(|(at, line)| {
        let more = if at > 0 { 2 } else { 0 };
        format!("{}{line}", " ".repeat(indent + more))
    });
    lines.collect()
}

/// Formats what the monitor remembers that has failed, or the actors that a failed predicate read.
fn inspected(story: &Story, width: usize) -> Vec<String> {
    const SHOWN: usize = 8;
    if let Some(value) = &story.remembered {
        let value = hanging(&format!("  {}", shortened(value)), width);
        let head = "the failed monitor at the end:".to_owned();
        return std::iter::once(head).chain(value).collect();
    }
    let one = |seen: &InspectedActor| {
        let state = seen
            .state
            .as_ref()
            .map(|state| format!(" in state {}", shortened(state)));
        let value = match &seen.value {
            Some(value) => format!(": {}", shortened(value)),
            None => String::new(),
        };
        let text = format!(
            "{}{}{value}",
            shortened(story.name(seen.who)),
            state.unwrap_or_default()
        );
        hanging(&format!("  {text}"), width)
    };
    let known = |seen: &&InspectedActor| seen.value.is_some() || seen.state.is_some();
    let known: Vec<&InspectedActor> = story.inspected.iter().filter(known).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["the inspected actors at the end:".to_owned()];
    lines.extend(known.iter().take(SHOWN).flat_map(|seen| one(seen)));
    if known.len() > SHOWN {
        lines.push(format!("  and {} more", known.len() - SHOWN));
    }
    lines
}

fn virtual_time(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => "0".into(),
        _ => format!("{:?}", Duration::from_nanos(nanoseconds)),
    }
}

fn fit(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blank = width.saturating_sub(text.chars().count());
    text + &" ".repeat(blank)
}
