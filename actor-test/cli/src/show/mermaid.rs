//! Sequence diagrams of stories for Mermaid, for example in a README or an issue.
//!
//! An arrow is drawn at the step that handles the event, where it takes effect. The incarnations of an actor
//! are one participant, those of a node stand in a box, and a crash is a note across the box. Mermaid rejects
//! long texts, so only the end of a long story is drawn, with a note on the number of missing steps.

use std::collections::BTreeMap;

use actor_test::story::{Effect, Lifeline, MessageFate, Step, Story};
use actor_test::tool::trace::Trace;

use crate::diagram::entities;
use crate::words;

/// The maximum number of letters of a diagram; Mermaid accepts 50 000.
const LETTERS_MAX: usize = 40_000;

const TEXT_MAX: usize = 100;

/// Draws a story; boot code and links only if `all` is set or something goes wrong there.
pub(super) fn diagram(trace: &Trace, story: &Story, all: bool) -> String {
    draw(story, Some(&words::finding(&trace.finding)), all)
}

fn draw(story: &Story, finding: Option<&str>, all: bool) -> String {
    let participants = Participants::of(story, all);
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut letters = 0;
    let mut count = 0;
    for step in story.steps.iter().rev() {
        let of_step = participants.lines_of(step);
        letters += of_step.iter().map(String::len).sum::<usize>();
        if letters > LETTERS_MAX {
            break;
        }
        count += 1;
        lines.push(of_step);
    }
    let shown = &story.steps[story.steps.len() - count..];
    let mut text = String::from("sequenceDiagram\n");
    for line in participants.of_steps(shown) {
        text += &format!("    {line}\n");
    }
    let missing = story.steps.len() - count;
    let first = shown.iter().find_map(|step| participants.alias(step.who));
    if let (1.., Some(first)) = (missing, first) {
        let note = words::steps_not_shown(missing);
        text += &format!("    Note over {first}: {}\n", label(&note));
    }
    for line in lines.into_iter().rev().flatten() {
        text += &format!("    {line}\n");
    }
    let last = shown.last().and_then(|last| participants.alias(last.who));
    if let (Some(finding), Some(last)) = (finding, last) {
        text += &format!("    Note over {last}: {}\n", label(finding));
    }
    text
}

/// The participants of a diagram: the lifelines of a story.
struct Participants<'a> {
    story: &'a Story,
    lifelines: Vec<Lifeline>,
    /// The lifeline of each operation that is drawn.
    places: BTreeMap<u32, usize>,
}

impl<'a> Participants<'a> {
    fn of(story: &'a Story, all: bool) -> Self {
        let mut lifelines = story.lifelines();
        lifelines.retain(|lifeline| all || !lifeline.is_plumbing);
        let places = lifelines.iter().enumerate().flat_map(|(at, lifeline)| {
            let operations = lifeline.operations.iter();
            operations.map(move |who| (*who, at))
        });
        Self {
            story,
            places: places.collect(),
            lifelines,
        }
    }

    /// Returns the name of an operation's lifeline in the diagram, if it is drawn.
    fn alias(&self, who: u32) -> Option<String> {
        let lifeline = &self.lifelines[*self.places.get(&who)?];
        Some(alias(lifeline))
    }

