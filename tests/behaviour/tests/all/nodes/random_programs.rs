//! Random programs on nodes: each search sees what all schedules show, whatever strikes links and nodes.
//!
//! Two or three nodes have a player each, which sends to the others by name. The test body may let faults
//! strike, and the tester may have a budget of one. The observations of each player up to each moment are
//! compared, and the kinds of bugs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use actor_core::monitor;
use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::settings::Delivery;
use actor_test::{BugKind, Tester};

use behaviour::automata::Dice;
use behaviour::harness::events::Go;
use behaviour::harness::{on_two_threads, strategy};
use serde::{Deserialize, Serialize};

/// The searches that reduce the set of schedules, and claim exhaustiveness in their verdict.
const SEARCHES: [&str; 6] = [
    "dpor",
    "states",
    "states:local",
    "dfs:local",
    "ses:by=hb",
    "pb:by=hb",
];

/// The notes of each player, of one incarnation, after each of them.
type Seen = BTreeSet<(usize, Vec<u32>)>;

#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
struct Question(u32);

/// An action of a player, on the player of another node.
#[derive(Clone, Copy, Debug)]
enum Action {
    Tell(usize, u32),
    Ask(usize),
    Send(usize),
    Watch(usize),
    Stop(usize),
    Halt,
}

/// An action of the test body.
#[derive(Clone, Copy, Debug)]
enum Scripted {
    Crash(usize),
    Restart(usize),
    Pause(usize),
    Resume(usize),
    Cut(usize, usize),
    Partition(usize, usize),
    Heal,
    Break(usize, usize),
    HalfOpen(usize, usize),
    Fill(usize, usize),
    Drain(usize, usize),
    Hold(usize, usize),
    Release(usize, usize),
    DropNext(usize, usize),
    DuplicateNext(usize, usize),
    DelayNext(usize, usize),
}

/// The budgets from which a program may have one.
const BUDGETS: [FaultKind; 10] = [
    FaultKind::Crash,
    FaultKind::Partition,
    FaultKind::Drop,
    FaultKind::Duplicate,
    FaultKind::Delay,
    FaultKind::Pause,
    FaultKind::Slow,
    FaultKind::HalfOpen,
    FaultKind::FullLink,
    FaultKind::Disk,
];

#[derive(Clone, Debug)]
struct Program {
    /// The actions of each player.
    players: Vec<Vec<Action>>,
    scripted: Vec<Scripted>,
    budget: Option<FaultKind>,
    delivery: Delivery,
    /// True if the players act when the body tells them to, else at their starts.
    waits_for_body: bool,
    is_atomic: bool,
    /// True if a monitor observes notes.
    is_monitored: bool,
    /// True if a predicate reads all players.
    is_inspected: bool,
}

/// Returns two different nodes.
fn pair(dice: &mut Dice, nodes: usize) -> (usize, usize) {
    let from = dice.roll(nodes);
    (from, (from + 1 + dice.roll(nodes - 1)) % nodes)
}

fn action(dice: &mut Dice, of: usize, nodes: usize) -> Action {
    let to = (of + 1 + dice.roll(nodes - 1)) % nodes;
    match dice.roll(10) {
        0..4 => Action::Tell(to, dice.roll(3) as u32),
        4..6 => Action::Ask(to),
        6 => Action::Send(to),
        7 => Action::Watch(to),
        8 => Action::Stop(to),
        _ => Action::Halt,
    }
}

fn scripted(dice: &mut Dice, nodes: usize) -> Scripted {
    let (one, other) = pair(dice, nodes);
    match dice.roll(16) {
        0 => Scripted::Crash(one),
        1 => Scripted::Restart(one),
        2 => Scripted::Pause(one),
        3 => Scripted::Resume(one),
        4 => Scripted::Cut(one, other),
        5 => Scripted::Partition(one, other),
        6 => Scripted::Heal,
        7 => Scripted::Break(one, other),
        8 => Scripted::Hold(one, other),
        9 => Scripted::Release(one, other),
        10 => Scripted::DropNext(one, other),
        11 => Scripted::HalfOpen(one, other),
        12 => Scripted::DuplicateNext(one, other),
        13 => Scripted::Fill(one, other),
        14 => Scripted::Drain(one, other),
        _ => Scripted::DelayNext(one, other),
    }
}

