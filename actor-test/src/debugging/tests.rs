//! Tests of the debugger's answers against the behaviour of the program.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;

use super::serve;
use crate::Tester;
use crate::data::snapshot::Snapshot;
use crate::data::step::StepKind;
use crate::data::story::Story;
use crate::engine::Program;
use crate::protocol::inquiry::{Inquiry, QueryAnswer, Question, RunResult};
use crate::report::data::{Bug, Recording};
use crate::settings::strategy::StrategySpec;

#[derive(Debug)]
struct Put(u32);
#[derive(Debug)]
struct Double;
#[derive(Debug)]
struct Tick;
#[derive(Debug)]
struct Done;

#[derive(Debug, Default)]
struct Cell {
    value: u32,
    history: Vec<u32>,
    parts: BTreeMap<u32, (u32, u32)>,
}

#[actor(states(Small, Large))]
impl Cell {
    #[on]
    fn put(&mut self, put: Put, cx: &mut Context<Self>) {
        self.value += put.0;
        self.keep(cx);
    }

    #[on]
    fn double(&mut self, _: Double, cx: &mut Context<Self>) {
        self.value *= 2;
        self.keep(cx);
    }
}

impl Cell {
    fn keep(&mut self, cx: &mut Context<Self>) {
        self.history.push(self.value);
        self.parts
            .insert(self.value, (self.value / 10, self.value % 10));
        if self.history.len() > 3 {
            self.parts.pop_first();
        }
        cx.goto(if self.value < 10 {
            CellState::Small
        } else {
            CellState::Large
        });
    }
}

#[derive(Debug)]
struct Client {
    cell: ActorRef<Cell>,
    left: u32,
}

#[actor]
impl Client {
    #[start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(u64::from(self.left)), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.cell.tell(Put(self.left));
        if cx.choose_bool() {
            self.cell.tell(Double);
        }
        self.left -= 1;
        if self.left > 0 {
            cx.after(Duration::from_secs(1), Tick);
        } else {
            cx.announce(Done);
            cx.halt();
        }
    }
}

#[derive(Default)]
struct AllDone(u32);

#[monitor(hot(Open), cold(Over))]
impl AllDone {
    #[on]
    fn put(&mut self, _: &Put, cx: &mut MonitorContext<Self>) {
        cx.goto(AllDoneState::Open);
    }

    #[on]
    fn done(&mut self, _: &Done, cx: &mut MonitorContext<Self>) {
        self.0 += 1;
        if self.0 == 2 {
            cx.goto(AllDoneState::Over);
        }
    }
}

fn sums(sys: &System) {
    sys.monitor::<AllDone>();
    let cell = sys.spawn(Cell::default());
    for _ in 0..2 {
        sys.spawn(Client {
            cell: cell.clone(),
            left: 3,
        });
    }
    sys.always("below thirty", move |w| {
        w.get(&cell).is_none_or(|cell| cell.value < 30)
    });
}

struct Body;
impl Program for Body {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        sums(&System::controlled());
        None
    }
}

fn bug() -> Bug {
    let report = Tester::new()
        .iterations(1_000)
        .minimize(0)
        .run(|sys| sums(&sys));
    report.assert_bug("below thirty").clone()
}

/// Asks several questions about one recording, in order.
fn answers(
    program: &(dyn Program + Sync),
    recording: &Recording,
    questions: impl IntoIterator<Item = Question>,
) -> Vec<Result<QueryAnswer, String>> {
    let inquiries = questions.into_iter().enumerate();
    let inquiries = inquiries.map(|(number, question)| Inquiry {
        about: 0,
        recording: (number == 0).then(|| Box::new(recording.clone())),
        question,
    });
    let mut answers = Vec::new();
    serve(program, "", inquiries, |answer| answers.push(answer));
    answers
}

fn answer(
    program: &(dyn Program + Sync),
    recording: &Recording,
    question: &Question,
) -> Result<QueryAnswer, String> {
    let answer = answers(program, recording, [question.clone()]).pop();
    answer.expect("an answer")
}

fn ask(recording: &Recording, question: &Question) -> QueryAnswer {
    answer(&Body, recording, question).expect("an answer")
}

