//! A story, a line for each step.

use std::time::Duration;

use super::{Place, count};
use crate::data::story::{MonitorStep, StoryStep};
use crate::report::facts::Bug;
use crate::report::shell;

/// How many steps of a story end a failing test's report.
const LAST_STEPS: usize = 12;

/// The end of a failing execution's story.
pub(super) fn last_steps(bug: &Bug, place: &Place) -> Vec<String> {
    let story = &bug.trace.story;
    if story.is_empty() {
        return Vec::new();
    }
    let last = &story[story.len().saturating_sub(LAST_STEPS)..];
    let mut lines = Vec::new();
    let how = match &bug.trace_path {
        Some(path) if last.len() < story.len() => {
            format!(
                "; all of them: cargo actor-test show {}",
                shell::short(path, &place.here)
            )
        }
        _ => String::new(),
    };
    lines.push(format!(
        "      the last {} of {}{how}",
        last.len(),
        count(story.len() as u64, "step")
    ));
    let width = place.width.saturating_sub(6);
    lines.extend(
        story_lines(last, width)
            .into_iter()
            .map(|line| format!("      {line}")),
    );
    lines
}

/// A story as columns: step, time, actor, what, its state, the monitors.
pub fn story_lines(steps: &[StoryStep], width: usize) -> Vec<String> {
    let rows: Vec<([String; 4], Happened)> = steps
        .iter()
        .map(|step| (row(step), Happened::in_step(step)))
        .collect();
    let widest = |column: usize| {
        let widths = rows.iter().map(|(row, _)| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let (step, time, actor, state) = (widest(0), widest(1), widest(2).min(24), widest(3));
    // The rest is for what happened.
    let taken = step + time + actor + 6 + if state > 0 { state + 2 } else { 0 };
    let longest = rows.iter().map(|(_, happened)| happened.width()).max();
    let room = width.saturating_sub(taken).max(30);
    let what = longest.unwrap_or(0).min(room);
    let line = |([number, at, who, became], happened): &([String; 4], Happened)| {
        let line = format!(
            "{number:>step$}  {at:>time$}  {}  {}  {became}",
            fit(who, actor),
            fit(&happened.within(what), what)
        );
        cut(line.trim_end(), width)
    };
    rows.iter().map(line).collect()
}

fn row(step: &StoryStep) -> [String; 4] {
    [
        step.step.to_string(),
        virtual_time(step.time_ns),
        step.actor.clone(),
        became(step),
    ]
}

/// What happened in a step: what its actor does.
pub(crate) fn what(step: &StoryStep) -> String {
    Happened::in_step(step).within(usize::MAX)
}

/// What happened in a step. The event is between what it needs least to be cut: it may be long, and
/// who else takes part counts more than its last field.
struct Happened {
    before: String,
    event: String,
    after: String,
}

/// What is left of an event, at least.
const EVENT_MIN: usize = 16;

impl Happened {
    fn in_step(step: &StoryStep) -> Self {
        let verb = match step.kind.as_str() {
            "start" => "starts",
            "handle" => "handles",
            "flush" if step.event.is_some() => "sends",
            // What else an outbox holds stands in the notes.
            "flush" if !step.notes.is_empty() => return Self::told(&step.notes),
            "resume" => "resumes",
            "timer" if step.event.is_some() => "timer fires:",
            "timer" => "timer fires",
            kind => kind,
        };
        let mut after = String::new();
        if let Some(to) = &step.to {
            after += &format!(" to {to}");
        }
        if let Some(from) = &step.from {
            after += &format!(" from {from}");
        }
        if !step.choices.is_empty() {
            let choices: Vec<String> = step.choices.iter().map(u32::to_string).collect();
            after += &format!(", chooses {}", choices.join(", "));
        }
        for note in &step.notes {
            after += &format!(", {note}");
        }
        Self {
            before: verb.to_owned(),
            event: step.event.as_deref().map(in_a_line).unwrap_or_default(),
            after: in_a_line(&after),
        }
    }

    fn told(notes: &[String]) -> Self {
        Self {
            before: in_a_line(&notes.join(", ")),
            event: String::new(),
            after: String::new(),
        }
    }

    fn width(&self) -> usize {
        self.within(usize::MAX).chars().count()
    }

    /// Cuts the event first, where all is too long.
    fn within(&self, width: usize) -> String {
        let Self {
            before,
            event,
            after,
        } = self;
        let blanks = usize::from(!event.is_empty()) + usize::from(starts_with_word(after));
        let others = before.chars().count() + after.chars().count() + blanks;
        let event = cut(event, width.saturating_sub(others).max(EVENT_MIN));
        let mut text = before.clone();
        for part in [&event, after] {
            if starts_with_word(part) {
                text.push(' ');
            }
            text += part;
        }
        cut(&text, width)
    }
}

/// A comma follows without a blank.
fn starts_with_word(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(',')
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What became of states: the actor's, then the monitors'.
fn became(step: &StoryStep) -> String {
    let state = match (&step.state, &step.state_after) {
        (Some(before), Some(after)) => Some(format!("{before} → {after}")),
        (Some(state), None) => Some(state.clone()),
        (None, Some(after)) => Some(format!("→ {after}")),
        (None, None) => None,
    };
    let monitor = |change: &MonitorStep| {
        format!(
            "[{}: {} → {} ({})]",
            change.monitor, change.from, change.to, change.temperature
        )
    };
    let parts = state.into_iter().chain(step.monitors.iter().map(monitor));
    parts.collect::<Vec<_>>().join("  ")
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

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}