impl Program {
    fn random(number: u64) -> Self {
        let mut dice = Dice::salted(number, 0x0de5);
        let nodes = 2 + usize::from(dice.roll(4) == 0);
        let mut players = vec![Vec::new(); nodes];
        players[0].push(action(&mut dice, 0, nodes));
        for _ in 0..dice.roll(4) {
            let of = dice.roll(nodes);
            players[of].push(action(&mut dice, of, nodes));
        }
        let count = match dice.roll(2) {
            0 => 0,
            _ => 1 + dice.roll(2),
        };
        Self {
            players,
            scripted: (0..count).map(|_| scripted(&mut dice, nodes)).collect(),
            budget: (dice.roll(2) == 0).then(|| BUDGETS[dice.roll(BUDGETS.len())]),
            delivery: match dice.roll(6) {
                0 => Delivery::Bag,
                1 => Delivery::Mailbox,
                _ => Delivery::PerPair,
            },
            waits_for_body: dice.roll(2) == 0,
            is_atomic: dice.roll(3) == 0,
            is_monitored: dice.roll(4) == 0,
            is_inspected: dice.roll(4) == 0,
        }
    }

    /// Returns the program without faults, whose players act at their starts: Inbox-DPOR follows most of these.
    fn faultless(self) -> Self {
        Self {
            scripted: Vec::new(),
            budget: None,
            delivery: Delivery::PerPair,
            waits_for_body: false,
            is_atomic: false,
            ..self
        }
    }

    /// Returns the program with one thing less; `None` if it can't be shortened.
    fn shorter(&self) -> Option<Self> {
        let mut shorter = self.clone();
        let longest = shorter
            .players
            .iter_mut()
            .max_by_key(|player| player.len())?;
        if longest.len() > 1 {
            longest.pop();
        } else if shorter.players[1..].iter().any(|player| !player.is_empty()) {
            shorter.players[1..].iter_mut().for_each(Vec::clear);
        } else if !shorter.is_atomic {
            shorter.is_atomic = true;
        } else {
            shorter.scripted.pop()?;
        }
        Some(shorter)
    }

    fn tester(&self, search: &str, executions: u64) -> Tester {
        let faults = FaultBudgets::none();
        Tester::new()
            .iterations(executions)
            .check_every(0)
            .keep_going()
            .strategy(strategy(search))
            .atomic_handlers(self.is_atomic)
            .delivery(self.delivery)
            .faults(self.budget.map_or(faults, |kind| faults.with(kind, 1)))
    }

    fn explore(&self, search: &str, executions: u64) -> Explored {
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let report = self
            .tester(search, executions)
            .run(|sys| run(self.clone(), sys, Arc::clone(&seen)));
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panics here"));
        Explored {
            seen,
            bugs: report.bugs.iter().map(|bug| bug.kind()).collect(),
            is_whole: report.verdict.is_exhaustive(),
            executions: report.executions,
        }
    }
}

/// The results of a search.
struct Explored {
    seen: Seen,
    bugs: BTreeSet<BugKind>,
    is_whole: bool,
    executions: u64,
}

fn node(of: usize) -> String {
    format!("n{of}")
}

/// Returns the player of a node.
fn player(scope: &impl Scope, of: usize) -> ActorRef<Player> {
    scope.at(format!("n{of}/p"))
}

/// Sends and takes notes.
struct Player {
    of: usize,
    actions: Vec<Action>,
    acts_at_start: bool,
    handled: usize,
    noted: Vec<u32>,
    seen: Arc<Mutex<Seen>>,
}

impl Player {
    fn note(&mut self, note: u32) {
        self.noted.push(note);
        let mut seen = self.seen.lock().expect("nobody panics here");
        seen.insert((self.of, self.noted.clone()));
    }