    /// Returns the lines that declare the lifelines which take part in some steps.
    fn of_steps(&self, steps: &[Step]) -> Vec<String> {
        let mut takes_part = vec![false; self.lifelines.len()];
        let mut add = |who: u32| {
            if let Some(lifeline) = self.places.get(&who) {
                takes_part[*lifeline] = true;
            }
        };
        for step in steps {
            add(step.who);
            for effect in &step.effects {
                match effect {
                    Effect::Sent { message, .. } => {
                        if let Some(message) = self.story.message(*message) {
                            add(message.to);
                        }
                    }
                    Effect::Spawned { who } | Effect::Replied { to: who, .. } => add(*who),
                    effect => {
                        if let Some(node) = effect.crashed_or_restarted() {
                            self.on_node(node)
                                .for_each(|lifeline| add(lifeline.operations[0]));
                        }
                    }
                }
            }
        }
        let lifelines = self.lifelines.iter().zip(takes_part);
        let lifelines: Vec<&Lifeline> = lifelines
            .filter(|(_, is)| *is)
            .map(|(lifeline, _)| lifeline)
            .collect();
        let mut lines = Vec::new();
        for group in lifelines.chunk_by(|one, other| one.node == other.node) {
            let declared = group.iter().map(|lifeline| {
                format!(
                    "participant {} as {}",
                    alias(lifeline),
                    label(&lifeline.name)
                )
            });
            match &group[0].node {
                Some(node) => {
                    lines.push(format!("box {}", label(node)));
                    lines.extend(declared.map(|line| format!("    {line}")));
                    lines.push("end".into());
                }
                None => lines.extend(declared),
            }
        }
        lines
    }

    fn on_node(&self, node: &str) -> impl DoubleEndedIterator<Item = &Lifeline> {
        let lifelines = self.lifelines.iter();
        lifelines.filter(move |lifeline| lifeline.node.as_deref() == Some(node))
    }

    /// Returns the first and the last lifeline of a node, as a note names them.
    fn across(&self, node: &str) -> Option<String> {
        let mut lifelines = self.on_node(node);
        let first = lifelines.next()?;
        Some(match lifelines.next_back() {
            Some(last) => format!("{},{}", alias(first), alias(last)),
            None => alias(first),
        })
    }

