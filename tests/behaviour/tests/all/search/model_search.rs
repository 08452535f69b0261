//! Stateful search with learned transition relations, against the search that re-executes the path
//! to each state. A predicate that is always true forces re-execution, and changes nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{ActorId, Fingerprint, actor, monitor};
use actor_test::report::Demand;
use actor_test::strategy::Gap;
use actor_test::strategy::States;
use actor_test::{BugKind, Report, Tester};
use behaviour::automata::Dice;
use behaviour::closures::{machine, tells};
use behaviour::harness::events::{Go, Halt, Tick};
use behaviour::harness::{first_bug, only_bug, whole};

use crate::search::checkpoints::goes_on;
use crate::search::programs;

/// A tester that runs a search to its end, and no execution twice.
fn tester(name: &str) -> Tester {
    whole(name).check_every(0)
}

/// Runs a search that puts states together, and the same by re-execution.
fn both(tester: &Tester, program: impl Fn(&System) + Sync) -> [Report; 2] {
    let put_together = tester.run(|sys| program(&sys));
    [put_together, reexecuted(tester, program)]
}

fn reexecuted(tester: &Tester, program: impl Fn(&System) + Sync) -> Report {
    tester.run(|sys| {
        program(&sys);
        sys.always("nothing is wrong", |_| true);
    })
}

/// An action of a player on an event.
#[derive(Clone, Debug)]
enum PlayerAction {
    Send(usize, u8),
    Spawn,
    Halt,
    /// Enters a state that defers plays, for ever or until the next wake-up.
    Rest(bool),
    Fail,
    /// Sets a timer for another play.
    Later(u8, u8),
    /// Cancels the last timer.
    Off,
    /// Announces an event to the monitors.
    Announce,
}

/// The actions for each event, by the answer of the choice.
type Rules = Vec<Vec<Vec<PlayerAction>>>;

#[derive(Clone, Copy, Hash, Debug)]
struct Play(u8);
#[derive(Clone, Copy, Hash, Debug)]
struct Wake;
/// Announced by a player with this much fuel.
#[derive(Clone, Copy, Debug)]
struct Heard(u8);

#[derive(Fingerprint)]
struct Player {
    fuel: u8,
    #[fingerprint(skip)]
    rules: Arc<Rules>,
    /// The players that this one knows.
    known: Vec<ActorRef<Player>>,
    later: Option<Timer>,
}

#[actor(states(Playing, Resting(defer(Play))))]
impl Player {
    #[on(Playing)]
    fn play(&mut self, play: Play, cx: &mut Context<Self>) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        let rules = self.rules.clone();
        let outcomes = &rules[usize::from(play.0)];
        let outcome = match outcomes.len() {
            1 => 0,
            several => cx.choose(several),
        };
        let mut rests = None;
        for effect in &outcomes[outcome] {
            match effect {
                PlayerAction::Send(to, event) => {
                    let to = &self.known[to % self.known.len()];
                    to.tell(Play(*event));
                }
                PlayerAction::Spawn => {
                    let child = cx.spawn(Player {
                        fuel: 1,
                        rules: rules.clone(),
                        known: vec![cx.me(), self.known[0].clone()],
                        later: None,
                    });
                    child.tell(Play(0));
                    self.known.push(child);
                }
                PlayerAction::Halt => return cx.halt(),
                PlayerAction::Rest(for_ever) => rests = Some(*for_ever),
                PlayerAction::Fail => panic!("it fails"),
                PlayerAction::Later(after, event) => {
                    let after = Duration::from_millis(u64::from(*after));
                    self.later = Some(cx.after(after, Play(*event)));
                }
                PlayerAction::Off => {
                    if let Some(later) = self.later.take() {
                        cx.cancel(later);
                    }
                }
                PlayerAction::Announce => cx.announce(Heard(self.fuel)),
            }
        }
        if let Some(for_ever) = rests {
            if !for_ever {
                cx.me().tell(Wake);
            }
            cx.goto(PlayerState::Resting);
        }
    }

    #[on]
    fn wake(&mut self, _: Wake, cx: &mut Context<Self>) {
        cx.goto(PlayerState::Playing);
    }
}

