//! Fault placement: the places of an execution at which faults are injected, beside any strategy.

use std::collections::BTreeMap;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    Choice, CoverageClaim, Enabled, Estimates, Execution, Fairness, FaultSite, FaultTiming, Needs,
    Pending, PossibleFault, Pruned, Strategy, StrategyEvent, below, generator,
};
use crate::data::faults::{Fault, FaultBudgets, FaultKind, KINDS};
use crate::hash::mix;
use crate::settings::strategy::Placement;

/// The most faults that an execution draws, whatever its budgets.
const FAULTS_MAX: u64 = 64;

/// In a fair execution, faults strike within so many times the steps of the pilots.
const PHASE: u64 = 4;

/// The least number of steps in which faults strike in a fair execution.
const PHASE_MIN: u64 = 100;

/// Places faults by a [`Placement`], beside a strategy that is asked for nothing but [times](FaultTiming) of
/// them, if at all.
///
/// With a fair strategy, the execution is fair from the end of its faults on.
#[derive(Debug)]
pub(crate) struct Placed {
    strategy: Box<dyn Strategy>,
    /// The placement; `None` if each execution draws its own.
    placement: Option<Placement>,
    faults: FaultBudgets,
    rng: Xoshiro256PlusPlus,
    plan: FaultPlan,
    /// The step at which the faults of a fair execution end.
    until: u64,
    fairness: Fairness,
    /// True if the strategy is asked for the times of faults.
    is_timed: bool,
}

/// The planned faults of one execution.
#[derive(Debug, Default)]
struct FaultPlan {
    /// For each kind, the numbers of the places at which a fault strikes, from zero, the next one last.
    timed: [Vec<u64>; KINDS],
    /// The number of places of each kind so far.
    offered: [u64; KINDS],
    /// The faults that wait for each moment.
    aimed: BTreeMap<u64, Vec<AimedFault>>,
    /// The faults that strike at the next place of their kind.
    due: Vec<DueFault>,
    /// The number of faults that have yet to strike.
    left: u64,
    /// The step and the kind of each fault between two steps, the next one last.
    points: Vec<(u64, FaultKind)>,
    /// The faults to be ended, and the first step at which each may end.
    undoing: Vec<(u64, Fault)>,
    /// The partition across which connections break by themselves, and the first step at which one does.
    breaks: Option<(u64, Fault)>,
    /// The number of links that were slow so far.
    slow: u64,
    /// The expected number of steps.
    length: u64,
}

/// A fault that waits for a moment.
#[derive(Clone, Copy, Debug)]
struct AimedFault {
    kind: FaultKind,
    /// The number of occurrences that have yet to come.
    left: u64,
    /// True if the fault strikes a node that the moment concerns, where it can.
    is_near: bool,
}

/// A fault that strikes as soon as one of its kind can.
#[derive(Clone, Copy, Debug)]
struct DueFault {
    kind: FaultKind,
    /// The preferred targets.
    near: Target,
    /// The step at which the fault ends, if that is known.
    until: Option<u64>,
}

/// The targets that a fault strikes if it can.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// The nodes of these bits.
    Nodes(u64),
    /// The links from the same node as that of a fault.
    From(Fault),
    /// The links to the same node.
    To(Fault),
}

impl Target {
    fn concerns(self, fault: &Fault) -> bool {
        match self {
            Self::Nodes(nodes) => fault.concerns(nodes),
            Self::From(first) => fault.link_ends().0 == first.link_ends().0,
            Self::To(first) => fault.link_ends().1 == first.link_ends().1,
        }
    }
}

impl Placed {
    /// Draws a placement in each execution: one of four is calm.
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> Self {
        Self {
            strategy,
            placement: None,
            faults: FaultBudgets::none(),
            rng: generator(0),
            plan: FaultPlan::default(),
            until: 0,
            fairness: Fairness::Unfair,
            is_timed: false,
        }
    }

    /// Uses that placement in each execution.
    pub(crate) fn by(self, placement: Placement) -> Self {
        Self {
            placement: Some(placement),
            ..self
        }
    }

    fn draw_placement(&mut self) -> Placement {
        match below(&mut self.rng, 8) {
            0 | 1 => Placement::Calm,
            2..5 => Placement::Timed,
            _ => Placement::Aimed,
        }
    }

