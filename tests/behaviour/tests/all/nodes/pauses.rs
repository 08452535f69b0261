//! Pauses of nodes: nothing on the node takes a step, the time goes on, and timers fire late afterwards.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{AskError, StopReason};
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{Report, Tester};
use behaviour::harness::events::Tick;
use behaviour::harness::{assert_contains, failure_text, in_production, outcomes, strategy, whole};
use serde::{Deserialize, Serialize};

use super::{SECOND, boot, booted, patient};

const MS: Duration = Duration::from_millis(1);

fn pauses(number: u16) -> FaultBudgets {
    FaultBudgets::none().with(FaultKind::Pause, number)
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Alarm(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Show;

/// Notes each alarm and each tick, with the time by its clock in milliseconds.
#[derive(Debug, Default)]
struct Alarms {
    delays: Vec<u32>,
    period: Option<Duration>,
    seen: Vec<(u32, u128)>,
}

#[actor]
impl Alarms {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for delay in &self.delays {
            cx.after(*delay * MS, Alarm(*delay));
        }
        if let Some(period) = self.period {
            cx.every(period, Tick);
        }
    }

    #[on]
    fn alarm(&mut self, Alarm(delay): Alarm, cx: &mut Context<Self>) {
        self.seen.push((delay, cx.now().as_millis()));
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.seen.push((0, cx.now().as_millis()));
    }

    #[on]
    fn show(&mut self, _: Show) -> Vec<(u32, u128)> {
        self.seen.clone()
    }
}

/// Returns what the actor notes in 1.1 seconds, in each schedule, if its node is paused between these
/// milliseconds.
fn alarms(
    (from, until): (u32, u32),
    delays: &'static [u32],
    period: Option<u32>,
) -> Vec<Vec<(u32, u128)>> {
    let scenario = move |sys: System| async move {
        boot(&sys, "n1", "alarms", move || Alarms {
            delays: delays.to_vec(),
            period: period.map(|period| period * MS),
            seen: Vec::new(),
        });
        let alarms = booted::<Alarms>(&sys, "n1/alarms").await;
        sys.sleep(from * MS).await;
        sys.faults().pause("n1");
        sys.sleep((until - from) * MS).await;
        sys.faults().resume("n1");
        sys.sleep((1_100 - until) * MS).await;
        alarms.ask(Show).await.expect("it answers")
    };
    outcomes(&patient(whole("dfs")), scenario).1
}

#[test]
fn a_timer_that_is_due_in_a_pause_fires_at_its_end() {
    let one = |from, until| {
        let seen = alarms((from, until), &[400], None);
        seen.iter()
            .map(|seen| seen[..].to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(one(100, 399), [[(400, 400)]]);
    assert_eq!(one(100, 400), [[(400, 400)]]);
    assert_eq!(one(100, 401), [[(400, 401)]]);
    assert_eq!(one(399, 900), [[(400, 900)]]);
    // The pause and the timer are due at once, in either order.
    assert_eq!(one(400, 900), [[(400, 400)], [(400, 900)]]);
    assert_eq!(one(401, 900), [[(400, 400)]]);
}

/// Also if a later one was armed before, and if the clock has jumped meanwhile.
#[test]
fn overdue_timers_fire_in_the_order_of_their_deadlines() {
    let seen = alarms((100, 900), &[700, 300, 500, 1_000], None);
    assert_eq!(seen, [[(300, 900), (500, 900), (700, 900), (1_000, 1_000)]]);
    let (_, jumped) = outcomes(&patient(whole("dfs")), |sys| async move {
        boot(&sys, "n1", "alarms", || Alarms {
            delays: vec![500, 300, 900],
            ..Alarms::default()
        });
        let alarms = booted::<Alarms>(&sys, "n1/alarms").await;
        sys.sleep(MS).await;
        sys.faults().pause("n1");
        sys.sleep(399 * MS).await;
        sys.faults().set_ahead("n1", 200 * MS);
        sys.sleep(MS).await;
        alarms.tell(Alarm(7));
        sys.sleep(MS).await;
        sys.faults().resume("n1");
        sys.faults().set_ahead("n1", 50 * MS);
        sys.sleep(SECOND).await;
        alarms.ask(Show).await.expect("it answers")
    });
    // The alarms have not fired in the pause, so the event that was sent meanwhile comes first.
    for seen in jumped {
        let order: Vec<u32> = seen.iter().map(|(delay, _)| *delay).collect();
        assert_eq!(order, [7, 300, 500, 900], "{seen:?}");
        let times: Vec<u128> = seen.iter().map(|(_, at)| *at).collect();
        assert!(
            [602, 652].contains(&times[0]) && times[1..] == [652, 652, 900],
            "{seen:?}"
        );
    }
}

/// One tick is late, and those that fell into the pause are left out.
#[test]
fn a_period_goes_on_after_a_pause() {
    let seen = alarms((250, 750), &[], Some(200));
    assert_eq!(seen, [[(0, 200), (0, 750), (0, 800), (0, 1_000)]]);
}

/// Keeps the numbers that it gets.
#[derive(Debug, Default)]
struct Notes(Vec<u32>);

#[actor(remote)]
impl Notes {
    #[on]
    fn alarm(&mut self, Alarm(number): Alarm) {
        self.0.push(number);
    }

    #[on]
    fn read(&mut self, _: Show) -> Vec<u32> {
        self.0.clone()
    }
}

#[test]
fn messages_to_a_paused_node_wait() {
    let (_, seen) = outcomes(&patient(whole("dfs")), |sys| async move {
        boot(&sys, "n1", "notes", Notes::default);
        let notes = booted::<Notes>(&sys, "n1/notes").await;
        sys.faults().pause("n1");
        (1..4).for_each(|number| notes.tell(Alarm(number)));
        let asked = notes.ask(Show).timeout(SECOND).await;
        assert_eq!(asked, Err(AskError::TimedOut));
        sys.faults().resume("n1");
        notes.ask(Show).await.expect("it answers")
    });
    assert_eq!(seen, [[1, 2, 3]]);
}

/// Asks an actor on another node, and sleeps.
struct Asker(ActorRef<Notes>);

#[actor]
impl Asker {
    #[on]
    async fn show(&mut self, _: Show, cx: &mut Context<Self>) -> (u128, u128) {
        let answered = self.0.ask(Show).await;
        assert_eq!(answered, Ok(Vec::new()));
        let before = cx.now().as_millis();
        cx.sleep(SECOND).await;
        (before, cx.now().as_millis())
    }
}

/// A handler that was suspended goes on after the pause, be it for a reply or for a time.
#[test]
fn what_is_awaited_in_a_pause_comes_after_it() {
    let (_, seen) = outcomes(&patient(whole("dfs")), |sys| async move {
        boot(&sys, "n2", "notes", Notes::default);
        let notes = booted::<Notes>(&sys, "n2/notes").await;
        boot(&sys, "n1", "asker", move || Asker(notes.clone()));
        let asker = booted::<Asker>(&sys, "n1/asker").await;
        sys.faults().hold("n2", "n1");
        let asked = asker.ask(Show);
        sys.sleep(MS).await;
        sys.faults().pause("n1");
        sys.faults().release("n2", "n1");
        sys.sleep(MS).await;
        sys.faults().resume("n1");
        sys.sleep(MS).await;
        sys.faults().pause("n1");
        sys.sleep(2 * SECOND).await;
        sys.faults().resume("n1");
        asked.await.expect("it answers")
    });
    assert_eq!(seen, [(2, 2_003)]);
}

/// Notes the reason for which the other one has stopped.
#[derive(Debug)]
struct Watcher {
    watched: ActorRef<Notes>,
    reason: Option<StopReason>,
}

#[actor]
impl Watcher {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.watched);
    }

    #[on]
    fn terminated(&mut self, terminated: Terminated) {
        self.reason = Some(terminated.reason);
    }

    #[on]
    fn reason(&mut self, _: Show) -> Option<StopReason> {
        self.reason
    }
}

/// A process that is stopped can be killed. Neither a second pause nor a second resume has an effect.
#[test]
fn a_paused_node_can_crash() {
    let (_, seen) = outcomes(&patient(whole("dfs")), |sys| async move {
        boot(&sys, "n1", "notes", Notes::default);
        let notes = booted::<Notes>(&sys, "n1/notes").await;
        let watched = notes.clone();
        let watcher = sys.spawn(Watcher {
            watched,
            reason: None,
        });
        sys.sleep(MS).await;
        sys.faults().pause("n1");
        sys.faults().pause("n1");
        sys.faults().crash("n1");
        sys.faults().pause("n1");
        sys.sleep(MS).await;
        assert_eq!(notes.ask(Show).await, Err(AskError::Disconnected));
        let reason = watcher.ask(Show).await.expect("it answers");
        assert_eq!(reason, Some(StopReason::Disconnected));
        sys.faults().restart("n1");
        let notes = booted::<Notes>(&sys, "n1/notes").await;
        sys.faults().pause("n1");
        sys.faults().resume("n1");
        sys.faults().resume("n1");
        notes.ask(Show).await.expect("it answers")
    });
    assert_eq!(seen, [[0; 0]]);
}

/// Handles alarms after a tenth of a second.
struct Gate;

#[actor(states(Closed(defer(Alarm)), Open))]
impl Gate {
    #[on(Open)]
    fn alarm(&mut self, _: Alarm) {}

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(100 * MS, Tick);
    }

    #[on]
    fn open(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.goto(GateState::Open);
    }
}

