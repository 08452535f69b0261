//! Two-phase commit: all participants commit, or all abort.

use std::borrow::Cow;
use std::iter;

use stateright::actor::{Actor, ActorModel, Id, Out};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Message {
    Prepare,
    Vote(bool),
    Decide(bool),
}

#[derive(Clone, Debug)]
pub(super) enum Role {
    /// The actor of number 0, before this number of participants.
    Coordinator(usize),
    Participant,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    Coordinator { yes: usize, decided: Option<bool> },
    Working,
    Prepared,
    Committed,
    Aborted,
}

impl Actor for Role {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = bool;

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> State {
        match *self {
            Self::Coordinator(participants) => {
                broadcast(participants, &Message::Prepare, o);
                State::Coordinator {
                    yes: 0,
                    decided: None,
                }
            }
            Self::Participant => State::Working,
        }
    }

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<'_, State>,
        _: Id,
        message: Message,
        o: &mut Out<Self>,
    ) {
        match (self, &**state, message) {
            (Self::Participant, _, Message::Prepare) => o.choose_random("vote", vec![false, true]),
            (Self::Participant, _, Message::Decide(commits)) => *state.to_mut() = ended(commits),
            (
                &Self::Coordinator(participants),
                &State::Coordinator { yes, decided: None },
                Message::Vote(vote),
            ) => {
                let yes = yes + usize::from(vote);
                let decided = (!vote || yes == participants).then_some(vote);
                *state.to_mut() = State::Coordinator { yes, decided };
                if decided.is_some() {
                    broadcast(participants, &Message::Decide(vote), o);
                }
            }
            _ => {}
        }
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, State>, vote: &bool, o: &mut Out<Self>) {
        // The vote is a step of its own, so the others may have decided before it.
        if **state == State::Working {
            *state.to_mut() = if *vote {
                State::Prepared
            } else {
                State::Aborted
            };
        }
        o.send(Id::from(0_usize), Message::Vote(*vote));
    }
}

fn ended(commits: bool) -> State {
    if commits {
        State::Committed
    } else {
        State::Aborted
    }
}

fn broadcast(participants: usize, message: &Message, o: &mut Out<Role>) {
    for number in 1..=participants {
        o.send(Id::from(number), message.clone());
    }
}

pub(super) fn model(participants: u32) -> ActorModel<Role> {
    let all = (0..participants).map(|_| Role::Participant);
    let roles = iter::once(Role::Coordinator(participants as usize)).chain(all);
    super::actors(roles, "agreement", |_, system| {
        let is_any = |state: State| system.actor_states.iter().any(|other| **other == state);
        !is_any(State::Committed) || !is_any(State::Aborted)
    })
}
