//! The multi-armed bandit of the portfolio: more turns for strategies that show new behaviours.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::exploring::contribution::Novelty;
use crate::hash::mix;
use crate::settings::strategy::portfolio::arms;
use crate::settings::strategy::{Placement, StrategySpec};
use crate::settings::{Search, Settings};
use crate::strategy::{PILOTS, below, generator};

/// The number of turns of each arm before scores count.
const ROUNDS: u64 = 7;

/// The longest epoch.
const EPOCH_MAX: u64 = 256;

/// The share of a score that remains after the next reward. Rewards are not stationary, since what an arm
/// has shown is no longer new.
const DECAY: f64 = 0.97;

/// The turns out of ten that go to a uniformly drawn arm: an arm without rewards may still find the bug.
const UNIFORM_TENTHS: u64 = 3;

/// One of this many executions of an unfair strategy has a fair suffix; all have if liveness is at stake.
const SUFFIX_ONE_IN: u64 = 4;

/// The rewards: new behaviours count little, new combinations of monitor and actor states more, and
/// first-time predicates and labels most.
const BEHAVIOUR: f64 = 1.0;
const COMBINATION: f64 = 4.0;
const WAYPOINT: f64 = 10.0;
/// The largest reward of one execution, since everything is new to the first ones.
const REWARD_MAX: f64 = 20.0;

/// A strategy of the portfolio: the positions of its plain form and of its form with a fair suffix, which
/// are equal for a fair strategy.
#[derive(Clone, Debug)]
struct Arm {
    plain: usize,
    fair: usize,
    score: f64,
}

impl Arm {
    /// Returns the weight of the arm in the draw. Two arms of nearly equal scores share the turns; an arm
    /// with twice the score of another gets 64 times its turns. Turns of the lesser arm are mostly lost,
    /// and the uniform floor keeps any arm from being forgotten.
    fn weight(&self) -> f64 {
        let square = self.score * self.score;
        square * square * square
    }
}

/// Draws arms in proportion to the sixth power of their scores, with a floor of uniform draws.
#[derive(Debug)]
pub(crate) struct Bandit {
    seed: u64,
    arms: Vec<Arm>,
    /// True if all executions must be fair.
    fair_only: bool,
    /// True if an obligation can be pending in this test, so that liveness is at stake.
    wants_liveness: bool,
    assigned: u64,
    learnt: u64,
    /// The mean cost of an execution in steps.
    mean_steps: f64,
    /// The scores of the placements of faults, without the calm one; `None` without faults.
    placements: Option<[f64; PLACEMENTS]>,
}

/// The number of placements with faults.
const PLACEMENTS: usize = Placement::ALL.len() - 1;

/// One of this many executions has no faults.
const CALM_ONE_IN: u64 = 4;

impl Bandit {
    pub(crate) fn new(seed: u64, fair_only: bool) -> Self {
        let mut next = 0;
        let mut arm = |(_, fair): (StrategySpec, Option<StrategySpec>)| {
            let plain = next;
            next += if fair.is_some() && !fair_only { 2 } else { 1 };
            Arm {
                plain,
                fair: next - 1,
                score: 0.0,
            }
        };
        Self {
            seed,
            arms: arms().into_iter().map(&mut arm).collect(),
            fair_only,
            wants_liveness: false,
            assigned: 0,
            learnt: 0,
            mean_steps: 0.0,
            placements: None,
        }
    }

    /// Creates the bandit for the portfolio in the settings.
    pub(crate) fn of(settings: &Settings) -> Self {
        let fair_only = settings.search == Search::FairPortfolio;
        let placements = settings.places_faults().then_some([0.0; PLACEMENTS]);
        Self {
            placements,
            ..Self::new(settings.session(), fair_only)
        }
    }

    /// Returns the number of strategies, not counting placements of faults.
    fn strategies(&self) -> usize {
        self.arms.last().map_or(0, |last| last.fair + 1)
    }

    /// Draws a placement of faults, and returns the number of the strategy with that placement.
    fn place(&self, strategy: usize, rng: &mut Xoshiro256PlusPlus) -> usize {
        let Some(scores) = &self.placements else {
            return strategy;
        };
        let placement = match below(rng, CALM_ONE_IN) {
            0 => 0,
            _ => 1 + in_proportion(scores, rng),
        };
        placement * self.strategies() + strategy
    }

