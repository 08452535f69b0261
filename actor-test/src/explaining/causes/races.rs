//! Which races a failure can't do without.
//!
//! Two events race where they reach one inbox and neither is a consequence of the other. Each pair is
//! turned round: the first is held back until the second has arrived, and the execution goes on as
//! recorded, as far as it still can. Where it fails none the less, the order was not needed. Where it
//! does not, it is run again from there with a random step now and then; and where that never fails
//! either, the order is needed, as far as was seen.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::data::causes::{Arrival, NeededRace, Races};
use crate::data::records::Origin;
use crate::data::story::Story;
use crate::engine::EndReason;
use crate::explaining::causes::forks::{Course, Fate, Forks, Track, Trunk};
use crate::explaining::causes::order::{Order, Pair, Reached};
use crate::explaining::causes::turned::{Plan, Turned};

/// How many executions wander, beside the one that goes on as recorded.
const WANDERING: u32 = 20;

/// How many of the last steps are looked at.
const WINDOW: usize = 2_000;

/// How likely it is at most, over all pairs of one search, that a race is told that makes no difference.
/// There are two searches at most, so that it is one in a hundred over the lines of a report.
const LEVEL: f64 = 0.005;

/// How many needed races are told.
const NEEDED_MAX: usize = 12;

/// What came of turning a pair round.
enum Verdict {
    /// It can't be: the second does not come without the first.
    Impossible,
    /// It has failed none the less.
    Needless,
    /// In so many executions it did not.
    Gone(u32),
}

/// Looks for the races that a failure needs. The plan ends where it was decided.
pub(super) struct Search<'a, 'b> {
    pub(super) forks: &'a mut Forks<'b>,
    pub(super) plan: Arc<Plan>,
    pub(super) order: &'a Order,
    /// For how many steps an execution goes on at most.
    pub(super) until: u64,
    /// Knows who is called what.
    pub(super) story: &'a Story,
}

