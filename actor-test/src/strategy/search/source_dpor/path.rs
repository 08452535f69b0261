//! The current path of source-DPOR: steps with happens-before, backtrack sets and sleep sets.

use super::footprint::{AccessedResource, Footprint};
use super::run::{ExecutedStep, ReplayStep, SleepSet};

/// A step of the current execution, with the alternatives at this point.
#[derive(Debug)]
pub(super) struct PathStep {
    who: u64,
    what: u64,
    /// The choices of the step: the number of possible answers, and the answer.
    answers: Vec<(u32, u32)>,
    footprint: Footprint,
    enabled: Vec<(u64, u64)>,
    /// The sleep set: operations whose steps need not be explored here.
    asleep: SleepSet,
    /// The operations whose steps were explored here, with their footprints.
    done: SleepSet,
    /// The footprints of the step so far, one for each explored answer.
    footprints: Vec<Footprint>,
    /// The backtrack set: operations whose steps are to be explored here.
    backtrack_set: Vec<u64>,
    causes: Vec<usize>,
    /// True for a timer that has waited until nothing else was enabled.
    waited: bool,
    /// The steps that happen before this one.
    happens_before: StepSet,
}

/// A set of steps, as bits.
#[derive(Clone, Debug, Default)]
struct StepSet(Vec<u64>);

impl StepSet {
    fn has(&self, step: usize) -> bool {
        let word = self.0.get(step / 64).copied().unwrap_or(0);
        word & 1 << (step % 64) != 0
    }

    fn add(&mut self, step: usize) {
        let word = step / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (step % 64);
    }

    fn add_all(&mut self, others: &Self) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&others.0) {
            *own |= other;
        }
    }
}

impl PathStep {
    fn new(taken: ExecutedStep) -> Self {
        Self {
            who: taken.who,
            what: taken.what,
            answers: taken.answers,
            footprints: vec![taken.footprint.clone()],
            footprint: taken.footprint,
            enabled: taken.enabled,
            asleep: taken.asleep,
            done: SleepSet::new(),
            backtrack_set: vec![taken.who],
            causes: taken.causes,
            waited: taken.waited,
            happens_before: StepSet::default(),
        }
    }

    /// Replaces the step by one of another operation, or with other answers.
    fn take(&mut self, taken: ExecutedStep) {
        self.what = taken.what;
        self.answers = taken.answers;
        self.footprints.push(taken.footprint.clone());
        self.footprint = taken.footprint;
        self.causes = taken.causes;
        self.waited = taken.waited;
    }

    fn is_asleep(&self, who: u64) -> bool {
        self.asleep.iter().any(|(asleep, _)| *asleep == who)
    }

    fn is_done(&self, who: u64) -> bool {
        self.done.iter().any(|(done, _)| *done == who)
    }

    fn is_enabled(&self, who: u64) -> bool {
        self.enabled.iter().any(|(enabled, _)| *enabled == who)
    }

    /// Adds an operation to the backtrack set.
    fn add(&mut self, who: u64) {
        if !self.backtrack_set.contains(&who) && !self.is_asleep(who) {
            self.backtrack_set.push(who);
        }
    }

    /// Returns the operations of the backtrack set that remain to be explored.
    fn left(&self) -> impl Iterator<Item = u64> {
        let due = self.backtrack_set.iter().copied();
        due.filter(|who| *who != self.who && !self.is_done(*who) && !self.is_asleep(*who))
    }

    fn turn(&self) -> ReplayStep {
        ReplayStep {
            who: self.who,
            what: self.what,
            answers: self.answers.iter().map(|(_, answer)| *answer).collect(),
        }
    }

    /// Returns the next answers in lexicographic order; `None` after the last.
    fn next_answers(&self) -> Option<Vec<u32>> {
        let last = self
            .answers
            .iter()
            .rposition(|(of, answer)| answer + 1 < *of)?;
        let answers = self.answers[..=last].iter().map(|(_, answer)| *answer);
        let mut answers: Vec<u32> = answers.collect();
        answers[last] += 1;
        Some(answers)
    }
}

