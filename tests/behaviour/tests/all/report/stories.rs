//! Reports of executions: the changes of each step, the purpose of timers,
//! and the values that a failed predicate read. Recording changes nothing.

use std::fmt;
use std::time::Duration;

use actor_core::prelude::*;
use actor_test::story::{Effect, Purpose, Selection, Story};
use actor_test::tool::words::{step_action, story_lines};
use actor_test::{BodyOutput, Bug, BugKind, Report, Tester};
use behaviour::closures::{awaiting, handles, machine};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{assert_contains, failure_text};

use super::{Question, Sink};

#[derive(Debug)]
struct Withdraw(u32);

/// An actor with `Debug`.
#[derive(Debug)]
struct Account {
    balance: i64,
    log: Vec<u32>,
}

impl Account {
    fn new(balance: i64) -> Self {
        let log = Vec::new();
        Self { balance, log }
    }
}

#[actor]
impl Account {
    #[on]
    fn withdraw(&mut self, Withdraw(amount): Withdraw) {
        self.balance -= i64::from(amount);
        self.log.push(amount);
    }
}

fn overdraw(sys: &System) -> ActorRef<Account> {
    let account = sys.spawn(Account::new(5));
    account.tell(Withdraw(3));
    account.tell(Withdraw(4));
    account
}

fn once() -> Tester {
    Tester::new().iterations(1)
}

fn first_bug(program: impl Fn(&System) + Sync) -> Bug {
    let report = once().run(|sys| program(&sys));
    report.bugs().first().expect("a bug is found").clone()
}

