//! How often the controlled actors of one type ran which code.

use std::cell::Cell;

use crate::actor::{Actor, ActorInfo, Call, State};

/// Counts of one actor type, shared by the bodies of its actors.
///
/// It is kept by position in the type's table, so that counting is one increment.
pub struct Tally {
    /// The type with its path, as rustc prints it.
    path: &'static str,
    info: &'static ActorInfo,
    started: Box<[Cell<u64>]>,
    handled: Box<[Cell<u64>]>,
    moved: Box<[Cell<u64>]>,
}

/// What a [`Tally`] has counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// How many actors began in each state; one entry for a plain actor.
    pub started: Vec<u64>,
    /// How many events each state handled, state by state, as
    /// [`dispositions`](ActorInfo::dispositions) are.
    pub handled: Vec<u64>,
    /// How often each state was followed by each other, from state by from state.
    pub moved: Vec<u64>,
}

impl Tally {
    pub(crate) fn of<A: Actor>() -> Self {
        let states = A::INFO.states.len().max(1);
        let zeros = |count: usize| vec![Cell::new(0); count].into_boxed_slice();
        Self {
            path: std::any::type_name::<A>(),
            info: A::INFO,
            started: zeros(states),
            handled: zeros(states * A::INFO.events.len()),
            moved: zeros(states * states),
        }
    }

    /// The type with its path, as rustc prints it.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// The type's table.
    pub fn info(&self) -> &'static ActorInfo {
        self.info
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        let all = |cells: &[Cell<u64>]| cells.iter().map(Cell::get).collect();
        Counts {
            started: all(&self.started),
            handled: all(&self.handled),
            moved: all(&self.moved),
        }
    }

    /// Goes back to what was counted before; to zero where that is `None`.
    pub fn restore(&self, before: Option<&Counts>) {
        let set = |cells: &[Cell<u64>], values: Option<&Vec<u64>>| {
            for (at, cell) in cells.iter().enumerate() {
                let value = values.and_then(|values| values.get(at));
                cell.set(value.copied().unwrap_or(0));
            }
        };
        set(&self.started, before.map(|before| &before.started));
        set(&self.handled, before.map(|before| &before.handled));
        set(&self.moved, before.map(|before| &before.moved));
    }

    /// An actor that starts without a step of its own.
    pub(crate) fn start(&self, state: impl State) {
        count(&self.started, state.index());
    }
}

/// Hears of the calls of an actor as they run.
pub(crate) trait Count<A: Actor> {
    /// The call is about to run.
    fn call(&self, call: &Call<A>, state: A::State);
    /// What follows from a call of a start hook, or of another, in the state that was.
    fn follow(&self, starting: bool, before: A::State, call: &Call<A>);
}

/// Production counts nothing here.
impl<A: Actor> Count<A> for () {
    #[inline]
    fn call(&self, _: &Call<A>, _: A::State) {}
    #[inline]
    fn follow(&self, _: bool, _: A::State, _: &Call<A>) {}
}

impl<A: Actor> Count<A> for Tally {
    #[inline]
    fn call(&self, call: &Call<A>, state: A::State) {
        if let Call::Event(message) = call {
            let event = usize::from(A::event_index(message));
            count(&self.handled, state.index() * A::INFO.events.len() + event);
        }
    }

    fn follow(&self, starting: bool, before: A::State, call: &Call<A>) {
        if let Call::Entry(state) = call {
            if starting {
                count(&self.started, state.index());
            } else {
                let states = A::INFO.states.len().max(1);
                count(&self.moved, before.index() * states + state.index());
            }
        }
    }
}

#[inline]
fn count(cells: &[Cell<u64>], at: usize) {
    if let Some(cell) = cells.get(at) {
        cell.set(cell.get() + 1);
    }
}
