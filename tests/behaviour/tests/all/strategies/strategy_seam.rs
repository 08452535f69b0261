//! The interface of strategies: the order of calls, the information in them, and invalid answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use actor_core::prelude::*;
use actor_test::strategy::{
    Choice, Delayed, DelayingExplorer, Enabled, Ended, Ending, EventId, Execution, Fairness,
    MessageId, Needs, OperationId, Pending, Pruned, Random, Step, StepKind, Strategy,
    StrategyEvent,
};
use actor_test::{BugKind, Report, Tester};
use behaviour::closures::handles;
use behaviour::debt::{Debt, Owe};
use behaviour::harness::events::Go;

#[derive(Debug)]
struct Rolled(usize);

/// Starts one table, and this number of players.
fn play(sys: &System, players: usize) {
    let table = handles(sys, |rolled: Rolled, _| assert!(rolled.0 < 2));
    for _ in 0..players {
        let table = table.clone();
        handles(sys, move |_: Go, cx| table.tell(Rolled(cx.choose(2)))).tell(Go);
    }
}

fn game(sys: System) {
    play(&sys, 2);
}

fn tester(executions: u64) -> Tester {
    Tester::new().iterations(executions).check_every(0)
}

type Words = Arc<Mutex<Vec<String>>>;

/// Always picks the first operation, and records the calls that it receives.
#[derive(Debug)]
struct Notes {
    words: Words,
    hears_steps: bool,
    /// The step at which the strategy declines.
    declines_at: u64,
}

impl Notes {
    fn note(&self, word: impl Into<String>) {
        self.words.lock().unwrap().push(word.into());
    }
}

impl Strategy for Notes {
    fn name(&self) -> String {
        "notes".into()
    }
    fn needs(&self) -> Needs {
        Needs {
            steps: self.hears_steps,
            ..Needs::default()
        }
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        let more = execution.iteration < 2;
        self.note(if more { "begin" } else { "no more" });
        more.then_some(Fairness::Fair)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let declines = enabled.step() == self.declines_at;
        self.note(if declines { "decline" } else { "pick" });
        (!declines).then_some(0).ok_or(Pruned::new())
    }
    fn choose(&mut self, _: Choice<'_>) -> Option<u32> {
        self.note("choose");
        None
    }
    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Stepped(step) => self.note(format!("{:?}", step.pending.kind)),
            StrategyEvent::Ended(Ended { ending, steps, .. }) => {
                self.note(format!("{ending:?} {steps}"));
            }
            event => panic!("there are no faults: {event:?}"),
        }
    }
}

fn noted(hears_steps: bool, declines_at: u64) -> (String, Report) {
    let words = Words::default();
    let notes = Notes {
        words: words.clone(),
        hears_steps,
        declines_at,
    };
    let report = tester(5)
        .custom_strategy(Box::new(notes))
        .run(|sys| play(&sys, 1));
    report.assert_clean();
    let words = words.lock().unwrap().join(", ");
    (words, report)
}

#[test]
fn a_strategy_is_asked_and_told_in_this_order() {
    let (words, report) = noted(true, u64::MAX);
    let execution = "begin, pick, Start, pick, Flush, pick, Flush, pick, Flush, \
                     pick, choose, Handle, pick, Flush, pick, Handle, Complete 7, ";
    assert_eq!(words, format!("{execution}{execution}no more"));
    assert_eq!(report.executions, 2);
    let (words, _) = noted(false, u64::MAX);
    assert!(!words.contains("Handle"), "{words}");
    assert!(words.contains("Complete 7"), "{words}");
}

#[test]
fn a_declined_pick_ends_the_execution() {
    let (words, report) = noted(true, 2);
    let execution = "begin, pick, Start, pick, Flush, decline, Pruned 2, ";
    assert_eq!(words, format!("{execution}{execution}no more"));
    assert_eq!((report.executions, report.pruned), (2, 2));
    assert_eq!((report.fair, report.unfair), (0, 0));
    assert_eq!(report.behaviours.seen, 0, "what was broken off is none");
}

/// A random walk that declines after a number of steps in every other execution.
#[derive(Debug)]
struct Prunes {
    walk: Random,
    at: u64,
    prunes: bool,
}
impl Strategy for Prunes {
    fn name(&self) -> String {
        "prunes".into()
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.prunes = execution.iteration.is_multiple_of(2);
        self.walk.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let prunes = self.prunes && enabled.step() == self.at;
        match prunes {
            true => Err(Pruned::new()),
            false => self.walk.pick(enabled),
        }
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.walk.choose(choice)
    }
}

fn prunes(at: u64) -> Box<dyn Strategy> {
    Box::new(Prunes {
        walk: Random::new(),
        at,
        prunes: false,
    })
}