#[derive(Default, Hash)]
struct Even {
    plays: u8,
}

/// Even numbers of plays of the last kind are cold, and four are too many.
#[monitor(hot, cold)]
impl Even {
    #[on]
    fn play(&mut self, play: &Play, cx: &mut MonitorContext<Self>) {
        if play.0 == 2 {
            self.plays += 1;
            assert!(self.plays < 4, "too many");
            cx.goto(match self.plays % 2 {
                0 => EvenState::Cold,
                _ => EvenState::Hot,
            });
        }
    }

    #[on]
    fn heard(&mut self, heard: &Heard, cx: &mut MonitorContext<Self>) {
        self.plays += heard.0;
        cx.goto(EvenState::Hot);
    }
}

struct Program {
    rules: Vec<Arc<Rules>>,
    starts: Vec<(usize, u8)>,
    has_monitor: bool,
    is_patient: bool,
}

impl Program {
    /// Returns a random program; with `timed`, its players use timers and announcements.
    fn random(number: u64, timed: bool) -> Self {
        let mut dice = Dice::new(number);
        let players = 2 + dice.roll(2);
        let effect = |dice: &mut Dice| match dice.roll(if timed { 20 } else { 14 }) {
            14..17 => PlayerAction::Later(1 + dice.roll(3) as u8, dice.roll(3) as u8),
            17 | 18 => PlayerAction::Off,
            19 => PlayerAction::Announce,
            0..8 => PlayerAction::Send(dice.roll(players), dice.roll(3) as u8),
            8 => PlayerAction::Spawn,
            9 | 10 => PlayerAction::Halt,
            11 | 12 => PlayerAction::Rest(dice.roll(4) == 0),
            _ => match dice.roll(5) {
                0 => PlayerAction::Fail,
                _ => PlayerAction::Spawn,
            },
        };
        let outcome = |dice: &mut Dice| (0..dice.roll(3)).map(|_| effect(dice)).collect();
        let rule = |dice: &mut Dice| (0..1 + dice.roll(5) / 4).map(|_| outcome(dice)).collect();
        let rules = |_| Arc::new((0..3).map(|_| rule(&mut dice)).collect());
        let rules = (0..players).map(rules).collect();
        let starts = (0..2 + dice.roll(2)).map(|_| (dice.roll(players), dice.roll(3) as u8));
        Self {
            rules,
            starts: starts.collect(),
            has_monitor: number.is_multiple_of(2),
            is_patient: number.is_multiple_of(3),
        }
    }

    fn set_up(&self, sys: &System) {
        if self.has_monitor {
            sys.monitor::<Even>();
        }
        let mut known: Vec<ActorRef<Player>> = Vec::new();
        for rules in &self.rules {
            let player = sys.spawn(Player {
                fuel: 2,
                rules: rules.clone(),
                known: known.clone(),
                later: None,
            });
            known.push(player);
        }
        for (to, event) in &self.starts {
            known[*to].tell(Play(*event));
        }
    }

    /// Returns a tester with the semantics of the program.
    fn tester(&self, name: &str) -> Tester {
        tester(name).patient_timers(self.is_patient)
    }
}

fn kinds(report: &Report) -> BTreeSet<String> {
    let kinds = report.bugs().iter().map(|bug| format!("{:?}", bug.kind()));
    kinds.collect()
}

/// Programs with sends, spawns, halts, choices, deferred events and monitors: both searches end with the same
/// claim, and find the same kinds of bugs and equally short first bugs. Without re-execution, sends are
/// postponed, so that no more states are visited.
#[test]
fn states_put_together_are_those_that_are_run() {
    compared(programs("STATES", 40), false);
}

/// The same with timers that are set, fire and are cancelled, and with announcements.
#[test]
fn states_with_timers_put_together_are_those_that_are_run() {
    compared(programs("STATES", 40), true);
}

