//! Bounded searches against closed forms: independent operations with a fixed number of steps each.

use super::*;
use crate::data::coverage_claim::{CoverageClaim, Gap};
use crate::data::faults::FaultBudgets;
use crate::data::step::StepKind;
use crate::data::story::ChoicePurpose;
use crate::strategy::{
    Changes, Choice, Enabled, Ended, Ending, Execution, OperationId, Pending, RoundRobin,
    RunToCompletion, StrategyEvent,
};

/// The operation of each step of an execution, with the answers to choices.
type Schedule = Vec<u32>;

/// Runs executions of operations with these numbers of steps until the search ends. The first step of
/// operation zero asks for a number below `choices`, unless that is one.
fn schedules(strategy: &mut dyn Strategy, steps: &[u32], choices: u32) -> Vec<Schedule> {
    let mut all = Vec::new();
    loop {
        let execution = Execution {
            seed: 7 + all.len() as u64,
            ..Execution::alone(1000)
        };
        assert!(execution.faults == FaultBudgets::none());
        if strategy.begin(&execution).is_none() {
            return all;
        }
        all.push(schedule(strategy, steps, choices));
        assert!(all.len() < 100_000, "it has an end");
    }
}

fn schedule(strategy: &mut dyn Strategy, steps: &[u32], choices: u32) -> Schedule {
    let mut left = steps.to_vec();
    let (mut changes, mut schedule) = (Changes::default(), Vec::new());
    let mut step = 0;
    loop {
        let able = (0..left.len() as u32).filter(|who| left[*who as usize] > 0);
        let pending: Vec<Pending> = able.map(pending).collect();
        if pending.is_empty() {
            break;
        }
        changes.record_all();
        let enabled = Enabled::new(&pending, &[], &changes, step, 0);
        let picked = strategy.pick(&enabled).expect("nothing is declined");
        let who = pending[picked].operation.index();
        schedule.push(who as u32);
        if who == 0 && left[0] == steps[0] && choices > 1 {
            let choice = Choice::Below(choices, ChoicePurpose::Choose);
            schedule.push(100 + strategy.choose(choice).expect("it answers"));
        }
        left[who] -= 1;
        step += 1;
    }
    strategy.observe(StrategyEvent::Ended(&Ended {
        ending: Ending::Complete,
        steps: step,
        behaviour: 0,
        state: None,
    }));
    schedule
}

fn pending(who: u32) -> Pending {
    Pending {
        operation: OperationId::actor(who),
        kind: StepKind::Handle,
        inbox: None,
        sender: None,
        event: None,
        message: None,
    }
}

/// The number of schedules with at most 0, 1, 2, … deviations. Checks that no schedule comes twice, and
/// that those with fewer deviations come first.
fn up_to(bounded: impl Fn() -> Bounded, steps: &[u32], choices: u32) -> Vec<usize> {
    let whole = schedules(&mut *bounded().build(), steps, choices);
    let mut each = whole.clone();
    each.sort();
    each.dedup();
    assert_eq!(each.len(), whole.len(), "none comes twice");
    let mut counts = Vec::new();
    for bound in 0.. {
        let mut strategy = bounded().at_most(bound).build();
        let some = schedules(&mut *strategy, steps, choices);
        assert_eq!(whole[..some.len()], some, "the fewer the sooner");
        counts.push(some.len());
        let CoverageClaim::Systematic {
            is_complete, gaps, ..
        } = strategy.covered()
        else {
            panic!("it is systematic");
        };
        assert!(is_complete);
        if some.len() == whole.len() {
            assert_eq!(gaps, []);
            return counts;
        }
        assert!(
            matches!(gaps[..], [Gap::Delays { bound: most } | Gap::Preemptions { bound: most }] if most == bound)
        );
    }
    counts
}

fn sums(each: &[usize]) -> Vec<usize> {
    let mut sum = 0;
    let add = |count: &usize| {
        sum += count;
        sum
    };
    each.iter().map(add).collect()
}

fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, at| product * (n.saturating_sub(at)) / (at + 1))
}

/// With one step per operation, a schedule is a permutation, and its delays are its inversions. As many
/// have d delays as the coefficient of q^d in the product of 1 + q + … + q^(r-1) (Mahonian numbers, OEIS
/// A008302).
#[test]
fn delays_are_inversions() {
    let of_five = [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1];
    for explorer in [
        || Bounded::delays(RoundRobin::new()),
        || Bounded::delays(RoundRobin::random()),
        || Bounded::delays(RunToCompletion::new()),
    ] {
        assert_eq!(up_to(explorer, &[1; 5], 1), sums(&of_five));
    }
}