    /// Assigns the strategies of the next epoch, which has at most `left` executions.
    pub(crate) fn assign(&mut self, left: u64, iteration: impl Fn(u64) -> u64) -> Vec<usize> {
        let pilots = PILOTS.saturating_sub(self.assigned);
        let rounds = ROUNDS * self.arms.len() as u64;
        let length = match self.assigned {
            _ if pilots > 0 => pilots,
            PILOTS => rounds,
            assigned => (assigned / 2).min(EPOCH_MAX),
        };
        let is_first_rounds = self.assigned == PILOTS;
        let assigned = (0..length.min(left)).map(|execution| {
            let iteration = iteration(execution);
            let mut rng = generator(mix(mix(self.seed, 0xba9d_1745), iteration));
            if pilots > 0 {
                return 0;
            }
            let arm = match is_first_rounds {
                true => &self.arms[execution as usize % self.arms.len()],
                false => self.choose(&mut rng),
            };
            let strategy = self.form(arm, &mut rng);
            self.place(strategy, &mut rng)
        });
        let assigned: Vec<usize> = assigned.collect();
        self.assigned += assigned.len() as u64;
        assigned
    }

    fn choose(&self, rng: &mut Xoshiro256PlusPlus) -> &Arm {
        let uniform = below(rng, 10) < UNIFORM_TENTHS;
        let any = below(rng, self.arms.len() as u64) as usize;
        let total: f64 = self.arms.iter().map(Arm::weight).sum();
        if uniform || total <= 0.0 {
            return &self.arms[any];
        }
        let mut at = below(rng, 1 << 32) as f64 / (1u64 << 32) as f64 * total;
        let chosen = self.arms.iter().find(|arm| {
            at -= arm.weight();
            at < 0.0
        });
        chosen.unwrap_or(&self.arms[any])
    }

    fn form(&self, arm: &Arm, rng: &mut Xoshiro256PlusPlus) -> usize {
        let fair = self.fair_only || self.wants_liveness || below(rng, SUFFIX_ONE_IN) == 0;
        if fair { arm.fair } else { arm.plain }
    }

    /// Rewards the arm of an execution for what the execution showed, relative to its cost.
    pub(crate) fn learn(&mut self, strategy: usize, novelty: &Novelty) {
        self.wants_liveness |= novelty.wants_liveness;
        self.learnt += 1;
        let steps = novelty.steps as f64 + 1.0;
        self.mean_steps += (steps - self.mean_steps) / self.learnt as f64;
        if self.learnt <= PILOTS {
            return;
        }
        let found = f64::from(novelty.behaviours) * BEHAVIOUR
            + f64::from(novelty.combinations) * COMBINATION
            + f64::from(novelty.waypoints) * WAYPOINT;
        // Of two arms that show the same, the one with the shorter executions shows more per second.
        let reward = found.min(REWARD_MAX) * (self.mean_steps / steps).clamp(0.25, 4.0);
        let count = self.strategies();
        let (placement, strategy) = (strategy / count, strategy % count);
        if let Some(scores) = &mut self.placements
            && let Some(score) = placement
                .checked_sub(1)
                .and_then(|number| scores.get_mut(number))
        {
            *score = DECAY * *score + (1.0 - DECAY) * reward;
        }
        let taken = |arm: &&mut Arm| arm.plain == strategy || arm.fair == strategy;
        if let Some(arm) = self.arms.iter_mut().find(taken) {
            arm.score = DECAY * arm.score + (1.0 - DECAY) * reward;
        }
    }
}