/// Runs a program that fails in a long execution; asserts that its report shows a selection of the steps, and
/// among them these parts.
#[track_caller]
fn tells<R: BodyOutput<K>, K>(
    tester: &Tester,
    parts: &[&str],
    program: impl Fn(System) -> R + Sync,
) -> (Report, String) {
    let report = tester.run(program);
    let text = failure_text(&report);
    let selection = text.lines().find_map(|line| {
        let (shown, all) = line.trim().strip_suffix(" steps")?.split_once(" of ")?;
        Some((shown.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
    });
    let (shown, all) = selection.expect("a selection");
    assert!(shown <= 25 && all > 30, "{text}");
    // A step takes no more space than the line that it is left out.
    assert!(
        !text.lines().any(|line| line.ends_with("… 1 step")),
        "{text}"
    );
    assert_contains(&text, parts);
    (report, text)
}

/// Returns all changes in a report, in order.
fn changes(story: &Story) -> Vec<String> {
    let none = || "-".into();
    let changes = story.steps.iter().flat_map(|step| &step.changes);
    let changes = changes.map(|change| {
        let (before, after) = (change.before.clone(), change.after.clone());
        let (before, after) = (before.unwrap_or_else(none), after.unwrap_or_else(none));
        format!("{}: {before} > {after}", change.field)
    });
    changes.collect()
}

fn in_credit(account: Option<&Account>) -> bool {
    account.is_none_or(|account| account.balance >= 0)
}

#[test]
fn a_step_tells_what_it_changed() {
    let bug = first_bug(|sys| {
        let account = overdraw(sys);
        sys.always("in credit", move |w| in_credit(w.get(&account)));
    });
    let story = &bug.trace.story;
    let expected = [
        "balance: 5 > 2",
        "log: [] > [3]",
        "balance: 2 > -2",
        "log: [3] > [3, 4]",
    ];
    assert_eq!(changes(story), expected);
    let account = &story.operations[1];
    let fields = account.fields.iter();
    let fields = fields.map(|field| format!("{}={}", field.field, field.value));
    let fields: Vec<_> = fields.collect();
    assert!(account.prints);
    assert_eq!(fields, ["=Account", "balance=5", "log=[]"]);
}

#[test]
fn a_predicate_may_say_what_it_saw_and_at_whom_it_looked_is_told() {
    let bug = first_bug(|sys| {
        let account = overdraw(sys);
        // No predicate reads this one.
        sys.spawn(Account::new(9));
        // ANCHOR: answer
        sys.always("in credit", move |w| match w.get(&account) {
            Some(account) if account.balance < 0 => Err(format!("{} too much", -account.balance)),
            _ => Ok(()),
        });
        // ANCHOR_END: answer
    });
    assert_eq!(bug.message(), "always \"in credit\" is false: 2 too much");
    let [seen] = &bug.trace.story.inspected[..] else {
        panic!("{:?}", bug.trace.story.inspected);
    };
    assert_eq!(
        seen.value.as_deref(),
        Some("Account { balance: -2, log: [3, 4] }")
    );
    let unmet = first_bug(|sys| {
        overdraw(sys);
        sys.eventually("rich", |w| {
            let balances = w.all::<Account>().map(|account| account.balance);
            match balances.max() {
                Some(most) if most > 100 => Ok(()),
                most => Err(format!("{most:?} at most")),
            }
        });
    });
    let expected = "eventually \"rich\" was never true: Some(-2) at most";
    assert_contains(unmet.message(), &[expected]);
    assert_eq!(unmet.trace.story.inspected.len(), 1);
}

/// Allows one withdrawal.
#[derive(Default, Debug)]
struct OneWithdrawal {
    seen: Vec<u32>,
}

#[monitor]
impl OneWithdrawal {
    #[on]
    fn withdraw(&mut self, Withdraw(amount): &Withdraw) {
        assert!(self.seen.is_empty(), "a second one of {amount}");
        self.seen.push(*amount);
    }
}

/// The same, without `Debug`.
#[derive(Default)]
struct Unprinted {
    seen: Vec<u32>,
}

#[monitor]
impl Unprinted {
    #[on]
    fn withdraw(&mut self, Withdraw(amount): &Withdraw) {
        assert!(self.seen.is_empty(), "a second one of {amount}");
        self.seen.push(*amount);
    }
}

#[test]
fn the_failed_monitor_is_shown_with_what_it_remembers() {
    let bug = first_bug(|sys| {
        sys.monitor::<OneWithdrawal>();
        overdraw(sys);
    });
    let remembered = bug.trace.story.remembered.as_deref();
    assert_eq!(remembered, Some("OneWithdrawal { seen: [3] }"));
    let report = once().run(|sys| {
        sys.monitor::<OneWithdrawal>();
        overdraw(&sys);
    });
    let expected = "the failed monitor at the end:\n        OneWithdrawal { seen: [3] }";
    assert_contains(&failure_text(&report), &[expected]);
    let bug = first_bug(|sys| {
        sys.monitor::<Unprinted>();
        overdraw(sys);
    });
    assert_eq!(bug.trace.story.remembered, None);
}

/// Takes forbidden actions in its `Debug` implementation.
struct Meddler {
    sys: System,
    account: ActorRef<Account>,
    left: u32,
    mischief: bool,
}

impl fmt::Debug for Meddler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mischief {
            self.account.tell(Withdraw(1));
            self.sys.spawn(Account::new(0));
            let _ = (self.sys.choose(7), self.sys.choose_bool(), self.sys.now());
            self.sys.announce(Tick);
            assert!(self.left.is_multiple_of(2), "an odd number");
        }
        write!(f, "Meddler {{ left: {} }}", self.left)
    }
}

#[actor]
impl Meddler {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 {
            cx.me().tell(Go);
        }
    }
}

/// `Debug` is called while an execution is recorded, and has no effect on it.
#[test]
fn printing_changes_nothing() {
    let explore = |mischief: bool| {
        let tester = Tester::new().iterations(20).keep_going();
        tester.run(move |sys| {
            let account = overdraw(&sys);
            let meddler = Meddler {
                sys: sys.clone(),
                account: account.clone(),
                left: 8,
                mischief,
            };
            sys.spawn(meddler).tell(Go);
            sys.eventually("never", move |w| {
                w.get(&account).is_none() && w.timers() > 7
            });
        })
    };
    let (plain, meddling) = (explore(false), explore(true));
    assert_eq!(plain.bugs().len(), meddling.bugs().len());
    assert_eq!(plain.steps_total, meddling.steps_total);
    assert_eq!(plain.behaviours, meddling.behaviours);
    for (one, other) in plain.bugs().iter().zip(meddling.bugs()) {
        assert_ne!(one.kind(), BugKind::Nondeterminism);
        assert_eq!(one.finding, other.finding);
        assert_eq!(one.trace.decisions, other.trace.decisions);
    }
    let changes = changes(&meddling.bugs()[0].trace.story).join(", ");
    assert_contains(&changes, &["(its Debug panicked: an odd number)"]);
}

