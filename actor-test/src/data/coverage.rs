//! Coverage of the actors' states, handlers and transitions.

use serde::{Deserialize, Serialize};

/// The coverage of a test, by actor type in the order of their paths.
///
/// The coverage leaves out types without a started actor, since nothing is known of them, and the actors of
/// `actor-core` itself, such as pools and probes. Replays that check for determinism do not count.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::Tester;
///
/// #[derive(Debug)]
/// struct Press;
/// #[derive(Debug)]
/// struct Break;
///
/// struct Lamp;
///
/// #[actor(states(Dark, Lit, Broken))]
/// impl Lamp {
///     #[on(Dark, Lit)]
///     fn press(&mut self, _: Press, cx: &mut Context<Self>) {
///         cx.goto(match cx.state() {
///             LampState::Dark => LampState::Lit,
///             _ => LampState::Dark,
///         });
///     }
///
///     #[on(Lit)]
///     fn shatter(&mut self, _: Break, cx: &mut Context<Self>) {
///         cx.goto(LampState::Broken);
///     }
/// }
/// # use actor_core::actor;
///
/// let report = Tester::new().iterations(10).run(|sys| {
///     let lamp = sys.spawn(Lamp);
///     lamp.tell(Press);
///     lamp.tell(Press);
/// });
/// let lamp = &report.coverage.actors[0];
/// assert_eq!((&*lamp.states[1].name, lamp.states[1].entered), ("Lit", 10));
/// let unreached: Vec<String> =
///     report.coverage.unreached().iter().map(ToString::to_string).collect();
/// assert_eq!(unreached, ["state `Broken` of `Lamp`", "`Lamp` on `Break` in `Lit`"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Coverage {
    /// The entries, one for each actor type; types that differ only in their parameters share one.
    pub actors: Vec<ActorCoverage>,
}

/// The coverage of one actor type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActorCoverage {
    /// The path of the type, without its parameters: `shop::till::Till`.
    pub path: String,
    /// The name of the type as written in its `#[actor] impl`, without its parameters: `Till`.
    pub name: String,
    /// The states in the order of declaration; a plain actor has one without a name.
    pub states: Vec<StateCoverage>,
    /// The state transitions that were observed, with those to the same state, in the order of the states.
    /// The set of possible transitions is not known.
    pub transitions: Vec<Transition>,
}

/// The coverage of one state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateCoverage {
    /// The name of the state; empty for a plain actor.
    pub name: String,
    /// The number of actors that started in the state.
    pub started: u64,
    /// The number of times that the state was entered, the starts included.
    pub entered: u64,
    /// The events that the state handles, in the order of the actor's events.
    pub handlers: Vec<HandlerCoverage>,
}

/// The coverage of one handler: how often a state handled an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandlerCoverage {
    /// The type of the event, as written in the handler.
    pub event: String,
    /// The number of times that the handler ran in this state, also for raised events.
    pub ran: u64,
}

/// A state transition that was observed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Transition {
    /// The state before.
    pub from: String,
    /// The state after.
    pub to: String,
    /// The number of times that the transition was observed.
    pub count: u64,
}

/// A state or handler that no execution reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Unreached {
    /// A state that was never entered.
    State {
        /// The actor type, without its path.
        actor: String,
        /// The state.
        state: String,
    },
    /// A handler that never ran, though a state that has the handler was entered.
    Handler {
        /// The actor type, without its path.
        actor: String,
        /// The event.
        event: String,
        /// The state in which the handler never ran; `None` for a plain actor, and for a handler that ran
        /// in none of several states.
        state: Option<String>,
    },
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::State { actor, state } => write!(f, "state `{state}` of `{actor}`"),
            Self::Handler {
                actor,
                event,
                state: None,
            } => write!(f, "`{actor}` on `{event}`"),
            Self::Handler {
                actor,
                event,
                state: Some(state),
            } => write!(f, "`{actor}` on `{event}` in `{state}`"),
        }
    }
}

impl Coverage {
    /// Adds the coverage of other executions; the result does not depend on the order of additions.
    pub fn add(&mut self, other: &Self) {
        for added in &other.actors {
            let same = |known: &&mut ActorCoverage| known.is_of_type(added);
            match self.actors.iter_mut().find(same) {
                Some(known) => known.add(added),
                None => self.actors.push(added.clone()),
            }
        }
        self.actors
            .sort_by(|a, b| (&a.path, a.table()).cmp(&(&b.path, b.table())));
    }

    /// Returns the states, and then the handlers, that no execution reached, in the order of the actors.
    ///
    /// An event that every state handles counts as one handler, reached if it ran in any state. The handler
    /// of any other event is judged in each state that was entered.
    pub fn unreached(&self) -> Vec<Unreached> {
        let states = self.actors.iter().flat_map(ActorCoverage::unreached_states);
        let handlers = self
            .actors
            .iter()
            .flat_map(ActorCoverage::unreached_handlers);
        states.chain(handlers).collect()
    }
}