    /// Draws the kinds of this execution's faults.
    fn draw_kinds(&mut self) -> Vec<FaultKind> {
        let total: u64 = self.faults.iter().map(|(_, most)| u64::from(most)).sum();
        let count = 1 + below(&mut self.rng, total.min(FAULTS_MAX));
        let mut left = self.faults;
        let drawn = (0..count).map(|_| {
            let kinds: Vec<FaultKind> = left.iter().map(|(kind, _)| kind).collect();
            let kind = kinds[below(&mut self.rng, kinds.len() as u64) as usize];
            left.spend(kind);
            kind
        });
        drawn.collect()
    }

    fn draw(&mut self, placement: Placement, execution: &Execution) {
        let estimates = &execution.estimates;
        let steps = match estimates.executions() {
            0 => execution.max_steps,
            _ => estimates.steps().min(execution.max_steps),
        };
        let length = steps.clamp(1, u64::from(u32::MAX));
        self.plan = FaultPlan {
            length,
            ..FaultPlan::default()
        };
        if placement == Placement::Calm {
            return;
        }
        let kinds = self.draw_kinds();
        self.plan.left = kinds.len() as u64;
        for kind in kinds {
            let moments = estimates.moments();
            if placement == Placement::Timed || moments.is_empty() {
                match kind.is_within_a_step() {
                    true => self.time(kind, estimates),
                    false => {
                        let point = below(&mut self.rng, self.plan.length);
                        self.plan.points.push((point, kind));
                    }
                }
            } else {
                let place = below(&mut self.rng, moments.len() as u64) as usize;
                let (moment, often) = moments[place];
                let drawn = self.rng.next_u64();
                // Early occurrences often matter; the uniform draw covers the late ones.
                let left = match drawn & 1 {
                    0 => 1 + u64::from(drawn.leading_zeros()),
                    _ => 1 + below(&mut self.rng, often),
                };
                let is_near = drawn & 0b110 > 0;
                let waiting = self.plan.aimed.entry(moment).or_default();
                waiting.push(AimedFault {
                    kind,
                    left,
                    is_near,
                });
            }
        }
        self.plan
            .points
            .sort_unstable_by_key(|(point, _)| std::cmp::Reverse(*point));
        for places in &mut self.plan.timed {
            places.sort_unstable_by_key(|place| std::cmp::Reverse(*place));
        }
    }

    /// The delay after which a fault ends: about as likely below ten steps as between ten and a hundred.
    fn later(&mut self) -> u64 {
        let bits = u64::from(u64::BITS - self.plan.length.leading_zeros());
        let bits = below(&mut self.rng, bits + 1);
        1 + below(&mut self.rng, 1 << bits)
    }

    /// Draws one of the possible faults for the first one that is due; returns its position.
    fn choose_due(&mut self, faults: &[Fault]) -> Option<(usize, DueFault)> {
        let strikes = |due: &DueFault, fault: &Fault| fault.kind == due.kind && !fault.is_undone;
        let is_possible = |due: &DueFault| faults.iter().any(|fault| strikes(due, fault));
        let first = self.plan.due.iter().position(is_possible)?;
        let due = self.plan.due.remove(first);
        let concerns = |fault: &Fault| strikes(&due, fault) && due.near.concerns(fault);
        let is_near = faults.iter().any(concerns);
        let is_one = |fault: &Fault| match is_near {
            true => concerns(fault),
            false => strikes(&due, fault),
        };
        let count = faults.iter().filter(|fault| is_one(fault)).count() as u64;
        let chosen = below(&mut self.rng, count) as usize;
        let mut places = (0..faults.len()).filter(|place| is_one(&faults[*place]));
        Some((places.nth(chosen)?, due))
    }

    /// Has further links be slow at once, up to the budget, from or to one node: links are slow for one reason
    /// most often, which is the node that they have in common.
    fn gather(&mut self, first: Fault, until: u64) {
        let near = match below(&mut self.rng, 5) {
            0 => return,
            1 | 2 => Target::From(first),
            _ => Target::To(first),
        };
        let (kind, until) = (first.kind, Some(until));
        let budget = u64::from(self.faults.budget(kind)).min(FAULTS_MAX);
        let others = budget.saturating_sub(self.plan.slow);
        self.plan.left = self.plan.left - self.plan.forget(kind) + others;
        let due = DueFault { kind, near, until };
        self.plan.due.extend((0..others).map(|_| due));
    }

    /// Draws a place that no fault of the kind has yet, if there is one.
    fn time(&mut self, kind: FaultKind, estimates: &Estimates) {
        let places = &mut self.plan.timed[kind as usize];
        let most = estimates.offers(kind).clamp(1, u64::from(u32::MAX));
        if places.len() as u64 >= most {
            self.plan.left -= 1;
            return;
        }
        // Floyd's sampling, one at a time: a draw moves up past the places that are taken.
        let mut place = below(&mut self.rng, most - places.len() as u64);
        let mut taken = places.clone();
        taken.sort_unstable();
        for other in taken {
            place += u64::from(place >= other);
        }
        places.push(place);
    }
}

