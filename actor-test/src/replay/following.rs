//! Named schedules: naming the steps of an execution, and following named steps.

use std::sync::PoisonError;

use crate::data::schedule::Schedule;
use crate::engine::{Engine, Outcome, Program, RecordedDecision, RunOptions, chosen};
use crate::strategy::{Execution, Fairness, Guided, GuidedResult, Named, Replay};

/// The result of following a named schedule.
#[derive(Clone, Debug)]
pub(crate) struct FollowedRun {
    pub(crate) outcome: Outcome,
    /// The steps taken, and the point up to which they were listed.
    pub(crate) followed: GuidedResult,
    pub(crate) decisions: Vec<RecordedDecision>,
}

/// Replays recorded decisions and names their steps; records the story if `options` say so.
pub(crate) fn name(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    fairness: Fairness,
    taken: &[RecordedDecision],
    options: RunOptions,
) -> (Outcome, Schedule) {
    let (named, written) = Named::new(Box::new(Replay::new(chosen(taken), fairness)));
    let options = RunOptions {
        expected: Some(taken.to_vec()),
        ..options
    };
    let outcome = engine.run_under(Box::new(named), program, execution, options);
    let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
    (outcome, std::mem::take(&mut written))
}

/// Follows a schedule as `guided` says.
pub(crate) fn follow_by(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    guided: Guided,
) -> FollowedRun {
    let followed = guided.followed();
    let options = RunOptions {
        // An empty expectation excludes the execution from the counts.
        expected: Some(Vec::new()),
        ..RunOptions::default()
    };
    let outcome = engine.run_under(Box::new(guided), program, execution, options);
    let mut followed = followed.lock().unwrap_or_else(PoisonError::into_inner);
    FollowedRun {
        outcome,
        followed: std::mem::take(&mut followed),
        decisions: engine.decisions(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::Arc;

    use actor_core::prelude::*;

    use super::{FollowedRun, follow_by, name};
    use crate::data::schedule::Schedule;
    use crate::data::step::StepKind;
    use crate::engine::{EndReason, Engine, Program, RecordedDecision, RunOptions};
    use crate::settings::{Bounds, Semantics};
    use crate::strategy::{Execution, Fairness, Guided, Random, Steady, Strategy};

    #[derive(Debug)]
    struct Add(u32);
    #[derive(Debug)]
    struct Go;

    /// A client that sends one or two, by a random choice.
    struct Client(ActorRef<Sum>);
    #[actor]
    impl Client {
        #[on]
        fn go(&mut self, _: Go, cx: &mut Context<Self>) {
            let more = u32::from(cx.choose_bool());
            self.0.tell(Add(1 + more));
            self.0.tell(Add(10));
        }
    }

    #[derive(Default)]
    struct Sum(u32);
    #[actor]
    impl Sum {
        #[on]
        fn add(&mut self, add: Add) {
            self.0 = self.0 * 2 + add.0;
            assert!(self.0 != 23 + 24, "reached");
        }
    }

    struct Body;
    impl Program for Body {
        fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            let sys = System::controlled();
            let sum = sys.spawn(Sum::default());
            for _ in 0..3 {
                sys.spawn(Client(sum.clone())).tell(Go);
            }
            None
        }
    }

    fn execution(seed: u64) -> Execution {
        Execution {
            iteration: 0,
            seed,
            max_steps: 1_000,
            estimates: Arc::default(),
            length: None,
            faults: crate::data::faults::FaultBudgets::none(),
        }
    }

    fn engine() -> Engine {
        Engine::idle(Bounds::default(), Semantics::default(), None)
    }

    fn follow(
        engine: &mut Engine,
        execution: &Execution,
        schedule: Schedule,
        completion: Option<Box<dyn Strategy>>,
    ) -> FollowedRun {
        let guided = Guided::new(schedule, Fairness::Fair, completion);
        follow_by(engine, &Body, execution, guided)
    }

    /// Returns the decisions, the schedule and the class of a random execution.
    fn sample(engine: &mut Engine, seed: u64) -> (Vec<RecordedDecision>, Schedule, u64) {
        let options = RunOptions::default();
        engine.run_under(Box::new(Random::new()), &Body, &execution(seed), options);
        let taken = engine.decisions();
        let execution = &execution(seed);
        let (outcome, schedule) = name(
            engine,
            &Body,
            execution,
            Fairness::Fair,
            &taken,
            RunOptions::default(),
        );
        assert_eq!(outcome.diverged_at, None);
        assert_eq!(schedule.len() as u64, outcome.steps);
        (taken, schedule, outcome.class)
    }

    #[test]
    fn a_whole_schedule_is_the_same_execution() {
        let mut engine = engine();
        for seed in 0..50 {
            let (taken, schedule, class) = sample(&mut engine, seed);
            let again = follow(&mut engine, &execution(seed + 1), schedule.clone(), None);
            assert_eq!(again.decisions, taken);
            assert_eq!(again.outcome.class, class);
            assert_eq!(again.followed.schedule, schedule);
            assert_eq!(again.followed.parting, None);
        }
    }

    /// Dropped steps are not taken, nor are those that depend on them; all others are.
    #[test]
    fn what_is_not_listed_waits() {
        let mut engine = engine();
        let (_, schedule, _) = sample(&mut engine, 1);
        let client = schedule.iter().map(|step| step.name);
        let chooses = schedule.iter().find(|step| !step.choices.is_empty());
        let one = chooses.expect("clients choose").name.who;
        let others: Schedule = schedule
            .iter()
            .filter(|step| step.name.who != one)
            .cloned()
            .collect();
        let execution = execution(1);
        let attempt = follow(&mut engine, &execution, others.clone(), None);
        assert_eq!(attempt.outcome.end, EndReason::Pruned);
        let handled = |schedule: &Schedule| {
            let handles =
                |step: &&crate::data::schedule::NamedStep| step.name.kind == StepKind::Handle;
            schedule.iter().filter(handles).count()
        };
        // The client's own steps, and the two steps of the messages that it would have sent.
        assert_eq!(
            handled(&attempt.followed.schedule) + 3,
            client.filter(|name| name.kind == StepKind::Handle).count()
        );
        assert!(attempt.followed.parting.is_some());
        // With a completion strategy, all steps are taken.
        let steady = Some(Box::new(Steady::default()) as _);
        let whole = follow(&mut engine, &execution, others, steady);
        assert_eq!(whole.outcome.end, EndReason::Quiescent);
        assert_eq!(handled(&whole.followed.schedule), handled(&schedule));
    }

    /// Two swapped steps are taken in the new order if possible.
    #[test]
    fn the_listed_order_is_preferred() {
        let mut engine = engine();
        let mut reordered = 0;
        for seed in 0..20 {
            let (_, schedule, _) = sample(&mut engine, seed);
            for first in 0..schedule.len() - 1 {
                let mut swapped = schedule.clone();
                swapped.swap(first, first + 1);
                let attempt = follow(&mut engine, &execution(seed), swapped.clone(), None);
                let done = attempt.followed.schedule;
                assert_eq!(done.len(), schedule.len(), "everything is done");
                // A step that depends on the other one still follows it. Messages sent in another order are
                // also handled in another order.
                let begins_as = |other: &Schedule| done[..first + 2] == other[..first + 2];
                assert!(begins_as(&swapped) || begins_as(&schedule));
                reordered += usize::from(begins_as(&swapped));
            }
        }
        assert!(reordered > 20, "{reordered}");
    }
}
