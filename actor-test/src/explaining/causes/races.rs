//! Finds the races that a failure needs, by reversing them.
//!
//! Two events race if they reach one inbox and neither is a consequence of the other. To reverse a pair,
//! the first event is held back until the second has arrived; then the execution continues as recorded, as
//! far as possible. The order is not needed if that execution still fails. Otherwise more executions
//! continue from there with occasional random steps; if none of them fails, the order is needed, as far as
//! was observed.

use std::sync::Arc;

use crate::data::causes::{InboxArrival, NeededRace, RaceResults};
use crate::data::story::Story;
use crate::engine::{EndReason, RecordLevel};
use crate::explaining::causes::continuations::{
    ContinuationResult, ContinuationWorker, Continuations, RecordedExecution, RunLimits,
};
use crate::explaining::causes::order::{HappensBefore, OrderedPair, ReachedEvent};
use crate::explaining::causes::race_reversal::{RaceReversal, ReplayPlan};
use crate::records::{MessageSource, marks};

/// The number of executions with random steps, besides the one that continues as recorded.
const WANDERING: u32 = 20;

/// The number of last steps in which races are considered.
const WINDOW: usize = 2_000;

/// The significance level over all pairs of one search: the largest chance to report a race that makes no
/// difference. There are at most two searches, so that the level is one in a hundred for a report.
const LEVEL: f64 = 0.005;

/// The largest number of needed races in a report.
const NEEDED_MAX: usize = 12;

/// The result of reversing a pair.
enum ReversalResult {
    /// The pair can't be reversed: the second event does not come without the first.
    Impossible,
    /// An execution failed in spite of the reversal.
    Needless,
    /// No execution failed, of this many.
    Gone(u32),
}

/// The search for the races that a failure needs; the plan ends at the decisive step.
pub(super) struct RaceSearch<'a, 'b> {
    pub(super) continuations: &'a mut Continuations<'b>,
    pub(super) plan: Arc<ReplayPlan>,
    pub(super) order: &'a HappensBefore,
    /// The largest number of steps of an execution.
    pub(super) until: u64,
    /// The story with the names of operations.
    pub(super) story: &'a Story,
}

impl RaceSearch<'_, '_> {
    /// Reverses the racing pairs. Returns true if the budget ended before all of them.
    pub(super) fn run(&mut self) -> (RaceResults, bool) {
        let mut races = RaceResults::default();
        let steps = self.plan.steps.len();
        let inboxes = self.order.inboxes(&(steps.saturating_sub(WINDOW)..steps));
        let mut pairs: Vec<(usize, OrderedPair)> = Vec::new();
        for (number, inbox) in inboxes.iter().enumerate() {
            pairs.extend(
                self.order
                    .racing(inbox)
                    .into_iter()
                    .map(|pair| (number, pair)),
            );
        }
        races.pairs = pairs.len() as u32;
        // Adjacent events come first, the last of them before the others.
        pairs.sort_by_key(|(number, pair)| {
            let inbox = &inboxes[*number];
            (pair.second - pair.first, usize::MAX - inbox[pair.second].at)
        });
        let mut needed: Vec<(usize, OrderedPair, NeededRace)> = Vec::new();
        for (number, pair) in pairs {
            let implied = needed.iter().any(|(other, known, _)| {
                *other == number && pair.first <= known.first && known.second <= pair.second
            });
            if implied {
                continue;
            }
            if self.continuations.left() == 0 {
                return (finished(races, needed), true);
            }
            let inbox = &inboxes[number];
            let Some(verdict) = self.turn(inbox, pair) else {
                return (finished(races, needed), true);
            };
            match verdict {
                ReversalResult::Impossible => {}
                ReversalResult::Needless => races.reversed += 1,
                ReversalResult::Gone(reversed) => {
                    races.reversed += 1;
                    let Some((kept, kept_failed)) = self.keep(inbox, pair) else {
                        return (finished(races, needed), true);
                    };
                    let race = NeededRace {
                        first: self.arrival(&inbox[pair.first]),
                        second: self.arrival(&inbox[pair.second]),
                        at: self.story.name(inbox[pair.first].inbox).to_owned(),
                        reversed,
                        kept,
                        kept_failed,
                        within: None,
                    };
                    needed.push((number, pair, race));
                }
            }
        }
        (finished(races, needed), false)
    }

    fn arrival(&self, reached: &ReachedEvent) -> InboxArrival {
        InboxArrival {
            step: reached.at as u64 + 1,
            event: marks::named(&reached.event, |of| Some(self.story.name(of))).into_owned(),
            from: match reached.from {
                MessageSource::Operation(who) | MessageSource::End(who) => {
                    self.story.name(who).to_owned()
                }
                MessageSource::Timer => "timer".into(),
            },
        }
    }

    /// Reverses a pair in every way.
    fn turn(&mut self, inbox: &[ReachedEvent], pair: OrderedPair) -> Option<ReversalResult> {
        let mut gone = 0;
        for held in pair.ways(inbox) {
            match self.try_way(&held, inbox[pair.second].at)? {
                ReversalResult::Needless => return Some(ReversalResult::Needless),
                // If one way is impossible, the order of other events may be the cause.
                ReversalResult::Impossible => return Some(ReversalResult::Impossible),
                ReversalResult::Gone(runs) => gone += runs,
            }
        }
        Some(ReversalResult::Gone(gone))
    }

