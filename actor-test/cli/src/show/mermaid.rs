//! Sequence diagrams of stories for Mermaid, for example in a README or an issue.
//!
//! An arrow is drawn at the step that handles the event, where it takes effect. Mermaid rejects long texts,
//! so only the end of a long story is drawn, with a note on the number of missing steps.

use actor_test::story::{Effect, MessageFate, Step, Story};
use actor_test::tool::trace::Trace;

use crate::diagram::entities;
use crate::words;

/// The maximum number of letters of a diagram; Mermaid accepts 50 000.
const LETTERS_MAX: usize = 40_000;

const TEXT_MAX: usize = 100;

pub(super) fn diagram(trace: &Trace, story: &Story) -> String {
    draw(story, Some(&words::finding(&trace.finding)))
}

fn draw(story: &Story, finding: Option<&str>) -> String {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut letters = 0;
    let mut count = 0;
    for step in story.steps.iter().rev() {
        let of_step = lines_of(story, step);
        letters += of_step.iter().map(String::len).sum::<usize>();
        if letters > LETTERS_MAX {
            break;
        }
        count += 1;
        lines.push(of_step);
    }
    let shown = &story.steps[story.steps.len() - count..];
    let mut text = String::from("sequenceDiagram\n");
    for who in participants(story, shown) {
        text += &format!(
            "    participant {} as {}\n",
            alias(who),
            label(story.name(who))
        );
    }
    let missing = story.steps.len() - count;
    if let (1.., Some(first)) = (missing, shown.first()) {
        let note = words::steps_not_shown(missing);
        text += &format!("    Note over {}: {}\n", alias(first.who), label(&note));
    }
    for line in lines.into_iter().rev().flatten() {
        text += &format!("    {line}\n");
    }
    if let (Some(finding), Some(last)) = (finding, shown.last()) {
        text += &format!("    Note over {}: {}\n", alias(last.who), label(finding));
    }
    text
}

/// Returns the operations that take part in some steps, in the order of creation.
fn participants(story: &Story, steps: &[Step]) -> Vec<u32> {
    let mut takes_part = vec![false; story.operations.len()];
    let mut add = |who: u32| {
        if let Some(found) = takes_part.get_mut(who as usize) {
            *found = true;
        }
    };
    for step in steps {
        add(step.who);

        for effect in &step.effects {
            match effect {
                Effect::Sent { message, .. } => {
                    if let Some(message) = story.message(*message) {
                        add(message.to);
                    }
                }
                Effect::Spawned { who } | Effect::Replied { to: who, .. } => add(*who),
                _ => {}
            }
        }
    }
    let found = takes_part.iter().enumerate();
    found
        .filter(|(_, is)| **is)
        .map(|(who, _)| who as u32)
        .collect()
}

fn lines_of(story: &Story, step: &Step) -> Vec<String> {
    let who = alias(step.who);
    let mut lines = Vec::new();
    if let Some(message) = step.message.and_then(|message| story.message(message)) {
        let verb = if step.ignored { "ignores" } else { "handles" };
        lines.push(format!("Note over {who}: {verb} {}", label(&message.event)));
    }
    for effect in &step.effects {
        match effect {
            Effect::Spawned { who: child } => {
                lines.push(format!("{who}-->>{}: spawns", alias(*child)));
            }
            Effect::Sent {
                message, arrival, ..
            } => {
                // A handled message is drawn at the step that handles it.
                if let Some(message) = story.message(*message) {
                    let arrow = match arrival {
                        MessageFate::Dead | MessageFate::Unclaimed | MessageFate::Refused => "-x",
                        _ => "-)",
                    };
                    let timer = if message.from.is_none() {
                        "timer: "
                    } else {
                        ""
                    };
                    let (to, event) = (alias(message.to), label(&message.event));
                    lines.push(format!("{who}{arrow}{to}: {timer}{event}"));
                }
            }
            Effect::Replied {
                to, reply, lost, ..
            } => {
                let reply = reply.as_deref().or(lost.as_deref()).unwrap_or("no reply");
                lines.push(format!("{who}-->>{}: {}", alias(*to), label(reply)));
            }
            Effect::Failed { who, message, .. } => {
                lines.push(format!(
                    "Note over {}: fails: {}",
                    alias(*who),
                    label(message)
                ));
            }
            Effect::Halted { who, .. } => lines.push(format!("Note over {}: halts", alias(*who))),
            _ => {}
        }
    }
    if let (Some(before), Some(after)) = (&step.state_before, &step.state_after)
        && before != after
    {
        let change = format!("{before} → {after}");
        lines.push(format!("Note over {who}: {}", label(&change)));
    }
    for change in &step.monitors {
        let name = story.monitors.get(change.monitor as usize);
        let name = name.map_or("?", |monitor| &*monitor.name);
        let temperature = change.temperature.word();
        let change = format!(
            "{name}: {} → {} ({temperature})",
            change.before, change.after
        );
        lines.push(format!("Note over {who}: {}", label(&change)));
    }
    lines
}