impl FaultPlan {
    /// Counts an occurrence of a moment that concerns some nodes.
    fn moment_occurred(&mut self, moment: u64, nodes: impl FnOnce() -> u64) {
        let Some(waiting) = self.aimed.get_mut(&moment) else {
            return;
        };
        let nodes = nodes();
        for aimed in waiting.iter_mut() {
            aimed.left -= 1;
            if aimed.left == 0 {
                let near = Target::Nodes(if aimed.is_near { nodes } else { 0 });
                let kind = aimed.kind;
                let until = None;
                self.due.push(DueFault { kind, near, until });
            }
        }
        waiting.retain(|aimed| aimed.left > 0);
    }

    /// Removes all planned faults of a kind; returns their number.
    fn forget(&mut self, kind: FaultKind) -> u64 {
        let planned = self.points.len() + self.due.len();
        self.points.retain(|(_, planned)| *planned != kind);
        self.due.retain(|due| due.kind != kind);
        let mut forgotten = planned - self.points.len() - self.due.len();
        for waiting in self.aimed.values_mut() {
            let planned = waiting.len();
            waiting.retain(|aimed| aimed.kind != kind);
            forgotten += planned - waiting.len();
        }
        forgotten as u64
    }

    /// Has a fault that was to strike here strike at a later place of its kind.
    fn postpone(&mut self, kind: FaultKind) {
        let (near, until) = (Target::Nodes(0), None);
        self.due.push(DueFault { kind, near, until });
        self.left += 1;
    }

    /// True if a fault strikes at the next place of its kind.
    fn strikes(&mut self, kind: FaultKind) -> bool {
        let number = kind as usize;
        let place = self.offered[number];
        self.offered[number] += 1;
        let timed = self.timed[number].last() == Some(&place);
        if timed {
            self.timed[number].pop();
        } else if let Some(due) = self.due.iter().position(|due| due.kind == kind) {
            self.due.remove(due);
        } else {
            return false;
        }
        self.left -= 1;
        true
    }
}

/// The moment of a step, if it is one.
pub(super) fn moment_of(pending: &Pending) -> Option<u64> {
    let event = pending.event?;
    Some(mix(u64::from(event.0.get()), pending.kind as u64))
}

/// The moment of a place where a fault may strike.
pub(super) fn moment_of_offer(offer: &FaultSite) -> u64 {
    mix(mix(0x000f_fe52, offer.kind as u64), offer.what)
}

impl Placed {
    /// Chooses a fault between two steps, or the end of one, as a position in `faults`.
    fn fault_between(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        for moment in enabled.moments() {
            self.plan.moment_occurred(moment.what, || moment.nodes);
        }
        if !self.is_timed {
            return self.placed_between(enabled, faults, &[]);
        }
        let (mut open, mut held) = (Vec::new(), Vec::new());
        for (position, fault) in faults.iter().enumerate() {
            let possible = PossibleFault::Between(enabled, fault);
            match self.strategy.fault_timing(possible) {
                FaultTiming::Now => {
                    let undoing = &mut self.plan.undoing;
                    undoing.retain(|(_, undone)| undone.key != fault.key);
                    let until = enabled.step() + self.later();
                    self.inject(*fault, Some(until), enabled.step());
                    return Some(position);
                }
                FaultTiming::Placed => open.push(*fault),
                FaultTiming::Later => held.push(fault.key),
            }
        }
        let chosen = open[self.placed_between(enabled, &open, &held)?];
        faults.iter().position(|fault| fault.key == chosen.key)
    }

    /// Chooses a planned fault between two steps, or the end of one. The faults with the keys in `held` go on.
    fn placed_between(
        &mut self,
        enabled: &Enabled<'_>,
        faults: &[Fault],
        held: &[u64],
    ) -> Option<usize> {
        // If no operation is enabled, waiting for a better time is pointless.
        let is_quiet = enabled.len() == 0;
        let now = enabled.step();
        if let Some(place) = self.break_across(faults, |from| from <= now || is_quiet) {
            self.inject(faults[place], None, now);
            return Some(place);
        }
        let undone = self
            .plan
            .undoing
            .iter()
            .position(|(from, fault)| (*from <= now || is_quiet) && !held.contains(&fault.key));
        if let Some(undone) = undone {
            let (_, fault) = self.plan.undoing.swap_remove(undone);
            if fault.kind == FaultKind::Partition {
                self.plan.breaks = None;
            }
            let possible = faults.iter().position(|other| other.key == fault.key);
            if possible.is_some() {
                return possible;
            }
        }
        while let Some((_, kind)) = self
            .plan
            .points
            .pop_if(|(point, _)| *point <= now || is_quiet)
        {
            let (near, until) = (Target::Nodes(0), None);
            self.plan.due.push(DueFault { kind, near, until });
        }
        let (place, due) = self.choose_due(faults)?;
        self.plan.left -= 1;
        self.inject(faults[place], due.until, now);
        Some(place)
    }