#[test]
fn an_actor_without_a_debug_is_told_of_all_the_same() {
    let bug = first_bug(|sys| {
        let silent = machine(sys, 0, |count, _: Go, _| *count += 1);
        silent.tell(Go);
        sys.always("zero", move |w| {
            w.get(&silent).is_none_or(|silent| silent.state == 0)
        });
    });
    let story = &bug.trace.story;
    assert_eq!(changes(story), Vec::<String>::new());
    assert!(!story.operations[1].prints);
}

/// Has several kinds of timers.
#[derive(Debug)]
struct Clockwork {
    beats: u32,
}

#[actor(states(Running, Over))]
impl Clockwork {
    #[entry(Running)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        let timer = cx.timer().until_state_left();
        timer.after(Duration::from_secs(9), Tick);
        if self.beats == 0 {
            cx.me().tell(Go);
        }
    }

    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.beats += 1;
        cx.sleep(Duration::from_secs(1)).await;
        let timer = cx.after(Duration::from_secs(2), Tick);
        cx.cancel(timer);
        cx.goto(ClockworkState::Running);
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.goto(ClockworkState::Over);
    }
}

#[test]
fn what_timers_are_for_is_told() {
    let report = once().patient_timers(true).run(|sys| {
        let clockwork = sys.spawn(Clockwork { beats: 0 });
        sys.always("it runs", move |w| w.state_of(&clockwork) != Some("Over"));
    });
    let bug = report.assert_bug("it runs");
    let story = &bug.trace.story;
    let timers = story.timers.iter();
    let timers = timers.map(|timer| {
        let seconds = timer.delay_ns / 1_000_000_000;
        (timer.purpose, timer.event.as_deref(), seconds)
    });
    let expected = [
        (Purpose::State, Some("Tick"), 9),
        (Purpose::Sleep, None, 1),
        (Purpose::Event, Some("Tick"), 2),
        (Purpose::State, Some("Tick"), 9),
    ];
    assert_eq!(timers.collect::<Vec<_>>(), expected);
    let effects = || story.steps.iter().flat_map(|step| &step.effects);
    let count = |of: fn(&&Effect) -> bool| effects().filter(of).count();
    assert_eq!(count(|effect| matches!(effect, Effect::Reentered)), 1);
}

#[derive(Debug, Default)]
struct Owed;

#[monitor(hot, cold)]
impl Owed {
    #[on]
    fn withdraw(&mut self, _: &Withdraw, cx: &mut MonitorContext<Self>) {
        cx.goto(OwedState::Hot);
    }
}

/// Causes an obligation, and then ticks for ever.
#[derive(Debug)]
struct Ticking(ActorRef<Account>);

#[actor]
impl Ticking {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.0.tell(Withdraw(1));
        cx.me().tell(Go);
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.me().tell(Go);
    }
}

fn with_owed() -> Report {
    once().lasso(false).max_steps(40).run(|sys| {
        sys.monitor::<Owed>();
        let account = sys.spawn(Account::new(5));
        sys.spawn(Ticking(account));
    })
}

/// The report contains the step at which the monitor became hot, although hundreds of ticks followed.
#[test]
fn a_report_tells_what_matters() {
    let sent = "sends Withdraw(1) to Account";
    let hot = "monitor Owed: Cold → Hot (hot)";
    assert_contains(&failure_text(&with_owed()), &[sent, hot]);
}