/// The monitor is hot when the execution is ended early, and each execution is checked by another run.
#[test]
fn what_is_pruned_is_not_judged() {
    let tester = Tester::new().iterations(1).check_every(1);
    let program = |sys: System| {
        sys.monitor::<Debt>();
        sys.announce(Owe);
        play(&sys, 2);
    };
    let report = tester.custom_strategy(prunes(11)).run(program);
    assert_eq!((report.pruned, report.bugs().len()), (1, 0));
    assert_eq!(report.undecided.count, 0);
    let tester = tester.iterations(2);
    let report = tester.custom_strategy(prunes(11)).run(program);
    assert_eq!((report.pruned, report.fair), (1, 1));
    report.assert_bug("`Debt` is hot");
    assert_eq!(report.bugs()[0].iteration, 2);
}

/// Picks or answers out of range.
#[derive(Debug)]
struct Wild {
    position: usize,
    answer: u32,
}
impl Strategy for Wild {
    fn name(&self) -> String {
        "wild".into()
    }
    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(Fairness::Unfair)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let is_wild = enabled.step() == 3;
        Ok(if is_wild { self.position } else { 0 })
    }
    fn choose(&mut self, _: Choice<'_>) -> Option<u32> {
        Some(self.answer)
    }
}

fn wild(position: usize, answer: u32) -> Report {
    tester(3)
        .custom_strategy(Box::new(Wild { position, answer }))
        .run(game)
}

#[test]
fn a_pick_that_is_not_there_is_a_bug_of_the_strategy() {
    wild(0, 1).assert_clean();
    let report = wild(2, 0);
    let bug = report.assert_bug("`wild` picked position 2 of 1 enabled operations");
    assert_eq!((bug.kind(), bug.step()), (BugKind::Strategy, 3));
    assert_eq!((report.executions, bug.trace.story.steps.len()), (1, 3));
    assert_eq!(wild(usize::MAX, 0).bugs()[0].kind(), BugKind::Strategy);
}

#[test]
fn an_answer_that_is_not_there_is_a_bug_of_the_strategy() {
    for answer in [2, u32::MAX] {
        let report = wild(0, answer);
        let bug = report.assert_bug(&format!("`wild` answered {answer} to a choice below 2"));
        assert_eq!(bug.kind(), BugKind::Strategy);
    }
}

#[derive(Debug)]
struct Beyond;
impl DelayingExplorer for Beyond {
    fn name(&self) -> String {
        "beyond".into()
    }
    fn begin(&mut self, _: &Execution) {}
    fn next(&self, enabled: &Enabled<'_>) -> usize {
        enabled.len()
    }
    fn delay(&mut self, _: &Enabled<'_>) {}
    fn stepped(&mut self, _: &Pending) {}
}

#[test]
fn so_is_what_an_explorer_names_that_is_not_there() {
    let report = tester(1)
        .custom_strategy(Box::new(Delayed::new(Beyond, 0)))
        .run(game);
    let bug = report.assert_bug("`delay:beyond/0` picked position 1 of 1");
    assert_eq!(bug.kind(), BugKind::Strategy);
}

type Message = (StepKind, Option<EventId>, OperationId);

/// A random walk that records the identities of sent and handled messages.
#[derive(Debug)]
struct Names {
    walk: Random,
    now: BTreeMap<MessageId, Vec<Message>>,
    all: Arc<Mutex<BTreeSet<Vec<MessageId>>>>,
}
impl Strategy for Names {
    fn name(&self) -> String {
        "names".into()
    }
    fn needs(&self) -> Needs {
        Needs {
            steps: true,
            ..Needs::default()
        }
    }
    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.now.clear();
        self.walk.begin(execution)
    }
    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.walk.pick(enabled)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.walk.choose(choice)
    }
    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Stepped(step) => self.record(step),
            StrategyEvent::Ended(ended) => self.finish(ended),
            event => panic!("there are no faults: {event:?}"),
        }
    }
}

impl Names {
    fn record(&mut self, step: &Step<'_>) {
        let Pending {
            kind,
            event,
            message,
            inbox,
            ..
        } = step.pending;
        if let Some(message) = message {
            let inbox = inbox.expect("a message has a receiver");
            self.now
                .entry(message)
                .or_default()
                .push((kind, event, inbox));
        } else {
            assert!(kind == StepKind::Start || inbox.is_none(), "{step:?}");
        }
    }
    fn finish(&mut self, ended: &Ended) {
        assert_eq!(ended.ending, Ending::Complete);
        for steps in self.now.values() {
            let [(StepKind::Flush, sent, to), (StepKind::Handle, handled, by)] = steps[..] else {
                panic!("sent once, handled once: {steps:?}");
            };
            assert_eq!((sent, to), (handled, by));
        }
        let all = self.now.keys().copied().collect();
        self.all.lock().unwrap().insert(all);
    }
}

#[test]
fn a_message_has_one_identity_in_all_schedules() {
    let all = Arc::default();
    let names = Names {
        walk: Random::new(),
        now: BTreeMap::new(),
        all: Arc::clone(&all),
    };
    let report = tester(200).custom_strategy(Box::new(names)).run(game);
    report.assert_clean();
    assert!(report.behaviours.seen > 1);
    let all = all.lock().unwrap();
    assert_eq!((all.len(), all.first().map(Vec::len)), (1, Some(4)));
}
