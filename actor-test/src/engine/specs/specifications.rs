//! Specifications of an execution: monitors and predicates, with their states and temperatures.

use std::cell::Cell;
use std::fmt;
use std::hash::Hasher;

use actor_core::Fingerprinter;
use actor_core::generated::MonitorInfo;
use actor_core::seam::{AnyMonitor, Expectation, Predicate};
use actor_core::specification::{Temperature, World};
use serde::{Deserialize, Serialize};

use crate::data::interned;
use crate::data::problem::{ObligationDetails, Problem};
use crate::data::snapshot::SpecificationState;
use crate::data::story::{MonitorKind, Temperature as StoryTemperature};
use crate::engine::panics::{self, Panic};
use crate::engine::specs::landmarks::Landmarks;
use crate::engine::specs::observers::{Observers, ObservingMonitor};
use crate::engine::world::faults::record_obligation;
use crate::engine::world::state::{BODY, ExecutionState};
use crate::engine::world::temperature::{Obligation, Temperatures};
use crate::hash::mix;
use crate::records::Record;

/// Serialises an [`Expectation`], whose own package need not serialise anything.
mod expectation {
    use actor_core::seam::Expectation;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const ALL: [Expectation; 4] = [
        Expectation::Always,
        Expectation::Eventually,
        Expectation::AlwaysEventually,
        Expectation::Sometimes,
    ];

    pub(super) fn serialize<S: Serializer>(
        expectation: &Option<Expectation>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let place = |expected| ALL.iter().position(|one| *one == expected);
        expectation.and_then(place).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Expectation>, D::Error> {
        let place = Option::<usize>::deserialize(deserializer)?;
        Ok(place.and_then(|place| ALL.get(place).copied()))
    }
}

/// The observations of one specification over the executions of a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SpecificationStats {
    /// The monitor's type, or the predicate's name.
    pub(crate) name: String,
    /// The expectation of a predicate; `None` for a monitor.
    #[serde(with = "expectation")]
    pub(crate) expectation: Option<Expectation>,
    /// The number of events that the monitor saw, or of evaluations of the predicate.
    pub(crate) observations: u64,
    /// The number of evaluations that asked for an actor which could not be shown.
    pub(crate) absent: u64,
    /// The number of evaluations that asked for an actor which had not started yet.
    pub(crate) early: u64,
    /// True if the monitor left its first state, or the predicate was true, at least once.
    pub(crate) moved: bool,
    pub(crate) was_hot: bool,
    /// True if the monitor has a hot state.
    pub(crate) has_hot: bool,
    /// The states in which the monitor saw an event that they have no handler for, with that event.
    #[serde(with = "interned::pairs")]
    pub(crate) passed_over: Vec<(&'static str, &'static str)>,
}

impl SpecificationStats {
    /// Adds up the observations of several workers.
    pub(crate) fn merge(all: Vec<Vec<Self>>) -> Vec<Self> {
        let mut merged: Vec<Self> = Vec::new();
        for seen in all.into_iter().flatten() {
            let same = |known: &&mut Self| {
                known.name == seen.name && known.expectation == seen.expectation
            };
            match merged.iter_mut().find(same) {
                None => merged.push(seen),
                Some(known) => {
                    known.observations += seen.observations;
                    known.absent += seen.absent;
                    known.early += seen.early;
                    known.moved |= seen.moved;
                    known.was_hot |= seen.was_hot;
                    known.has_hot |= seen.has_hot;
                    for pair in seen.passed_over {
                        known.pass_over(pair);
                    }
                }
            }
        }
        merged.sort_by(|a, b| a.name.cmp(&b.name));
        merged
    }

    /// Records an event for which the monitor's state has no handler.
    #[cold]
    fn note_passed_over(&mut self, info: &'static MonitorInfo, state: usize, observation: u16) {
        if info.passes_over.contains(&(state as u16, observation)) {
            let seen = info.observes[usize::from(observation)].event.name;
            self.pass_over((info.states[state].0, seen));
        }
    }

    fn pass_over(&mut self, pair: (&'static str, &'static str)) {
        if !self.passed_over.contains(&pair) {
            self.passed_over.push(pair);
        }
    }
}

struct MonitorEntry {
    monitor: Box<dyn AnyMonitor>,
    /// A hash of the monitor's name.
    name: u64,
    info: &'static MonitorInfo,
    heat: usize,
    observed: usize,
    state: usize,
    /// True if the monitor was registered in the first step.
    is_early: bool,
    /// The hash of the monitor of which the strategy was notified last.
    last_hash: Option<u64>,
}

