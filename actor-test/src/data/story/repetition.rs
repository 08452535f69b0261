//! Repetitions: rounds of steps that follow each other again and again, as in a livelock.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;
use std::ops::Range;

use super::{Effect, Step, Story, name_of};

/// The largest number of steps of a round.
const PERIOD_MAX: usize = 64;

/// The smallest number of rounds.
const ROUNDS_MIN: usize = 3;

/// The smallest number of steps of all rounds together.
const STEPS_MIN: usize = 8;

/// Rounds of steps that differ in values alone: the same operations handle and send events of the same types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Repetition {
    /// The position of the first step of the first round.
    pub(crate) first: usize,
    /// The number of steps of a round.
    pub(crate) period: usize,
    /// The number of steps of all rounds; the last round may be incomplete.
    pub(crate) steps: usize,
}

impl Repetition {
    /// Returns the repetitions of a story, which do not overlap, in order.
    pub(crate) fn all(story: &Story) -> Vec<Self> {
        let shapes: Vec<u64> = story.steps.iter().map(|step| shape(story, step)).collect();
        let mut all = Vec::new();
        let mut at = 0;
        while at < shapes.len() {
            match Self::at(&shapes, at) {
                Some(found) => {
                    at += found.steps;
                    all.push(found);
                }
                None => at += 1,
            }
        }
        all
    }

    /// Returns the repetition with the shortest round that begins at a position.
    fn at(shapes: &[u64], first: usize) -> Option<Self> {
        let rest = &shapes[first..];
        (1..=PERIOD_MAX.min(rest.len() / ROUNDS_MIN)).find_map(|period| {
            let pairs = rest.iter().zip(&rest[period..]);
            let steps = period + pairs.take_while(|(one, next)| one == next).count();
            let repeats = steps >= STEPS_MIN && steps >= ROUNDS_MIN * period;
            repeats.then_some(Self {
                first,
                period,
                steps,
            })
        })
    }

    /// Returns true if the rounds go on to the end of a story, or to the step before.
    pub(crate) fn lasts(&self, story: &Story) -> bool {
        self.repeated().end + 1 >= story.steps.len()
    }

    /// Returns the positions of the first round.
    pub(crate) fn round(&self) -> Range<usize> {
        self.first..self.first + self.period
    }

    /// Returns the positions of the rounds after the first.
    pub(crate) fn repeated(&self) -> Range<usize> {
        self.first + self.period..self.first + self.steps
    }
}

/// Returns a hash of a step without its values.
fn shape(story: &Story, step: &Step) -> u64 {
    let mut shape = DefaultHasher::new();
    let event = |number: u32| {
        let message = story.message(number)?;
        Some((message.to, name_of(&message.event)))
    };
    (step.who, step.kind as u8, step.ignored).hash(&mut shape);
    step.message.and_then(event).hash(&mut shape);
    let timer = step
        .timer
        .and_then(|timer| story.timers.get(timer as usize));
    timer
        .map(|timer| (timer.owner, timer.event.as_deref().map(name_of)))
        .hash(&mut shape);
    (&step.state_before, &step.state_after).hash(&mut shape);
    for effect in step.effects.iter().filter(|effect| !effect.is_logged()) {
        discriminant(effect).hash(&mut shape);
        match effect {
            Effect::Sent {
                message, arrival, ..
            } => (event(*message), *arrival as u8).hash(&mut shape),
            Effect::Replied { to, lost, .. } => (to, lost).hash(&mut shape),
            // The text of an access has values.
            Effect::Accessed { object, place, .. } => (object, place).hash(&mut shape),
            Effect::Spawned { who } | Effect::Halted { who, .. } => who.hash(&mut shape),
            _ => {}
        }
    }
    for change in &step.monitors {
        (change.monitor, &change.before, &change.after).hash(&mut shape);
    }
    shape.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(shapes: &[u64], first: usize) -> Option<(usize, usize)> {
        let found = Repetition::at(shapes, first)?;
        Some((found.period, found.steps))
    }

    #[test]
    fn a_round_is_the_shortest_that_repeats_often_enough() {
        assert_eq!(found(&[1; 8], 0), Some((1, 8)));
        assert_eq!(found(&[1; 7], 0), None);
        assert_eq!(found(&[1, 2, 3, 1, 2, 3, 1, 2, 3], 0), Some((3, 9)));
        assert_eq!(found(&[1, 2, 3, 1, 2, 3, 1, 2], 0), None);
        assert_eq!(found(&[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 7], 0), Some((3, 10)));
        assert_eq!(found(&[7, 1, 2, 1, 2, 1, 2, 1, 2, 9], 1), Some((2, 8)));
    }
}