    fn lines_of(&self, step: &Step) -> Vec<String> {
        let Some(who) = self.alias(step.who) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        if let Some(message) = step.message.and_then(|message| self.story.message(message)) {
            let verb = if step.ignored { "ignores" } else { "handles" };
            lines.push(format!("Note over {who}: {verb} {}", label(&message.event)));
        }
        let marks = step
            .effects
            .iter()
            .filter_map(|effect| self.node_mark(effect));
        let marks: Vec<String> = marks.collect();
        let ends_node = !marks.is_empty();
        lines.extend(marks);
        for effect in &step.effects {
            match effect {
                // The mark of the node says it.
                Effect::Halted { .. } if ends_node => {}
                effect => lines.extend(self.line_of(&who, effect)),
            }
        }
        if let (Some(before), Some(after)) = (&step.state_before, &step.state_after)
            && before != after
        {
            let change = format!("{before} → {after}");
            lines.push(format!("Note over {who}: {}", label(&change)));
        }
        for change in &step.monitors {
            let name = self.story.monitors.get(change.monitor as usize);
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

    /// Returns the note across the lifelines of a node that an effect crashes or restarts.
    fn node_mark(&self, effect: &Effect) -> Option<String> {
        let node = effect.crashed_or_restarted()?;
        let Effect::Fault { fault, .. } = effect else {
            return None;
        };
        let what = match &**fault {
            "crash" => "crashes",
            "restart" => "restarts",
            _ => "restarts without its disk",
        };
        let mark = label(&format!("{node} {what}"));
        Some(format!("Note over {}: {mark}", self.across(node)?))
    }

    /// Returns the line of an effect, if it is drawn and the other lifeline as well.
    fn line_of(&self, who: &str, effect: &Effect) -> Option<String> {
        Some(match effect {
            Effect::Spawned { who: child } => format!("{who}-->>{}: spawns", self.alias(*child)?),
            Effect::Sent {
                message, arrival, ..
            } => {
                // A handled message is drawn at the step that handles it.
                let message = self.story.message(*message)?;
                let arrow = match arrival {
                    MessageFate::Dead | MessageFate::Unclaimed | MessageFate::Refused => "-x",
                    _ => "-)",
                };
                let timer = if message.from.is_none() {
                    "timer: "
                } else {
                    ""
                };
                let (to, event) = (self.alias(message.to)?, label(&message.event));
                format!("{who}{arrow}{to}: {timer}{event}")
            }
            Effect::Replied {
                to, reply, lost, ..
            } => {
                let reply = reply.as_deref().or(lost.as_deref()).unwrap_or("no reply");
                format!("{who}-->>{}: {}", self.alias(*to)?, label(reply))
            }
            Effect::Failed { who, message, .. } => {
                format!("Note over {}: fails: {}", self.alias(*who)?, label(message))
            }
            Effect::Halted { who, .. } => format!("Note over {}: halts", self.alias(*who)?),
            _ => return None,
        })
    }
}

/// Returns the name of a lifeline in the diagram.
fn alias(lifeline: &Lifeline) -> String {
    format!("p{}", lifeline.operations[0])
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
        insta::assert_snapshot!(draw(&story(), Some("safety: 100 %; or less"), false));
    }

    /// A story of a node that restarts: boot code is left out, and both incarnations and the name are one participant.
    fn restarted() -> Story {
        serde_json::from_value(serde_json::json!({
            "operations": [
                { "name": "test", "kind": "test", "path": "0" },
                { "name": "n1/boot", "kind": "boot", "path": "1", "creator": 0 },
                { "name": "n1/Store", "kind": "name", "path": "2" },
                { "name": "Client", "kind": "actor", "path": "3", "creator": 0 },
                { "name": "n1/Store", "kind": "actor", "path": "4", "creator": 1 },
                { "name": "n1/Log", "kind": "actor", "path": "5", "creator": 4 },
                { "name": "n1(2)/boot", "kind": "boot", "path": "6" },
                { "name": "n1(2)/Store", "kind": "actor", "path": "7", "creator": 6 },
            ],
            "messages": [
                { "id": "a", "event": "Put(7)", "from": 3, "to": 4, "sent": 4 },
                { "id": "b", "event": "Get", "from": 3, "to": 7, "sent": 9 },
                { "id": "c", "event": "Put(6)", "from": 3, "to": 2, "sent": 3 },
            ],
            "steps": [
                { "number": 1, "time_ns": 0, "who": 1, "kind": "start" },
                { "number": 2, "time_ns": 0, "who": 1, "kind": "flush",
                  "effects": [{ "effect": "spawned", "who": 4 }] },
                { "number": 3, "time_ns": 0, "who": 3, "kind": "flush",
                  "effects": [{ "effect": "sent", "message": 2, "arrival": "dead" }] },
                { "number": 4, "time_ns": 0, "who": 3, "kind": "flush",
                  "effects": [{ "effect": "sent", "message": 0, "arrival": "arrived" }] },
                { "number": 5, "time_ns": 0, "who": 4, "kind": "flush",
                  "effects": [{ "effect": "spawned", "who": 5 }] },
                { "number": 6, "time_ns": 0, "who": 0, "kind": "fault",
                  "effects": [
                    { "effect": "fault", "fault": "crash", "node": "n1" },
                    { "effect": "halted", "who": 4, "reason": "Disconnected", "unread": 1 },
                  ] },
                { "number": 7, "time_ns": 0, "who": 0, "kind": "fault",
                  "effects": [{ "effect": "fault", "fault": "restart", "node": "n1" }] },
                { "number": 8, "time_ns": 0, "who": 6, "kind": "flush",
                  "effects": [{ "effect": "spawned", "who": 7 }] },
                { "number": 9, "time_ns": 0, "who": 3, "kind": "flush",
                  "effects": [{ "effect": "sent", "message": 1, "arrival": "arrived" }] },
            ],
        }))
        .expect("a story")
    }

    #[test]
    fn a_node_is_a_box() {
        insta::assert_snapshot!(draw(&restarted(), None, false));
    }

    #[test]
    fn boot_code_is_drawn_if_asked_for() {
        let text = draw(&restarted(), None, true);
        assert!(text.contains("participant p1 as boot"), "{text}");
        assert!(text.contains("Note over p1,p5: n1 crashes"), "{text}");
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
        let text = draw(&story, None, false);
        assert!(text.len() < LETTERS_MAX + 10_000, "{}", text.len());
        assert!(text.contains("steps are not shown"), "{}", &text[..300]);
    }
}
