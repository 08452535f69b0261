//! Confirming that what is owed is owed for ever, as far as anyone can tell.

use crate::engine::{Decision, End, Engine, Outcome, Program, RunOptions, Watch};
use crate::hash::mix;
use crate::report::confirmation::Confirmation;
use crate::settings::Bounds;
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, Random, Replay, Strategy, Weighted, Weights,
};

/// How many fair continuations must fail to recover. MaceMC found 20 to be off now and then, and 60
/// never.
pub(crate) const CONTINUATIONS: u32 = 60;

/// Continues an execution from where it became suspect, again and again, each time fairly and
/// otherwise, for as many steps as the threshold. Where what is owed becomes cold in one of them,
/// the execution was slow; where it does so in none, it is a bug (MaceMC, section 4.2: dead states).
///
/// A continuation that ends in any other way, another bug included, has not recovered.
pub(crate) fn confirm(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    outcome: &Outcome,
    taken: &[Decision],
    bounds: &Bounds,
) -> Option<Confirmation> {
    let suspicion = outcome.suspicion.as_ref()?;
    let entry = suspicion.entry;
    // A lasso is certain as far as states can be compared, but what a type leaves out of its
    // fingerprint may lead out of it after all.
    let continuations = match suspicion.certain {
        true => CONTINUATIONS / 3,
        false => CONTINUATIONS,
    };
    let from = outcome.steps;
    let watch = Watch {
        entry,
        from,
        until: from.saturating_add(bounds.temperature()),
    };
    for number in 1..=continuations {
        let continuation = Continuation::new(taken, from, number);
        let before = engine.set_strategy(Box::new(continuation));
        let options = RunOptions {
            watch: Some(watch),
            ..RunOptions::default()
        };
        let continued = engine.run(program, execution, options);
        engine.set_strategy(before);
        if continued.end == End::Recovered {
            return Some(Confirmation {
                continuations: number,
                recovered: true,
            });
        }
    }
    Some(Confirmation {
        continuations,
        recovered: false,
    })
}

/// Recorded decisions up to a step, and a fair walk from there: a uniform and a weighted one in
/// turn, since timers that fire too often keep some programs from recovering.
#[derive(Debug)]
struct Continuation {
    replay: Replay,
    walk: Box<dyn Strategy>,
    from: u64,
    number: u32,
    replaying: bool,
}

impl Continuation {
    fn new(taken: &[Decision], from: u64, number: u32) -> Self {
        let chosen = taken.iter().map(|decision| decision.chosen).collect();
        Self {
            replay: Replay::new(chosen, Fairness::Unfair),
            walk: if number.is_multiple_of(2) {
                Box::new(Weighted::new(Weights::default()))
            } else {
                Box::new(Random::new())
            },
            from,
            number,
            replaying: true,
        }
    }

    fn active(&mut self) -> &mut dyn Strategy {
        if self.replaying {
            &mut self.replay
        } else {
            &mut *self.walk
        }
    }
}

impl Strategy for Continuation {
    fn name(&self) -> String {
        "continuation".into()
    }

    fn fairness(&self) -> Fairness {
        Fairness::FairFrom(self.from)
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.replaying = true;
        let walk = Execution {
            seed: mix(execution.seed, u64::from(self.number)),
            ..execution.clone()
        };
        self.replay.begin(execution) && self.walk.begin(&walk)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.replaying = enabled.step() < self.from;
        self.active().pick(enabled)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.active().choose(choice)
    }
}
