//! Random small programs of actors whose actions depend on the history of all received events,
//! in order: the events they send and to whom, their asks and spawns, and if they halt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Terminated, actor, monitor};
use actor_test::{BugKind, Report, Tester};

use crate::end_recorder::EndRecorder;
use crate::harness::strategy;

/// The features that a program may use besides events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FeatureSet {
    /// Choices.
    pub choices: bool,
    /// Actors that are spawned by other actors.
    pub spawns: bool,
    /// Actors that halt.
    pub halts: bool,
    /// Asks, awaited one by one.
    pub asks: bool,
    /// Handlers that panic.
    pub panics: bool,
    /// A monitor that observes events when they are sent, and queries when they are handled.
    pub monitor: bool,
    /// A monitor that observes the same, and whose state can be compared.
    pub compared: bool,
    /// A monitor with few states, one of which is hot; in another one it panics.
    pub judge: bool,
    /// A predicate that reads all actors.
    pub predicate: bool,
    /// Predicates that read single actors, and a second actor only if the first has a certain state.
    pub has_predicates: bool,
    /// States that defer some events.
    pub defers: bool,
    /// Timers, some of which are cancelled, and the clock.
    pub timers: bool,
    /// Handlers that await several replies, or the first of a reply and a timeout.
    pub waits: bool,
    /// Actors that watch others, from the start on.
    pub watches: bool,
}

impl FeatureSet {
    /// Returns the set of these features, by the names of their fields, separated by spaces.
    ///
    /// # Panics
    ///
    /// If there is no feature of such a name.
    pub fn of(names: &str) -> Self {
        let mut set = Self::default();
        for name in names.split_whitespace() {
            let feature = match name {
                "choices" => &mut set.choices,
                "spawns" => &mut set.spawns,
                "halts" => &mut set.halts,
                "asks" => &mut set.asks,
                "panics" => &mut set.panics,
                "monitor" => &mut set.monitor,
                "compared" => &mut set.compared,
                "judge" => &mut set.judge,
                "predicate" => &mut set.predicate,
                "has_predicates" => &mut set.has_predicates,
                "defers" => &mut set.defers,
                "timers" => &mut set.timers,
                "waits" => &mut set.waits,
                "watches" => &mut set.watches,
                _ => panic!("there is no feature {name}"),
            };
            *feature = true;
        }
        set
    }
}

/// A program.
#[derive(Clone, Copy, Debug)]
pub struct HistoryProgram {
    number: u64,
    talkers: usize,
    /// The maximum length of a chain of events.
    fuel: u8,
    /// One of this number of draws sends a second event.
    second_event_odds: u64,
    uses: FeatureSet,
}

/// A hash of the history of each talker, by its name.
pub type Notes = BTreeMap<u64, u64>;

/// The results of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The records at the end of each complete execution, and a hash of the execution's behaviour.
    pub ends: Vec<(Notes, u64)>,
    /// The bugs.
    pub bugs: Vec<(BugKind, String)>,
}

type Named = (u64, ActorRef<Talker>);
type Shared = Arc<Mutex<Notes>>;

struct Talker {
    name: u64,
    program: HistoryProgram,
    /// A hash of all events that were received, in order.
    heard: u64,
    known: Vec<Named>,
    children: u64,
    timers: Vec<Timer>,
    notes: Shared,
}

/// Continues a chain of events.
#[derive(Debug)]
struct Word {
    value: u64,
    fuel: u8,
    /// Another talker, which the receiver gets to know.
    about: Option<Named>,
}

/// Continues a chain of events, and may lead to asks.
#[derive(Debug)]
struct Chat {
    value: u64,
    fuel: u8,
}

/// Is answered.
#[derive(Debug)]
struct Query(u64);

/// The answer to a query.
#[derive(Debug)]
struct Answer(u64);

/// Leaves a state that defers events.
#[derive(Debug)]
struct Wake(u64);

/// Records a hash of the observed events, in order.
#[derive(Default)]
struct Observer(u64);

/// The names under which the monitor and the predicate record.
const MONITOR: u64 = u64::MAX;
const PREDICATE: u64 = u64::MAX - 1;

thread_local! {
    /// The records of the execution in progress, for the monitor.
    static NOTES: std::cell::RefCell<Shared> = std::cell::RefCell::default();
}

