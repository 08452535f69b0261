//! The Chord ring (Stoica et al., SIGCOMM 2001), after its implementation in Killian et al.,
//! "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code", section 5.
//!
//! Each [`Node`] knows its successor and its predecessor, by their numbers. A new node
//! [asks](FindSuccessor) any node for its own successor, and then [announces
//! itself](UpdatePredecessor) there as predecessor. From time to time a node asks its successor
//! for the [successor's predecessor](GetPredecessor). If that is a node in between, that node
//! becomes the new successor. Eventually, following successors leads through all nodes.
//!
//! **The bug it teaches.** A node that is alone is its own successor and its own predecessor. When a second
//! node announces itself as predecessor, the first node must change both, since the second node is its
//! successor as well. With [`Bug::PredecessorOnly`], only the predecessor is changed, and the first node
//! never learns of another successor. Later nodes find the others and are found by them, but not by the
//! first node. Every schedule fails, so no single step is to blame: the program is *dead from the start*.

use std::time::Duration;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A node that is alone does not take the first node that joins as its successor.
    PredecessorOnly,
}

/// The interval at which a node checks if another node has joined between it and its successor.
const STABILISE: Duration = Duration::from_millis(20);

/// A node and its number in the ring.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The number of the node.
    pub id: u32,
    /// The address of the node.
    pub node: ActorRef<Node>,
}

/// Asks for the successor of a node.
#[derive(Debug)]
pub struct FindSuccessor {
    /// The node whose successor is wanted.
    pub of: Peer,
}

/// Answers [`FindSuccessor`].
#[derive(Debug)]
pub struct Successor {
    /// The successor.
    pub is: Peer,
}

/// Announces a new predecessor to a node.
#[derive(Debug)]
pub struct UpdatePredecessor {
    /// The new predecessor.
    pub to: Peer,
}

/// Asks a node for its predecessor.
#[derive(Debug)]
pub struct GetPredecessor {
    /// The node that asks.
    pub from: ActorRef<Node>,
}

/// Answers [`GetPredecessor`].
#[derive(Debug)]
pub struct Predecessor {
    /// The predecessor.
    pub is: Peer,
}

/// A timer: check the successor.
#[derive(Clone, Debug)]
pub struct Stabilise;

/// Asks a node for the number of its successor.
#[derive(Debug)]
pub struct WhoIsNext;

/// A node of the ring.
#[derive(Debug)]
pub struct Node {
    id: u32,
    /// A node of the ring to join; `None` for the first node.
    joins: Option<ActorRef<Node>>,
    successor: Option<Peer>,
    predecessor: Option<Peer>,
    bug: Option<Bug>,
}

#[actor]
impl Node {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let me = self.peer(cx);
        match &self.joins {
            Some(ring) => ring.tell(FindSuccessor { of: me }),
            None => {
                self.successor = Some(me.clone());
                self.predecessor = Some(me);
            }
        }
        cx.every(STABILISE, Stabilise);
    }

    #[on]
    fn find_successor(&mut self, FindSuccessor { of }: FindSuccessor) {
        let Some(successor) = &self.successor else {
            return;
        };
        if is_between(self.id, of.id, successor.id) {
            let is = successor.clone();
            of.node.tell(Successor { is });
        } else {
            successor.node.tell(FindSuccessor { of });
        }
    }

    #[on]
    fn successor(&mut self, Successor { is }: Successor, cx: &mut Context<Self>) {
        let to = self.peer(cx);
        is.node.tell(UpdatePredecessor { to });
        self.successor = Some(is);
    }

    // ANCHOR: update
    #[on]
    fn update_predecessor(&mut self, UpdatePredecessor { to }: UpdatePredecessor) {
        let is_alone = self
            .successor
            .as_ref()
            .is_some_and(|peer| peer.id == self.id);
        if is_alone && self.bug != Some(Bug::PredecessorOnly) {
            self.successor = Some(to.clone());
        }
        let known = self.predecessor.as_ref();
        if known.is_none_or(|known| is_between(known.id, to.id, self.id)) {
            self.predecessor = Some(to);
        }
    }
    // ANCHOR_END: update

    /// A node that is alone has no other node to ask.
    #[on]
    fn stabilise(&mut self, _: Stabilise, cx: &mut Context<Self>) {
        let from = cx.me();
        if let Some(successor) = &self.successor
            && successor.id != self.id
        {
            successor.node.tell(GetPredecessor { from });
        }
    }

    #[on]
    fn get_predecessor(&mut self, asked: GetPredecessor) {
        if let Some(is) = self.predecessor.clone() {
            asked.from.tell(Predecessor { is });
        }
    }

    #[on]
    fn predecessor(&mut self, Predecessor { is }: Predecessor, cx: &mut Context<Self>) {
        let successor = self.successor.as_ref();
        let is_nearer = successor.is_some_and(|known| {
            is.id != known.id && is.id != self.id && is_between(self.id, is.id, known.id)
        });
        if is_nearer {
            let to = self.peer(cx);
            is.node.tell(UpdatePredecessor { to });
            self.successor = Some(is);
        }
    }

    #[on]
    fn who_is_next(&mut self, _: WhoIsNext) -> Option<u32> {
        self.next()
    }

    fn peer(&self, cx: &Context<Self>) -> Peer {
        Peer {
            id: self.id,
            node: cx.me(),
        }
    }
}

impl Node {
    /// Returns the number of the node's successor, if it has one.
    pub fn next(&self) -> Option<u32> {
        self.successor.as_ref().map(|peer| peer.id)
    }
}

/// Returns true if `id` lies on the way round the ring from `from`
/// to `to`. If both are the same node, all other nodes lie between.
fn is_between(from: u32, id: u32, to: u32) -> bool {
    match from < to {
        true => from < id && id <= to,
        false => id > from || id <= to,
    }
}

/// Starts `nodes` nodes; the first creates the ring, and the others join there.
pub fn set_up(sys: &System, nodes: u32, bug: Option<Bug>) -> Vec<ActorRef<Node>> {
    let mut ring: Vec<ActorRef<Node>> = Vec::new();
    for id in 0..nodes {
        ring.push(sys.spawn(Node {
            id,
            joins: ring.first().cloned(),
            successor: None,
            predecessor: None,
            bug,
        }));
    }
    ring
}

/// Returns true if following successors leads through all nodes, given the successor of each.
pub fn is_whole(next: &[Option<u32>]) -> bool {
    let mut at = 0;
    for _ in 1..next.len() {
        match next.get(at).copied().flatten() {
            Some(id) if id != 0 => at = id as usize,
            _ => return false,
        }
    }
    next.get(at).copied().flatten() == Some(0)
}