/// A script leaves two nodes paused. Operations on them are not to blame for their waits and deferred events,
/// and a periodic timer elsewhere does not keep the run alive. One that awaits a reply from there is a deadlock.
#[test]
fn a_node_that_stays_paused_is_no_deadlock_of_its_own() {
    let body = |asks: bool| {
        move |sys: System| async move {
            boot(&sys, "n1", "alarms", || Alarms {
                delays: vec![100],
                ..Alarms::default()
            });
            let alarms = booted::<Alarms>(&sys, "n1/alarms").await;
            let sleeper = sys.clone();
            sys.node("n2", move |node| {
                let sleeper = sleeper.clone();
                let asleep = node.spawn(Asker(sleeper.spawn(Notes::default())));
                asleep.tell(Show);
            });
            boot(&sys, "n3", "gate", || Gate);
            let gate = booted::<Gate>(&sys, "n3/gate").await;
            sys.sleep(50 * MS).await;
            for node in ["n1", "n2", "n3"] {
                sys.faults().pause(node);
            }
            gate.tell(Alarm(1));
            sys.spawn(Metronome);
            if asks {
                alarms.ask(Show).await.expect("never");
            }
        }
    };
    let tester = Tester::new().strategy(strategy("random"));
    let tester = tester.patient_timers(true).iterations(300);
    let report = tester.run(body(false));
    report.assert_clean();
    assert_eq!(report.fair_at_bound, 0);
    let report = tester.run(body(true));
    let bug = report.assert_bug("deadlock");
    assert!(bug.message().contains("Show"), "{}", bug.message());
}

