//! Single-decree Paxos, in which each proposer tries one ballot with a value of its own.

use std::borrow::Cow;

use stateright::actor::{Actor, ActorModel, Id, Out};

/// A ballot, and the value proposed in it.
type Proposal = (u32, u32);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Message {
    Prepare(u32),
    Promise(Option<Proposal>),
    Accept(Proposal),
    Accepted,
}

/// The acceptors come first.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Acceptor,
    Proposer { ballot: u32, acceptors: usize },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    Acceptor {
        promised: u32,
        accepted: Option<Proposal>,
    },
    Proposer {
        promises: usize,
        proposal: Option<Proposal>,
        accepted: usize,
        decided: Option<u32>,
    },
}

impl Actor for Role {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> State {
        match *self {
            Self::Acceptor => State::Acceptor {
                promised: 0,
                accepted: None,
            },
            Self::Proposer { ballot, acceptors } => {
                broadcast(acceptors, &Message::Prepare(ballot), o);
                State::Proposer {
                    promises: 0,
                    proposal: None,
                    accepted: 0,
                    decided: None,
                }
            }
        }
    }

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<'_, State>,
        from: Id,
        message: Message,
        o: &mut Out<Self>,
    ) {
        match (self, &**state) {
            (Self::Acceptor, &State::Acceptor { promised, accepted }) => match message {
                Message::Prepare(ballot) if ballot > promised => {
                    *state.to_mut() = State::Acceptor {
                        promised: ballot,
                        accepted,
                    };
                    o.send(from, Message::Promise(accepted));
                }
                Message::Accept(proposal) if proposal.0 >= promised => {
                    *state.to_mut() = State::Acceptor {
                        promised: proposal.0,
                        accepted: Some(proposal),
                    };
                    o.send(from, Message::Accepted);
                }
                _ => {}
            },
            (&Self::Proposer { ballot, acceptors }, State::Proposer { .. }) => {
                let majority = acceptors / 2 + 1;
                let State::Proposer {
                    promises,
                    proposal,
                    accepted,
                    decided,
                } = state.to_mut()
                else {
                    return;
                };
                match message {
                    Message::Promise(reported) if *promises < majority => {
                        *promises += 1;
                        *proposal = (*proposal).max(reported);
                        if *promises == majority {
                            let own = (ballot, proposal.map_or(ballot, |(_, value)| value));
                            *proposal = Some(own);
                            broadcast(acceptors, &Message::Accept(own), o);
                        }
                    }
                    Message::Accepted if *accepted < majority => {
                        *accepted += 1;
                        if *accepted == majority {
                            *decided = proposal.map(|(_, value)| value);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn broadcast(acceptors: usize, message: &Message, o: &mut Out<Role>) {
    for number in 0..acceptors {
        o.send(Id::from(number), message.clone());
    }
}

pub(super) fn model(proposers: u32, acceptors: u32) -> ActorModel<Role> {
    let all = (0..acceptors).map(|_| Role::Acceptor);
    let acceptors = acceptors as usize;
    let roles = all.chain((1..=proposers).map(|ballot| Role::Proposer { ballot, acceptors }));
    super::actors(roles, "agreement", |_, system| {
        let mut values = system
            .actor_states
            .iter()
            .filter_map(|state| match **state {
                State::Proposer { decided, .. } => decided,
                State::Acceptor { .. } => None,
            });
        let first = values.next();
        values.all(|value| Some(value) == first)
    })
}