fn snapshot(recording: &Recording, step: u64) -> Snapshot {
    match ask(recording, &Question::Snapshot { step }) {
        QueryAnswer::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}

fn ran(answer: QueryAnswer) -> RunResult {
    match answer {
        QueryAnswer::Ran(ran) => *ran,
        other => panic!("{other:?}"),
    }
}

/// Returns the fields of an actor after a step, computed from the changes in the story.
fn retold(story: &Story, who: u32, step: u64) -> BTreeMap<String, String> {
    let began = &story.operations[who as usize].fields;
    let began = began
        .iter()
        .map(|field| (field.field.to_string(), field.value.to_string()));
    let mut fields: BTreeMap<String, String> = began.collect();
    let taken = story.steps.iter().take_while(|taken| taken.number <= step);
    for change in taken
        .filter(|taken| taken.who == who)
        .flat_map(|taken| &taken.changes)
    {
        match &change.after {
            Some(after) => fields.insert(change.field.to_string(), after.to_string()),
            None => fields.remove(&*change.field),
        };
    }
    fields
}

/// The snapshot after each step equals the sum of the story's changes: states, fields, inboxes and monitors.
#[test]
fn a_look_agrees_with_the_story() {
    let bug = bug();
    let story = ran(ask(&bug.trace, &Question::Run)).recording.story;
    for step in 0..=bug.finding.step {
        let seen = snapshot(&bug.trace, step);
        assert_eq!(seen.step, step);
        for (who, standing) in (0..).zip(&seen.operations) {
            let fields: BTreeMap<String, String> = standing.fields().into_iter().collect();
            // The value of a stopped actor is gone.
            if standing.value.is_some() {
                assert_eq!(fields, retold(&story, who, step), "step {step}, {who}");
            }
            let waits = |message: &&crate::data::story::Message| {
                message.to == who
                    && message.sent.is_some_and(|sent| sent <= step)
                    && message.handled.is_none_or(|handled| handled > step)
            };
            let in_story: Vec<&str> = story
                .messages
                .iter()
                .filter(waits)
                .map(|message| &*message.event)
                .collect();
            let mut in_story: Vec<String> = in_story.into_iter().map(str::to_owned).collect();
            let mut inbox: Vec<String> = standing
                .inbox
                .iter()
                .filter_map(|waiting| waiting.event.clone())
                .collect();
            in_story.sort();
            inbox.sort();
            assert_eq!(inbox, in_story, "step {step}, {who}");
        }
        if let Some(next) = story.step(step + 1) {
            let could = seen
                .enabled
                .iter()
                .filter(|could| could.who == next.who && could.kind == next.kind);
            assert!(could.count() > 0, "step {}", next.number);
        }
        let monitor = seen.specifications.first().map(|heat| heat.state.clone());
        let changes = story.steps.iter().take_while(|taken| taken.number <= step);
        let changes = changes
            .flat_map(|taken| &taken.monitors)
            .filter(|change| change.monitor == 0);
        let expected = changes
            .last()
            .map_or_else(|| "Over".into(), |change| change.after.to_string());
        if step > 0 {
            assert_eq!(monitor, Some(expected), "step {step}");
        }
    }
}

/// The snapshots are the same forwards, backwards and in any other order.
#[test]
fn a_look_is_the_same_in_any_order() {
    let bug = bug();
    let alone: Vec<Snapshot> = (0..=bug.finding.step)
        .map(|step| snapshot(&bug.trace, step))
        .collect();
    let last = bug.finding.step;
    let forth = 0..=last;
    let back = (0..=last).rev();
    // If seven divides the number of steps, some steps are missed, which does no harm.
    let about = (0..=last).map(|step| step * 7 % (last + 1));
    let steps: Vec<u64> = forth.chain(back).chain(about).collect();
    let questions = steps.iter().map(|step| Question::Snapshot { step: *step });
    let seen = answers(&Body, &bug.trace, questions);
    assert_eq!(seen.len(), steps.len());
    for (step, seen) in steps.iter().zip(seen) {
        match seen {
            Ok(QueryAnswer::Snapshot(seen)) => assert_eq!(*seen, alone[*step as usize], "{step}"),
            other => panic!("{step}: {other:?}"),
        }
    }
}

/// Counts the executions of a program.
#[derive(Default)]
struct Begun(AtomicU64);

impl Program for Begun {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Body.start()
    }
}

/// Stepping back from an inspected step, one step at a time, runs the program only once.
#[test]
fn steps_back_run_nothing() {
    let bug = bug();
    let last = bug.finding.step;
    assert!(last > 20, "{last} steps");
    let begun = Begun::default();
    let steps = (last - 20..=last).rev();
    let seen = answers(
        &begun,
        &bug.trace,
        steps.map(|step| Question::Snapshot { step }),
    );
    assert!(seen.iter().all(Result::is_ok), "{seen:?}");
    assert_eq!(begun.0.load(Ordering::Relaxed), 1);
}

/// Counts ticks up to fifty thousand; each execution has a counter of its own.
#[derive(Default)]
struct Long(Mutex<Vec<Arc<AtomicU64>>>);

impl Long {
    fn counted(&self, execution: usize) -> u64 {
        let counts = self.0.lock().expect("nobody panics with it");
        counts
            .get(execution)
            .map_or(0, |count| count.load(Ordering::Relaxed))
    }
}

