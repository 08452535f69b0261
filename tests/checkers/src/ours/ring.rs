//! The election of Chang and Roberts: the largest identity comes back to its node.

use actor_core::prelude::*;

#[derive(Clone, Hash, Debug)]
struct Next(ActorRef<Node>);
#[derive(Clone, Copy, Hash, Debug)]
struct Candidate(u32);
/// A node has become the leader.
#[derive(Clone, Copy, Hash, Debug)]
struct Elected;

#[derive(Hash)]
struct Node {
    id: u32,
    next: Option<ActorRef<Node>>,
    is_leader: bool,
}

#[actor]
impl Node {
    #[on]
    fn next(&mut self, next: Next) {
        next.0.tell(Candidate(self.id));
        self.next = Some(next.0);
    }

    #[on]
    fn candidate(&mut self, candidate: Candidate, cx: &mut Context<Self>) {
        if candidate.0 == self.id {
            self.is_leader = true;
            cx.announce(Elected);
        } else if candidate.0 > self.id {
            let next = self
                .next
                .as_ref()
                .expect("linked before it hears of a candidate");
            next.tell(candidate);
        }
    }
}

/// There is one leader.
#[derive(Default, Hash)]
struct OneLeader {
    is_elected: bool,
}

#[monitor(cold(Watching))]
impl OneLeader {
    #[on]
    fn elected(&mut self, _: &Elected) {
        assert!(!self.is_elected, "two leaders");
        self.is_elected = true;
    }
}

pub(super) fn set_up(sys: &System, nodes: u32) {
    sys.monitor::<OneLeader>();
    let spawn = |id| {
        sys.spawn(Node {
            id,
            next: None,
            is_leader: false,
        })
    };
    let nodes: Vec<_> = (0..nodes).map(spawn).collect();
    // In the direction in which the candidates go furthest.
    for (at, node) in nodes.iter().enumerate() {
        node.tell(Next(nodes[(at + nodes.len() - 1) % nodes.len()].clone()));
    }
}