/// Adds an observation of a monitor to its hash, and records the hash.
fn note_seen(seen: &mut u64, value: u64) {
    *seen = mix(*seen, value);
    let notes = NOTES.with_borrow(Arc::clone);
    let mut notes = notes.lock().expect("no lock is held by who panics");
    notes.insert(MONITOR, *seen);
}

#[monitor(cold(Quiet))]
impl Observer {
    #[on]
    fn word(&mut self, word: &Word) {
        note_seen(&mut self.0, word.value);
    }

    #[on]
    fn chat(&mut self, chat: &Chat) {
        note_seen(&mut self.0, chat.value);
    }

    #[on(handled)]
    fn query(&mut self, query: &Query) {
        note_seen(&mut self.0, query.0 + 5_000);
    }
}

/// Records a hash of the observed events, in order, and can be compared.
#[derive(Default, Hash)]
struct Compared(u64);

#[monitor(cold(Quiet))]
impl Compared {
    #[on]
    fn word(&mut self, word: &Word) {
        note_seen(&mut self.0, word.value);
    }

    #[on]
    fn chat(&mut self, chat: &Chat) {
        note_seen(&mut self.0, chat.value);
    }

    #[on(handled)]
    fn query(&mut self, query: &Query) {
        note_seen(&mut self.0, query.0 + 5_000);
    }
}

/// A monitor with few states, which depend on the order of the observed events.
#[derive(Default, Hash)]
struct Judge(u64);

impl Judge {
    fn see(&mut self, value: u64) -> JudgeState {
        self.0 = (self.0 * 3 + value) % 101;
        assert!(self.0 != 100, "it is just so");
        match self.0 % 20 {
            19 => JudgeState::Angry,
            _ => JudgeState::Content,
        }
    }
}

#[monitor(hot(Angry), cold(Content))]
impl Judge {
    #[on]
    fn word(&mut self, word: &Word, cx: &mut MonitorContext<Self>) {
        cx.goto(self.see(word.value));
    }

    #[on(handled)]
    fn chat(&mut self, chat: &Chat, cx: &mut MonitorContext<Self>) {
        cx.goto(self.see(chat.value));
    }
}

fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(other | 1) ^ other.rotate_left(29);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

impl Talker {
    /// Returns a number that depends on all received events.
    fn draw(&self, what: u64, of: u64) -> u64 {
        mix(mix(self.program.number, self.heard), mix(self.name, what)) % of
    }

    fn hear(&mut self, value: u64) {
        self.heard = mix(self.heard, value);
        let mut notes = self.notes.lock().expect("no lock is held by who panics");
        notes.insert(self.name, self.heard);
    }

    fn somebody(&self, what: u64) -> Option<Named> {
        let others = self.known.len() as u64;
        (others > 0).then(|| self.known[self.draw(what, others) as usize].clone())
    }

    /// Acts on the history of received events.
    fn act(&mut self, fuel: u8, cx: &mut Context<Self>) {
        let uses = self.program.uses;
        if uses.choices && self.draw(1, 5) == 0 {
            let answer = cx.choose(2) as u64;
            self.hear(100 + answer);
        }
        if uses.timers {
            self.use_timers(fuel, cx);
        }
        if uses.watches
            && (self.heard == mix(0, 1) && self.name == 0 || self.draw(110, 6) == 0)
            && let Some((_, whom)) = self.somebody(111)
        {
            cx.watch(&whom);
        }
        if uses.panics && self.draw(2, 12) == 0 {
            // In letters, since bugs that differ only in numbers count as one.
            let letter = |digit: char| char::from(b'a' + digit as u8 - b'0');
            let name: String = self.name.to_string().chars().map(letter).collect();
            panic!("talker {name} has heard enough");
        }
        if fuel > 0 && uses.spawns && self.draw(3, 6) == 0 {
            self.children += 1;
            let name = mix(self.name, self.children);
            let child = Self {
                name,
                heard: self.heard,
                known: self.known.clone(),
                children: 0,
                timers: Vec::new(),
                program: self.program,
                notes: self.notes.clone(),
            };
            let child = cx.spawn(child);
            self.known.push((name, child));
        }
        let count = match self.draw(4, self.program.second_event_odds) {
            _ if fuel == 0 => 0,
            0 => 2,
            1 => 0,
            _ => 1,
        };
        for number in 0..count {
            let value = self.draw(10 + number, 1_000);
            let Some((_, to)) = self.somebody(20 + number) else {
                continue;
            };
            let fuel = fuel - 1;
            if uses.asks && self.draw(30 + number, 3) == 0 {
                to.tell(Chat { value, fuel });
            } else {
                let about = (uses.spawns && self.draw(40 + number, 3) == 0)
                    .then(|| self.somebody(50 + number))
                    .flatten();
                to.tell(Word { value, fuel, about });
            }
        }
        if uses.halts && self.draw(5, 8) == 0 {
            cx.halt();
        } else if uses.defers {
            self.change(cx);
        }
    }