    fn try_way(&mut self, held: &[usize], until: usize) -> Option<ReversalResult> {
        let (mut runs, mut verdict) = (0, None);
        let way = self.way(held, until);
        let lasts = self.continuations.each(
            numbers(),
            |trunk, track, wanders| (wanders, way.run(trunk, track, wanders)),
            |(wanders, fate)| {
                match fate {
                    None if wanders.is_none() => verdict = Some(ReversalResult::Impossible),
                    None => {}
                    Some(ContinuationResult::Failed) => verdict = Some(ReversalResult::Needless),
                    Some(ContinuationResult::Escaped | ContinuationResult::Other) => runs += 1,
                }
                verdict.is_none()
            },
        );
        lasts.then(|| verdict.unwrap_or(ReversalResult::Gone(runs)))
    }

    /// Runs the same executions with the original order; returns their number and that of the failed ones.
    fn keep(&mut self, inbox: &[ReachedEvent], pair: OrderedPair) -> Option<(u32, u32)> {
        let (mut kept, mut failed) = (0, 0);
        let way = self.way(&[], inbox[pair.second].at);
        let lasts = self.continuations.each(
            numbers(),
            |trunk, track, wanders| way.run(trunk, track, wanders),
            |fate| {
                kept += u32::from(fate.is_some());
                failed += u32::from(fate == Some(ContinuationResult::Failed));
                true
            },
        );
        lasts.then_some((kept, failed))
    }

    fn way<'c>(&self, held: &'c [usize], waits_for: usize) -> Reversal<'c> {
        Reversal {
            plan: self.plan.clone(),
            held,
            waits_for,
            until: self.until,
        }
    }
}

/// Returns the execution that continues as recorded, and those with random steps.
fn numbers() -> impl Iterator<Item = Option<u32>> + Send {
    std::iter::once(None).chain((1..=WANDERING).map(Some))
}

/// A way to reverse a pair: some steps are held back until another one was taken.
struct Reversal<'a> {
    plan: Arc<ReplayPlan>,
    held: &'a [usize],
    waits_for: usize,
    until: u64,
}

impl Reversal<'_> {
    /// Runs one execution; `None` if it can't continue without the steps held back.
    fn run(
        &self,
        trunk: &RecordedExecution<'_>,
        track: &mut ContinuationWorker,
        wanders: Option<u32>,
    ) -> Option<ContinuationResult> {
        let strategy = RaceReversal::new(&self.plan, self.held, self.waits_for, wanders);
        let course = RunLimits {
            watch_from: None,
            until: self.until,
            temperature: self.until / 2,
        };
        let outcome = trunk.go(track, Box::new(strategy), course, RecordLevel::No);
        (outcome.end != EndReason::Pruned).then(|| trunk.fate(&outcome))
    }
}

fn finished(races: RaceResults, needed: Vec<(usize, OrderedPair, NeededRace)>) -> RaceResults {
    let mut needed: Vec<NeededRace> = needed.into_iter().map(|(.., race)| race).collect();
    needed.retain(|race| chance(race) * f64::from(races.reversed) < LEVEL);
    needed.sort_by_key(|race| (race.second.step, race.first.step));
    needed.truncate(NEEDED_MAX);
    RaceResults { needed, ..races }
}

/// Returns the probability that all failures are among the executions with the original order, if the order
/// makes no difference: Fisher's exact test, one-sided.
fn chance(race: &NeededRace) -> f64 {
    let (kept, all) = (race.kept, race.kept + race.reversed);
    let share = |failed| f64::from(kept - failed) / f64::from(all - failed);
    (0..race.kept_failed).map(share).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(kept_failed: u32, kept: u32, reversed: u32) -> NeededRace {
        NeededRace {
            first: InboxArrival::default(),
            second: InboxArrival::default(),
            at: String::new(),
            reversed,
            kept,
            kept_failed,
            within: None,
        }
    }

    #[test]
    fn the_chance_is_that_of_fishers_exact_test() {
        // Contingency tables with their hypergeometric tails.
        let cases = [
            ((0, 21, 21), 1.0),
            ((1, 21, 21), 0.5),
            ((3, 3, 3), 0.05),
            ((7, 21, 21), 116_280.0 / 26_978_328.0),
        ];
        for ((failed, kept, reversed), expected) in cases {
            let found = chance(&race(failed, kept, reversed));
            assert!((found - expected).abs() < 1e-12, "{failed}: {found}");
        }
    }

    #[test]
    fn what_chance_can_do_is_not_told() {
        let needed_of = |failed, reversed| {
            let pair = OrderedPair {
                first: 0,
                second: 1,
            };
            let races = RaceResults {
                reversed,
                ..RaceResults::default()
            };
            let races = finished(races, vec![(0, pair, race(failed, 21, 21))]);
            races.needed.len()
        };
        assert_eq!(
            (needed_of(0, 1), needed_of(6, 1), needed_of(7, 1)),
            (0, 0, 1)
        );
        // Of fifty pairs, one is more likely to seem significant by chance.
        assert_eq!((needed_of(7, 50), needed_of(12, 50)), (0, 1));
    }
}