    async fn act(&mut self, cx: &mut Context<Self>) {
        for action in self.actions.clone() {
            match action {
                Action::Tell(to, left) => player(cx, to).tell(Note(left)),
                Action::Ask(to) => {
                    let answer = player(cx, to).ask(Question(1)).await;
                    self.note(answer.map_or(200, |answer| 100 + answer));
                }
                Action::Send(to) => {
                    let is_sent = player(cx, to).send(Note(0)).await.is_ok();
                    self.note(300 + u32::from(is_sent));
                }
                Action::Watch(to) => {
                    let player = player(cx, to);
                    cx.watch(&player);
                }
                Action::Stop(to) => drop(player(cx, to).stop()),
                Action::Halt => cx.halt(),
            }
        }
    }
}

#[actor(remote)]
impl Player {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.note(1_000);
        if self.acts_at_start {
            self.act(cx).await;
        }
    }

    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.note(999);
        self.act(cx).await;
    }

    /// Passes the note on to the next node, unless it has come to its end.
    #[on]
    fn got(&mut self, note: Note, cx: &mut Context<Self>) {
        self.handled += 1;
        self.note(note.0);
        if note.0 > 1 {
            let next = 1 - self.of.min(1);
            player(cx, next).tell(Note(note.0 - 1));
        }
    }

    #[on]
    fn question(&mut self, question: Question) -> u32 {
        self.handled += 1;
        self.note(10 + question.0);
        self.handled as u32
    }

    #[on]
    fn gone(&mut self, gone: Terminated) {
        self.note(match gone.reason {
            StopReason::Disconnected => 500,
            StopReason::Unregistered => 501,
            _ => 502,
        });
    }
}

/// Counts notes; panics at the third.
#[derive(Default)]
struct Counter(u32);

#[monitor]
impl Counter {
    #[on]
    fn note(&mut self, _: &Note) {
        self.0 += 1;
        assert!(self.0 < 3, "a third note");
    }
}

async fn run(program: Program, sys: System, seen: Arc<Mutex<Seen>>) {
    if program.is_monitored {
        sys.monitor::<Counter>();
    }
    if program.is_inspected {
        sys.always("no two are done", |world| {
            world
                .all::<Player>()
                .filter(|player| player.handled > 0)
                .count()
                < 2
        });
    }
    for (of, actions) in program.players.iter().enumerate() {
        let (actions, seen) = (actions.clone(), Arc::clone(&seen));
        let acts_at_start = !program.waits_for_body;
        sys.node(&node(of), move |node| {
            node.spawner().name("p").registered().spawn(Player {
                of,
                actions: actions.clone(),
                acts_at_start,
                handled: 0,
                noted: Vec::new(),
                seen: Arc::clone(&seen),
            });
        });
        if program.waits_for_body {
            player(&sys, of).started().await.ok();
        }
    }
    if program.waits_for_body {
        for (of, actions) in program.players.iter().enumerate() {
            if !actions.is_empty() {
                player(&sys, of).tell(Go);
            }
        }
    }
    let faults = sys.faults();
    for scripted in &program.scripted {
        match *scripted {
            Scripted::Crash(of) => faults.crash(&node(of)),
            Scripted::Restart(of) => faults.restart(&node(of)),
            Scripted::Pause(of) => faults.pause(&node(of)),
            Scripted::Resume(of) => faults.resume(&node(of)),
            Scripted::Cut(from, to) => faults.cut(&node(from), &node(to)),
            Scripted::Partition(one, other) => faults.partition(&[&node(one)], &[&node(other)]),
            Scripted::Heal => faults.heal(),
            Scripted::Break(one, other) => faults.break_connection(&node(one), &node(other)),
            Scripted::HalfOpen(one, other) => faults.half_open(&node(one), &node(other)),
            Scripted::Fill(from, to) => faults.fill(&node(from), &node(to)),
            Scripted::Drain(from, to) => faults.drain(&node(from), &node(to)),
            Scripted::Hold(from, to) => faults.hold(&node(from), &node(to)),
            Scripted::Release(from, to) => faults.release(&node(from), &node(to)),
            Scripted::DropNext(from, to) => faults.drop_next::<Note>(&node(from), &node(to)),
            Scripted::DuplicateNext(from, to) => {
                faults.duplicate_next::<Note>(&node(from), &node(to));
            }
            Scripted::DelayNext(from, to) => faults.delay_next::<Note>(&node(from), &node(to)),
        }
    }
}