    /// Reads the clock, sets a timer, or cancels one.
    fn use_timers(&mut self, fuel: u8, cx: &mut Context<Self>) {
        match self.draw(90, 8) {
            0 => self.hear(cx.now().as_millis() as u64),
            1..4 if fuel > 0 => {
                let delay = Duration::from_millis(10 * self.draw(91, 3));
                let value = self.draw(92, 1_000);
                let fuel = fuel - 1;
                let about = None;
                let timer = cx.after(delay, Word { value, fuel, about });
                self.timers.push(timer);
            }
            4 | 5 => {
                if let Some(timer) = self.timers.pop() {
                    cx.cancel(timer);
                }
            }
            _ => {}
        }
    }

    /// Waits in one of several ways.
    async fn wait(&mut self, cx: &mut Context<Self>) {
        let asked = self.somebody(100).filter(|(name, _)| *name < self.name);
        let millis = Duration::from_millis(10 * self.draw(101, 2) + 5);
        let Some((_, whom)) = asked else {
            if self.draw(102, 2) == 0 {
                cx.sleep(millis).await;
                self.hear(9);
            }
            return;
        };
        match self.draw(103, 3) {
            0 => {
                let answer = whom.ask(Query(1)).timeout(millis).await;
                self.hear(answer.map_or(7, |answer| answer.0));
            }
            1 => {
                let one = whom.ask(Query(2));
                let other = whom.ask(Query(3));
                let other = other.await;
                let one = one.await;
                self.hear(one.map_or(7, |answer| answer.0));
                self.hear(other.map_or(7, |answer| answer.0));
            }
            _ => {
                let answer = whom.ask(Query(4)).await;
                self.hear(answer.map_or(7, |answer| answer.0));
                cx.sleep(millis).await;
                self.hear(8);
            }
        }
    }

    /// Enters or leaves a state that defers events.
    fn change(&mut self, cx: &mut Context<Self>) {
        let state = match self.draw(80, 6) {
            0 | 1 => TalkerState::Busy,
            2 => TalkerState::Shy,
            3 => TalkerState::Open,
            _ => return,
        };
        let value = self.draw(81, 1_000);
        let wakes = match self.draw(82, 8) {
            0 => None,
            1..4 => self.somebody(83).map(|(_, one)| one),
            _ => Some(cx.me()),
        };
        if let Some(one) = wakes
            && state != TalkerState::Open
        {
            one.tell(Wake(value));
        }
        cx.goto(state);
    }
}

#[actor(states(Open, Busy(defer(Word, Chat)), Shy(defer(Word))))]
impl Talker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.hear(1);
        if self.known.is_empty() {
            self.known.push((self.name, cx.me()));
        }
        self.act(self.program.fuel, cx);
    }

    #[on]
    fn word(&mut self, word: Word, cx: &mut Context<Self>) {
        self.hear(word.value);
        self.known.extend(word.about);
        self.act(word.fuel, cx);
    }

    #[on]
    async fn chat(&mut self, chat: Chat, cx: &mut Context<Self>) {
        self.hear(chat.value);
        if self.program.uses.waits {
            self.wait(cx).await;
            return self.act(chat.fuel, cx);
        }
        for number in 0..1 + self.draw(6, 2) {
            // A cycle of asks would deadlock, so only talkers with a smaller name are asked.
            let asked = self.somebody(60 + number);
            if let Some((_, whom)) = asked.filter(|(name, _)| *name < self.name) {
                let answer = whom.ask(Query(self.draw(70 + number, 100))).await;
                self.hear(answer.map_or(7, |answer| answer.0));
            }
        }
        self.act(chat.fuel, cx);
    }

    #[on]
    fn query(&mut self, query: Query) -> Answer {
        self.hear(query.0);
        Answer(self.heard)
    }

    #[on]
    fn terminated(&mut self, _: Terminated) {
        self.hear(5);
    }

    #[on]
    fn wake(&mut self, wake: Wake, cx: &mut Context<Self>) {
        self.hear(wake.0);
        cx.goto(match self.draw(84, 4) {
            0 => TalkerState::Shy,
            _ => TalkerState::Open,
        });
    }
}