    /// Plans the end of a lasting fault that strikes now. Unless its end is known, further links may be slow.
    fn inject(&mut self, fault: Fault, until: Option<u64>, now: u64) {
        if fault.is_undone || !fault.kind.is_undone() {
            return;
        }
        let ends = match until {
            Some(until) => until,
            None => now + self.later(),
        };
        self.plan.undoing.push((ends, fault.undone()));
        if fault.kind == FaultKind::Partition {
            let is_breaking = below(&mut self.rng, 2) == 0;
            self.plan.breaks = is_breaking.then(|| (now + self.later(), fault));
        }
        if fault.kind == FaultKind::Slow {
            self.plan.slow += 1;
            if until.is_none() {
                self.gather(fault, ends);
            }
        }
    }

    /// Draws one of the connections across the partition, if it is time for one to break.
    fn break_across(&mut self, faults: &[Fault], is_due: impl Fn(u64) -> bool) -> Option<usize> {
        let (from, partition) = self.plan.breaks.filter(|(from, _)| is_due(*from))?;
        let breaks = |fault: &Fault| {
            let is_half_open = fault.kind == FaultKind::HalfOpen && !fault.is_undone;
            is_half_open && partition.separates(fault.nodes)
        };
        let places = (0..faults.len()).filter(|place| breaks(&faults[*place]));
        let places: Vec<usize> = places.collect();
        let drawn = below(&mut self.rng, places.len().max(1) as u64) as usize;
        let place = *places.get(drawn)?;
        let goes_on = below(&mut self.rng, 2) == 0;
        self.plan.breaks = goes_on.then(|| (from + self.later(), partition));
        Some(place)
    }

    /// True if no more faults are to come.
    fn is_over(&self, enabled: &Enabled<'_>) -> bool {
        let is_fair = match self.fairness {
            Fairness::Unfair => false,
            Fairness::Fair => true,
            Fairness::FairFrom(step) => step <= enabled.step(),
        };
        is_fair || !self.is_timed && self.plan.left == 0 && self.plan.undoing.is_empty()
    }
}

