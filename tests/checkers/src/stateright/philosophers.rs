//! Dining philosophers with a fork between each two of them; each eats once.

use std::borrow::Cow;

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, Id, Out};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Message {
    Take,
    Taken,
    Finish,
    Put,
}

/// The forks come first.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Fork,
    /// A philosopher, with its forks in the order in which they are taken.
    Philosopher([Id; 2]),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    Fork { is_taken: bool, waiting: Option<Id> },
    Philosopher { taken: usize, is_done: bool },
}

impl Actor for Role {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> State {
        match self {
            Self::Fork => State::Fork {
                is_taken: false,
                waiting: None,
            },
            Self::Philosopher(forks) => {
                o.send(forks[0], Message::Take);
                State::Philosopher {
                    taken: 0,
                    is_done: false,
                }
            }
        }
    }

    fn on_msg(
        &self,
        id: Id,
        state: &mut Cow<'_, State>,
        from: Id,
        message: Message,
        o: &mut Out<Self>,
    ) {
        match (self, state.to_mut()) {
            (Self::Fork, State::Fork { is_taken, waiting }) => match message {
                Message::Take if *is_taken => *waiting = Some(from),
                Message::Take => {
                    *is_taken = true;
                    o.send(from, Message::Taken);
                }
                _ => match waiting.take() {
                    Some(next) => o.send(next, Message::Taken),
                    None => *is_taken = false,
                },
            },
            (Self::Philosopher(forks), State::Philosopher { taken, is_done }) => match message {
                Message::Taken => {
                    *taken += 1;
                    match forks.get(*taken) {
                        Some(fork) => o.send(*fork, Message::Take),
                        None => o.send(id, Message::Finish),
                    }
                }
                _ => {
                    *taken = 0;
                    *is_done = true;
                    o.broadcast(forks, &Message::Put);
                }
            },
            _ => {}
        }
    }
}

pub(super) fn model(philosophers: u32) -> ActorModel<Role> {
    let philosophers = philosophers as usize;
    let forks = (0..philosophers).map(|_| Role::Fork);
    let roles = forks.chain((0..philosophers).map(|place| {
        let mut forks = [place, (place + 1) % philosophers].map(Id::from);
        if place == 0 {
            // Without this one, each may take one fork, and wait for the other.
            forks.reverse();
        }
        Role::Philosopher(forks)
    }));
    let exclusion = super::actors(
        roles,
        "nobody eats with the fork of another",
        |_, system| {
            let philosophers = &system.actor_states[system.actor_states.len() / 2..];
            let eats = |state: &State| matches!(state, State::Philosopher { taken: 2, .. });
            let others = philosophers.iter().cycle().skip(1);
            let mut neighbours = philosophers.iter().zip(others);
            neighbours.all(|(one, other)| !eats(one) || !eats(other))
        },
    );
    exclusion.property(
        Expectation::Eventually,
        "everybody has eaten",
        |_, system| {
            let mut states = system.actor_states.iter();
            states.all(|state| !matches!(**state, State::Philosopher { is_done: false, .. }))
        },
    )
}
