//! A lossy connection to a node.

use actor_core::prelude::*;

use super::{Accept, Node};

/// Carries proposals to a node, and loses some.
#[derive(Debug, Hash)]
pub struct Line {
    node: ActorRef<Node>,
}

#[actor]
impl Line {
    /// Creates a line to `node`.
    pub fn new(node: ActorRef<Node>) -> Self {
        Self { node }
    }

    #[on]
    fn accept(&mut self, accept: Accept, cx: &mut Context<Self>) {
        let is_lost = cx.choose_bool();
        if !is_lost {
            self.node.tell(accept);
        }
    }
}