impl Strategy for Placed {
    fn name(&self) -> String {
        let name = self.strategy.name();
        match self.placement {
            None => name,
            Some(placement) => format!("{}-{name}", placement.word()),
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            estimates: true,
            faults: true,
            ..self.strategy.needs()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        // A random stream of its own, so that the schedule is that of the strategy without faults.
        self.rng = generator(mix(execution.seed, 0x00fa_0175));
        self.faults = execution.faults;
        let placement = match self.placement {
            _ if self.faults.is_none() => Placement::Calm,
            Some(placement) => placement,
            None => self.draw_placement(),
        };
        self.draw(placement, execution);
        let phase = PHASE.saturating_mul(execution.estimates.steps());
        self.is_timed = self.strategy.needs().fault_timing && !self.faults.is_none();
        self.until = match placement {
            Placement::Calm if !self.is_timed => 0,
            _ => phase.max(PHASE_MIN).min(execution.max_steps),
        };
        self.fairness = match self.strategy.begin(execution)? {
            Fairness::Fair if self.until > 0 => Fairness::FairFrom(self.until),
            fairness => fairness,
        };
        Some(self.fairness)
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let picked = self.strategy.pick(enabled)?;
        if !self.plan.aimed.is_empty()
            && let Some(moment) = enabled.get(picked).and_then(moment_of)
        {
            self.plan
                .moment_occurred(moment, || enabled.nodes_of(&enabled[picked]));
        }
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultWithin(site) => {
                self.plan
                    .moment_occurred(moment_of_offer(site), || site.nodes);
                let is_planned = self.plan.strikes(site.kind);
                let timing = match self.is_timed {
                    true => self.strategy.fault_timing(PossibleFault::Within(site)),
                    false => FaultTiming::Placed,
                };
                if is_planned && timing == FaultTiming::Later {
                    self.plan.postpone(site.kind);
                }
                let strikes = match timing {
                    FaultTiming::Placed => is_planned,
                    FaultTiming::Now => true,
                    FaultTiming::Later => false,
                };
                strikes.then(|| 1 + below(&mut self.rng, u64::from(site.ways)) as u32)
            }
            Choice::FaultBetween(enabled, faults) => match self.fault_between(enabled, faults) {
                Some(position) => Some(1 + position as u32),
                None => self.is_over(enabled).then_some(Choice::END_FAULTS),
            },
            _ => self.strategy.choose(choice),
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        self.strategy.observe(event);
    }

    fn covered(&self) -> CoverageClaim {
        self.strategy.covered()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recurrence;
    use super::*;
    use crate::data::faults::Moment;
    use crate::strategy::{Changes, Details, OperationId, Random};

    /// The moments of the last step, as the only details.
    #[derive(Debug)]
    struct Led(Vec<Moment>);

    impl Details for Led {
        fn operation(&self, _: OperationId) -> String {
            String::new()
        }

        fn event(&self, _: &Pending) -> Option<&'static str> {
            None
        }

        fn nodes(&self, _: OperationId) -> u64 {
            0
        }

        fn node(&self, number: u32) -> String {
            number.to_string()
        }

        fn spawned(&self, _: OperationId) -> Option<OperationId> {
            None
        }

        fn is_woken(&self, _: OperationId) -> bool {
            false
        }

        fn recurrence(&self, _: OperationId) -> Recurrence {
            Recurrence::Once
        }

        fn moments(&self) -> &[Moment] {
            &self.0
        }
    }

    const EXECUTIONS: u64 = 40_000;

    /// The number of executions with the fault at each step, and on each of four nodes. Of three moments
    /// one occurs in each of ten steps, and concerns the second node.
    fn aimed_at_one_of_three() -> ([u64; 10], [u64; 4]) {
        let (moment, often) = (7, 10);
        let estimates = Estimates::of_moments(vec![(moment, often), (8, 3), (9, 1)]);
        let mut execution = Execution::alone(100);
        execution.estimates = std::sync::Arc::new(estimates);
        execution.faults = FaultBudgets::none().with(FaultKind::Restart, 1);
        let faults: Vec<Fault> = (0..4)
            .map(|node| Fault::new(FaultKind::Restart, 1 << node, 0, node << 1))
            .collect();
        let mut placed = Placed::new(Box::new(Random::new())).by(Placement::Aimed);
        let (mut at, mut on) = ([0; 10], [0; 4]);
        for seed in 0..EXECUTIONS {
            execution.seed = seed;
            placed.begin(&execution);
            for (step, struck) in at.iter_mut().enumerate() {
                let led = Led(vec![Moment {
                    what: moment,
                    nodes: 0b10,
                }]);
                let changes = Changes::default();
                // Some operation is enabled, so no fault strikes for lack of steps.
                let pending = [Pending {
                    operation: OperationId::actor(0),
                    kind: crate::data::step::StepKind::Start,
                    inbox: None,
                    sender: None,
                    event: None,
                    message: None,
                }];
                let enabled =
                    Enabled::new(&pending, &[], &changes, step as u64, 0).with_details(&led);
                if let Some(node) = placed.fault_between(&enabled, &faults) {
                    *struck += 1;
                    on[node] += 1;
                }
            }
        }
        (at, on)
    }

    /// The k-th of n occurrences of one of t moments, with probability (2^-k + 1 / n) / 2t; within five
    /// standard errors.
    #[test]
    fn a_late_moment_is_hit_as_well() {
        let (at, _) = aimed_at_one_of_three();
        for (k, struck) in (1..).zip(at) {
            let odds = (0.5_f64.powi(k) + 0.1) / 6.0;
            let expected = EXECUTIONS as f64 * odds;
            let deviation = (struck as f64 - expected).abs();
            assert!(
                deviation < 5.0 * expected.sqrt(),
                "{k}: {struck}, not {expected}"
            );
        }
    }

    /// The node concerned in three of four cases, and any of the four nodes in the others.
    #[test]
    fn most_faults_strike_what_the_moment_concerns() {
        let (_, on) = aimed_at_one_of_three();
        let all: u64 = on.iter().sum();
        for (node, share) in [(0, 0.0625), (1, 0.8125), (2, 0.0625), (3, 0.0625)] {
            let expected = all as f64 * share;
            let deviation = (on[node] as f64 - expected).abs();
            assert!(
                deviation < 5.0 * expected.sqrt(),
                "node {node}: {} of {all}",
                on[node]
            );
        }
    }
}