#[test]
fn a_part_of_a_story_is_selected() {
    let report = with_owed();
    let story = &report.bugs()[0].trace.story;
    let select = |change: &dyn Fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        selection.of(story)
    };
    let steps = |change: &dyn Fn(&mut Selection)| -> Vec<u64> {
        let part = select(change).expect("there are such steps");
        part.steps.iter().map(|step| step.number).collect()
    };
    let has_changed = story.steps.iter().find(|step| !step.changes.is_empty());
    let handled = has_changed.expect("a change");
    let message = &story.messages[handled.message.expect("a message") as usize];
    let sent = message.sent.expect("it was sent");
    let both = [sent, handled.number];
    assert_eq!(steps(&|part| part.event = Some("Withdraw".into())), both);
    let of_account = steps(&|part| part.actor = Some("Account".into()));
    let is_of_account = |step| of_account.contains(step);
    assert!(both.iter().all(is_of_account), "{of_account:?}");
    let third_and_fourth = steps(&|part| (part.from, part.to) = (Some(3), Some(4)));
    assert_eq!(third_and_fourth, [3, 4]);
    let causes = steps(&|part| part.causes_of = Some(handled.number));
    assert!(both.iter().all(|step| causes.contains(step)), "{causes:?}");
    assert!(causes.len() < 10, "{causes:?}");
    let error = |change: &dyn Fn(&mut Selection)| select(change).expect_err("an error");
    let nobody = error(&|part| part.actor = Some("Nobody".into()));
    let expected = "--actor Nobody: nobody has this name or type; there are test, Account, Ticking";
    assert_eq!(nobody, expected);
    let nothing = error(&|part| part.event = Some("Nothing".into()));
    let expected = "--event Nothing: nobody sends such an event; there are Go, Withdraw";
    assert_eq!(nothing, expected);
    let behind = error(&|part| (part.from, part.to) = (Some(4), Some(3)));
    assert_eq!(behind, "--from 4 is behind --to 3");
    let none = format!(
        "there is no such step; they count from 1 to {}",
        story.steps.len()
    );
    let causes = error(&|part| part.causes_of = Some(0));
    assert_eq!(causes, format!("--causes-of 0: {none}"));
    let from = error(&|part| part.from = Some(1_000_000));
    assert_eq!(from, format!("--from 1000000: {none}"));
}

#[test]
fn what_the_program_logs_is_told_in_its_step() {
    let bug = first_bug(|sys| {
        let talking = handles(sys, |Withdraw(amount), _| {
            tracing::info!(amount, by = ?format_args!("nobody"), "withdrawn");
            tracing::trace!("not heard");
            assert!(amount != 4, "too much");
        });
        talking.tell(Withdraw(3));
        talking.tell(Withdraw(4));
    });
    assert_eq!(bug.kind(), BugKind::Panic);
    let story = &bug.trace.story;
    let logged = story.steps.iter().filter_map(|step| {
        let logged = step.effects.iter().find_map(|effect| match effect {
            Effect::Logged { level, text, .. } => Some(format!("{level} {text}")),
            _ => None,
        });
        Some((story.event_of(step)?, logged?))
    });
    let logged: Vec<_> = logged.collect();
    let expected = |amount: u32| format!("INFO withdrawn amount={amount} by=nobody");
    let expected = [("Withdraw(3)", expected(3)), ("Withdraw(4)", expected(4))];
    assert_eq!(logged, expected);
}

#[derive(Debug)]
struct Spoil;

/// Is spoiled, looks up names on nodes for a while, and fails.
#[derive(Debug)]
struct Looker {
    is_spoiled: bool,
}

#[actor]
impl Looker {
    #[on]
    fn spoil(&mut self, _: Spoil) {
        self.is_spoiled = true;
    }

    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        for _ in 0..30 {
            let found = cx.lookup::<Account>("bank/account").await;
            assert!(found.is_ok());
        }
        assert!(!self.is_spoiled, "spoiled");
    }
}

/// The steps of look-ups must not displace the steps that led to the bug; one round of them stands for all.
#[test]
fn of_a_long_story_what_matters_is_told_before_the_lookups_of_names() {
    let (_, text) = tells(&once(), &["handles Spoil"], |sys| {
        sys.node("bank", |node| {
            let account = Account::new(5);
            node.spawner().name("account").registered().spawn(account);
        });
        let observer = sys.spawn(Looker { is_spoiled: false });
        observer.tell(Spoil);
        observer.tell(Go);
    });
    // One round of what repeats itself is shown.
    let lookups = text.matches("looks up `bank/account`").count();
    assert_eq!(lookups, 1, "{text}");
}

#[derive(Debug)]
struct Take(u32);
#[derive(Debug)]
struct Close;

/// Fails if it has too little money, and if it is closed and nearly empty.
#[derive(Debug)]
struct Till {
    left: u32,
    is_closed: bool,
}

