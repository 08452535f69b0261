//! Random small programs of table-driven actors, and an independent model of them:
//! the full state graph, computed by the rules of the book without the tester.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

use actor_core::prelude::*;
use actor_core::{Fingerprint, actor};

/// The reaction of an actor to an event in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The possible outcomes. If there are several, the actor makes a choice among them.
    pub outcomes: Vec<Outcome>,
    /// True if the handler panics.
    pub fails: bool,
}

/// An outcome: the next state, and the events to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The next state.
    pub state: u8,
    /// The receivers and the events.
    pub sends: Vec<(usize, u8)>,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automata {
    /// The events that each actor sends at its start.
    pub starts: Vec<Vec<(usize, u8)>>,
    /// The rule for each actor, each state and each event.
    pub rules: Vec<Vec<Vec<Rule>>>,
}

/// The number of states, and the number of events.
const KINDS: usize = 3;

/// A simple pseudo-random generator for choosing programs.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates the generator with this seed.
    pub fn new(number: u64) -> Self {
        Self::salted(number, 0xd1ce)
    }

    /// Creates the generator with this seed, for programs of another kind.
    pub fn salted(number: u64, salt: u64) -> Self {
        let mut dice = Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt);
        dice.roll(2);
        dice
    }

    /// Returns a number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * sides) >> 31
    }
}

impl Automata {
    /// Returns the program with that number. No handler sends more than one event,
    /// so the number of events in flight never exceeds the number sent at the start.
    pub fn random(number: u64) -> Self {
        let mut dice = Dice::new(number);
        let actors = 2 + dice.roll(2);
        let send = |dice: &mut Dice| (dice.roll(actors), dice.roll(KINDS) as u8);
        let mut starts = vec![Vec::new(); actors];
        for _ in 0..1 + dice.roll(3) {
            let event = send(&mut dice);
            starts[dice.roll(actors)].push(event);
        }
        let outcome = |dice: &mut Dice| Outcome {
            state: dice.roll(KINDS) as u8,
            sends: (0..usize::from(dice.roll(4) > 0))
                .map(|_| send(dice))
                .collect(),
        };
        let rule = |dice: &mut Dice| Rule {
            outcomes: (0..1 + dice.roll(8) / 7).map(|_| outcome(dice)).collect(),
            fails: dice.roll(24) == 0,
        };
        let table = |dice: &mut Dice| {
            let row = |dice: &mut Dice| (0..KINDS).map(|_| rule(dice)).collect();
            (0..KINDS).map(|_| row(dice)).collect()
        };
        let rules = (0..actors).map(|_| table(&mut dice)).collect();
        Self { starts, rules }
    }

    /// Returns the same program without panics.
    #[must_use]
    pub fn infallible(mut self) -> Self {
        let rules = self.rules.iter_mut().flatten().flatten();
        rules.for_each(|rule| rule.fails = false);
        self
    }

    /// Returns the same program without choices.
    #[must_use]
    pub fn without_choices(mut self) -> Self {
        let rules = self.rules.iter_mut().flatten().flatten();
        rules.for_each(|rule| rule.outcomes.truncate(1));
        self
    }

    /// Spawns the actors.
    pub fn set_up(&self, sys: &System) -> Vec<ActorRef<Automaton>> {
        let shared = Arc::new(Shared {
            program: self.clone(),
            all: OnceLock::new(),
        });
        let spawn = |number| {
            sys.spawn(Automaton {
                number,
                state: 0,
                shared: shared.clone(),
            })
        };
        let all: Vec<ActorRef<Automaton>> = (0..self.starts.len()).map(spawn).collect();
        assert!(shared.all.set(all.clone()).is_ok(), "it is set once");
        all
    }