#[test]
fn in_production_a_pause_has_no_effect() {
    let seen = in_production(|sys| async move {
        boot(&sys, "n1", "notes", Notes::default);
        let notes = booted::<Notes>(&sys, "n1/notes").await;
        sys.faults().pause("n1");
        notes.tell(Alarm(1));
        notes.ask(Show).await
    });
    assert_eq!(seen, Ok(vec![1]));
}

/// Asks for the lock, which is granted with the number of the grant.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Acquire(Recipient<Granted>);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Granted(u64);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Write(u64);

const TIME_TO_LIVE: Duration = SECOND;

/// A lock with a lease: whoever has it has it for a second.
#[derive(Default)]
struct Lock {
    granted: u64,
    waiting: Vec<Recipient<Granted>>,
}

#[actor(remote(Acquire))]
impl Lock {
    #[on]
    fn acquire(&mut self, Acquire(by): Acquire, cx: &mut Context<Self>) {
        self.waiting.push(by);
        if self.waiting.len() == 1 {
            self.grant(cx);
        }
    }

    #[on]
    fn expired(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.waiting.remove(0);
        if !self.waiting.is_empty() {
            self.grant(cx);
        }
    }
}

impl Lock {
    fn grant(&mut self, cx: &mut Context<Self>) {
        self.granted += 1;
        self.waiting[0].tell(Granted(self.granted));
        cx.after(TIME_TO_LIVE, Tick);
    }
}

/// The store under the lock. With `fences`, a write with an earlier number than one before is refused.
struct Store {
    last: u64,
    fences: bool,
}

#[actor(remote)]
impl Store {
    #[on]
    fn write(&mut self, Write(number): Write) {
        if self.fences && number < self.last {
            return;
        }
        assert!(number >= self.last, "a write after the end of the lease");
        self.last = number;
    }
}

