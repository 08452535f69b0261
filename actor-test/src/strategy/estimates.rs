//! Estimates of the work of each operation, from pilot executions: [`Estimates`], [`PilotWalk`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fault_placement::{moment_of, moment_of_offer};
use super::{Choice, Enabled, Execution, Fairness, Needs, OperationId, Pruned, Random, Strategy};
use crate::data::faults::{FaultKind, KINDS};

/// The number of pilot executions of a test.
pub(crate) const PILOTS: u64 = 5;

/// Measurements of a test's pilot executions: uniform random walks before the first execution of a strategy
/// that [needs](Needs::estimates) them.
///
/// Lengths are 95th percentiles, not maxima: one execution that never ended would otherwise push whatever
/// is drawn along the length past the end of normal ones. Without pilot executions everything is zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimates {
    executions: u64,
    steps: u64,
    contended_steps: u64,
    contended_flushes: u64,
    efforts: BTreeMap<u64, Effort>,
    /// The flushes into each inbox.
    inboxes: BTreeMap<u64, Traffic>,
    /// The number of places at which a fault of each kind might have struck.
    offers: [u64; KINDS],
    /// The moments at which a fault may strike, sorted, each with its number of occurrences.
    moments: Vec<(u64, u64)>,
}

#[derive(Clone, PartialEq, Debug, Default)]
struct Traffic {
    /// True if several operations flushed into the inbox in one execution.
    contended: bool,
    /// The flushes of each sender, on average over the executions in which it took part.
    senders: Vec<(u64, f64)>,
}

/// The work of one operation, on average over the pilot executions in which it took part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// The number of its steps.
    pub steps: f64,
    /// The number of its flushes into inboxes; a timer's firing counts as one.
    pub flushes: f64,
    /// The number of its flushes into [contended](Estimates::is_contended) inboxes.
    pub contended_flushes: f64,
}

impl Estimates {
    /// The number of pilot executions.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// The number of steps in an execution.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The number of steps with an alternative in an execution.
    pub fn contended_steps(&self) -> u64 {
        self.contended_steps
    }

    /// The number of flushes in an execution that compete with another enabled operation for the inbox.
    pub fn contended_flushes(&self) -> u64 {
        self.contended_flushes
    }

    /// The number of places in an execution at which a fault of that kind might have struck.
    pub fn offers(&self, kind: FaultKind) -> u64 {
        self.offers[kind as usize]
    }

    /// The moments at which a fault may strike, sorted, each with its number of occurrences: each type of
    /// event that was sent, handled or fired, each call by its name, each state of an actor, and so on.
    pub(crate) fn moments(&self) -> &[(u64, u64)] {
        &self.moments
    }

    /// Estimates of pilots that saw these moments, and nothing else.
    #[cfg(test)]
    pub(super) fn of_moments(moments: Vec<(u64, u64)>) -> Self {
        Self {
            executions: 1,
            steps: 1,
            moments,
            ..Self::default()
        }
    }

    /// The work of the operation with that [path](Enabled::path), if the pilots met it.
    pub fn effort(&self, path: u64) -> Option<Effort> {
        self.efforts.get(&path).copied()
    }

    /// The work of each operation that the pilots met, sorted by [path](Enabled::path).
    pub fn efforts(&self) -> impl Iterator<Item = (u64, Effort)> {
        self.efforts.iter().map(|(path, effort)| (*path, *effort))
    }

    /// The average work of the operations that were met; one if there are none.
    pub fn mean_effort(&self, of: impl Fn(Effort) -> f64) -> f64 {
        let sum: f64 = self.efforts.values().copied().map(of).sum();
        match self.efforts.len() {
            0 => 1.0,
            count => sum / count as f64,
        }
    }

    /// True if several operations flushed into an inbox in one execution; `None` if no operation ever did.
    /// An inbox has the [path](Enabled::path) of its owner.
    pub fn is_contended(&self, inbox: u64) -> Option<bool> {
        self.inboxes.get(&inbox).map(|traffic| traffic.contended)
    }

    /// The paths of the contended inboxes, sorted.
    pub fn contended_inboxes(&self) -> impl Iterator<Item = u64> {
        let contended = self.inboxes.iter().filter(|(_, traffic)| traffic.contended);
        contended.map(|(inbox, _)| *inbox)
    }

