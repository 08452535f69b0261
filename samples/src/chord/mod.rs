//! A ring of nodes, after Chord (Stoica et al., SIGCOMM 2001) and its implementation in Killian et al.,
//! "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code", section 5.
//!
//! Each [`Node`] knows its successor and its predecessor in the ring, by their numbers. A new node
//! [asks](FindSuccessor) any node of the ring who comes after it, and [tells](UpdatePredecessor) that
//! one that it comes before it. From time to time a node asks its successor [who comes before
//! it](GetPredecessor): where that is a node in between, it is the new successor. So all nodes are in
//! one ring, in the end: whoever follows successors comes by all of them.
//!
//! **The bug it teaches.** A node that is alone is its own successor and its own predecessor. When a
//! second one says that it comes before it, both are to be changed, since it comes after it as well.
//! With [`Bug::PredecessorOnly`], only the predecessor is, and nobody ever tells the first node more:
//! those that come later find the others, and are found by them, but not by the first one. There is no
//! schedule that does better, so there is no step that decides: it is *dead from the start*.

use std::time::Duration;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A node that is alone does not take the first that joins for its successor.
    PredecessorOnly,
}

/// A node looks whether somebody has come between it and its successor so often.
const STABILISE: Duration = Duration::from_millis(20);

/// A node, and its place in the ring.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its number.
    pub id: u32,
    /// Who it is.
    pub node: ActorRef<Node>,
}

/// Asks who comes after a node.
#[derive(Debug)]
pub struct FindSuccessor {
    /// Which.
    pub of: Peer,
}

/// Says who does.
#[derive(Debug)]
pub struct Successor {
    /// Who.
    pub is: Peer,
}

/// Says who comes before a node.
#[derive(Debug)]
pub struct UpdatePredecessor {
    /// Who.
    pub to: Peer,
}

/// Asks a node who comes before it.
#[derive(Debug)]
pub struct GetPredecessor {
    /// Who asks.
    pub from: ActorRef<Node>,
}

/// Says who does.
#[derive(Debug)]
pub struct Predecessor {
    /// Who.
    pub is: Peer,
}

/// Time to look at the ring.
#[derive(Clone, Debug)]
pub struct Stabilise;

/// Asks a node for the number of its successor.
#[derive(Debug)]
pub struct WhoIsNext;

/// A node of the ring.
#[derive(Debug)]
pub struct Node {
    id: u32,
    /// Somebody in the ring, unless this is the first.
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

    /// Whoever is alone has nobody to ask.
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
    /// The number of its successor, where it has one.
    pub fn next(&self) -> Option<u32> {
        self.successor.as_ref().map(|peer| peer.id)
    }
}

/// Whether one comes by `id` on the way round the ring from `from` to `to`; from a node to itself,
/// one comes by all others.
fn is_between(from: u32, id: u32, to: u32) -> bool {
    match from < to {
        true => from < id && id <= to,
        false => id > from || id <= to,
    }
}

/// Starts so many nodes; the first makes the ring, and the others join it there.
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

/// Whether whoever follows successors comes by all nodes, given the successor of each.
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