fn compared(programs: u64, timed: bool) {
    let (mut executions, mut reruns, mut saved) = (0, 0, 0);
    let mut all_kinds = BTreeSet::new();
    // Two regressions: in one program, a terminal state is nearer than a failing step
    // of a visited state; in the other, this occurs after other states are gone.
    for number in (0..programs).chain([227, 336]) {
        let program = Program::random(number, timed);
        for name in ["states:600/order=breadth", "states:600"] {
            let tester = program.tester(name).keep_going();
            let put_together = tester.run(|sys| program.set_up(&sys));
            let reexecution = reexecuted(&tester, |sys| program.set_up(sys));
            let case = format!("program {number}, {name}");
            let [mut fewer, all] = [&put_together, &reexecution].map(|run| run.verdict.clone());
            if all.states() >= Some(600) {
                continue;
            }
            assert!(all.states().is_some(), "{case}: {all:?}");
            assert!(fewer.states() <= all.states(), "{case}: {fewer:?}");
            saved += all.states().unwrap_or_default() - fewer.states().unwrap_or_default();
            fewer.searched = all.searched.clone();
            assert_eq!(fewer, all, "{case}");
            let all = kinds(&reexecution);
            assert_eq!(kinds(&put_together), all, "{case}");
            executions += put_together.executions;
            reruns += reexecution.executions;
            all_kinds.extend(all);
        }
        let tester = program.tester("states:600/order=breadth");
        let [first, rerun] = both(&tester, |sys| program.set_up(sys))
            .map(|report| report.bugs().first().map(|bug| bug.step()));
        assert_eq!(first, rerun, "program {number}");
    }
    // These programs are so small that few transitions are reused.
    assert!(executions < reruns, "{executions} of {reruns}");
    assert!(saved > 100, "{saved}");
    assert_eq!(all_kinds.len(), 4, "{all_kinds:?}");
}

/// Searches that are interrupted and go on, with the same report: states put together and states executed,
/// in both orders, with monitors, timers and bugs.
#[test]
fn interrupted_searches_of_states_go_on() {
    let mut interrupted = 0;
    for number in 0..programs("STATES", 12) {
        let program = Program::random(number, number % 4 > 1);
        for name in ["states:600/order=breadth", "states:600", "states:600/local"] {
            let tester = program.tester(name).keep_going();
            for has_predicate in [false, true] {
                let set_up = |sys: &System| {
                    program.set_up(sys);
                    if has_predicate {
                        sys.always("nothing is wrong", |_| true);
                    }
                };
                let whole = tester.run(|sys| set_up(&sys));
                let cuts = [1, whole.executions / 2, whole.executions - 1];
                if cuts.is_sorted_by(|one, next| one < next) {
                    goes_on(tester.clone(), &cuts, set_up, &whole);
                    interrupted += 1;
                }
            }
        }
    }
    assert!(interrupted > 30, "{interrupted}");
}

/// A guest in the order of its identity.
#[derive(Clone, Hash, Debug)]
struct Arrived(ActorId);

#[derive(Default, Hash, Debug)]
struct Guests(BTreeSet<ActorId>);

#[actor]
impl Guests {
    #[on]
    fn arrived(&mut self, arrived: Arrived) {
        self.0.insert(arrived.0);
    }
}

#[derive(Hash, Debug)]
struct Guest {
    hosts: Vec<ActorRef<Guests>>,
    brings: u32,
}

#[actor]
impl Guest {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for _ in 0..self.brings {
            let hosts = self.hosts.clone();
            cx.spawn(Guest { hosts, brings: 0 });
        }
        for host in &self.hosts {
            host.tell(Arrived(cx.me().id()));
        }
    }
}