    /// The average flushes of each operation into an inbox, in its executions; sorted by path.
    pub fn flushes_into(&self, inbox: u64) -> impl Iterator<Item = (u64, f64)> {
        let traffic = self.inboxes.get(&inbox);
        traffic
            .into_iter()
            .flat_map(|traffic| &traffic.senders)
            .copied()
    }
}

/// A uniform random walk that measures its executions. Clones add to the same measurements.
#[derive(Clone, Debug)]
pub(crate) struct PilotWalk {
    walk: Random,
    /// The measurements of each execution; the last one is in progress.
    measured: Arc<Mutex<Vec<PilotMeasurements>>>,
    /// The step from which the execution is fair, since faults may come before.
    fair_from: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct PilotMeasurements {
    steps: u64,
    contended_steps: u64,
    contended_flushes: u64,
    steps_of: BTreeMap<u64, u64>,
    /// The number of flushes of each operation, for each inbox.
    flushes: BTreeMap<u64, BTreeMap<u64, u64>>,
    offers: [u64; KINDS],
    moments: BTreeMap<u64, u64>,
}

impl PilotWalk {
    pub(crate) fn new() -> Self {
        Self {
            walk: Random::new(),
            measured: Arc::default(),
            fair_from: None,
        }
    }

    pub(crate) fn estimates(&self) -> Estimates {
        let all = self.measured();
        let percentile = |of: &dyn Fn(&PilotMeasurements) -> u64| {
            let mut sorted: Vec<u64> = all.iter().map(of).collect();
            sorted.sort_unstable();
            let rank = (sorted.len() * 95).div_ceil(100);
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
        };
        let inboxes = inboxes(&all);
        let moments: BTreeSet<u64> = all
            .iter()
            .flat_map(|one| one.moments.keys())
            .copied()
            .collect();
        let often = |moment: u64| {
            let often = percentile(&|one| one.moments.get(&moment).copied().unwrap_or(0));
            (moment, often.max(1))
        };
        Estimates {
            executions: all.len() as u64,
            steps: percentile(&|one| one.steps),
            contended_steps: percentile(&|one| one.contended_steps),
            contended_flushes: percentile(&|one| one.contended_flushes),
            offers: std::array::from_fn(|kind| percentile(&|one| one.offers[kind])),
            moments: moments.into_iter().map(often).collect(),
            efforts: efforts(&all, &inboxes),
            inboxes,
        }
    }