#[derive(Debug, Default)]
pub(super) struct Path(Vec<PathStep>);

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes over the steps of an execution from the step `from` on.
    pub(super) fn take(&mut self, from: usize, taken: Vec<ExecutedStep>) {
        self.0.truncate(from + 1);
        for (number, taken) in (from..).zip(taken) {
            let altered = taken.altered.clone();
            match self.0.get_mut(number) {
                Some(node) => node.take(taken),
                None => self.0.push(PathStep::new(taken)),
            }
            // The disabled or changed steps can't be observed after this one.
            for who in altered {
                self.0[number].add(who);
            }
        }
        for number in from..self.0.len() {
            self.add_happens_before(number);
        }
    }

    /// Computes the happens-before predecessors of a step, and reverses its races.
    fn add_happens_before(&mut self, number: usize) {
        let mut before = StepSet::default();
        let mut races = Vec::new();
        let (earlier, later) = self.0.split_at(number);
        let step = &later[0];
        for (at, node) in earlier.iter().enumerate().rev() {
            if before.has(at) {
                continue;
            }
            // All that was enabled had to come before a timer that has waited; timers may swap.
            let is_awaited = step.waited && node.footprint.reach != AccessedResource::Everything;
            let is_cause = is_awaited || step.causes.contains(&at);
            if !is_cause && !node.footprint.depends(&step.footprint) {
                continue;
            }
            before.add_all(&node.happens_before);
            before.add(at);
            if !is_cause && node.who != step.who {
                races.push(at);
            }
        }
        self.0[number].happens_before = before;
        for at in races {
            self.reverse_race(at, number);
        }
    }

    /// Adds a backtrack point that reverses a race, unless the reversal is to be explored anyway.
    fn reverse_race(&mut self, at: usize, number: usize) {
        let apart = (at + 1..number).filter(|between| !self.0[*between].happens_before.has(at));
        let mut whole: Vec<usize> = Vec::new();
        let mut first: Vec<u64> = Vec::new();
        for step in apart.chain([number]) {
            let node = &self.0[step];
            if !whole
                .iter()
                .any(|earlier| node.happens_before.has(*earlier))
            {
                first.push(node.who);
            }
            whole.push(step);
        }
        let who = self.0[number].who;
        let node = &mut self.0[at];
        if first
            .iter()
            .any(|who| node.backtrack_set.contains(who) || node.is_asleep(*who))
        {
            return;
        }
        first.retain(|who| node.is_enabled(*who));
        match first.first() {
            Some(_) if first.contains(&who) => node.add(who),
            Some(first) => node.add(*first),
            None => {
                let all: Vec<u64> = node.enabled.iter().map(|(who, _)| *who).collect();
                all.into_iter().for_each(|who| node.add(who));
            }
        }
    }

    /// Returns the schedule of the next execution, the number of its known steps, and the sleep set after
    /// them.
    pub(super) fn next(&mut self) -> Option<(Vec<ReplayStep>, usize, SleepSet)> {
        loop {
            let last = self.0.len().checked_sub(1)?;
            let node = &mut self.0[last];
            let answers = match node.next_answers() {
                Some(answers) => answers,
                None => {
                    let footprints = std::mem::take(&mut node.footprints);
                    node.done.push((node.who, footprints));
                    let Some(next) = node.left().next() else {
                        self.0.pop();
                        continue;
                    };
                    let what = node.enabled.iter().find(|(who, _)| *who == next);
                    (node.who, node.what) = (next, what.map_or(0, |(_, what)| *what));
                    Vec::new()
                }
            };
            let asleep = node.asleep.iter().chain(&node.done).cloned().collect();
            let mut turns: Vec<ReplayStep> = self.0.iter().map(PathStep::turn).collect();
            turns[last].answers = answers;
            return Some((turns, last, asleep));
        }
    }

    /// Estimates the explored share of the search, from the part of the tree that is known.
    pub(super) fn share(&self) -> f64 {
        let (mut share, mut done) = (1.0, 0.0);
        for node in &self.0 {
            let left = node.left().count() as f64;
            let over = node.done.len() as f64;
            share /= left + over + 1.0;
            done += share * over;
            for (of, answer) in &node.answers {
                share /= f64::from(*of);
                done += share * f64::from(*answer);
            }
        }
        done + share
    }
}