fn alias(who: u32) -> String {
    format!("p{who}")
}

/// Returns a text in one line, shortened, and escaped for Mermaid.
fn label(text: &str) -> String {
    entities(&words::cut(&words::plain(text), TEXT_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A story of two actors: one event is handled, one is ignored, one is lost.
    fn story() -> Story {
        serde_json::from_value(serde_json::json!({
            "operations": [
                { "name": "test", "kind": "test", "path": "0" },
                { "name": "Account", "kind": "actor", "path": "1", "creator": 0 },
                { "name": "Clerk <b>;", "kind": "actor", "path": "2", "creator": 0 },
            ],
            "monitors": [
                { "name": "Audit", "kind": "monitor", "state": "Even", "temperature": "cold" },
            ],
            "messages": [
                { "id": "a", "event": "Withdraw { amount: 7 }", "from": 2, "to": 1, "sent": 5, "handled": 6 },
                { "id": "b", "event": "Tick", "to": 1, "sent": 7, "handled": 8 },
                { "id": "c", "event": "Bye", "from": 1, "to": 2, "sent": 9 },
            ],
            "steps": [
                { "number": 1, "time_ns": 0, "who": 0, "kind": "start" },
                { "number": 2, "time_ns": 0, "who": 0, "kind": "flush",
                  "effects": [{ "effect": "spawned", "who": 1 }] },
                { "number": 3, "time_ns": 0, "who": 0, "kind": "flush",
                  "effects": [{ "effect": "spawned", "who": 2 }] },
                { "number": 4, "time_ns": 0, "who": 2, "kind": "start" },
                { "number": 5, "time_ns": 0, "who": 2, "kind": "flush",
                  "effects": [{ "effect": "sent", "message": 0, "arrival": "arrived" }],
                  "monitors": [{ "monitor": 0, "before": "Even", "after": "Owing", "temperature": "hot" }] },
                { "number": 6, "time_ns": 0, "who": 1, "kind": "handle", "message": 0,
                  "state_before": "Open", "state_after": "Shut",
                  "effects": [{ "effect": "replied", "to": 2, "asked": 0, "reply": "Ok(7)" }] },
                { "number": 7, "time_ns": 9, "who": 1, "kind": "timer",
                  "effects": [{ "effect": "sent", "message": 1, "arrival": "arrived" }] },
                { "number": 8, "time_ns": 9, "who": 1, "kind": "handle", "message": 1, "ignored": true },
                { "number": 9, "time_ns": 9, "who": 1, "kind": "flush",
                  "effects": [
                    { "effect": "sent", "message": 2, "arrival": "dead" },
                    { "effect": "halted", "who": 1, "reason": "Halted", "unread": 0 },
                  ] },
                { "number": 10, "time_ns": 9, "who": 2, "kind": "resume" },
            ],
        }))
        .expect("a story")
    }

    #[test]
    fn a_sequence_for_mermaid() {
        insta::assert_snapshot!(draw(&story(), Some("safety: 100 %; or less")));
    }

    #[test]
    fn a_long_story_is_cut_and_says_so() {
        let mut story = story();
        let last = story.steps[5].clone();
        for number in 11..5_000 {
            let mut step = last.clone();
            step.number = number;
            story.steps.push(step);
        }
        let text = draw(&story, None);
        assert!(text.len() < LETTERS_MAX + 10_000, "{}", text.len());
        assert!(text.contains("steps are not shown"), "{}", &text[..300]);
    }
}
