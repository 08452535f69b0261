//! Random small programs that use features whose outcome depends on the order of
//! steps: asks awaited one by one, together or as a race, time, stops, failures and
//! restarts, deferred events, bounded mailboxes, watches, monitors and predicates.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Poll;
use std::time::Duration;

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::{Terminated, Timer, actor, monitor};
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{BugKind, Report, Tester};

use crate::automata::Dice;
use crate::end_recorder::EndRecorder;
use crate::harness::strategy;

/// An action of a player. The first incarnation executes the actions of its script in order.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Act {
    Tell(usize),
    /// Awaits all of these, or the first one.
    Await(Vec<Awaited>, Until),
    /// Sets a timer, which the next note cancels.
    After(u64),
    Clock,
    Choose,
    Stop(usize),
    Kill(usize),
    Watch(usize),
    Link(usize),
    Open(usize),
    /// Defers notes until a key arrives. The last action of a script.
    Close,
    Halt,
    Fail,
    /// Records if the other player is alive.
    CheckAlive(usize),
    Unwatch(usize),
    Unlink(usize),
    /// Registers a name for the other player.
    Name(usize),
    /// Sends to the player with that name.
    TellNamed,
    /// Pipes the answer of the other player back to this one, as a note.
    Pipe(usize),
    TrySend(usize),
    /// Sets a periodic timer, which the next note cancels.
    Every(u64),
    /// Makes a call that a fault may have fail.
    Call,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Awaited {
    Answer(usize),
    Sent(usize),
    Time(u64),
    Note,
    End(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    One,
    All,
}

/// A program.
#[derive(Clone, Debug)]
pub struct FeatureProgram {
    scripts: Vec<Vec<Act>>,
    /// True if the mailbox of the last player has a capacity of one event.
    is_bounded: bool,
    /// True if players that fail are restarted.
    is_supervised: bool,
    /// True if a monitor observes handled notes.
    is_monitored: bool,
    /// True if a predicate reads players.
    is_watched: bool,
    /// True if all sends of a handler take effect in one step.
    is_atomic: bool,
    /// The faults of an execution.
    faults: FaultBudgets,
}

/// The records of each player, and those of the monitor in the last row.
type Notes = Vec<Vec<u64>>;

#[derive(Clone, Debug, Default)]
struct Stage {
    notes: Arc<Mutex<Notes>>,
    players: Arc<OnceLock<Vec<ActorRef<Player>>>>,
}

struct Player {
    number: usize,
    life: usize,
    handled: u64,
    script: Vec<Act>,
    stage: Stage,
    timer: Option<Timer>,
}

#[derive(Debug)]
struct Note(usize);
#[derive(Debug)]
struct Question(usize);
#[derive(Clone, Debug)]
struct Tick;
#[derive(Debug)]
struct Key;

/// The bound on the steps of an execution, far beyond what one takes that ends.
const STEPS_MAX: u64 = 400;

/// The numbers that distinguish the kinds of records.
const NOTE: u64 = 1_000;
const QUESTION: u64 = 2_000;
const TICK: u64 = 3_000;
const KEY: u64 = 4_000;
const GONE: u64 = 5_000;
const CLOCK: u64 = 6_000;
const CHOICE: u64 = 7_000;
const CAME: u64 = 8_000;
const LIFE: u64 = 9_000;
const ALIVE: u64 = 10_000;
const CALL: u64 = 11_000;

impl Stage {
    fn note(&self, of: usize, what: u64) {
        let mut notes = self.notes.lock().expect("nobody panics here");
        notes[of].push(what);
    }
}

impl Player {
    fn note(&self, what: u64) {
        self.stage.note(self.number, what);
    }

    fn player(&self, number: usize) -> &ActorRef<Self> {
        let players = self.stage.players.get();
        &players.expect("the body knows all before one starts")[number]
    }

    async fn act(&mut self, act: Act, cx: &mut Context<Self>) {
        match act {
            Act::Tell(to) => self.player(to).tell(Note(self.number)),
            Act::Await(what, until) => self.wait(&what, until, cx).await,
            Act::After(delay) => self.timer = Some(cx.after(millis(delay), Tick)),
            Act::Every(period) => self.timer = Some(cx.every(millis(period), Tick)),
            Act::Call => {
                let called = cx.fallible("call", || Ok::<_, ()>(()));
                self.note(CALL + u64::from(called.is_ok()));
            }
            Act::Clock => self.note(CLOCK + cx.now().as_millis() as u64),
            Act::Choose => self.note(CHOICE + cx.choose(2) as u64),
            Act::Stop(whom) => drop(self.player(whom).stop()),
            Act::Kill(whom) => drop(self.player(whom).kill()),
            Act::Watch(whom) => cx.watch(&self.player(whom).clone()),
            Act::Link(whom) => cx.link(&self.player(whom).clone()),
            Act::Open(whom) => self.player(whom).tell(Key),
            Act::Close => cx.goto(PlayerState::Closed),
            Act::Halt => cx.halt(),
            Act::CheckAlive(at) => self.note(ALIVE + u64::from(self.player(at).is_alive())),
            Act::Unwatch(whom) => cx.unwatch(&self.player(whom).clone()),
            Act::Unlink(whom) => cx.unlink(&self.player(whom).clone()),
            Act::Name(whom) => cx.register("the one", &self.player(whom).clone()),
            Act::TellNamed => match cx.lookup::<Self>("the one").await {
                Ok(player) => player.tell(Note(self.number)),
                Err(_) => self.note(ALIVE + 9),
            },
            Act::Pipe(of) => {
                let ask = self.player(of).ask(Question(self.number));
                cx.pipe_to_self(ask, |answer| {
                    Note(answer.map_or(99, |value| value as usize))
                });
            }
            Act::TrySend(to) => {
                let sent = self.player(to).try_send(Note(self.number)).await;
                self.note(ALIVE + 5 + u64::from(sent.is_ok()));
            }
            // One place per player, since failures at one place count as one bug.
            Act::Fail => match self.number {
                0 => panic!("one fails"),
                1 => panic!("another fails"),
                _ => panic!("the third fails"),
            },
        }
    }

    async fn wait(&mut self, what: &[Awaited], until: Until, cx: &mut Context<Self>) {
        let number = self.number;
        let mut futures: Vec<Pin<Box<dyn Future<Output = u64> + Send + '_>>> = Vec::new();
        for awaited in what {
            let stage = self.stage.clone();
            match *awaited {
                Awaited::Answer(of) => {
                    let ask = self.player(of).ask(Question(number));
                    futures.push(Box::pin(async move { ask.await.unwrap_or(99) }));
                }
                Awaited::Sent(to) => futures.push(Box::pin(async move {
                    let players = stage.players.get().expect("as above");
                    players[to].send(Note(number)).await.map_or(99, |()| 1)
                })),
                Awaited::Time(delay) => {
                    let sleep = cx.sleep(millis(delay));
                    futures.push(Box::pin(async move {
                        sleep.await;
                        2
                    }));
                }
                Awaited::End(of) => futures.push(Box::pin(async move {
                    let players = stage.players.get().expect("as above");
                    players[of].stopped().await;
                    3
                })),
                Awaited::Note => {}
            }
        }
        if what.contains(&Awaited::Note) {
            let note = cx.receive::<Note>();
            futures.push(Box::pin(async move { 10 + note.await.0 as u64 }));
        }
        let wanted = match until {
            Until::One => 1,
            Until::All => futures.len(),
        };
        let stage = self.stage.clone();
        let mut came = 0;
        let mut open: Vec<bool> = vec![true; futures.len()];
        std::future::poll_fn(|task| {
            for (index, future) in futures.iter_mut().enumerate() {
                if came < wanted
                    && open[index]
                    && let Poll::Ready(value) = future.as_mut().poll(task)
                {
                    stage.note(number, CAME + 100 * index as u64 + value);
                    open[index] = false;
                    came += 1;
                }
            }
            match came == wanted {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }
}

fn millis(delay: u64) -> Duration {
    Duration::from_millis(delay)
}

#[actor(states(Open, Closed(defer(Note))))]
impl Player {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        if self.life > 0 {
            return self.note(LIFE);
        }
        for act in self.script.clone() {
            self.act(act, cx).await;
        }
    }

    #[on]
    fn got(&mut self, note: Note, cx: &mut Context<Self>) {
        self.handled += 1;
        self.note(NOTE + note.0 as u64);
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
    }

    #[on]
    fn question(&mut self, question: Question) -> u64 {
        self.handled += 1;
        self.note(QUESTION + question.0 as u64);
        self.handled
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.note(TICK);
    }

    #[on]
    fn key(&mut self, _: Key, cx: &mut Context<Self>) {
        self.note(KEY);
        if cx.state() == PlayerState::Closed {
            cx.goto(PlayerState::Open);
        }
    }

    #[on]
    fn gone(&mut self, gone: Terminated) {
        let players = self.stage.players.get().expect("as above");
        let who = players.iter().position(|one| one.id() == gone.actor);
        self.note(GONE + who.map_or(0, |who| who as u64));
    }
}

/// Records the order in which notes are handled, and by which player.
#[derive(Default)]
struct Observer;

#[monitor(cold(Quiet))]
impl Observer {
    #[on(handled)]
    fn note(&mut self, note: &Note, cx: &mut MonitorContext<Self>) {
        let stage = STAGE.with_borrow(Clone::clone);
        let mut players = stage.players.get().into_iter().flatten();
        let target = cx.target();
        let whom = players.position(|one| Some(one.id()) == target);
        let last = stage.notes.lock().expect("nobody panics here").len() - 1;
        stage.note(
            last,
            10 * note.0 as u64 + whom.map_or(9, |whom| whom as u64),
        );
    }
}

thread_local! {
    /// The state of the execution in progress, for the monitor.
    static STAGE: std::cell::RefCell<Stage> = std::cell::RefCell::default();
}

/// Draws the scripts of programs.
struct Author(Dice, Acts);

/// The set of actions that a program may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Acts {
    Some,
    All,
    /// The first ones, and periodic timers.
    Ticks,
    /// The first ones, and calls and messages that faults may strike.
    Faults,
}

impl Author {
    fn roll(&mut self, sides: usize) -> usize {
        self.0.roll(sides)
    }

    fn other(&mut self, of: usize, players: usize) -> usize {
        (of + 1 + self.roll(players - 1)) % players
    }

    fn awaited(&mut self, of: usize, players: usize) -> Awaited {
        let sides = match self.1 {
            Acts::Some | Acts::Ticks | Acts::Faults => 8,
            Acts::All => 9,
        };
        match self.roll(sides) {
            8 => Awaited::End(self.other(of, players)),
            0..4 => Awaited::Answer(self.other(of, players)),
            4 => Awaited::Sent(self.other(of, players)),
            5 | 6 => Awaited::Time(1 + self.roll(2) as u64),
            _ => Awaited::Note,
        }
    }

    fn act(&mut self, of: usize, players: usize) -> Act {
        if self.1 == Acts::All && self.roll(2) == 0 {
            return match self.roll(12) {
                0 | 1 => Act::CheckAlive(self.other(of, players)),
                2 => Act::Unwatch(self.other(of, players)),
                3 => Act::Unlink(self.other(of, players)),
                4 | 5 => Act::Name(self.other(of, players)),
                6 | 7 => Act::TellNamed,
                8 | 9 => Act::Pipe(self.other(of, players)),
                _ => Act::TrySend(self.other(of, players)),
            };
        }
        if self.1 == Acts::Ticks && self.roll(3) == 0 {
            return Act::Every(1 + self.roll(2) as u64);
        }
        if self.1 == Acts::Faults && self.roll(2) == 0 {
            return match self.roll(3) {
                0 => Act::TrySend(self.other(of, players)),
                _ => Act::Call,
            };
        }
        match self.roll(24) {
            0..6 => Act::Tell(self.other(of, players)),
            6..14 => {
                let count = 1 + self.roll(2);
                let mut what: Vec<Awaited> = Vec::new();
                for _ in 0..count {
                    let awaited = self.awaited(of, players);
                    if awaited != Awaited::Note || !what.contains(&awaited) {
                        what.push(awaited);
                    }
                }
                Act::Await(what, [Until::One, Until::All][self.roll(2)])
            }
            14 => Act::After(1 + self.roll(2) as u64),
            15 => Act::Clock,
            16 => Act::Choose,
            17 => Act::Stop(self.other(of, players)),
            18 => Act::Kill(self.other(of, players)),
            19 => Act::Watch(self.other(of, players)),
            20 => Act::Open(self.other(of, players)),
            21 => Act::Link(self.other(of, players)),
            22 => Act::Fail,
            _ => [Act::Close, Act::Halt][self.roll(2)].clone(),
        }
    }

    fn script(&mut self, of: usize, players: usize) -> Vec<Act> {
        let mut script = Vec::new();
        for _ in 0..self.roll(4) {
            let act = self.act(of, players);
            let is_last = matches!(act, Act::Close | Act::Halt | Act::Fail);
            script.push(act);
            if is_last {
                break;
            }
        }
        script
    }
}

/// The results of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The records of the players at the end of each complete
    /// execution, and the hash of the execution's behaviour.
    pub ends: BTreeSet<(Notes, u64)>,
    /// The bugs.
    pub bugs: BTreeSet<(BugKind, String)>,
}

impl FeatureProgram {
    /// Returns the program with that number.
    pub fn random(number: u64) -> Self {
        Self::drawn(number, Acts::Some)
    }

    /// Returns the program with that number from a larger set: these programs also
    /// use names, futures beside an actor, and checks if another player is alive.
    pub fn wide(number: u64) -> Self {
        Self::drawn(number, Acts::All)
    }

    /// Returns the program with that number, of those that also use periodic timers. An execution in which
    /// somebody waits for ever has no end.
    pub fn ticking(number: u64) -> Self {
        Self::drawn(number, Acts::Ticks)
    }

    /// Returns the program with that number, of those in which faults within a step may strike.
    pub fn faulty(number: u64) -> Self {
        let program = Self::drawn(number, Acts::Faults);
        let mut dice = Dice::new(number ^ 0xfa_0175);
        let calls = 1 + dice.roll(2) as u16;
        let faults = FaultBudgets::none().with(FaultKind::Call, calls);
        Self {
            is_bounded: true,
            faults: faults.with(FaultKind::Full, dice.roll(2) as u16),
            ..program
        }
    }

    fn drawn(number: u64, acts: Acts) -> Self {
        let mut dice = Author(Dice::new(number), acts);
        let players = 2 + dice.roll(2);
        Self {
            scripts: (0..players).map(|of| dice.script(of, players)).collect(),
            is_bounded: dice.roll(4) == 0,
            is_supervised: dice.roll(2) == 0,
            is_monitored: dice.roll(6) == 0,
            is_watched: dice.roll(8) == 0,
            is_atomic: acts == Acts::All && dice.roll(4) == 0,
            faults: FaultBudgets::none(),
        }
    }

    /// Returns true if some player has a periodic timer.
    pub fn ticks(&self) -> bool {
        let mut acts = self.scripts.iter().flatten();
        acts.any(|act| matches!(act, Act::Every(_)))
    }

    fn set_up(&self, sys: &System, stage: &Stage) {
        STAGE.set(stage.clone());
        if !self.faults.is_none() {
            sys.fails("call", || ());
        }
        if self.is_monitored {
            sys.monitor::<Observer>();
        }
        let count = self.scripts.len();
        let player = |number: usize, life: usize| {
            let (script, stage) = (self.scripts[number].clone(), stage.clone());
            move |extra: usize| Player {
                number,
                life: life + extra,
                handled: 0,
                script: script.clone(),
                stage: stage.clone(),
                timer: None,
            }
        };
        let spawn = |number: usize| {
            let player = player(number, 0);
            if self.is_bounded && number + 1 == count {
                let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
                spawner.spawn(player(0))
            } else if self.is_supervised {
                let mut lives = 0..;
                sys.spawn_with(move || player(lives.next().unwrap_or(9)))
            } else {
                sys.spawn(player(0))
            }
        };
        let players: Vec<ActorRef<Player>> = (0..count).map(spawn).collect();
        if self.is_watched {
            let (one, other) = (players[0].clone(), players[1].clone());
            sys.always("the first is not ahead", move |w| {
                let handled = |of| w.get(of).map(|player: &Player| player.handled);
                handled(&one) != Some(1) || handled(&other) != Some(0)
            });
        }
        stage
            .players
            .set(players)
            .expect("the players are known once");
    }

    /// Explores the program by the strategy of that name, with at most this number of executions.
    pub fn explore(&self, name: &str, executions: u64) -> (Found, Report) {
        let stage: Arc<Mutex<Stage>> = Arc::default();
        let seen = stage.clone();
        let (end_recorder, ends) = EndRecorder::new(strategy(name).build(), move |_| {
            let stage = seen.lock().expect("nobody panics here");
            stage.notes.lock().expect("nobody panics here").clone()
        });
        let tester = Tester::new()
            .iterations(executions)
            .check_every(0)
            .keep_going()
            .max_steps(STEPS_MAX)
            .faults(self.faults)
            .supervised(self.is_supervised)
            .atomic_handlers(self.is_atomic);
        let report = tester.custom_strategy(Box::new(end_recorder)).run(|sys| {
            let fresh = Stage::default();
            let rows = self.scripts.len() + 1;
            *fresh.notes.lock().expect("nobody panics here") = vec![Vec::new(); rows];
            *stage.lock().expect("nobody panics here") = fresh.clone();
            self.set_up(&sys, &fresh);
        });
        let bugs = report.bugs().iter();
        // Messages that differ only in numbers count as one bug.
        let words = |message: &str| {
            message
                .chars()
                .filter(|letter| !letter.is_ascii_digit())
                .collect()
        };
        let bugs = bugs.map(|bug| (bug.kind(), words(bug.message())));
        let found = Found {
            ends: std::mem::take(&mut *ends.lock().expect("nobody panics here"))
                .into_iter()
                .collect(),
            bugs: bugs.collect(),
        };
        (found, report)
    }
}
