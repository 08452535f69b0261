//! A story as a log for ShiViz: each step with its vector clock.
//!
//! A step knows of the steps of its own actor before it, and of those that it was told of: by the event
//! that it handles, the reply that it resumes with, or its actor's spawn. ShiViz draws what the clocks
//! say, so it shows the causal order alone, and other orders of the same steps look the same.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use actor_test::story::{Effect, Step, Story};

use crate::words;

/// How ShiViz reads the log, and that there is only one execution in it.
const HEAD: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

/// How many letters a name has.
const NAME_MAX: usize = 60;

/// How many letters a log has, clocks included; ShiViz lays all of it out at once.
const LETTERS_MAX: usize = 8 << 20;

/// How much is kept in mind for it, in entries of clocks.
const KNOWN_MAX: usize = 4 << 20;

/// How many steps each operation had taken, of which a step knows.
type Clock = BTreeMap<u32, u64>;

/// A log.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) text: String,
    /// How many steps at the beginning of the story are not in it.
    pub(super) missing: usize,
}

/// The log of a story. Clocks grow with the number of actors, so of a story that is too long only the
/// end is told, as if it began there.
pub(super) fn log(story: &Story) -> Log {
    let hosts = hosts(story);
    let mut from = 0;
    loop {
        if let Some(text) = told(story, &hosts, from) {
            let missing = from;
            return Log { text, missing };
        }
        from += (story.steps.len() - from).div_ceil(2);
    }
}

/// The log of the steps from a position on; nothing, where it is too long.
fn told(story: &Story, hosts: &[String], from: usize) -> Option<String> {
    let mut text = format!("{HEAD}\n\n");
    let mut clocks = Clocks::default();
    for step in &story.steps[from..] {
        let clock = clocks.after(step)?;
        let host = hosts.get(step.who as usize).map_or("?", |host| host);
        text += &format!("{}. {}\n{host} {{", step.number, words::what(story, step));
        let mut between = "";
        for (who, steps) in clock.iter() {
            // Whom the story does not know it has no clock for.
            if let Some(known) = hosts.get(*who as usize) {
                text += &format!("{between}{}:{steps}", quoted(known));
                between = ",";
            }
            if text.len() > LETTERS_MAX {
                return None;
            }
        }
        text += "}\n";
    }
    Some(text)
}

/// Names without blanks, no two of which are the same.
fn hosts(story: &Story) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let names = story.operations.iter().enumerate().map(|(who, operation)| {
        let name = words::cut(&words::plain(&operation.name), NAME_MAX).replace(' ', "_");
        let mut name = match name.is_empty() || taken.contains(&name) {
            true => format!("{name}~{who}"),
            false => name,
        };
        // Somebody may be called so.
        while !taken.insert(name.clone()) {
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
    of: BTreeMap<u32, Rc<Clock>>,
    /// What the senders of messages knew that are not handled yet.
    sent: BTreeMap<u32, Rc<Clock>>,
    /// What others have done to an operation since its last step.
    told: BTreeMap<u32, Clock>,
    /// How many entries there are, and were.
    entries: usize,
}

impl Clocks {
    /// What is known after a step; nothing, where that is too much.
    fn after(&mut self, step: &Step) -> Option<Rc<Clock>> {
        let mut clock = match self.of.remove(&step.who) {
            Some(known) => Clock::clone(&known),
            None => Clock::new(),
        };
        let heard = self.told.remove(&step.who);
        let message = step.message.and_then(|message| self.sent.remove(&message));
        for known in heard.iter().chain(message.as_deref()) {
            merge(&mut clock, known);
        }
        *clock.entry(step.who).or_insert(0) += 1;
        let clock = Rc::new(clock);
        self.entries += clock.len();
        for effect in &step.effects {
            match effect {
                Effect::Sent { message, .. } => {
                    self.sent.insert(*message, Rc::clone(&clock));
                }
                Effect::Spawned { who }
                | Effect::Replied { to: who, .. }
                | Effect::Stopped { who, .. }
                | Effect::Revived { who }
                | Effect::Linked { who }
                    if *who != step.who =>
                {
                    merge(self.told.entry(*who).or_default(), &clock);
                    self.entries += clock.len();
                }
                _ => {}
            }
            if self.entries > KNOWN_MAX {
                return None;
            }
        }
        self.of.insert(step.who, Rc::clone(&clock));
        Some(clock)
    }
}

fn merge(clock: &mut Clock, known: &Clock) {
    for (who, steps) in known {
        let own = clock.entry(*who).or_insert(0);
        *own = (*own).max(*steps);
    }
}

#[cfg(test)]
mod tests {
    use super::super::mermaid::tests::story;
    use super::*;

    fn lines(story: &Story) -> Vec<String> {
        let log = log(story);
        assert_eq!(log.missing, 0);
        log.text.lines().map(str::to_owned).collect()
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
        assert_eq!(hosts(&story), ["n_1", "n_1~1", "n_1~2"]);
    }

    /// Each of many actors tells all others of itself, so that every clock has them all.
    #[test]
    fn of_a_long_story_the_end_is_told() {
        let mut story = story();
        let (operation, step) = (story.operations[1].clone(), story.steps[3].clone());
        const ACTORS: u32 = 400;
        story.operations = vec![operation; ACTORS as usize];
        story.steps.clear();
        for number in 1..=6_000 {
            let mut step = step.clone();
            step.number = number;
            step.who = number as u32 % ACTORS;
            let to = (step.who + 1) % ACTORS;
            step.effects = vec![Effect::Spawned { who: to }];
            story.steps.push(step);
        }
        let log = log(&story);
        assert!(log.text.len() <= LETTERS_MAX + 1_000, "{}", log.text.len());
        assert!(log.text.len() > LETTERS_MAX / 8, "{}", log.text.len());
        let first = format!("\n\n{}. ", log.missing + 1);
        assert!(log.text.contains(&first) && log.missing > 2_000, "{first}");
        assert!(log.text.contains("\n6000. "));
    }
}