    /// Computes all states of the program, and the steps between them, without the tester.
    pub fn model(&self) -> Model {
        let mut model = Model::default();
        let mut known = BTreeMap::from([(ModelState::Root, 0)]);
        let mut queue = VecDeque::from([(ModelState::Root, 0, 0)]);
        model.edges.push(Vec::new());
        model.points.push(ModelState::Root);
        while let Some((point, state, depth)) = queue.pop_front() {
            let steps = self.steps(&point);
            if let (true, ModelState::World(world)) = (steps.is_empty(), &point) {
                model.ends.insert(world.states.clone());
            }
            for (who, answer, next) in steps {
                let Some(next) = next else {
                    model.failures += 1;
                    model.first_failure.get_or_insert(depth + 1);
                    continue;
                };
                let number = *known.entry(next.clone()).or_insert_with(|| {
                    model.edges.push(Vec::new());
                    model.points.push(next.clone());
                    let number = model.edges.len() as u32 - 1;
                    queue.push_back((next, number, depth + 1));
                    number
                });
                model.edges[state as usize].push(Edge {
                    who,
                    answer,
                    to: number,
                });
            }
        }
        model
    }

    /// Computes the states that are left if sends wait until a step near them depends on them, with the same
    /// ends and the same distance of the nearest panic. Knows no steps between these states.
    pub fn late_model(&self) -> Model {
        let mut model = Model::default();
        let mut known = BTreeSet::from([ModelState::Root]);
        let (mut level, mut due) = (vec![ModelState::Root], Vec::new());
        let mut depth = 0;
        while !level.is_empty() || !due.is_empty() {
            depth += 1;
            let mut follow = Vec::new();
            let mut later = Vec::new();
            for (point, who) in std::mem::take(&mut due) {
                follow.extend(self.steps_of(&point, who));
            }
            for point in level {
                let steps = self.steps(&point);
                if let (true, ModelState::World(world)) = (steps.is_empty(), &point) {
                    model.ends.insert(world.states.clone());
                }
                for (who, _, next) in steps {
                    match self.wait_of_send(&point, who) {
                        Wait::None => follow.push(next),
                        Wait::UntilTaken(to) => later.extend(next.map(|next| (next, to))),
                        Wait::Further => {}
                    }
                }
                model.points.push(point);
            }
            level = Vec::new();
            for next in follow {
                match next {
                    None => drop(model.first_failure.get_or_insert(depth)),
                    Some(next) if known.insert(next.clone()) => level.push(next),
                    Some(_) => {}
                }
            }
            due = later;
        }
        model
    }

    fn steps_of(&self, point: &ModelState, who: usize) -> Vec<Option<ModelState>> {
        let steps = self.steps(point).into_iter();
        let steps = steps.filter(|(taker, ..)| *taker == who);
        steps.map(|(.., next)| next).collect()
    }

    fn wait_of_send(&self, point: &ModelState, who: usize) -> Wait {
        let ModelState::World(world) = point else {
            return Wait::None;
        };
        let send = |from: usize| world.outboxes.get(from)?.first().map(|(to, _)| *to);
        let Some(to) = send(who).filter(|to| *to != who) else {
            return Wait::None;
        };
        let may_step = |point: &ModelState, who: usize| !self.steps_of(point, who).is_empty();
        let after = |from: usize| self.steps_of(point, from).pop().flatten();
        let goes_on = |from: usize| after(from).is_none_or(|after| may_step(&after, from));
        let is_needed = |from: usize| {
            goes_on(from) || (0..self.starts.len()).any(|other| send(other) == Some(from))
        };
        let others = (0..self.starts.len()).filter(|other| *other != who);
        let has_rival = others
            .filter(|other| send(*other) == Some(to))
            .any(|other| other == to || is_needed(other));
        let is_taken = after(who).is_some_and(|after| may_step(&after, to));
        match may_step(point, to) {
            _ if !is_taken || is_needed(who) || has_rival => Wait::None,
            true => Wait::Further,
            false => Wait::UntilTaken(to),
        }
    }