impl HistoryProgram {
    /// Returns the program with that number.
    pub fn random(number: u64, uses: FeatureSet) -> Self {
        let dice = |what: u64, of: u64| mix(mix(number, 77), what) % of;
        Self {
            number: mix(number, 5),
            talkers: 2 + dice(1, 3) as usize,
            fuel: 1 + dice(2, 2) as u8,
            second_event_odds: 2 + dice(3, 5),
            uses,
        }
    }

    fn set_up(&self, sys: &System, notes: &Shared) {
        let talker = |number: usize, known| Talker {
            name: number as u64,
            program: *self,
            heard: 0,
            known,
            children: 0,
            timers: Vec::new(),
            notes: notes.clone(),
        };
        NOTES.set(notes.clone());
        if self.uses.monitor {
            sys.monitor::<Observer>();
        }
        if self.uses.compared {
            sys.monitor::<Compared>();
        }
        if self.uses.judge {
            sys.monitor::<Judge>();
        }
        if self.uses.predicate {
            let notes = notes.clone();
            sys.always("all is well", move |w| {
                let heard = w
                    .all::<Talker>()
                    .fold(0, |heard, one| mix(heard, one.heard));
                let mut notes = notes.lock().expect("no lock is held by who panics");
                let seen = notes.entry(PREDICATE).or_default();
                *seen = mix(*seen, heard);
                true
            });
        }
        // Each talker knows the earlier ones; the first ones learn of the next one by their first event.
        let mut known: Vec<Named> = Vec::new();
        for number in 0..self.talkers {
            let one = sys.spawn(talker(number, known.clone()));
            known.push((number as u64, one));
        }
        if self.uses.has_predicates {
            for number in 0..2 {
                self.watch_by_predicate(sys, number, &known, notes);
            }
        }
        let first_words = if self.uses.timers { 1 } else { 2 };
        for (number, (_, one)) in known.iter().enumerate().take(first_words) {
            let about = known.get(number + 1).cloned();
            let (value, fuel) = (number as u64, 1);
            one.tell(Word { value, fuel, about });
        }
    }

    /// Registers a predicate that reads one talker, and for some
    /// values also another one. The predicate records each new value.
    fn watch_by_predicate(&self, sys: &System, number: u64, all: &[Named], notes: &Shared) {
        let draw = mix(self.number, number) as usize;
        let (one, other) = (
            all[draw % all.len()].1.clone(),
            all[draw / 8 % all.len()].1.clone(),
        );
        let is_curious = draw / 64 % 3;
        let (notes, last) = (notes.clone(), Mutex::new(0));
        sys.always(&format!("all is well with {number}"), move |w| {
            let heard = |of| w.get(of).map_or(1, |talker: &Talker| mix(talker.heard, 2));
            let mut view = heard(&one);
            if view as usize % 3 < is_curious {
                view = mix(view, heard(&other));
            }
            let mut last = last.lock().expect("no lock is held by who panics");
            if std::mem::replace(&mut *last, view) != view {
                let mut notes = notes.lock().expect("no lock is held by who panics");
                let seen = notes.entry(PREDICATE - 1 - number).or_default();
                *seen = mix(*seen, view);
            }
            true
        });
    }

    /// Explores the program by the strategy of that name, with at most this number of executions.
    pub fn explore(&self, name: &str, executions: u64) -> (Found, Report) {
        let notes: Arc<Mutex<Shared>> = Arc::default();
        let seen = Arc::clone(&notes);
        let (end_recorder, ends) = EndRecorder::new(strategy(name).build(), move |_| {
            let shared = seen.lock().expect("nobody panics here").clone();
            shared.lock().expect("nobody panics here").clone()
        });
        let report = Tester::new()
            .iterations(executions)
            .check_every(0)
            .keep_going()
            .custom_strategy(Box::new(end_recorder))
            .run(|sys| {
                let fresh = Shared::default();
                *notes.lock().expect("nobody panics here") = fresh.clone();
                self.set_up(&sys, &fresh);
            });
        let mut ends = std::mem::take(&mut *ends.lock().expect("nobody panics here"));
        ends.sort();
        let bugs = report.bugs().iter();
        let mut bugs: Vec<_> = bugs
            .map(|bug| (bug.kind(), bug.message().to_owned()))
            .collect();
        bugs.sort();
        (Found { ends, bugs }, report)
    }
}