impl Search<'_, '_> {
    /// Turns round what races; tells whether there was more than the budget pays for.
    pub(super) fn run(&mut self) -> (Races, bool) {
        let mut races = Races::default();
        let steps = self.plan.steps.len();
        let inboxes = self.order.inboxes(&(steps.saturating_sub(WINDOW)..steps));
        let mut pairs: Vec<(usize, Pair)> = Vec::new();
        for (number, inbox) in inboxes.iter().enumerate() {
            pairs.extend(
                self.order
                    .racing(inbox)
                    .into_iter()
                    .map(|pair| (number, pair)),
            );
        }
        races.pairs = pairs.len() as u32;
        // Neighbours first, and the last of them before the others.
        pairs.sort_by_key(|(number, pair)| {
            let inbox = &inboxes[*number];
            (pair.second - pair.first, usize::MAX - inbox[pair.second].at)
        });
        let mut needed: Vec<(usize, Pair, NeededRace)> = Vec::new();
        for (number, pair) in pairs {
            let implied = needed.iter().any(|(other, known, _)| {
                *other == number && pair.first <= known.first && known.second <= pair.second
            });
            if implied {
                continue;
            }
            if self.forks.left() == 0 {
                return (finished(races, needed), true);
            }
            let inbox = &inboxes[number];
            let Some(verdict) = self.turn(inbox, pair) else {
                return (finished(races, needed), true);
            };
            match verdict {
                Verdict::Impossible => {}
                Verdict::Needless => races.turned += 1,
                Verdict::Gone(reversed) => {
                    races.turned += 1;
                    let Some((kept, kept_failed)) = self.keep(inbox, pair) else {
                        return (finished(races, needed), true);
                    };
                    let race = NeededRace {
                        first: self.told(&inbox[pair.first]),
                        second: self.told(&inbox[pair.second]),
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

    fn told(&self, reached: &Reached) -> Arrival {
        Arrival {
            step: reached.at as u64 + 1,
            event: reached.event.clone(),
            from: match reached.from {
                Origin::Operation(who) | Origin::End(who) => self.story.name(who).to_owned(),
                Origin::Timer => "timer".into(),
            },
        }
    }

    /// Turns a pair round, in every way there is.
    fn turn(&mut self, inbox: &[Reached], pair: Pair) -> Option<Verdict> {
        let mut gone = 0;
        for held in pair.ways(inbox) {
            match self.try_way(&held, inbox[pair.second].at)? {
                Verdict::Needless => return Some(Verdict::Needless),
                // Unless all ways can be gone, it may be the order of others that counts.
                Verdict::Impossible => return Some(Verdict::Impossible),
                Verdict::Gone(runs) => gone += runs,
            }
        }
        Some(Verdict::Gone(gone))
    }

    fn try_way(&mut self, held: &[usize], until: usize) -> Option<Verdict> {
        let (mut runs, mut verdict) = (0, None);
        let way = self.way(held, until);
        let lasts = self.forks.each(
            numbers(),
            |trunk, track, wanders| (wanders, way.run(trunk, track, wanders)),
            |(wanders, fate)| {
                match fate {
                    None if wanders.is_none() => verdict = Some(Verdict::Impossible),
                    None => {}
                    Some(Fate::Failed) => verdict = Some(Verdict::Needless),
                    Some(Fate::Escaped | Fate::Other) => runs += 1,
                }
                match verdict {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            },
        );
        lasts.then(|| verdict.unwrap_or(Verdict::Gone(runs)))
    }

    /// The same executions with the pair as it was; how many there were, and how many failed.
    fn keep(&mut self, inbox: &[Reached], pair: Pair) -> Option<(u32, u32)> {
        let (mut kept, mut failed) = (0, 0);
        let way = self.way(&[], inbox[pair.second].at);
        let lasts = self.forks.each(
            numbers(),
            |trunk, track, wanders| way.run(trunk, track, wanders),
            |fate| {
                kept += u32::from(fate.is_some());
                failed += u32::from(fate == Some(Fate::Failed));
                ControlFlow::Continue(())
            },
        );
        lasts.then_some((kept, failed))
    }

    fn way<'c>(&self, held: &'c [usize], waits_for: usize) -> Way<'c> {
        Way {
            plan: self.plan.clone(),
            held,
            waits_for,
            until: self.until,
        }
    }
}

/// The one that goes on as recorded, and those that wander.
fn numbers() -> impl Iterator<Item = Option<u32>> + Send {
    std::iter::once(None).chain((1..=WANDERING).map(Some))
}

/// A way to turn a pair round: some steps are held back until another one was taken.
struct Way<'a> {
    plan: Arc<Plan>,
    held: &'a [usize],
    waits_for: usize,
    until: u64,
}

impl Way<'_> {
    /// `None` where the steps held back would have been needed.
    fn run(&self, trunk: &Trunk<'_>, track: &mut Track, wanders: Option<u32>) -> Option<Fate> {
        let strategy = Turned::new(&self.plan, self.held, self.waits_for, wanders);
        let course = Course {
            watch_from: None,
            until: self.until,
            temperature: self.until / 2,
        };
        let outcome = trunk.go(track, Box::new(strategy), course, false);
        (outcome.end != EndReason::Pruned).then(|| trunk.fate(&outcome))
    }
}

fn finished(races: Races, needed: Vec<(usize, Pair, NeededRace)>) -> Races {
    let mut needed: Vec<NeededRace> = needed.into_iter().map(|(.., race)| race).collect();
    needed.retain(|race| chance(race) * f64::from(races.turned) < LEVEL);
    needed.sort_by_key(|race| (race.second.step, race.first.step));
    needed.truncate(NEEDED_MAX);
    Races { needed, ..races }
}

/// How likely it is that all that failed are among the executions with the pair as it was, where the order
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
            first: Arrival::default(),
            second: Arrival::default(),
            at: String::new(),
            reversed,
            kept,
            kept_failed,
            within: None,
        }
    }

    #[test]
    fn the_chance_is_that_of_fishers_exact_test() {
        // Tables with their hypergeometric tails.
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
        let told = |failed, turned| {
            let pair = Pair {
                first: 0,
                second: 1,
            };
            let races = Races {
                turned,
                ..Races::default()
            };
            let races = finished(races, vec![(0, pair, race(failed, 21, 21))]);
            races.needed.len()
        };
        assert_eq!((told(0, 1), told(6, 1), told(7, 1)), (0, 0, 1));
        // Of fifty pairs one is likelier to seem to make a difference.
        assert_eq!((told(7, 50), told(12, 50)), (0, 1));
    }
}