    /// Returns the possible steps: the actor, the answer, and the next state; `None` for a panic.
    fn steps(&self, point: &ModelState) -> Vec<(usize, usize, Option<ModelState>)> {
        let actors = self.starts.len();
        let ModelState::World(world) = point else {
            let world = World {
                unspawned: actors,
                started: vec![false; actors],
                states: vec![0; actors],
                inboxes: vec![Vec::new(); actors],
                outboxes: vec![Vec::new(); actors],
            };
            return vec![(actors, 0, Some(ModelState::World(world)))];
        };
        let mut steps = Vec::new();
        let world_of = |world: World| Some(ModelState::World(world));
        if world.unspawned > 0 {
            let mut next = world.clone();
            next.unspawned -= 1;
            steps.push((actors, 0, world_of(next)));
        }
        for actor in 0..actors - world.unspawned {
            if let Some((to, event)) = world.outboxes[actor].first().copied() {
                let mut next = world.clone();
                next.outboxes[actor].remove(0);
                next.inboxes[to].push((actor, event));
                steps.push((actor, 0, world_of(next)));
            } else if !world.started[actor] {
                let mut next = world.clone();
                next.started[actor] = true;
                next.outboxes[actor].clone_from(&self.starts[actor]);
                steps.push((actor, 0, world_of(next)));
            } else if let Some((_, event)) = world.inboxes[actor].first().copied() {
                let state = usize::from(world.states[actor]);
                let rule = &self.rules[actor][state][usize::from(event)];
                if rule.fails {
                    steps.push((actor, 0, None));
                    continue;
                }
                for (answer, outcome) in rule.outcomes.iter().enumerate() {
                    let mut next = world.clone();
                    next.inboxes[actor].remove(0);
                    next.states[actor] = outcome.state;
                    next.outboxes[actor].clone_from(&outcome.sends);
                    steps.push((actor, answer, world_of(next)));
                }
            }
        }
        steps
    }
}

/// The time that a step waits.
enum Wait {
    None,
    /// The send and the next step of its receiver are taken together.
    UntilTaken(usize),
    Further,
}

/// A state of the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ModelState {
    /// The state before the set-up.
    Root,
    /// A state after the set-up.
    World(World),
}

/// The state of all actors after the set-up.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct World {
    /// The number of actors that are not spawned yet; these are the last ones.
    pub unspawned: usize,
    /// True for each actor whose start hook has run.
    pub started: Vec<bool>,
    /// The state of each actor.
    pub states: Vec<u8>,
    /// The unread events of each actor, with their senders.
    pub inboxes: Vec<Vec<(usize, u8)>>,
    /// The unsent events of each actor, with their receivers.
    pub outboxes: Vec<Vec<(usize, u8)>>,
}

/// A step of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The actor that takes the step; the number of actors stands for the set-up.
    pub who: usize,
    /// The answer of the choice.
    pub answer: usize,
    /// The number of the next state.
    pub to: u32,
}

/// The state graph of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The states; the initial state is the first.
    pub points: Vec<ModelState>,
    /// The steps from each state.
    pub edges: Vec<Vec<Edge>>,
    /// The states of the actors in each terminal state.
    pub ends: BTreeSet<Vec<u8>>,
    /// The number of steps that panic.
    pub failures: u64,
    /// The number of steps to the nearest panic, that step included.
    pub first_failure: Option<u64>,
}

/// A table-driven actor.
#[derive(Fingerprint)]
pub struct Automaton {
    number: usize,
    /// The current state.
    pub state: u8,
    /// The program, which never changes and is therefore no part of the fingerprint.
    #[fingerprint(skip)]
    shared: Arc<Shared>,
}

struct Shared {
    program: Automata,
    all: OnceLock<Vec<ActorRef<Automaton>>>,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Automaton {} in {}", self.number, self.state)
    }
}

/// An event, of one of a few kinds.
#[derive(Clone, Copy, Hash, Debug)]
pub struct Event(u8);

impl Automaton {
    fn send(&self, sends: &[(usize, u8)]) {
        let all = self
            .shared
            .all
            .get()
            .expect("all are known before one starts");
        sends
            .iter()
            .for_each(|(to, event)| all[*to].tell(Event(*event)));
    }
}

#[actor]
impl Automaton {
    #[start]
    fn start(&mut self) {
        let shared = self.shared.clone();
        self.send(&shared.program.starts[self.number]);
    }

    #[on]
    fn event(&mut self, event: Event, cx: &mut Context<Self>) {
        let shared = self.shared.clone();
        let table = &shared.program.rules[self.number];
        let rule = &table[usize::from(self.state)][usize::from(event.0)];
        assert!(!rule.fails, "actor {} fails", self.number);
        let chosen = match rule.outcomes.len() {
            1 => 0,
            outcomes => cx.choose(outcomes),
        };
        let outcome = &rule.outcomes[chosen];
        self.state = outcome.state;
        self.send(&outcome.sends);
    }
}