/// Draws the position of a score in proportion to the squares; three draws of ten are uniform.
fn in_proportion(scores: &[f64], rng: &mut Xoshiro256PlusPlus) -> usize {
    let any = below(rng, scores.len() as u64) as usize;
    let total: f64 = scores.iter().map(|score| score * score).sum();
    if below(rng, 10) < UNIFORM_TENTHS || total <= 0.0 {
        return any;
    }
    let mut at = below(rng, 1 << 32) as f64 / (1u64 << 32) as f64 * total;
    let drawn = scores.iter().position(|score| {
        at -= score * score;
        at < 0.0
    });
    drawn.unwrap_or(any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::strategy::portfolio;

    /// Only one arm earns anything. Three turns of ten go to any of the nine arms, so each of the others
    /// has one of thirty, within five standard errors.
    #[test]
    fn what_earns_nothing_has_its_turns_nevertheless() {
        const FLOOR: f64 = 1.0 / 30.0;
        let mut bandit = Bandit::new(7, false);
        let (mut turns, mut planned) = (vec![0u32; portfolio::strategies(false).len()], 0);
        while planned < 20_000 {
            let assigned = bandit.assign(u64::MAX, |execution| planned + execution);
            planned += assigned.len() as u64;
            for strategy in assigned {
                let behaviours = u32::from(strategy == 0);
                let novelty = Novelty {
                    behaviours,
                    steps: 10,
                    ..Novelty::default()
                };
                bandit.learn(strategy, &novelty);
                if planned > 1_000 {
                    turns[strategy] += 1;
                }
            }
        }
        let all = f64::from(turns.iter().sum::<u32>());
        let error = 5.0 * (FLOOR * (1.0 - FLOOR) / all).sqrt();
        for arm in &bandit.arms[1..] {
            let both = match arm.plain == arm.fair {
                true => turns[arm.plain],
                false => turns[arm.plain] + turns[arm.fair],
            };
            let share = f64::from(both) / all;
            assert!((share - FLOOR).abs() < error, "{arm:?}: {share}");
        }
    }

    /// The rewards for executions of the same, half and twice the length of all others, of the shortest,
    /// and of a very long one.
    #[test]
    fn what_is_rarer_and_cheaper_earns_more() {
        let earned = |novelty: Novelty| {
            let mut bandit = Bandit::new(7, false);
            // So many that the last one does not change the mean by a hundredth.
            for _ in 0..1_000 {
                bandit.learn(
                    usize::MAX,
                    &Novelty {
                        steps: 99,
                        ..Novelty::default()
                    },
                );
            }
            bandit.learn(0, &novelty);
            bandit.arms[0].score / (1.0 - DECAY)
        };
        let shown = |behaviours, combinations, waypoints, steps| Novelty {
            behaviours,
            combinations,
            waypoints,
            steps,
            ..Novelty::default()
        };
        for (novelty, reward) in [
            (shown(1, 0, 0, 99), 1.0),
            (shown(0, 1, 0, 99), 4.0),
            (shown(0, 0, 1, 99), 10.0),
            (shown(1, 1, 1, 99), 15.0),
            (shown(0, 3, 3, 99), 20.0),
            (shown(1, 0, 0, 49), 2.0),
            (shown(1, 0, 0, 199), 0.5),
            (shown(1, 0, 0, 0), 4.0),
            (shown(1, 0, 0, 9_999), 0.25),
        ] {
            let earned = earned(novelty);
            assert!(
                (earned / reward - 1.0).abs() < 0.02,
                "{novelty:?}: {earned}"
            );
        }
    }

    /// One execution of four has no faults. Of ten others three take any placement, and seven one in
    /// proportion to the square of its score. The strategy is the drawn one. Within five standard errors.
    #[test]
    fn placements_have_turns_by_their_scores() {
        let mut bandit = Bandit::new(7, false);
        let strategies = bandit.strategies();
        let mut rng = generator(7);
        let mut shares = |bandit: &Bandit| {
            let (mut turns, all) = ([0u32; PLACEMENTS + 1], 40_000);
            for turn in 0..all {
                let place = bandit.place(turn % strategies, &mut rng);
                assert_eq!(place % strategies, turn % strategies);
                turns[place / strategies] += 1;
            }
            turns.map(|turns| f64::from(turns) / all as f64)
        };
        assert_eq!(shares(&bandit)[0], 1.0);
        let (of, mut scores) = (PLACEMENTS as f64, [0.0; PLACEMENTS]);
        let equal = [1.0 / of; PLACEMENTS];
        (scores[0], scores[1]) = (2.0, 1.0);
        let mut squared = [0.0; PLACEMENTS];
        (squared[0], squared[1]) = (0.8, 0.2);
        for (scores, expected) in [([0.0; PLACEMENTS], equal), (scores, squared)] {
            bandit.placements = Some(scores);
            let seen = shares(&bandit);
            let wanted = expected.map(|share| 0.75 * (0.3 / of + 0.7 * share));
            for (seen, wanted) in seen.into_iter().zip([&[0.25], &wanted[..]].concat()) {
                let error = 5.0 * (wanted * (1.0 - wanted) / 40_000.0f64).sqrt();
                assert!((seen - wanted).abs() < error, "{seen} for {wanted}");
            }
        }
    }

    /// The early rewards of an arm count less and less, and pilots earn nothing.
    #[test]
    fn earlier_rewards_fade() {
        let mut bandit = Bandit::new(7, false);
        let novelty = |behaviours| Novelty {
            behaviours,
            steps: 10,
            ..Novelty::default()
        };
        for _ in 0..PILOTS {
            bandit.learn(0, &novelty(1));
        }
        assert_eq!(bandit.arms[0].score, 0.0);
        bandit.learn(0, &novelty(1));
        let once = bandit.arms[0].score;
        assert!((once - (1.0 - DECAY)).abs() < 1e-9, "{once}");
        bandit.learn(0, &novelty(0));
        assert!((bandit.arms[0].score - DECAY * once).abs() < 1e-9);
        assert!(bandit.arms[1..].iter().all(|arm| arm.score == 0.0));
    }
}
