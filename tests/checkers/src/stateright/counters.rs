//! Clients that call a server, and senders that fill an inbox.

use std::borrow::Cow;
use std::iter;

use stateright::actor::{Actor, ActorModel, Id, Out};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Message {
    Call,
    Reply,
}

#[derive(Clone, Debug)]
pub(super) enum Role {
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

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<'_, u32>,
        from: Id,
        message: Message,
        o: &mut Out<Self>,
    ) {
        match (self, message) {
            (Self::Server, Message::Call) => o.send(from, Message::Reply),
            // stateright takes no step for a message that changes nothing.
            (Self::Server, Message::Reply) => *state.to_mut() += 1,
            (Self::Client { .. }, Message::Reply) => {
                *state.to_mut() -= 1;
                if **state > 0 {
                    o.send(Id::from(0_usize), Message::Call);
                }
            }
            _ => {}
        }
    }
}

pub(super) fn fan_in(senders: u32, messages: u32) -> ActorModel<Role> {
    model(senders, Role::Sender { messages })
}

pub(super) fn calls(clients: u32, left: u32) -> ActorModel<Role> {
    model(clients, Role::Client { left })
}

fn model(others: u32, role: Role) -> ActorModel<Role> {
    let roles = iter::once(Role::Server).chain((0..others).map(|_| role.clone()));
    // Without an open property, stateright would stop at once.
    super::actors(roles, "nothing is wrong", |_, _| true)
}
