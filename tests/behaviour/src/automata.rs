//! Random small programs of actors that follow tables, and a model of them that knows nothing of the
//! tester: every state as plain data, every step by the rules of the book.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

use actor_core::prelude::*;
use actor_core::{Fingerprint, actor};

/// What an actor does with an event in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// By the outcome of a choice among them; one alone is not chosen.
    pub outcomes: Vec<Outcome>,
    /// It fails.
    pub fails: bool,
}

/// The state that comes next, and to whom which event is sent.
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
    /// What each actor sends at its start.
    pub starts: Vec<Vec<(usize, u8)>>,
    /// For each actor, each state and each event what it does.
    pub rules: Vec<Vec<Vec<Rule>>>,
}

/// How many states and events there are.
const KINDS: usize = 3;

/// A generator, good enough to choose programs by.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// One for that number.
    pub fn new(number: u64) -> Self {
        let mut dice = Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1ce);
        dice.roll(2);
        dice
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * sides) >> 31
    }
}

impl Automata {
    /// The program with that number. No handler sends more than one event, so that no more are under way
    /// than were sent at the start.
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

    /// The same without failures.
    #[must_use]
    pub fn infallible(mut self) -> Self {
        let rules = self.rules.iter_mut().flatten().flatten();
        rules.for_each(|rule| rule.fails = false);
        self
    }

    /// The same without choices.
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

    /// Every state of the program and every step between two, found without the tester.
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

    /// Who can take a step, and to where it leads; nowhere, where it fails.
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

/// A state of the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ModelState {
    /// Before the set-up.
    Root,
    /// After it.
    World(World),
}

/// What there is after the set-up.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct World {
    /// How many spawns are still to come; the last actors'.
    pub unspawned: usize,
    /// Whose start has run.
    pub started: Vec<bool>,
    /// In which state each actor is.
    pub states: Vec<u8>,
    /// By whom what was sent.
    pub inboxes: Vec<Vec<(usize, u8)>>,
    /// To whom what is sent.
    pub outboxes: Vec<Vec<(usize, u8)>>,
}

/// A step of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// Whose; the set-up's is the number of actors.
    pub who: usize,
    /// What was chosen.
    pub answer: usize,
    /// The state to which it leads.
    pub to: u32,
}

/// All states and steps of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The states, the first first.
    pub points: Vec<ModelState>,
    /// The steps from each.
    pub edges: Vec<Vec<Edge>>,
    /// In which states the actors are where nothing can be done.
    pub ends: BTreeSet<Vec<u8>>,
    /// How many steps fail.
    pub failures: u64,
    /// How many steps there are to the nearest that fails, with it.
    pub first_failure: Option<u64>,
}

/// An actor that follows a table.
#[derive(Fingerprint)]
pub struct Automaton {
    number: usize,
    /// In which state it is.
    pub state: u8,
    /// The same for all and for ever.
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
