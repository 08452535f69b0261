//! A story, a line for each step.

use std::time::Duration;

use super::{Place, count};
use crate::data::records::StepKind;
use crate::data::story::{Arrival, Effect, MonitorChange, Room, Step, Story};
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
    let last = &story.steps[story.steps.len().saturating_sub(LAST_STEPS)..];
    let mut lines = Vec::new();
    let how = match &bug.trace_path {
        Some(path) if last.len() < story.steps.len() => {
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
        count(story.steps.len() as u64, "step")
    ));
    let width = place.width.saturating_sub(6);
    lines.extend(
        lines_of(story, last, width)
            .into_iter()
            .map(|line| format!("      {line}")),
    );
    lines
}

/// A story as columns: step, time, actor, what, its state, the monitors.
pub fn story_lines(story: &Story, width: usize) -> Vec<String> {
    lines_of(story, &story.steps, width)
}

fn lines_of(story: &Story, steps: &[Step], width: usize) -> Vec<String> {
    let rows: Vec<([String; 4], Happened)> = steps
        .iter()
        .map(|step| (row(story, step), Happened::in_step(story, step)))
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

fn row(story: &Story, step: &Step) -> [String; 4] {
    [
        step.number.to_string(),
        virtual_time(step.time_ns),
        who(story, step),
        became(story, step),
    ]
}

/// Who takes a step.
pub(crate) fn who(story: &Story, step: &Step) -> String {
    let name = in_a_line(story.name(step.who));
    match step.timer {
        Some(_) => format!("{name}'s timer"),
        None => name,
    }
}

/// What happened in a step: what its actor does.
pub fn what(story: &Story, step: &Step) -> String {
    Happened::in_step(story, step).within(usize::MAX)
}

/// The same, and who does it.
pub(crate) fn told(story: &Story, step: &Step) -> String {
    format!("`{}` {}", who(story, step), what(story, step))
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
    fn in_step(story: &Story, step: &Step) -> Self {
        let mut event = None;
        let mut after = String::new();
        if let Some(message) = step.message.and_then(|number| story.message(number)) {
            let from = message.from.map_or("timer", |from| story.name(from));
            after += &format!(" from {from}");
            event = Some(message.event.to_string());
        }
        let mut notes = Vec::new();
        if step.ignored {
            notes.push("ignored".to_owned());
        }
        let mut choices = Vec::new();
        for effect in &step.effects {
            match effect {
                Effect::Chose { answer, .. } => choices.push(answer.to_string()),
                Effect::Sent { message, .. } if event.is_none() => {
                    let message = story.message(*message);
                    event = message.map(|message| message.event.to_string());
                    let to = message.map_or("?", |message| story.name(message.to));
                    after = format!(" to {to}{after}");
                    notes.extend(fate(story, effect));
                }
                Effect::Replied {
                    to, reply, lost, ..
                } if event.is_none() => {
                    event = Some(reply_in_words(reply.as_deref(), lost.as_deref()));
                    after = format!(" to {}{after}", story.name(*to));
                }
                _ => notes.extend(note(story, effect)),
            }
        }
        let verb = match step.kind {
            StepKind::Start => "starts",
            StepKind::Handle => "handles",
            StepKind::Flush if event.is_some() => "sends",
            // What else an outbox holds stands in the notes.
            StepKind::Flush if !notes.is_empty() => return Self::told(&notes),
            StepKind::Flush => "flush",
            StepKind::Resume => "resumes",
            StepKind::Timer if event.is_some() => "timer fires:",
            StepKind::Timer => "timer fires",
            StepKind::Stop => "stop",
            StepKind::Fault => "fault",
        };
        if !choices.is_empty() {
            after += &format!(", chooses {}", choices.join(", "));
        }
        for note in &notes {
            after += &format!(", {note}");
        }
        Self {
            before: verb.to_owned(),
            event: event.as_deref().map(in_a_line).unwrap_or_default(),
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

fn reply_in_words(reply: Option<&str>, lost: Option<&str>) -> String {
    match (reply, lost) {
        (Some(reply), _) => format!("reply {reply}"),
        (None, Some(lost)) => format!("no reply: {lost}"),
        (None, None) => "no reply".into(),
    }
}

/// What became of a message that did not simply arrive.
fn fate(story: &Story, effect: &Effect) -> Option<String> {
    let Effect::Sent {
        arrival, replaced, ..
    } = effect
    else {
        return None;
    };
    match arrival {
        Arrival::Arrived | Arrival::Deferred => None,
        Arrival::Dead => Some("dead letter: the receiver has stopped".into()),
        Arrival::Refused => Some("refused, a dead letter: the mailbox is full".into()),
        Arrival::Replaced => {
            let gone = replaced.and_then(|number| story.message(number));
            let gone = gone.map_or("the oldest event", |message| &*message.event);
            Some(format!("{gone} makes room for it, a dead letter"))
        }
    }
}

/// What else happened, in a few words.
fn note(story: &Story, effect: &Effect) -> Vec<String> {
    let name = |who: u32| story.name(who);
    let one = match effect {
        Effect::Sent { message, .. } => {
            let sent = story.message(*message).map(|message| {
                let to = name(message.to);
                format!("sends {} to {to}", message.event)
            });
            return sent.into_iter().chain(fate(story, effect)).collect();
        }
        Effect::Replied {
            to, reply, lost, ..
        } => {
            let reply = reply_in_words(reply.as_deref(), lost.as_deref());
            format!("sends {reply} to {}", name(*to))
        }
        Effect::Spawned { who } => format!("spawns {}", name(*who)),
        Effect::AskedForRoom { of, answer } => {
            let name = name(*of);
            match answer {
                Room::Granted => format!("there is room in {name}'s mailbox"),
                Room::Full => format!("refused: {name}'s mailbox is full"),
                Room::Closed => format!("refused: {name} has stopped"),
                Room::Waits => format!("waits for room in {name}'s mailbox"),
            }
        }
        Effect::Announced { event } => format!("announces {event}"),
        Effect::Awaits => "awaits".into(),
        Effect::Failed {
            who,
            panicked: true,
            message,
        } => format!("fails: `{}` panicked: {message}", name(*who)),
        Effect::Failed { message, .. } => format!("fails: {message}"),
        Effect::Stopped { who, at_once: true } => format!("kills {}", name(*who)),
        Effect::Stopped { who, .. } => format!("stops {}", name(*who)),
        Effect::Linked { who } => format!("{} is linked to it", name(*who)),
        Effect::Fell { .. } => "its value is dropped".into(),
        Effect::Revived { .. } => "is made anew".into(),
        Effect::GivenUp { limit, .. } => limit.to_string(),
        Effect::Halted { unread, .. } => {
            let unread =
                (*unread > 0).then(|| format!("dead letters: {}", count(*unread, "queued event")));
            return std::iter::once("halts".to_owned()).chain(unread).collect();
        }
        Effect::Reentered => "enters its state again".into(),
        Effect::Logged { level, text, .. } => format!("logs {level} {text}"),
        Effect::Ended { how } => how.to_string(),
        Effect::Chose { .. } | Effect::Armed { .. } | Effect::Cancelled { .. } => {
            return Vec::new();
        }
    };
    vec![one]
}

/// A comma follows without a blank.
fn starts_with_word(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(',')
}

pub(super) fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What became of states: the actor's, then the monitors'.
fn became(story: &Story, step: &Step) -> String {
    let after = step.state_after.as_ref();
    let state = match (&step.state_before, after) {
        (Some(before), Some(after)) if before != after => Some(format!("{before} → {after}")),
        (Some(state), _) => Some(state.to_string()),
        (None, Some(after)) => Some(format!("→ {after}")),
        (None, None) => None,
    };
    let monitor = |change: &MonitorChange| {
        let name = story.monitors.get(change.monitor as usize);
        format!(
            "[{}: {} → {} ({})]",
            name.map_or("?", |monitor| &*monitor.name),
            change.before,
            change.after,
            change.temperature.word()
        )
    };
    let parts = state.into_iter().chain(step.monitors.iter().map(monitor));
    in_a_line(&parts.collect::<Vec<_>>().join("  "))
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

pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}