/// Identities that are in order: the states are put together as long as the first step creates all actors,
/// so that each has one number in all executions.
#[test]
fn numbers_that_never_vary_may_be_read() {
    for (brings, is_put_together) in [(0, true), (1, false)] {
        let program = |sys: &System| {
            let hosts: Vec<_> = (0..2).map(|_| sys.spawn(Guests::default())).collect();
            for _ in 0..3 - brings {
                let hosts = hosts.clone();
                sys.spawn(Guest { hosts, brings });
            }
        };
        let [found, all] = both(&tester("states:order=breadth"), program);
        assert!(found.verdict.is_exhaustive(), "{:?}", found.verdict);
        let (executions, reruns) = (found.executions, all.executions);
        let is_less = executions * 2 < reruns;
        assert_eq!(is_less, is_put_together, "{executions} of {reruns}");
    }
}

/// Clients of a server, each with so many calls to make, one after another.
fn calls(sys: &System, clients: u32, calls: u32) {
    let server = sys.spawn(CallServer);
    for _ in 0..clients {
        let server = server.clone();
        let left = calls;
        sys.spawn(Caller { server, left });
    }
}

#[derive(Clone, Hash, Debug)]
struct Call(Recipient<Reply>);
#[derive(Clone, Copy, Hash, Debug)]
struct Reply;

#[derive(Hash)]
struct CallServer;

#[actor]
impl CallServer {
    #[on]
    fn call(&mut self, call: Call) {
        call.0.tell(Reply);
    }
}

#[derive(Hash)]
struct Caller {
    server: ActorRef<CallServer>,
    left: u32,
}

#[actor]
impl Caller {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Call(cx.recipient()));
    }

    #[on]
    fn reply(&mut self, _: Reply, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 {
            self.server.tell(Call(cx.recipient()));
        }
    }
}

/// The server takes a call out of the outbox of its client, so a client has two states for each call, before
/// and after the server, one at its start and one at its end. The server is idle, or its reply to one client
/// is under way. A reply is sent early only if another call is waiting. So, as long as no client is done, a
/// reply waits in an inbox only while there is a call.
#[test]
fn calls_have_as_many_states_as_they_should() {
    for (clients, each) in [(1, 1), (1, 4), (2, 3), (3, 2), (3, 5), (4, 2)] {
        let n = u64::from(each);
        let begun = |started: u32| {
            let busy = match started {
                0 => 0,
                _ => u64::from(started) * n * (2 * n + 2).pow(started - 1),
            };
            (2 * n + 2).pow(started) + busy + 1 - (n + 1).pow(started)
        };
        // Two states come before the start of the server, and the clients start in turn.
        let expected = 2 + (0..=clients).map(begun).sum::<u64>();
        for name in ["states", "states:order=breadth"] {
            let report = tester(name).run(|sys| calls(&sys, clients, each));
            report.assert_clean();
            assert!(report.verdict.is_exhaustive());
            let case = format!("{clients} clients, {each} calls, {name}");
            assert_eq!(report.verdict.states(), Some(expected), "{case}");
        }
    }
}

/// Three pairs that play ball: the number of states is the product of the pairs' states.
fn pairs(sys: &System) {
    for _ in 0..3 {
        let [one, other] = [(); 2].map(|()| {
            machine(sys, 11, |left, ball: Ball, cx| {
                if *left > 0 {
                    *left -= 1;
                    ball.0.tell(Ball(cx.recipient()));
                }
            })
        });
        one.tell(Ball(other.recipient()));
    }
}

#[derive(Hash, Debug)]
struct Ball(Recipient<Ball>);

/// States that exceed the memory limit are kept in a file, and the result is
/// the same. A failure to write them ends the search, and the report says so.
#[test]
fn states_that_take_more_memory_are_kept_in_a_file() {
    let names = ["states:order=breadth", "states:1MB/order=breadth"];
    let [whole, bound] = names.map(|name| tester(name).run(|sys| pairs(&sys)));
    whole.assert_clean();
    assert!(whole.verdict.states() > Some(15_000), "{:?}", whole.verdict);
    assert_eq!(bound.verdict.states(), whole.verdict.states());
    assert!(bound.verdict.is_exhaustive());
    assert_eq!(bound.executions, whole.executions);
    let cut = bound.executions - 1;
    goes_on(tester(names[1]), &[cut], pairs, &bound);

    let small = Tester::new().iterations(u64::MAX);
    let small = small
        .custom_strategy(Box::new(States::breadth_first().bytes_max(600_000)))
        .run(|sys| pairs(&sys));
    let states = small.verdict.states().unwrap_or_default();
    let is_a_part = states > 5_000 && Some(states) < whole.verdict.states();
    assert!(is_a_part, "{states}");
    assert_eq!(small.verdict.gaps, [Gap::States { bound: states }]);
}