impl MonitorEntry {
    /// Returns a hash of the monitor and its obligation; `None` if its value offers no fingerprint.
    fn print(&self, is_pending: bool) -> Option<u64> {
        let printed = panics::catch(|| {
            let mut to = Fingerprinter::new();
            to.write_usize(self.state);
            to.write_u8(is_pending.into());
            let offers = self.monitor.fingerprint(&mut to);
            offers.then(|| to.value())
        });
        let print = printed.ok().flatten()?;
        Some(mix(print as u64, (print >> 64) as u64))
    }
}

struct PredicateEntry {
    name: Box<str>,
    expectation: Expectation,
    predicate: Predicate,
    heat: Option<usize>,
    observed: usize,
    met: bool,
    /// The result of the last evaluation.
    held: bool,
    /// The explanation of the last evaluation that failed.
    said: Option<String>,
}

/// The evaluation of a predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredicateEvaluation<'a> {
    pub(crate) number: u32,
    pub(crate) heat: Option<usize>,
    pub(crate) expectation: Expectation,
    pub(crate) name: &'a str,
    pub(crate) holds: bool,
    pub(crate) has_changed: bool,
}

/// A pending obligation, its details, and the step at which it arose.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PendingObligation {
    pub(crate) entry: Obligation,
    pub(crate) obligation: ObligationDetails,
    pub(crate) since: u64,
}

#[derive(Default)]
pub(crate) struct Specifications {
    monitors: Vec<MonitorEntry>,
    predicates: Vec<PredicateEntry>,
    observed: Vec<SpecificationStats>,
    /// The number of entries of `observed` that this execution has used, to find them again in order.
    met: usize,
}

impl Specifications {
    /// Removes the monitors and predicates of the execution before, and returns them to be dropped when
    /// nothing is borrowed. The observations are kept.
    pub(crate) fn end(
        mut self,
    ) -> (
        Self,
        impl IntoIterator<Item: Sized>,
        impl IntoIterator<Item: Sized>,
    ) {
        let monitors = std::mem::take(&mut self.monitors);
        let predicates = std::mem::take(&mut self.predicates);
        self.met = 0;
        (self, monitors, predicates)
    }

    pub(crate) fn observed(&self) -> &[SpecificationStats] {
        &self.observed
    }

    fn observed_entry(&mut self, name: &str, expectation: Option<Expectation>) -> usize {
        let same =
            |known: &SpecificationStats| known.name == name && known.expectation == expectation;
        let expected_at = self.met;
        self.met += 1;
        if self.observed.get(expected_at).is_some_and(same) {
            return expected_at;
        }
        if let Some(known) = self.observed.iter().position(same) {
            return known;
        }
        self.observed.push(SpecificationStats {
            name: name.into(),
            expectation,
            observations: 0,
            absent: 0,
            early: 0,
            moved: false,
            was_hot: false,
            has_hot: false,
            passed_over: Vec::new(),
        });
        self.observed.len() - 1
    }

    pub(crate) fn register(
        &mut self,
        monitor: Box<dyn AnyMonitor>,
        state: &mut ExecutionState,
        observers: &mut Observers,
    ) -> bool {
        let info = monitor.info();
        if !observers.register(monitor.monitor_type(), info) {
            return false;
        }
        let heat = state.temperatures.add();
        let observed = self.observed_entry(info.name, None);
        let now = monitor.state();
        let is_hot = |state: &(&str, Temperature)| state.1 == Temperature::Hot;
        self.observed[observed].has_hot = info.states.iter().any(is_hot);
        let entry = MonitorEntry {
            name: crate::hash::text(info.name),
            monitor,
            info,
            heat,
            observed,
            state: now,
            is_early: state.progress.step() <= 1 && state.progress.last_operation() == BODY,
            last_hash: None,
        };
        self.monitors.push(entry);
        let last = self.monitors.len() - 1;
        self.heat(last, state);
        true
    }

    /// Sets the temperature of the monitor's state.
    fn heat(&mut self, monitor: usize, state: &mut ExecutionState) {
        let entry = &self.monitors[monitor];
        let (_, temperature) = entry.info.states[entry.state];
        let step = state.progress.step();
        match temperature {
            Temperature::Hot => {
                if state.temperatures.hot(entry.heat, step) {
                    record_obligation(state, entry.name);
                }
                self.observed[entry.observed].was_hot = true;
            }
            Temperature::Cold => state.temperatures.cold(entry.heat, step),
            Temperature::Warm => state.temperatures.warm(entry.heat, step),
        }
    }

