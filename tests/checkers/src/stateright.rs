//! The programs in stateright: actors over an ordered network; each state is visited once.

use std::borrow::Cow;

use stateright::actor::{Actor, ActorModel, Id, Network, Out};
use stateright::{Checker, Expectation, Model};

use crate::programs::Program;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Call,
    Reply,
}

#[derive(Clone, Debug)]
enum Role {
    Server,
    Client { left: u32 },
    Sender { messages: u32 },
}

impl Actor for Role {
    type Msg = Message;
    type Timer = ();
    type State = u32;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> u32 {
        let server = Id::from(0_usize);
        match self {
            Self::Server => 0,
            Self::Client { left } => {
                o.send(server, Message::Call);
                *left
            }
            Self::Sender { messages } => {
                (0..*messages).for_each(|_| o.send(server, Message::Reply));
                0
            }
        }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, u32>, from: Id, message: Message, o: &mut Out<Self>) {
        match (self, message) {
            (Self::Server, Message::Call) => o.send(from, Message::Reply),
            // stateright takes no step for a message that changes nothing, so each message changes the state.
            (Self::Server | Self::Sender { .. }, Message::Reply) => *state.to_mut() += 1,
            (Self::Client { .. }, Message::Reply) => {
                *state.to_mut() -= 1;
                if **state > 0 {
                    o.send(Id::from(0_usize), Message::Call);
                }
            }
            (_, Message::Call) => {}
        }
    }
}

/// Returns the number of distinct states.
pub(crate) fn count(program: Program) -> u64 {
    let (role, others) = match program {
        Program::FanIn(senders, messages) => (Role::Sender { messages }, senders),
        Program::Calls(clients, left) => {
            (Role::Client { left }, clients)
        }
    };
    let checker = ActorModel::new((), ())
        .actor(Role::Server)
        .actors((0..others).map(|_| role.clone()))
        .init_network(Network::new_ordered([]))
        // Without an open property, stateright would stop at once.
        .property(Expectation::Always, "nothing is wrong", |_, _| true)
        .checker();
    let states = match std::env::var("CHECKERS").as_deref() {
        Ok("dfs") => checker.spawn_dfs().join().unique_state_count(),
        _ => checker.spawn_bfs().join().unique_state_count(),
    };
    states as u64
}