struct Turning(Arc<AtomicU64>);

#[actor]
impl Turning {
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        assert_ne!(self.0.fetch_add(1, Ordering::Relaxed), 49_990);
        cx.me().tell(Tick);
    }
}

fn turns(sys: &System, count: Arc<AtomicU64>) {
    sys.spawn(Turning(count)).tell(Tick);
}

impl Program for Long {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        let count = Arc::new(AtomicU64::new(0));
        let mut counts = self.0.lock().expect("nobody panics with it");
        counts.push(Arc::clone(&count));
        turns(&System::controlled(), count);
        None
    }
}

/// Stepping back after a hundred thousand steps waits for less than 256 steps: another execution is paused
/// behind already, and the next one is started. Sixty-four steps back take three executions in all.
///
/// The test takes a second, since the steps have to be run.
#[test]
fn a_step_back_is_a_short_way_from_where_another_waits() {
    let tester = Tester::new().strategy(StrategySpec::Random);
    let report = tester
        .iterations(1)
        .minimize(0)
        .run(|sys| turns(&sys, Arc::default()));
    let recording = report.bugs()[0].trace.clone();
    let last = report.bugs()[0].finding.step;
    assert!(last > 99_900, "{last} steps");
    let long = Long::default();
    let counted_before = AtomicU64::new(0);
    let inquiries = (0..=64).map(|back| {
        if back == 1 {
            // A person reads for longer than the paused execution takes to arrive.
            let there = (last - 264) / 2;
            let arrives = (0..1 << 24).any(|_| {
                std::thread::yield_now();
                long.counted(1) >= there
            });
            assert!(arrives, "nobody follows");
            counted_before.store(long.counted(1), Ordering::Relaxed);
        }
        Inquiry {
            about: 0,
            recording: (back == 0).then(|| Box::new(recording.clone())),
            question: Question::Snapshot { step: last - back },
        }
    });
    let mut seen = 0;
    serve(&long, "", inquiries, |answer| {
        seen += u32::from(answer.is_ok())
    });
    assert_eq!(seen, 65);
    let waited_for = long.counted(1) - counted_before.into_inner();
    // A tick takes two steps.
    assert!((1..128).contains(&waited_for), "{waited_for} ticks");
    let begun = long.0.lock().expect("nobody panics with it").len();
    assert_eq!(begun, 3);
}

/// The difference between two snapshots turns the first into the second, for any distance.
#[test]
fn differences_compose() {
    let bug = bug();
    let all: Vec<Snapshot> = (0..=bug.finding.step)
        .map(|step| snapshot(&bug.trace, step))
        .collect();
    let facts = |snapshot: &Snapshot| -> BTreeMap<(String, String), String> {
        let facts = snapshot.facts().into_iter();
        facts
            .map(|fact| ((fact.of, fact.what), fact.value))
            .collect()
    };
    let mut many = 0;
    for (i, before) in all.iter().enumerate() {
        for after in &all[i..] {
            let mut made = facts(before);
            for difference in before.differences(after) {
                many += 1;
                assert_ne!(difference.before, difference.after);
                let key = (difference.of, difference.what);
                assert_eq!(made.get(&key), difference.before.as_ref());
                match difference.after {
                    Some(after) => made.insert(key, after),
                    None => made.remove(&key),
                };
            }
            assert_eq!(made, facts(after));
            assert!(after.differences(after).is_empty());
        }
    }
    assert!(many > 1_000, "{many}");
}

/// A branch keeps the recorded steps before it, and its own recording replays.
#[test]
fn a_branch_begins_as_what_it_was_made_of() {
    let bug = bug();
    let story = ran(ask(&bug.trace, &Question::Run)).recording.story;
    let mut others = 0;
    for from in [0, 5, bug.finding.step - 1] {
        for (seed, strategy) in (0..).zip(["random", "pct:3", "fair-pct:2", "pos", "surw", "prob"])
        {
            let question = Question::Branch {
                from,
                strategy: strategy.into(),
                seed,
            };
            let Ok(QueryAnswer::Ran(branch)) = answer(&Body, &bug.trace, &question) else {
                panic!("{strategy}");
            };
            let steps = &branch.recording.story.steps;
            let same = steps.iter().zip(&story.steps).take(from as usize);
            for (one, other) in same {
                assert_eq!(
                    (one.who, one.kind, one.number),
                    (other.who, other.kind, other.number)
                );
            }
            others += usize::from(branch.recording.decisions != bug.trace.decisions);
            let again = ran(ask(&branch.recording, &Question::Run));
            assert_eq!(again.diverged, None, "{strategy}");
            assert_eq!(again.finding, branch.finding, "{strategy}");
            assert_eq!(again.steps, branch.steps, "{strategy}");
            let end = snapshot(&branch.recording, branch.steps);
            assert_eq!(end.step, branch.steps);
        }
    }
    assert!(others > 10, "{others}");
    let searching = Question::Branch {
        from: 0,
        strategy: "dfs".into(),
        seed: 0,
    };
    let refused = answer(&Body, &bug.trace, &searching);
    assert!(refused.is_err_and(|why| why.contains("learns from one execution")));
}