#[derive(Clone, Copy, Hash, Debug)]
struct Wanted;
#[derive(Clone, Copy, Hash, Debug)]
struct Found;
#[derive(Clone, Hash, Debug)]
struct Next(ActorRef<Seeker>);

/// Has the wanted item, or forwards the question to the seeker two places further.
#[derive(Hash)]
struct Seeker {
    has_it: bool,
    next: Option<ActorRef<Seeker>>,
}

#[actor]
impl Seeker {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn wanted(&mut self, _: Wanted, cx: &mut Context<Self>) {
        match &self.next {
            _ if self.has_it => cx.me().tell(Found),
            Some(next) => next.tell(Wanted),
            None => {}
        }
    }

    #[on]
    fn found(&mut self, _: Found) {}
}

#[derive(Default, Hash)]
struct IsFound;

#[monitor(hot, cold)]
impl IsFound {
    #[on]
    fn wanted(&mut self, _: &Wanted, cx: &mut MonitorContext<Self>) {
        cx.goto(IsFoundState::Hot);
    }

    #[on]
    fn found(&mut self, _: &Found, cx: &mut MonitorContext<Self>) {
        cx.goto(IsFoundState::Cold);
    }
}

/// Runs a ring of seekers.
fn seekers(seekers: usize) -> Report {
    tester("states:order=breadth").run(move |sys| {
        sys.monitor::<IsFound>();
        let spawn = |number| {
            let has_it = number == 1;
            sys.spawn(Seeker { has_it, next: None })
        };
        let all: Vec<ActorRef<Seeker>> = (0..seekers).map(spawn).collect();
        for (number, seeker) in all.iter().enumerate() {
            seeker.tell(Next(all[(number + 2) % seekers].clone()));
        }
        all[0].tell(Wanted);
    })
}

/// The cycle consists of states that were never executed; an execution that follows it confirms it.
#[test]
fn a_cycle_is_found_in_states_that_were_put_together() {
    let live = seekers(5);
    live.assert_clean();
    assert!(live.verdict.is_exhaustive(), "{:?}", live.verdict);
    let states = live.verdict.states().unwrap_or_default();
    assert!(live.executions < states, "{} of {states}", live.executions);

    let dead = seekers(4);
    let bug = only_bug(&dead);
    assert_eq!(bug.kind(), BugKind::Liveness);
    let cycle = bug.trace.cycle.expect("there is one");
    assert_eq!(cycle.demand(), Demand::Random);
}

/// An infinite state space: the search ends at the bound on steps, and claims no proof.
#[test]
fn what_comes_after_the_bound_is_not_proved() {
    for name in ["states:order=breadth", "states"] {
        let report = tester(name).max_steps(30).run(|sys| {
            let restless = machine(&sys, 0_u64, |ticks, _: Tick, cx| {
                *ticks += 1;
                cx.me().tell(Tick);
            });
            restless.tell(Tick);
        });
        report.assert_clean();
        assert!(!report.verdict.is_exhaustive(), "{name}");
        assert!(report.executions < 40, "{name}: {}", report.executions);
        let states = report.verdict.states().unwrap_or_default();
        assert!((28..=30).contains(&states), "{name}: {states}");
    }
}

#[derive(Clone, Copy, Hash, Debug)]
struct Ask(u8);
#[derive(Clone, Copy, Hash, Debug)]
struct Answer(u8);
#[derive(Clone, Copy, Hash, Debug)]
struct Again(u8);