    pub(crate) fn expect(
        &mut self,
        name: &str,
        expectation: Expectation,
        predicate: Predicate,
        state: &mut ExecutionState,
    ) {
        let heat = match expectation {
            Expectation::Eventually | Expectation::AlwaysEventually => {
                let number = state.temperatures.add();
                state.temperatures.hot(number, state.progress.step());
                Some(number)
            }
            Expectation::Always | Expectation::Sometimes => None,
        };
        let observed = self.observed_entry(name, Some(expectation));
        self.predicates.push(PredicateEntry {
            name: name.into(),
            expectation,
            predicate,
            heat,
            observed,
            met: false,
            held: expectation == Expectation::Always,
            said: None,
        });
    }

    pub(crate) fn last_predicate_number(&self) -> u32 {
        self.predicates.len() as u32 - 1
    }

    /// Returns the record of the monitor registered last.
    pub(crate) fn last_monitor(&self) -> Record {
        let entry = &self.monitors[self.monitors.len() - 1];
        let (state, temperature) = entry.info.states[entry.state];
        Record::Watches {
            name: entry.info.name.into(),
            kind: MonitorKind::Monitor,
            state,
            temperature: temperature.into(),
        }
    }

    /// Returns the record of the predicate registered last.
    pub(crate) fn last_predicate(&self) -> Record {
        let entry = &self.predicates[self.predicates.len() - 1];
        Record::Watches {
            name: entry.name.to_string(),
            kind: kind_of(entry.expectation),
            state: if entry.held { "true" } else { "false" },
            temperature: if entry.heat.is_some() {
                StoryTemperature::Hot
            } else {
                StoryTemperature::Cold
            },
        }
    }

    /// Shows an event to a monitor. Returns the state to which the monitor has moved, if it has; or its
    /// panic.
    #[inline(always)]
    pub(crate) fn show(
        &mut self,
        observer: ObservingMonitor,
        observe: impl FnOnce(&mut dyn AnyMonitor, u16) -> Option<usize>,
    ) -> Result<Option<usize>, Box<Panic>> {
        let entry = &mut self.monitors[usize::from(observer.monitor)];
        let observed = &mut self.observed[entry.observed];
        observed.observations += 1;
        if !entry.info.passes_over.is_empty() {
            observed.note_passed_over(entry.info, entry.state, observer.observation);
        }
        let monitor = &mut *entry.monitor;
        let state = panics::catch(|| observe(monitor, observer.observation))?;
        Ok(state.filter(|state| *state != entry.state))
    }

    /// Returns the temperature index of a monitor whose first state the strategy has yet to be notified of.
    pub(crate) fn is_new_to_strategy(&self, monitor: u16) -> Option<usize> {
        let entry = &self.monitors[usize::from(monitor)];
        (entry.last_hash.is_none() && entry.is_early).then_some(entry.heat)
    }

    /// Returns the temperature index of a monitor.
    pub(crate) fn heat_of(&self, monitor: u16) -> usize {
        self.monitors[usize::from(monitor)].heat
    }

    /// Returns the hashes of a monitor at the last call and now, if it was there from the first step.
    pub(crate) fn monitor_hashes(&mut self, monitor: u16, is_pending: bool) -> Option<(u64, u64)> {
        let entry = &mut self.monitors[usize::from(monitor)];
        let print = if entry.is_early {
            entry.print(is_pending)
        } else {
            None
        };
        let before = std::mem::replace(&mut entry.last_hash, print);
        before.zip(print)
    }

    /// Records that a monitor has moved to the state `now`; returns the state before and its heat.
    pub(crate) fn moved(
        &mut self,
        monitor: u16,
        now: usize,
        state: &mut ExecutionState,
        landmarks: &mut Landmarks,
    ) -> (usize, u64) {
        let monitor = usize::from(monitor);
        let entry = &mut self.monitors[monitor];
        self.observed[entry.observed].moved = true;
        let heat = state
            .temperatures
            .temperature(entry.heat, state.progress.step());
        let before = std::mem::replace(&mut entry.state, now);
        landmarks.moved(entry.name, before as u64, now as u64);
        self.heat(monitor, state);
        (before, heat)
    }

    /// Returns the record of a monitor's move, from a state with that heat.
    pub(crate) fn move_of(&self, monitor: u16, (before, heat): (usize, u64)) -> Record {
        let entry = &self.monitors[usize::from(monitor)];
        let (to, temperature) = entry.info.states[entry.state];
        Record::MonitorMoved {
            monitor: u32::from(monitor),
            heat,
            from: entry.info.states[before].0,
            to,
            temperature: temperature.into(),
        }
    }