#[actor]
impl Till {
    #[on]
    fn take(&mut self, Take(amount): Take) -> bool {
        assert!(!self.is_closed || self.left > 5, "closed");
        self.left = self.left.checked_sub(amount).expect("enough is left");
        true
    }

    #[on]
    fn close(&mut self, _: Close) {
        self.is_closed = true;
    }
}

/// Fills an execution with steps that do not matter.
async fn ask_again_and_again(clerk: &ActorRef<Sink>) {
    for _ in 0..8 {
        assert_eq!(clerk.ask(Question).await, Ok(42));
    }
}

/// A customer with a clerk of its own asks it again and again. The customer closes
/// the till then, or takes money before and after.
fn visit(sys: &System, till: &ActorRef<Till>, closes: bool) {
    let (till, clerk) = (till.clone(), sys.spawn(Sink));
    awaiting(sys, async move {
        if closes {
            ask_again_and_again(&clerk).await;
            return till.tell(Close);
        }
        assert_eq!(till.ask(Take(2)).await, Ok(true));
        ask_again_and_again(&clerk).await;
        till.tell(Take(2));
    });
}

fn till_of(sys: &System, left: u32) -> ActorRef<Till> {
    let is_closed = false;
    let till = sys.spawn(Till { left, is_closed });
    visit(sys, &till, false);
    till
}

/// The report shows the changes of the failed actor, although dozens of steps lie in between.
#[test]
fn a_report_tells_what_changed_the_actor_that_failed() {
    tells(&once(), &["left: 3 → 1"], |sys| drop(till_of(&sys, 3)));
}

/// Sends to itself a number of times, and fails then.
#[derive(Debug)]
struct Countdown(u32);

#[actor]
impl Countdown {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.0 -= 1;
        assert!(self.0 > 0, "over");
        cx.me().tell(Go);
    }
}

/// A story of thirty steps is shown whole. Of one more, the rounds of two steps are folded between the first and
/// the last changes of the actor that fails.
#[test]
fn a_short_story_is_shown_whole() {
    let shown = |idle: u32| {
        let report = once().run(move |sys| {
            (0..idle).for_each(|_| drop(sys.spawn(Sink)));
            sys.spawn(Countdown(14)).tell(Go);
        });
        failure_text(&report)
    };
    let whole = shown(0);
    assert_contains(&whole, &["the story, 30 steps"]);
    assert_eq!(whole.matches("handles Go").count(), 14, "{whole}");
    let folded = "… the same 2 steps again and again, 14 steps";
    assert_contains(&shown(1), &["17 of 31 steps", folded]);
}

/// The report contains every step that it refers to.
#[test]
fn a_report_tells_the_steps_that_it_names() {
    let tester = Tester::new().explain(1_000_000);
    let (report, text) = tells(&tester, &[], |sys| {
        let till = till_of(&sys, 7);
        visit(&sys, &till, true);
    });
    let bug = &report.bugs()[0];
    let causes = bug.causes.as_ref().expect("there was a budget for it");
    let nearest = causes.nearest.as_ref().expect("most do not fail");
    let race = causes.races.needed.first().expect("it is a race");
    for step in [race.first.step, race.second.step, nearest.shared + 1] {
        let step = step.to_string();
        let is_shown = |line: &str| line.split_whitespace().next() == Some(&step);
        assert!(text.lines().any(is_shown), "{step}: {text}");
    }
}

#[test]
fn an_iteration_is_not_said_to_be_one_of_fewer() {
    let mut report = once().run(|sys| drop(till_of(&sys, 3)));
    assert_contains(&failure_text(&report), &["iteration 1 of 1, seed"]);
    report.iterations = 0;
    assert_contains(&failure_text(&report), &["iteration 1, seed"]);
}

#[derive(Debug)]
struct Grab;
#[derive(Debug)]
struct Put;

/// A second actor that grabs the fork has to wait.
#[derive(Debug, Default)]
struct Fork {
    waiting: Vec<Reply<()>>,
    is_taken: bool,
}

#[actor]
impl Fork {
    #[on]
    fn grab(&mut self, _: Grab, reply: Reply<()>) {
        if self.is_taken {
            self.waiting.push(reply);
        } else {
            self.is_taken = true;
            reply.send(());
        }
    }

    #[on]
    fn put(&mut self, _: Put) {
        match self.waiting.pop() {
            Some(next) => next.send(()),
            None => self.is_taken = false,
        }
    }
}