/// An answer costs its own value in delays: three answers multiply the product by 1 + q + q^2.
#[test]
fn answers_come_in_order() {
    let of_three = [1, 2, 2, 1];
    let times = [1, 3, 5, 5, 3, 1];
    let sum = |at: usize| {
        (0..3)
            .filter_map(|q| of_three.get(at.checked_sub(q)?))
            .sum()
    };
    assert_eq!((0..6).map(sum).collect::<Vec<usize>>(), times);
    let explorer = || Bounded::delays(RoundRobin::new());
    assert_eq!(up_to(explorer, &[1; 3], 3), sums(&times));
}

/// For two operations with m and n steps: i pieces of one and j of the other, which differ by at most one,
/// make C(m-1, i-1) C(n-1, j-1) schedules, twice as many if i = j. All ends but the last two are
/// preemptions.
#[test]
fn preemptions_cut_in_pieces() {
    let (m, n) = (4, 3);
    let pieces = |i: usize, j: usize| match (i, j) {
        (0, _) | (_, 0) => 0,
        _ => choose(m - 1, i - 1) * choose(n - 1, j - 1),
    };
    let with = |preemptions: usize| {
        let both = preemptions + 2;
        match both % 2 {
            0 => 2 * pieces(both / 2, both / 2),
            _ => pieces(both / 2, both / 2 + 1) + pieces(both / 2 + 1, both / 2),
        }
    };
    let each: Vec<usize> = (0..=m + n - 2).map(with).filter(|some| *some > 0).collect();
    assert_eq!(each.iter().sum::<usize>(), choose(m + n, m));
    let steps = [m as u32, n as u32];
    assert_eq!(up_to(Bounded::preemptions, &steps, 1), sums(&each));
    // Under round robin these are delays as well, and so is beginning with the other operation.
    let from = |i: usize, j: usize, first: usize, delays: usize| match i + j + first == delays + 2 {
        true => pieces(i, j),
        false => 0,
    };
    let with = |delays: usize| {
        let pairs = (1..=m).flat_map(|i| (1..=n).map(move |j| (i, j)));
        let both = pairs.map(|(i, j)| {
            let one = if i == j || i == j + 1 {
                from(i, j, 0, delays)
            } else {
                0
            };
            let other = if i == j || j == i + 1 {
                from(i, j, 1, delays)
            } else {
                0
            };
            one + other
        });
        both.sum()
    };
    let each: Vec<usize> = (0..=m + n).map(with).filter(|some| *some > 0).collect();
    assert_eq!(each.iter().sum::<usize>(), choose(m + n, m));
    let explorer = || Bounded::delays(RoundRobin::new());
    assert_eq!(up_to(explorer, &steps, 1), sums(&each));
}

/// With three operations, a switch at the end of one is free: 3! orders have no preemption.
#[test]
fn ends_are_no_preemptions() {
    let counts = up_to(Bounded::preemptions, &[2, 2, 2], 1);
    assert_eq!(counts.first(), Some(&6));
    assert_eq!(counts.last(), Some(&90));
    // All answers are free.
    assert_eq!(up_to(Bounded::preemptions, &[1, 1], 3), [6]);
}

/// An unsound explorer, which brings the first operation to the front again and again.
#[derive(Debug)]
struct Stubborn;

impl DelayingExplorer for Stubborn {
    fn name(&self) -> String {
        "stubborn".into()
    }
    fn begin(&mut self, _: &Execution) {}
    fn next(&self, _: &Enabled<'_>) -> usize {
        0
    }
    fn delay(&mut self, _: &Enabled<'_>) {}
    fn stepped(&mut self, _: &Pending) {}
}

#[test]
fn what_is_not_sound_is_noticed() {
    let mut strategy = Bounded::delays(Stubborn).build();
    let found = schedules(&mut *strategy, &[1, 1], 1);
    assert_eq!(found.len(), 2);
    let CoverageClaim::Systematic { gaps, .. } = strategy.covered() else {
        panic!("it is systematic");
    };
    assert_eq!(gaps, [Gap::UnsoundExplorer]);
    assert_eq!(strategy.name(), "ses:stubborn/by=schedules");
}
