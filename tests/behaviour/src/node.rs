//! An actor that follows a closure: small message-passing programs in a few lines.

use std::fmt;
use std::sync::{Arc, OnceLock};

use actor_core::actor;
use actor_core::prelude::*;

/// A message: its sender, its kind and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The sender's number.
    pub from: usize,
    /// The kind of the message, such as `"prepare"`.
    pub kind: &'static str,
    /// The number that the message carries.
    pub value: u64,
}

/// The code of a node, called at its start (`None`) and for each message.
pub type Rule = Box<dyn FnMut(&mut Acts<'_>, Option<Message>) + Send>;

/// A node, which addresses the other nodes by number.
pub struct Node {
    number: usize,
    nodes: Arc<OnceLock<Vec<ActorRef<Node>>>>,
    rule: Option<Rule>,
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({})", self.number)
    }
}

/// The actions that a rule can take.
pub struct Acts<'a> {
    node: &'a Node,
    cx: &'a mut Context<Node>,
}

impl fmt::Debug for Acts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Acts({:?})", self.node)
    }
}

impl Acts<'_> {
    /// Sends a message to the node with that number.
    pub fn send(&self, to: usize, kind: &'static str, value: u64) {
        let nodes = self
            .node
            .nodes
            .get()
            .expect("the set-up knows every node before one runs");
        let from = self.node.number;
        nodes[to].tell(Message { from, kind, value });
    }

    /// Makes a choice below `bound`.
    pub fn choose(&mut self, bound: usize) -> usize {
        self.cx.choose(bound)
    }
}

#[actor]
impl Node {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.act(None, cx);
    }

    #[on]
    fn message(&mut self, message: Message, cx: &mut Context<Self>) {
        self.act(Some(message), cx);
    }

    fn act(&mut self, message: Option<Message>, cx: &mut Context<Self>) {
        let mut rule = self.rule.take().expect("a rule is back after each call");
        rule(&mut Acts { node: self, cx }, message);
        self.rule = Some(rule);
    }
}

/// Spawns nodes that follow these rules, numbered from zero.
pub fn spawn(sys: &System, rules: Vec<Rule>) {
    let nodes = Arc::new(OnceLock::new());
    let spawned = rules
        .into_iter()
        .enumerate()
        .map(|(number, rule)| {
            let nodes = nodes.clone();
            let rule = Some(rule);
            sys.spawn(Node {
                number,
                nodes,
                rule,
            })
        })
        .collect();
    assert!(nodes.set(spawned).is_ok(), "the nodes are known once");
}