#[derive(Debug)]
struct Philosopher {
    forks: [ActorRef<Fork>; 2],
}

#[actor]
impl Philosopher {
    #[on]
    async fn dine(&mut self, _: Go) {
        for nearest in &self.forks {
            assert!(nearest.ask(Grab).await.is_ok());
        }
        self.forks.iter().for_each(|nearest| nearest.tell(Put));
    }
}

/// The waits of a deadlock precede the creation of actors in the report.
#[test]
fn a_report_of_a_deadlock_tells_what_is_awaited() {
    let parts = ["deadlock: nothing can run"];
    let (_, text) = tells(&Tester::new(), &parts, |sys| {
        let forks: Vec<_> = (0..3).map(|_| sys.spawn(Fork::default())).collect();
        for number in 0..3 {
            let forks = [number, (number + 1) % 3].map(|nearest| forks[nearest].clone());
            sys.spawn(Philosopher { forks }).tell(Go);
        }
    });
    for number in 1..=3 {
        let who = format!("Philosopher#{number} ");
        let what = format!("sends Grab to Fork#{}", number % 3 + 1);
        let asks = |line: &&str| line.contains(&who) && line.ends_with(&what);
        assert_eq!(text.lines().filter(asks).count(), 1, "{number}: {text}");
    }
    let became = "is_taken: false → true";
    assert_eq!(text.matches(became).count(), 3, "{text}");
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Note(u32);

#[derive(Debug)]
struct Turn;

#[derive(Debug, Default)]
struct Notebook {
    notes: Vec<u32>,
    page: u32,
}

#[actor]
impl Notebook {
    #[on]
    fn note(&mut self, Note(note): Note) -> bool {
        self.notes.push(note);
        true
    }

    #[on]
    fn turn(&mut self, _: Turn) {
        self.page += 1;
    }
}

/// Starts a notebook on the node n1.
async fn book_on_a_node(sys: &System) -> ActorRef<Notebook> {
    sys.node("n1", |node| {
        let spawner = node.spawner().name("book").registered();
        spawner.spawn(Notebook::default());
    });
    sys.lookup("n1/book").await.expect("it is up")
}

/// The report shows events that a crash has lost, although much follows.
#[test]
fn a_report_tells_what_a_crash_has_taken() {
    let parts = ["sends Note(7) to n1/book"];
    tells(&Tester::new().seed(2), &parts, |sys| async move {
        let book = book_on_a_node(&sys).await;
        let note = book.ask(Note(7));
        sys.faults().crash("n1");
        let noted = note.await;
        ask_again_and_again(&sys.spawn(Sink)).await;
        assert_eq!(noted, Ok(true), "a note is lost");
    });
}

/// The report shows the last state of an actor that crashed.
#[test]
fn a_report_tells_what_an_actor_had_become_that_crashed() {
    tells(&Tester::new(), &["notes: [] → [7]"], |sys| async move {
        let book = book_on_a_node(&sys).await;
        assert_eq!(book.ask(Note(7)).await, Ok(true));
        sys.faults().crash("n1");
        ask_again_and_again(&sys.spawn(Sink)).await;
        assert!(book.ask(Note(8)).await.is_ok(), "the book is gone");
    });
}

/// The story of a test in which the node n1 crashes and restarts, and its second book is asked. The node n2 has
/// a book as well, created between the actors of n1.
fn restarted() -> Story {
    let report = once().run(|sys| async move {
        let book = book_on_a_node(&sys).await;
        assert_eq!(book.ask(Note(7)).await, Ok(true));
        sys.node("n2", |node| {
            let book = node.spawner().name("book").spawn(Notebook::default());
            book.tell(Turn);
        });
        sys.faults().crash("n1");
        sys.faults().restart("n1");
        let again = sys.lookup::<Notebook>("n1/book").await.expect("it is up");
        assert_eq!(again.ask(Note(8)).await, Ok(true));
        panic!("told");
    });
    report.bugs()[0].trace.story.clone()
}

/// An actor of a restarted node stays in its lane, and the lanes of a node are neighbours.
#[test]
fn incarnations_share_a_lane() {
    let story = restarted();
    let lifelines = story.lifelines();
    let lifelines = lifelines.iter().map(|lifeline| {
        let names = lifeline.operations.iter().map(|who| story.name(*who));
        let names: Vec<&str> = names.collect();
        (
            lifeline.node.as_deref(),
            &*lifeline.name,
            names,
            lifeline.is_plumbing,
        )
    });
    let expected = [
        (None, "test", vec!["test"], false),
        (Some("n1"), "boot", vec!["n1/boot", "n1(2)/boot"], true),
        // The first is the name itself, which was looked up.
        (
            Some("n1"),
            "book",
            vec!["n1/book", "n1/book", "n1(2)/book"],
            false,
        ),
        (Some("n2"), "boot", vec!["n2/boot"], true),
        (Some("n2"), "book", vec!["n2/book"], false),
    ];
    assert_eq!(lifelines.collect::<Vec<_>>(), expected);
}

/// The text of a story on nodes has a column of lanes: a crash and a restart are bars across those of the node.
/// Boot code is counted, unless every step is to be shown.
#[test]
fn a_story_on_nodes_shows_lanes() {
    let story = restarted();
    let lines = story_lines(&story, 120, false);
    let expected = [
        "         n1 n2",
        " 1  0  ●        test        starts, awaits",
        " 2  0  ●        test        spawns n1/boot",
        "    … 2 steps of boot code or links",
        " 5  0  ● │      test        looks up `n1/book`: n1/book",
        " 6  0  ● │      test        resumes, awaits",
        " 7  0  ● │      test        sends Note(7) to n1/book",
        " 8  0  │ ●      n1/book     handles Note(7) from test",
        "       │ │                    notes: [] → [7]",
        " 9  0  │ ●      n1/book     sends reply true to test",
        "10  0  ● │      test        resumes, awaits",
        "11  0  ● │      test        spawns n2/boot",
        "12  0  ● ━━     test        node n1 crashes, n1/book halts",
        "13  0  │        n2/boot     starts",
        "14  0  ● ┅┅     test        node n1 restarts",
        // A single step is shown, since a line for it would take as much room.
        "15  0  │        n1(2)/boot  starts",
        "16  0  ●        test        looks up `n1/book`: its node boots",
        "    … 2 steps of boot code or links",
        "19  0  ● │  │   test        resumes, awaits",
        "20  0  ● │  │   test        sends Note(8) to n1(2)/book",
        "21  0  │ ●  │   n1(2)/book  handles Note(8) from test",
        "       │ │  │                 notes: [] → [8]",
    ];
    assert_eq!(lines[..expected.len()], expected);
    let all = story_lines(&story, 120, true);
    let expected = "12  0  ● ━━ │   test        node n1 crashes, n1/book halts";
    assert!(all.iter().any(|line| line == expected), "{all:#?}");
    // A quarter of a line is for lanes at most: 7 letters here.
    assert_eq!(story_lines(&story, 28, false)[0], lines[0]);
    assert!(story_lines(&story, 27, false)[0].starts_with(" 1  0  test"));
}

/// A name selects all incarnations, with the steps in which the node crashes and restarts.
#[test]
fn an_actor_is_selected_in_all_incarnations() {
    let story = restarted();
    let select = |name: &str| {
        let mut selection = Selection::default();
        selection.actor = Some(name.into());
        let part = selection.of(&story).expect("there are such steps");
        let steps = part.steps.iter().map(|step| step_action(&story, step));
        steps.collect::<Vec<String>>()
    };
    let first = [
        "sends Note(7) to n1/book",
        "handles Note(7) from test",
        "sends reply true to test",
    ];
    let faults = ["node n1 crashes, n1/book halts", "node n1 restarts"];
    let second = [
        "sends Note(8) to n1(2)/book",
        "handles Note(8) from test",
        "sends reply true to test",
    ];
    assert_eq!(select("n1/book"), [&first[..], &faults, &second].concat());
    assert_eq!(select("n1(2)/book"), [&faults[..], &second].concat());
    assert_eq!(
        select("n2/book"),
        ["sends Turn to n2/book", "handles Turn from n2/boot"]
    );
}

/// The report shows the earlier answers to a body, and their causes: they are in no field.
#[test]
fn a_report_tells_the_answers_that_a_body_has_compared() {
    let parts = ["handles Pay(2) from test", "sends reply 1 to test"];
    tells(&Tester::new(), &parts, |sys| async move {
        let debt = sys.spawn(Debt { owes: 3 });
        let (relay, clerk) = (sys.spawn(Debt { owes: 0 }), sys.spawn(Sink));
        let paid = debt.ask(Pay(2)).await;
        let mut done = 0;
        while done < 8 {
            done += relay.ask(Relay(clerk.clone())).await.unwrap_or_default();
        }
        assert_ne!(paid, Ok(1), "it is not all paid");
    });
}

#[derive(Debug)]
struct Pay(u32);
#[derive(Debug)]
struct Relay(ActorRef<Sink>);

#[derive(Debug)]
struct Debt {
    owes: u32,
}

#[actor]
impl Debt {
    #[on]
    fn pay(&mut self, Pay(paid): Pay) -> u32 {
        self.owes -= paid;
        self.owes
    }

    /// Asks as often as possible before it answers.
    #[on]
    async fn relay(&mut self, Relay(clerk): Relay) -> u32 {
        ask_again_and_again(&clerk).await;
        8
    }
}

/// If a predicate has read an actor, the report shows the last value of
/// each of its fields, even if one of them changed long before the others.
#[test]
fn a_report_tells_what_the_fields_came_to_that_a_predicate_looked_at() {
    tells(&Tester::new(), &["notes: [] → [7]"], |sys| async move {
        let book = sys.spawn(Notebook::default());
        let inspected = book.clone();
        sys.always("a book with notes has no twelfth page", move |world| {
            let book = world.get(&inspected);
            book.is_none_or(|book| book.notes.is_empty() || book.page < 12)
        });
        assert_eq!(book.ask(Note(7)).await, Ok(true));
        for _ in 0..12 {
            assert_eq!(book.ask(Turn).await, Ok(()));
        }
    });
}

/// The step in which a timer fires has the time of the timer.
#[test]
fn a_timer_fires_at_its_time() {
    let report = once().run(|sys| {
        let own = sys.clone();
        awaiting(&sys, async move {
            own.sleep(Duration::from_millis(50)).await;
            own.sleep(Duration::from_millis(30)).await;
            panic!("awake");
        });
    });
    let story = &report.bugs()[0].trace.story;
    let times = story.steps.iter().filter(|step| step.timer.is_some());
    let times: Vec<u64> = times.map(|step| step.time_ns).collect();
    assert_eq!(times, [50_000_000, 80_000_000]);
}

#[derive(Debug)]
struct Hire(u32);

/// Carries out the orders of a farm.
#[derive(Debug)]
struct Hand;

#[actor]
impl Hand {
    #[on]
    fn go(&mut self, _: Go) {}

    #[on]
    fn hire(&mut self, _: Hire) {}
}

/// Spawns a number of hands, and makes the first of them fail.
#[derive(Debug, Default)]
struct Farm {
    first: Option<ActorRef<Hand>>,
    hands: usize,
}

#[actor(states(Open(ignore(Go))))]
impl Farm {
    #[on(Open)]
    fn hire(&mut self, Hire(left): Hire, cx: &mut Context<Self>) {
        let hand = cx.spawn(Hand);
        hand.tell(Go);
        self.first.get_or_insert(hand);
        self.hands += 1;
        match left {
            0 => assert!(self.hands == 0, "{:?} is the first", self.first),
            left => cx.me().tell(Hire(left - 1)),
        }
    }
}

#[test]
fn an_actor_has_one_name_in_all_values_of_a_story() {
    let program = |left: u32| {
        move |sys: &System| {
            sys.spawn(Farm::default()).tell(Hire(left));
        }
    };
    let bug = first_bug(program(1));
    assert_eq!(bug.message(), "`Farm` panicked: Some(Hand#1) is the first");
    let expected = ["first: None > Some(Hand#1)", "hands: 0 > 1", "hands: 1 > 2"];
    assert_eq!(changes(&bug.trace.story), expected);
    let alone = first_bug(program(0));
    assert_eq!(alone.message(), "`Farm` panicked: Some(Hand) is the first");
    let expected = ["first: None > Some(Hand)", "hands: 0 > 1"];
    assert_eq!(changes(&alone.trace.story), expected);
}
