//! A story as a log for ShiViz: each step with its vector clock.
//!
//! A step knows of the steps of its own actor before it, and of those that it was told of: by the event
//! that it handles, the reply that it resumes with, or its actor's spawn. ShiViz draws what the clocks
//! say, so it shows the causal order alone, and other orders of the same steps look the same.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use actor_test::story::{Effect, Step, Story};

use crate::words;

/// How ShiViz reads the log, and that there is only one execution in it.
const HEAD: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

/// How many steps each operation had taken, of which a step knows.
type Clock = BTreeMap<u32, u64>;

/// Tells the log, a line after the other.
pub(super) fn log(story: &Story, tell: &mut dyn FnMut(&str)) {
    tell(HEAD);
    tell("");
    let hosts = hosts(story);
    let mut clocks = Clocks::default();
    for step in &story.steps {
        let clock = clocks.after(step);
        let known: Vec<String> = clock
            .iter()
            .filter_map(|(who, steps)| {
                Some(format!("{}:{steps}", quoted(hosts.get(*who as usize)?)))
            })
            .collect();
        let host = hosts.get(step.who as usize).map_or("?", |host| host);
        tell(&format!("{}. {}", step.number, words::what(story, step)));
        tell(&format!("{host} {{{}}}", known.join(",")));
    }
}

/// Names without blanks, no two of which are the same.
fn hosts(story: &Story) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let names = story.operations.iter().map(|operation| {
        let mut name: String = operation
            .name
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("_");
        while name.is_empty() || !taken.insert(name.clone()) {
            name.push('~');
        }
        name
    });
    names.collect()
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// What everybody knows, and what is under way.
#[derive(Default)]
struct Clocks {
    of: BTreeMap<u32, Clock>,
    /// What the senders of messages knew that are not handled yet.
    sent: BTreeMap<u32, Clock>,
    /// What others have done to an operation since its last step.
    told: BTreeMap<u32, Clock>,
}

impl Clocks {
    /// What is known after a step.
    fn after(&mut self, step: &Step) -> Clock {
        let mut clock = self.of.remove(&step.who).unwrap_or_default();
        let heard = self.told.get_mut(&step.who).map(mem::take);
        let message = step.message.and_then(|message| self.sent.remove(&message));
        for known in heard.into_iter().chain(message) {
            merge(&mut clock, known);
        }
        *clock.entry(step.who).or_insert(0) += 1;
        for effect in &step.effects {
            match effect {
                Effect::Sent { message, .. } => {
                    self.sent.insert(*message, clock.clone());
                }
                Effect::Spawned { who }
                | Effect::Replied { to: who, .. }
                | Effect::Stopped { who, .. }
                | Effect::Revived { who }
                | Effect::Linked { who }
                    if *who != step.who =>
                {
                    merge(self.told.entry(*who).or_default(), clock.clone());
                }
                _ => {}
            }
        }
        self.of.insert(step.who, clock.clone());
        clock
    }
}

fn merge(clock: &mut Clock, known: Clock) {
    for (who, steps) in known {
        let own = clock.entry(who).or_insert(0);
        *own = steps.max(*own);
    }
}

#[cfg(test)]
mod tests {
    use super::super::mermaid::tests::story;
    use super::*;

    fn lines(story: &Story) -> Vec<String> {
        let mut lines = Vec::new();
        log(story, &mut |line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn a_log_for_shiviz() {
        insta::assert_snapshot!(lines(&story()).join("\n"));
    }

    /// ShiViz wants each host to count its own steps from one, without a gap.
    #[test]
    fn hosts_count_their_steps() {
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        for line in lines(&story()).iter().skip(3).step_by(2) {
            let (host, clock) = line.split_once(' ').expect("host and clock");
            let clock: BTreeMap<String, u64> = serde_json::from_str(clock).expect("JSON");
            let steps = taken.entry(host.to_owned()).or_insert(0);
            *steps += 1;
            assert_eq!(clock[host], *steps, "{line}");
        }
        assert!(!taken.is_empty());
    }

    #[test]
    fn names_are_told_apart_and_have_no_blanks() {
        let mut story = story();
        for operation in &mut story.operations {
            operation.name = "n 1\n".into();
        }
        assert_eq!(hosts(&story), ["n_1", "n_1~", "n_1~~"]);
    }
}