/// Answers, or drops the question.
#[derive(Hash)]
struct Server {
    client: Option<ActorRef<Client>>,
}

#[actor]
impl Server {
    #[on]
    fn client(&mut self, client: ActorRef<Client>) {
        self.client = Some(client);
    }

    #[on]
    fn ask(&mut self, ask: Ask, cx: &mut Context<Self>) {
        if let Some(client) = &self.client
            && cx.choose_bool()
        {
            client.tell(Answer(ask.0));
        }
    }
}

/// Asks two questions until both are answered, and repeats each on a timer.
#[derive(Hash)]
struct Client {
    server: ActorRef<Server>,
    open: [bool; 2],
}

#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for question in 0..2 {
            self.open[usize::from(question)] = true;
            self.again(Again(question), cx);
        }
    }

    #[on]
    fn again(&mut self, again: Again, cx: &mut Context<Self>) {
        if self.open[usize::from(again.0)] {
            self.server.tell(Ask(again.0));
            cx.after(Duration::from_millis(100), again);
        }
    }

    #[on]
    fn answer(&mut self, answer: Answer) {
        self.open[usize::from(answer.0)] = false;
    }
}

/// Two timers that differ only in their events are distinguished. With patient timers the state space is
/// finite. A client that is never answered repeats its questions for ever, which no property forbids.
#[test]
fn timers_that_are_patient_are_put_together() {
    let tester = tester("states:order=breadth").patient_timers(true);
    let [put_together, reexecution] = both(&tester, |sys| {
        let server = sys.spawn(Server { client: None });
        let client = sys.spawn(Client {
            server: server.clone(),
            open: [false; 2],
        });
        server.tell(client);
    });
    put_together.assert_clean();
    assert!(put_together.verdict.is_exhaustive());
    // The first send waits until the client's.
    assert_eq!(put_together.verdict.states(), Some(111));
    assert_eq!(reexecution.verdict.states(), Some(112));
    assert!(put_together.executions < reexecution.executions);
}

/// Has the same state with and without its timer.
#[derive(Hash)]
struct Idler;

#[actor]
impl Idler {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.after(Duration::from_millis(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn on_halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// The end of an actor cancels its timers, although the learned transition to its end had no timers.
#[test]
fn an_end_depends_on_the_timers_that_run() {
    let [put_together, reexecution] = both(&tester("states:order=breadth"), |sys| {
        let idler = sys.spawn(Idler);
        tells(sys, &idler, Halt);
        idler.tell(Go);
    });
    assert!(put_together.verdict.is_exhaustive());
    // Sends wait until a timer runs.
    assert_eq!(put_together.verdict.states(), Some(20));
    assert_eq!(reexecution.verdict.states(), Some(27));
    // The learned transitions were reused; otherwise the search would have started anew.
    let executions = [put_together.executions, reexecution.executions];
    assert!(executions[0] < executions[1], "{executions:?}");
}

/// Announces a number to monitors, after a send to another actor.
#[derive(Hash)]
struct Teller(ActorRef<Idler>);

#[actor]
impl Teller {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let number = cx.choose(3) as u8;
        self.0.tell(Tick);
        cx.announce(Heard(number));
    }
}

#[derive(Default, Hash)]
struct NotOne;

#[monitor(cold(Watching))]
impl NotOne {
    #[on]
    fn heard(&mut self, heard: &Heard) {
        assert_ne!(heard.0, 1, "neither the first nor the last");
    }
}

/// The announcement of a later step depends on the answer of the choice, and on nothing else.
#[test]
fn what_is_announced_follows_from_choices() {
    for name in ["states:order=breadth", "states"] {
        let report = tester(name).run(|sys| {
            sys.monitor::<NotOne>();
            let idler = sys.spawn(Idler);
            sys.spawn(Teller(idler));
        });
        assert_eq!(first_bug(&report).0, BugKind::Monitor, "{name}");
        // The search itself finds the bug, and not the random executions that check a proof.
        assert!(report.executions < 50, "{name}: {}", report.executions);
    }
}