/// The results over all programs.
#[derive(Default)]
struct Tally {
    programs: u64,
    schedules: u64,
    too_long: u64,
    /// The number of proofs of each search, and the sum of their executions.
    proofs: BTreeMap<&'static str, (u64, u64)>,
    wrong: Vec<String>,
}

/// Compares searches with one that is known to be right, if that ends within so many schedules.
fn compare(
    mut program: Program,
    (reference, searches): (&str, &[&'static str]),
    schedules: u64,
    tally: &Mutex<Tally>,
) {
    let all = loop {
        let found = program.explore(reference, schedules);
        if found.is_whole {
            break found;
        }
        match program.shorter() {
            Some(shorter) => program = shorter,
            None => {
                tally.lock().expect("nobody panics here").too_long += 1;
                return;
            }
        }
    };
    let searched: Vec<_> = searches
        .iter()
        .map(|search| (*search, program.explore(search, 2 * schedules)))
        .collect();
    let mut tally = tally.lock().expect("nobody panics here");
    tally.programs += 1;
    tally.schedules += all.executions;
    for (search, found) in searched {
        if !found.is_whole {
            continue;
        }
        let (proofs, executions) = tally.proofs.entry(search).or_default();
        *proofs += 1;
        *executions += found.executions;
        if (&found.seen, &found.bugs) != (&all.seen, &all.bugs) {
            let missed: Vec<_> = all.seen.difference(&found.seen).collect();
            let invented: Vec<_> = found.seen.difference(&all.seen).collect();
            let bugs = (&found.bugs, &all.bugs);
            tally.wrong.push(format!(
                "{search}: misses {missed:?}, has besides {invented:?}, bugs {bugs:?}: {program:#?}"
            ));
        }
    }
}

/// Compares searches for these programs, on two threads.
fn hold_all(
    programs: impl Iterator<Item = Program> + Send,
    searches: (&str, &[&'static str]),
    schedules: u64,
) -> Tally {
    let tally = Mutex::default();
    on_two_threads(programs, |program| {
        compare(program, searches, schedules, &tally);
    });
    let tally = tally.into_inner().expect("nobody panics here");
    println!(
        "{} programs, {} schedules, {} too long, proofs and their executions: {:?}",
        tally.programs, tally.schedules, tally.too_long, tally.proofs
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    tally
}

#[test]
fn searches_find_on_nodes_what_all_schedules_find() {
    let programs = (0..60).map(Program::random);
    let tally = hold_all(programs, ("dfs", &SEARCHES), 2_000);
    assert!(tally.programs >= 30, "the others are too long");
}

/// The search of states is held against all schedules above; these programs have too many.
#[test]
fn dpor_finds_on_nodes_what_states_finds() {
    let programs = (0..100).map(|number| Program::random(number).faultless());
    let tally = hold_all(programs, ("states", &["dpor"]), 4_000);
    assert!(tally.proofs["dpor"].0 >= 20, "the others are not followed");
}

/// `NODES` selects the programs: `500..1000`.
#[test]
#[ignore = "takes minutes"]
fn searches_find_on_nodes_what_all_schedules_find_at_night() {
    let given = std::env::var("NODES").unwrap_or_else(|_| "60..1060".into());
    let (from, to) = given.split_once("..").expect("two numbers");
    let number = |text: &str| text.parse().expect("a number");
    let programs = || (number(from)..number(to)).map(Program::random);
    hold_all(programs(), ("dfs", &SEARCHES), 20_000);
    hold_all(
        programs().map(Program::faultless),
        ("states", &["dpor"]),
        20_000,
    );
}
