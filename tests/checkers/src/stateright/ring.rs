//! The election of Chang and Roberts: the largest identity comes back to its node.

use std::borrow::Cow;

use stateright::actor::{Actor, ActorModel, Id, Out};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Candidate(u32);

/// A node, with the next one in the ring.
#[derive(Clone, Debug)]
pub(super) struct Node {
    id: u32,
    next: Id,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    is_leader: bool,
}

impl Actor for Node {
    type Msg = Candidate;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Self>) -> State {
        o.send(self.next, Candidate(self.id));
        State { is_leader: false }
    }

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<'_, State>,
        _: Id,
        candidate: Candidate,
        o: &mut Out<Self>,
    ) {
        if candidate.0 == self.id {
            state.to_mut().is_leader = true;
        } else if candidate.0 > self.id {
            o.send(self.next, candidate);
        }
    }
}

pub(super) fn model(nodes: u32) -> ActorModel<Node> {
    // In the direction in which the candidates go furthest.
    let node = |id| Node {
        id,
        next: Id::from(((id + nodes - 1) % nodes) as usize),
    };
    super::actors((0..nodes).map(node), "one leader", |_, system| {
        let leaders = system.actor_states.iter().filter(|state| state.is_leader);
        leaders.count() <= 1
    })
}