/// Each enabled operation can be taken instead, and the rest follows by name.
#[test]
fn another_step_is_taken() {
    let bug = bug();
    let mut tried = 0;
    for from in 0..bug.finding.step {
        let seen = snapshot(&bug.trace, from);
        for (position, could) in seen.enabled.iter().enumerate() {
            let taken = ran(ask(&bug.trace, &Question::Take { from, position }));
            let step = taken.recording.story.step(from + 1).expect("it is told");
            assert_eq!(
                (step.who, step.kind),
                (could.who, could.kind),
                "{from}, {position}"
            );
            let is_same_timer = could.kind != StepKind::Timer
                || step
                    .message
                    .and_then(|sent| taken.recording.story.message(sent))
                    .is_none_or(|message| could.event.as_deref() == Some(&*message.event));
            assert!(is_same_timer);
            tried += usize::from(seen.enabled.len() > 1);
        }
    }
    assert!(tried > 20, "{tried}");
    let nobody = Question::Take {
        from: 0,
        position: 7,
    };
    assert!(answer(&Body, &bug.trace, &nobody).is_err());
}

/// The bug is avoidable from the first step, but not from the step at which it is found.
#[test]
fn it_recovers_from_where_it_can() {
    let bug = bug();
    let question = |from| Question::Recover {
        from,
        walks: 50,
        finding: bug.finding.clone(),
    };
    let QueryAnswer::Recovered(share, Some(ran)) = ask(&bug.trace, &question(0)) else {
        panic!("it does not recover");
    };
    assert_eq!((share.escaped, ran.finding.as_ref()), (1, None));
    assert_eq!(snapshot(&ran.recording, ran.steps).step, ran.steps);
    let late = ask(&bug.trace, &question(bug.finding.step));
    assert!(
        matches!(late, QueryAnswer::Recovered(share, None) if share.of == 50 && share.escaped == 0)
    );
}

/// A different program is rejected, with the step at which it differs.
#[test]
fn another_program_is_refused() {
    struct Other;
    impl Program for Other {
        fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            let sys = System::controlled();
            let cell = sys.spawn(Cell::default());
            cell.tell(Double);
            None
        }
    }
    let bug = bug();
    let refused = answer(&Other, &bug.trace, &Question::Snapshot { step: 8 });
    let why = refused.expect_err("it is another program");
    assert!(
        why.starts_with("the program does not do the same again: at step "),
        "{why}"
    );
    let in_story = answer(&Other, &bug.trace, &Question::Run).expect("it is run");
    assert!(ran(in_story).diverged.is_some());
}

#[derive(Debug)]
struct Hello(ActorRef<Greeter>);

#[derive(Debug, Default)]
struct Greeter {
    known: Option<ActorRef<Greeter>>,
}

#[actor]
impl Greeter {
    #[on]
    fn hello(&mut self, hello: Hello) {
        self.known = Some(hello.0);
    }
}

fn greetings(sys: &System) {
    let [one, other] = [(); 2].map(|()| sys.spawn(Greeter::default()));
    one.tell(Hello(other));
    sys.always("nobody is known", |world| {
        world
            .all::<Greeter>()
            .all(|greeter| greeter.known.is_none())
    });
}

struct Greetings;
impl Program for Greetings {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        greetings(&System::controlled());
        None
    }
}

/// Actors are printed by name in events on their way, in inboxes and in values.
#[test]
fn actors_in_values_are_called_by_their_names() {
    let report = Tester::new().minimize(0).run(|sys| greetings(&sys));
    let bug = report.assert_bug("nobody is known");
    let steps = 0..=bug.finding.step;
    let steps = steps.map(|step| Question::Snapshot { step });
    let seen = answers(&Greetings, &bug.trace, steps);
    let seen: Vec<QueryAnswer> = seen.into_iter().map(|seen| seen.expect("a look")).collect();
    let texts: Vec<String> = seen.iter().map(|seen| format!("{seen:?}")).collect();
    let is_marked = |text: &String| text.contains('\u{fac70}') || text.contains("\\u{fac70}");
    assert!(!texts.iter().any(is_marked), "{texts:?}");
    let is_named = |text: &String| text.contains("Hello(Greeter#2)");
    assert!(texts.iter().any(is_named), "{texts:?}");
    let is_known = |text: &String| text.contains("known: Some(Greeter#2)");
    assert!(texts.iter().any(is_known), "{texts:?}");
}