    /// Returns a monitor as a `Debug` object, if it is one.
    pub(crate) fn monitor_value(&self, monitor: u16) -> Option<&dyn fmt::Debug> {
        self.monitors[usize::from(monitor)].monitor.debug()
    }

    pub(crate) fn monitor_name(&self, monitor: u16) -> &'static str {
        self.monitors[usize::from(monitor)].info.name
    }

    /// Evaluates every predicate, and returns the first `always` that is false as a bug. The world sets
    /// `early` if a predicate asks for an actor that has not started yet.
    pub(crate) fn evaluate(
        &mut self,
        world: &World<'_>,
        early: &Cell<bool>,
        mut settle: impl FnMut(PredicateEvaluation<'_>),
    ) -> Option<(Problem, Option<String>)> {
        for (number, entry) in self.predicates.iter_mut().enumerate() {
            if entry.met
                && matches!(
                    entry.expectation,
                    Expectation::Eventually | Expectation::Sometimes
                )
            {
                continue;
            }
            let result = panics::catch(|| (entry.predicate)(world));
            let observed = &mut self.observed[entry.observed];
            observed.observations += 1;
            observed.absent += u64::from(world.take_absent());
            observed.early += u64::from(early.take());
            let holds = match result {
                Ok(Ok(())) => true,
                Ok(Err(said)) => {
                    entry.said = said;
                    false
                }
                Err(panic) => {
                    let problem = Problem::PredicatePanicked {
                        name: entry.name.to_string(),
                        message: panic.message,
                    };
                    return Some((problem, panic.location));
                }
            };
            observed.moved |= holds;
            observed.was_hot |= !holds && entry.heat.is_some();
            entry.met |= holds;
            let has_changed = std::mem::replace(&mut entry.held, holds) != holds;
            settle(PredicateEvaluation {
                number: number as u32,
                heat: entry.heat,
                expectation: entry.expectation,
                name: &entry.name,
                holds,
                has_changed,
            });
            if entry.expectation == Expectation::Always && !holds {
                let problem = Problem::AlwaysFalse {
                    name: entry.name.to_string(),
                    said: entry.said.clone(),
                };
                return Some((problem, None));
            }
        }
        None
    }

    /// Evaluates the unmet predicates once more, in a world that records what they read: false invariants,
    /// and for a liveness bug those that are pending.
    pub(crate) fn evaluate_unmet(
        &mut self,
        world: &World<'_>,
        is_liveness: bool,
        temperatures: &dyn Fn(usize) -> bool,
    ) {
        for entry in &mut self.predicates {
            let is_unmet = match entry.heat {
                Some(heat) => is_liveness && temperatures(heat),
                None => entry.expectation == Expectation::Always && !entry.held,
            };
            if is_unmet {
                // The answer is known, and so is a panic.
                let _ = panics::catch(|| (entry.predicate)(world));
            }
        }
    }

    /// Feeds the states of the monitors and the met predicates; returns true if some monitor offers no
    /// fingerprint. The number of events it saw stands for it, but not `across` executions.
    pub(crate) fn fingerprint(&self, across: bool, to: &mut Fingerprinter) -> bool {
        let mut is_blind = false;
        for entry in &self.monitors {
            to.write_usize(entry.state);
            if !entry.monitor.fingerprint(to) {
                is_blind = true;
                if !across {
                    to.write_u64(self.observed[entry.observed].observations);
                }
            }
        }
        for entry in &self.predicates {
            to.write_u8(entry.met.into());
        }
        is_blind
    }

    /// Returns true if that obligation, or any that is hot now and then, depends on the states of all actors.
    pub(crate) fn reads_all_actors(&self, heat: usize) -> bool {
        self.predicates.iter().any(|entry| {
            entry.heat == Some(heat) || entry.expectation == Expectation::AlwaysEventually
        })
    }

    /// Returns the state and temperature of each monitor and predicate.
    pub(crate) fn heats(&self, temperatures: &Temperatures, step: u64) -> Vec<SpecificationState> {
        let monitors = self.monitors.iter().map(|entry| {
            let (state, temperature) = entry.info.states[entry.state];
            SpecificationState {
                name: entry.info.name.into(),
                kind: MonitorKind::Monitor,
                state: state.into(),
                temperature: temperature.into(),
                heat: temperatures.temperature(entry.heat, step),
                pending_since: temperatures.pending_since(entry.heat),
            }
        });
        let predicates = self.predicates.iter().map(|entry| {
            let is_pending = entry.heat.is_some_and(|heat| temperatures.is_pending(heat));
            SpecificationState {
                name: entry.name.to_string(),
                kind: kind_of(entry.expectation),
                state: if entry.held { "true" } else { "false" }.into(),
                temperature: if is_pending {
                    StoryTemperature::Hot
                } else {
                    StoryTemperature::Cold
                },
                heat: entry
                    .heat
                    .map_or(0, |heat| temperatures.temperature(heat, step)),
                pending_since: entry.heat.and_then(|heat| temperatures.pending_since(heat)),
            }
        });
        monitors.chain(predicates).collect()
    }

    /// Returns the number of events that each monitor has seen.
    pub(crate) fn observations(&self) -> impl Iterator<Item = u64> + Clone {
        let observations = |entry: &MonitorEntry| self.observed[entry.observed].observations;
        self.monitors.iter().map(observations)
    }

    /// Returns the monitors that have seen more since then and offer no fingerprint.
    pub(crate) fn opaque_since(&self, observations: &[u64]) -> impl Iterator<Item = &'static str> {
        let observations = observations.iter().zip(self.observations());
        let entries = self.monitors.iter().zip(observations);
        let is_opaque = |(entry, (before, now)): &(&MonitorEntry, (&u64, u64))| {
            **before != *now && !entry.monitor.fingerprint(&mut Fingerprinter::new())
        };
        entries
            .filter(is_opaque)
            .map(|(entry, _)| entry.monitor.info().name)
    }

    /// Returns the obligations that are hot now; or with `or_warm`, those that are warm since they were hot.
    pub(crate) fn pending_obligations(
        &self,
        temperatures: &Temperatures,
        or_warm: bool,
    ) -> Vec<PendingObligation> {
        let is_pending = |heat: usize| {
            temperatures.hot_since(heat).is_some() || (or_warm && temperatures.is_pending(heat))
        };
        let since = |heat| temperatures.pending_since(heat).unwrap_or(0);
        let monitors = self
            .monitors
            .iter()
            .filter(|entry| is_pending(entry.heat))
            .map(|entry| PendingObligation {
                entry: Obligation::Specification(entry.heat),
                obligation: monitor_obligation(entry),
                since: since(entry.heat),
            });
        let predicates = self.predicates.iter().filter_map(|entry| {
            let heat = entry.heat.filter(|heat| is_pending(*heat))?;
            Some(PendingObligation {
                entry: Obligation::Specification(heat),
                obligation: predicate_obligation(entry),
                since: since(heat),
            })
        });
        monitors.chain(predicates).collect()
    }

    /// Returns the obligation of the specification with that temperature index.
    pub(crate) fn obligation(&self, heat: usize) -> ObligationDetails {
        let monitor = self.monitors.iter().find(|entry| entry.heat == heat);
        let predicate = self
            .predicates
            .iter()
            .find(|entry| entry.heat == Some(heat));
        monitor
            .map(monitor_obligation)
            .or_else(|| predicate.map(predicate_obligation))
            .expect("each temperature is that of a specification")
    }

    /// Returns true if a monitor with a hot state, or a predicate to be met, is registered.
    pub(crate) fn wants_liveness(&self) -> bool {
        self.predicates.iter().any(|entry| entry.heat.is_some())
            || self
                .monitors
                .iter()
                .any(|entry| self.observed[entry.observed].has_hot)
    }
}

fn kind_of(expectation: Expectation) -> MonitorKind {
    match expectation {
        Expectation::Always => MonitorKind::Always,
        Expectation::Eventually => MonitorKind::Eventually,
        Expectation::AlwaysEventually => MonitorKind::AlwaysEventually,
        Expectation::Sometimes => MonitorKind::Sometimes,
    }
}

fn monitor_obligation(entry: &MonitorEntry) -> ObligationDetails {
    let (state, temperature) = entry.info.states[entry.state];
    ObligationDetails::Monitor {
        name: entry.info.name.into(),
        temperature: temperature.into(),
        state: state.into(),
    }
}

fn predicate_obligation(entry: &PredicateEntry) -> ObligationDetails {
    let (name, said) = (entry.name.to_string(), entry.said.clone());
    match entry.expectation {
        Expectation::Eventually => ObligationDetails::Eventually { name, said },
        _ => ObligationDetails::AlwaysEventually { name, said },
    }
}