impl ActorCoverage {
    /// Returns true if the actor has named states.
    pub fn is_state_machine(&self) -> bool {
        self.states.iter().any(|state| !state.name.is_empty())
    }

    /// Returns the number of actors of the type that were started.
    pub fn started(&self) -> u64 {
        self.states.iter().map(|state| state.started).sum()
    }

    /// Returns the states with the events that they handle. The table distinguishes types with the same
    /// path, such as those of two builds of one crate.
    fn table(&self) -> Vec<(&str, Vec<&str>)> {
        let states = self.states.iter();
        states
            .map(|state| (&*state.name, state.events().collect()))
            .collect()
    }

    fn is_of_type(&self, other: &Self) -> bool {
        self.path == other.path && self.table() == other.table()
    }

    fn add(&mut self, other: &Self) {
        for (state, added) in self.states.iter_mut().zip(&other.states) {
            state.started += added.started;
            state.entered += added.entered;
            for (handler, added) in state.handlers.iter_mut().zip(&added.handlers) {
                handler.ran += added.ran;
            }
        }
        for added in &other.transitions {
            let same = |known: &&mut Transition| known.from == added.from && known.to == added.to;
            match self.transitions.iter_mut().find(same) {
                Some(known) => known.count += added.count,
                None => self.transitions.push(added.clone()),
            }
        }
        let states = &self.states;
        let position = |name: &String| states.iter().position(|state| state.name == *name);
        self.transitions
            .sort_by_key(|seen| (position(&seen.from), position(&seen.to)));
    }

    fn unreached_states(&self) -> impl Iterator<Item = Unreached> {
        let never = self.states.iter().filter(|state| state.entered == 0);
        never
            .filter(|state| !state.name.is_empty())
            .map(|state| Unreached::State {
                actor: self.name.clone(),
                state: state.name.clone(),
            })
    }

    fn unreached_handlers(&self) -> impl Iterator<Item = Unreached> {
        let events = self.events().into_iter();
        events.flat_map(|event| self.unreached_on(event))
    }

    fn unreached_on(&self, event: &str) -> Vec<Unreached> {
        let never = |state: Option<&StateCoverage>| Unreached::Handler {
            actor: self.name.clone(),
            event: event.into(),
            state: state.map(|state| state.name.clone()),
        };
        let handling: Vec<(&StateCoverage, u64)> = self.handling(event).collect();
        let entered = |(state, ran): &&(&StateCoverage, u64)| state.entered > 0 && *ran == 0;
        let missed: Vec<&StateCoverage> = handling
            .iter()
            .filter(entered)
            .map(|(state, _)| *state)
            .collect();
        let ever = handling.iter().any(|(_, ran)| *ran > 0);
        if missed.is_empty() || (ever && self.is_of_all_states(event)) {
            return Vec::new();
        }
        if !ever && (handling.len() > 1 || !self.is_state_machine()) {
            return vec![never(None)];
        }
        missed.into_iter().map(|state| never(Some(state))).collect()
    }

    fn events(&self) -> Vec<&str> {
        let mut events: Vec<&str> = Vec::new();
        for event in self.states.iter().flat_map(StateCoverage::events) {
            if !events.contains(&event) {
                events.push(event);
            }
        }
        events
    }

    /// Returns the states that handle the event, with the number of times that each did.
    fn handling(&self, event: &str) -> impl Iterator<Item = (&StateCoverage, u64)> {
        let states = self.states.iter();
        states.filter_map(move |state| Some((state, state.ran(event)?)))
    }

    fn is_of_all_states(&self, event: &str) -> bool {
        self.handling(event).count() == self.states.len()
    }
}

/// Methods for the documents that the command-line tool writes.
#[doc(hidden)]
impl ActorCoverage {
    /// Returns the numbers of handlers that ran, and of all; one for all states counts once.
    pub fn handlers_reached(&self) -> (usize, usize) {
        let mut reached = (0, 0);
        for event in self.events() {
            let ran = self.handling(event).filter(|(_, ran)| *ran > 0).count();
            let all = self.handling(event).count();
            let (ran, all) = match self.is_of_all_states(event) {
                true => (ran.min(1), 1),
                false => (ran, all),
            };
            reached = (reached.0 + ran, reached.1 + all);
        }
        reached
    }

    /// Returns the events that the state never handled; those of all states count if any state did.
    pub fn never_handled_in(&self, state: &StateCoverage) -> Vec<String> {
        let ran = |event: &str| self.handling(event).any(|(_, ran)| ran > 0);
        let events = state.handlers.iter().filter(|handler| {
            let event = &handler.event;
            handler.ran == 0 && !(self.is_of_all_states(event) && ran(event))
        });
        events.map(|handler| handler.event.clone()).collect()
    }
}

impl StateCoverage {
    fn events(&self) -> impl Iterator<Item = &str> {
        self.handlers.iter().map(|handler| &*handler.event)
    }

    fn ran(&self, event: &str) -> Option<u64> {
        let mut handlers = self.handlers.iter();
        let handler = handlers.find(|handler| handler.event == event)?;
        Some(handler.ran)
    }
}