/// Writes as soon as it has the lock.
struct Client {
    lock: ActorRef<Lock>,
    store: ActorRef<Store>,
}

#[actor(remote(Granted))]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.lock.tell(Acquire(cx.recipient()));
    }

    #[on]
    fn granted(&mut self, Granted(number): Granted) {
        self.store.tell(Write(number));
    }
}

/// Two clients, the lock and the store, each on a node.
fn locked(fences: bool) -> impl Fn(System) + Sync {
    move |sys| {
        let whole = sys.clone();
        sys.node("store", move |node| {
            let store = node.spawn(Store { last: 0, fences });
            let all = whole.clone();
            whole.node("lock", move |node| {
                let lock = node.spawn(Lock::default());
                for name in ["n1", "n2"] {
                    let (lock, store) = (lock.clone(), store.clone());
                    all.node(name, move |node| {
                        let (lock, store) = (lock.clone(), store.clone());
                        node.spawn(Client { lock, store });
                    });
                }
            });
        });
        sys.eventually("both have written", |w| {
            w.all::<Store>().any(|store| store.last == 2)
        });
    }
}

fn explored(number: u16, executions: u64, fences: bool) -> Report {
    let tester = Tester::new().strategy(strategy("random"));
    let tester = tester.patient_timers(true).minimize(1_000_000);
    let tester = tester.iterations(executions).check_every(10);
    tester.faults(pauses(number)).run(locked(fences))
}

/// A client that is paused between its grant and its write writes when another one has the lock. In the end all
/// paused nodes go on, so that both have written.
#[test]
fn work_after_a_pause_is_found() {
    explored(0, 1_000, false).assert_clean();
    let report = explored(1, 1_000, false);
    let bug = report.assert_bug("a write after the end of the lease");
    let minimized = bug.minimized.as_ref().expect("it was minimised");
    assert_eq!(minimized.after.faults, 1);
    let text = failure_text(&report);
    assert_contains(
        &text,
        &["it needs the fault", "FAULT", "is paused", "goes on"],
    );
    let report = explored(3, 1_000, true);
    report.assert_clean();
    let [faults] = &report.faults[..] else {
        panic!("{:?}", report.faults);
    };
    assert!(faults.struck > 500, "{faults:?}");
}

/// Ticks for ever.
struct Metronome;

#[actor]
impl Metronome {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(SECOND, Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// While a node is paused, neither its events nor its timers are over, whatever else goes on.
#[test]
fn a_run_does_not_end_in_a_pause() {
    for (period, is_awaited) in [(None, true), (Some(SECOND), true), (None, false)] {
        let tester = Tester::new().strategy(strategy("random")).iterations(500);
        let report = tester.faults(pauses(2)).run(move |sys| {
            sys.node("n1", move |node| {
                let delays = if is_awaited {
                    vec![1_000, 3_000]
                } else {
                    Vec::new()
                };
                let alarms = node.spawn(Alarms {
                    delays,
                    period,
                    seen: Vec::new(),
                });
                (1..4).for_each(|_| alarms.tell(Alarm(1)));
            });
            sys.node("n2", |node| drop(node.spawn(Metronome)));
            if is_awaited {
                sys.eventually("all are there", |w| {
                    let alarms = |(delay, _): &&(u32, u128)| *delay > 0;
                    let is_there = |seen: &Alarms| seen.seen.iter().filter(alarms).count() == 5;
                    w.all::<Alarms>().any(is_there)
                });
            }
        });
        report.assert_clean();
        assert_eq!(report.unread.count, 0, "{period:?}, {is_awaited}");
        assert!(report.faults[0].struck > 300, "{:?}", report.faults);
    }
}

/// An execution that is cut off while a node is paused has no deadlock, wherever the bound is.
#[test]
fn a_bound_within_a_pause_is_no_deadlock() {
    let mut cut_off = 0;
    for bound in 8..24 {
        let tester = Tester::new().strategy(strategy("pct")).iterations(100);
        let tester = tester.max_steps(bound).faults(pauses(1));
        let report = tester.run(|sys| async move {
            boot(&sys, "n1", "notes", Notes::default);
            let notes = booted::<Notes>(&sys, "n1/notes").await;
            assert_eq!(notes.ask(Show).await, Ok(Vec::new()));
        });
        report.assert_clean();
        cut_off += report.unfair_at_bound;
    }
    assert!(cut_off > 0);
}
