//! A lock server, whose clients wait in a queue.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::iter;

use stateright::actor::{Actor, ActorModel, Id, Out};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Message {
    Acquire,
    Granted,
    Finish,
    Release,
}

#[derive(Clone, Debug)]
pub(super) enum Role {
    /// The actor of number 0.
    Server,
    Client,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    Server {
        is_held: bool,
        waiting: VecDeque<Id>,
    },
    Waiting,
    Holding,
    Done,
}

impl Actor for Role {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> State {
        match self {
            Self::Server => State::Server {
                is_held: false,
                waiting: VecDeque::new(),
            },
            Self::Client => {
                o.send(Id::from(0_usize), Message::Acquire);
                State::Waiting
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
        let state = state.to_mut();
        match (state, message) {
            (
                State::Server {
                    is_held: true,
                    waiting,
                },
                Message::Acquire,
            ) => waiting.push_back(from),
            (State::Server { is_held, .. }, Message::Acquire) => {
                *is_held = true;
                o.send(from, Message::Granted);
            }
            (State::Server { is_held, waiting }, Message::Release) => match waiting.pop_front() {
                Some(next) => o.send(next, Message::Granted),
                None => *is_held = false,
            },
            (state, Message::Granted) => {
                *state = State::Holding;
                o.send(id, Message::Finish);
            }
            (state, Message::Finish) => {
                *state = State::Done;
                o.send(Id::from(0_usize), Message::Release);
            }
            _ => {}
        }
    }
}

pub(super) fn model(clients: u32) -> ActorModel<Role> {
    let roles = iter::once(Role::Server).chain((0..clients).map(|_| Role::Client));
    super::actors(roles, "mutual exclusion", |_, system| {
        let states = system.actor_states.iter();
        states.filter(|state| ***state == State::Holding).count() <= 1
    })
}