    fn measured(&self) -> MutexGuard<'_, Vec<PilotMeasurements>> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PilotMeasurements {
    fn add(&mut self, enabled: &Enabled<'_>, picked: usize) {
        let pending = enabled[picked];
        let path = enabled.path(pending.operation);
        self.steps += 1;
        self.contended_steps += u64::from(enabled.len() > 1);
        *self.steps_of.entry(path).or_default() += 1;
        if let Some(moment) = moment_of(&pending) {
            self.comes_to(moment);
        }
        if !pending.races() {
            return;
        }
        let Some(inbox) = pending.inbox else { return };
        let into = self.flushes.entry(enabled.path(inbox)).or_default();
        *into.entry(path).or_default() += 1;
        self.contended_flushes += u64::from(is_contended(enabled, pending.operation, inbox));
    }
}

impl PilotMeasurements {
    fn comes_to(&mut self, moment: u64) {
        *self.moments.entry(moment).or_default() += 1;
    }
}

/// True if another enabled operation would append to the same inbox.
fn is_contended(enabled: &Enabled<'_>, picked: OperationId, inbox: OperationId) -> bool {
    enabled
        .iter()
        .any(|other| other.operation != picked && other.inbox == Some(inbox) && other.races())
}

/// The number of executions in which each operation took part.
fn took_part(all: &[PilotMeasurements]) -> BTreeMap<u64, f64> {
    let mut executions = BTreeMap::new();
    for path in all.iter().flat_map(|one| one.steps_of.keys()) {
        *executions.entry(*path).or_default() += 1.0;
    }
    executions
}

fn inboxes(all: &[PilotMeasurements]) -> BTreeMap<u64, Traffic> {
    let executions = took_part(all);
    let mut inboxes: BTreeMap<u64, (bool, BTreeMap<u64, u64>)> = BTreeMap::new();
    for (inbox, senders) in all.iter().flat_map(|one| &one.flushes) {
        let (contended, sums) = inboxes.entry(*inbox).or_default();
        *contended |= senders.len() > 1;
        for (path, flushes) in senders {
            *sums.entry(*path).or_default() += flushes;
        }
    }
    let mean = |(path, sum): (u64, u64)| (path, sum as f64 / executions[&path]);
    let traffic = |(inbox, (contended, sums)): (u64, (bool, BTreeMap<u64, u64>))| {
        let senders = sums.into_iter().map(mean).collect();
        (inbox, Traffic { contended, senders })
    };
    inboxes.into_iter().map(traffic).collect()
}

fn efforts(all: &[PilotMeasurements], inboxes: &BTreeMap<u64, Traffic>) -> BTreeMap<u64, Effort> {
    let mut steps: BTreeMap<u64, u64> = BTreeMap::new();
    for (path, taken) in all.iter().flat_map(|one| &one.steps_of) {
        *steps.entry(*path).or_default() += taken;
    }
    let mean = |(path, executions): (u64, f64)| {
        let effort = Effort {
            steps: steps[&path] as f64 / executions,
            ..Effort::default()
        };
        (path, effort)
    };
    let mut efforts: BTreeMap<u64, Effort> = took_part(all).into_iter().map(mean).collect();
    for traffic in inboxes.values() {
        for (path, flushes) in &traffic.senders {
            let effort = efforts.entry(*path).or_default();
            effort.flushes += flushes;
            if traffic.contended {
                effort.contended_flushes += flushes;
            }
        }
    }
    efforts
}

impl Strategy for PilotWalk {
    fn name(&self) -> String {
        self.walk.name()
    }

    fn needs(&self) -> Needs {
        Needs {
            faults: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.fair_from = (!execution.faults.is_none()).then_some(execution.max_steps);
        self.measured().push(PilotMeasurements::default());
        let fairness = self.walk.begin(execution)?;
        Some(self.fair_from.map_or(fairness, Fairness::FairFrom))
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.walk.pick(enabled)?;
        if let Some(current) = self.measured().last_mut() {
            current.add(enabled, picked);
        }
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultWithin(site) => {
                if let Some(current) = self.measured().last_mut() {
                    current.offers[site.kind as usize] += 1;
                    current.comes_to(moment_of_offer(site));
                }
                None
            }
            Choice::FaultBetween(enabled, _) => {
                if let Some(current) = self.measured().last_mut() {
                    let moments = enabled.moments().iter();
                    moments.for_each(|moment| current.comes_to(moment.what));
                }
                let is_fair = self.fair_from.is_none_or(|step| step <= enabled.step());
                is_fair.then_some(Choice::END_FAULTS)
            }
            _ => self.walk.choose(choice),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(lengths: impl Iterator<Item = u64>) -> u64 {
        let survey = PilotWalk::new();
        for steps in lengths {
            survey.measured().push(PilotMeasurements {
                steps,
                ..PilotMeasurements::default()
            });
        }
        survey.estimates().steps()
    }

    /// Of 20 executions one may be longer than the estimate, and of 40 two; of fewer than 20 none.
    #[test]
    fn one_execution_of_twenty_may_be_longer() {
        assert_eq!(lengths(1..=20), 19);
        assert_eq!(lengths((1..=40).rev()), 38);
        assert_eq!(lengths(1..=19), 19);
        assert_eq!(lengths(0..0), 0);
    }

    #[test]
    fn the_mean_effort_is_that_of_whoever_was_met() {
        let of = |steps| Effort {
            steps,
            ..Effort::default()
        };
        let mean = |efforts: &[f64]| {
            let efforts = (1..).zip(efforts.iter().copied().map(of)).collect();
            let estimates = Estimates {
                efforts,
                ..Estimates::default()
            };
            estimates.mean_effort(|effort| effort.steps)
        };
        assert_eq!(mean(&[3.0, 4.0, 8.0]), 5.0);
        assert_eq!(mean(&[]), 1.0);
    }
}
