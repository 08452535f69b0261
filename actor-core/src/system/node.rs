//! Nodes: actors that live and die together, and what can go wrong between them.

use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::fmt;
use std::time::Duration;

use super::System;
use crate::actor::names::{Names, names};
use crate::actor::rest::Spawning;
use crate::event::Event;
use crate::production::{LiveNode, LiveSystem};
use crate::runtime::{self, Disk, Fault, NodeCode, Spawn, Wish};
use crate::specification::{Answer, World};

/// Nodes.
impl System {
    /// Starts a *node*: a machine on which actors live and die together. `boot` is its boot code. It is
    /// handed a system of the node, so that a set-up function works on a node unchanged, and it runs
    /// again each time the node is restarted; what it and its actors spawn is on the node.
    ///
    /// A name is known on its node by itself, and elsewhere behind the name of the node:
    /// `lookup("n2/replica")`, which waits where `n2` has not booted yet. A reference travels in
    /// messages. It leads to the actor for which it was made, never to one that a restarted node runs
    /// in its place: that is a dead letter.
    ///
    /// Under test, messages between two nodes are encoded and decoded, and travel on a *link*: they
    /// leave in a step of the sender's, and arrive in a step of the link's. Between two nodes they keep
    /// their order, by default. What is on no node, such as a test's body, speaks with the nodes
    /// directly. In production a node is a part of this process, `boot` has run when this returns, and
    /// messages between nodes are handed over as they are.
    ///
    /// A name that another node has changes nothing: that is reported as an error which nobody
    /// receives, and this is the other node. So is a `boot` that panics; its node is down.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// #[derive(Debug)]
    /// struct Greet;
    ///
    /// struct Greeter;
    ///
    /// #[actor]
    /// impl Greeter {
    ///     #[on]
    ///     fn greet(&mut self, _: Greet) -> &'static str {
    ///         "hello"
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sys = System::new();
    /// let node = sys.node("n1", |node| {
    ///     node.spawner().name("greeter").registered().spawn(Greeter);
    /// });
    /// let greeter = sys.lookup::<Greeter>("n1/greeter").await?;
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    ///
    /// node.restart();
    /// assert!(greeter.ask(Greet).await.is_err());
    /// let greeter = sys.lookup::<Greeter>("n1/greeter").await?;
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn node(&self, name: &str, mut boot: impl FnMut(&System) + Send + 'static) -> Node {
        let inner = match self.as_live() {
            Some(live) => {
                let boot = move |live: &LiveSystem| {
                    let sys = System::of_node(live.clone());
                    boot(&sys);
                    names(&sys).booted();
                };
                Inner::Live(live.node(name, Box::new(boot), registry))
            }
            None => {
                let code = NodeCode {
                    registry,
                    boot: Box::new(move || {
                        let sys = System::controlled();
                        boot(&sys);
                        names(&sys).booted();
                    }),
                };
                runtime::with(|rt| rt.node(name, code));
                Inner::Controlled
            }
        };
        Node {
            name: name.into(),
            inner,
        }
    }

    /// What can go wrong between nodes, as a script says it: for tests of scenarios. What is done by it
    /// takes place in the order of the calls, with whatever else the caller does.
    ///
    /// In production it crashes and restarts nodes, and does nothing else.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// /// The body of a test.
    /// fn the_leader_is_cut_off(sys: &System) {
    ///     for name in ["n1", "n2", "n3"] {
    ///         sys.node(name, |node| {
    ///             // node.spawn(..)
    ///         });
    ///     }
    ///     sys.faults().partition(&["n1"], &["n2", "n3"]);
    /// }
    /// # let _ = the_leader_is_cut_off;
    /// ```
    pub fn faults(&self) -> Faults<'_> {
        Faults {
            how: match self.is_live() {
                true => How::Live(self),
                false => How::InOrder,
            },
        }
    }

    /// Does something as soon as a predicate over the actors' states is true, once: `script` says what
    /// goes wrong then, and that happens before any other step. Production does not evaluate predicates.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// # struct Replica { leads: bool }
    /// # #[actor]
    /// # impl Replica {}
    /// fn the_leader_crashes(sys: &System) {
    ///     // sys.node(..)
    ///     sys.when(
    ///         "there is a leader",
    ///         |w| w.all::<Replica>().any(|replica| replica.leads),
    ///         |faults| faults.crash("n1"),
    ///     );
    /// }
    /// # let _ = the_leader_crashes;
    /// ```
    pub fn when<V: Answer>(
        &self,
        name: &str,
        mut predicate: impl FnMut(&World<'_>) -> V + 'static,
        script: impl FnOnce(&Faults<'_>) + 'static,
    ) {
        if self.is_live() {
            return;
        }
        let predicate = Box::new(move |world: &World<'_>| predicate(world).answered());
        let script = Box::new(move || {
            let faults = Faults {
                how: How::AtOnce(RefCell::default()),
            };
            script(&faults);
            match faults.how {
                How::AtOnce(said) => said.into_inner(),
                How::InOrder | How::Live(_) => Vec::new(),
            }
        });
        runtime::with(|rt| rt.when(name, predicate, script));
    }
}

/// A node of a system; made by [`System::node`]. Dropping it changes nothing.
#[derive(Clone)]
pub struct Node {
    name: Box<str>,
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Live(LiveNode),
    Controlled,
}

impl Node {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Ends all that runs on the node at once: actors, timers, and what they await. No `#[stop]` hook
    /// runs. What the node has sent before may still arrive elsewhere; what is sent to it from now on is
    /// a dead letter. A node that is down stays so.
    pub fn crash(&self) {
        match &self.inner {
            Inner::Live(node) => node.crash(),
            Inner::Controlled => runtime::with(|rt| rt.fault(Fault::Crash(self.name.clone()))),
        }
    }

    /// Starts the node anew: its boot code runs, and what it spawns is on the next incarnation of the
    /// node. A node that is up crashes first. Under test it keeps its disk.
    pub fn restart(&self) {
        match &self.inner {
            Inner::Live(node) => node.restart(),
            Inner::Controlled => {
                let fault = Fault::Restart(self.name.clone(), Disk::Keep);
                runtime::with(|rt| rt.fault(fault));
            }
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Node").field(&self.name).finish()
    }
}

/// What can go wrong between the nodes of a test, as a script says it; made by [`System::faults`], and
/// handed to the script of [`System::when`]. Nodes are named as in [`System::node`]; to name one that
/// does not exist is a bug, which names those that do.
///
/// A link goes one way. *Cut*, it loses what is on it and what is sent over it until it is healed;
/// word of the end of an actor waits for that. *Held*, it delivers nothing until it is released, and
/// loses nothing.
#[derive(Debug)]
pub struct Faults<'a> {
    how: How<'a>,
}

#[derive(Debug)]
enum How<'a> {
    /// As an effect of who calls, in order.
    InOrder,
    /// All at once, when the script is over.
    AtOnce(RefCell<Vec<Fault>>),
    Live(&'a System),
}

impl Faults<'_> {
    /// Crashes a node; see [`Node::crash`].
    pub fn crash(&self, node: &str) {
        self.say(Fault::Crash(node.into()));
    }

    /// Restarts a node with its disk; see [`Node::restart`].
    pub fn restart(&self, node: &str) {
        self.say(Fault::Restart(node.into(), Disk::Keep));
    }

    /// Restarts a node whose disk is lost.
    pub fn restart_without_disk(&self, node: &str) {
        self.say(Fault::Restart(node.into(), Disk::Wipe));
    }

    /// Cuts the links of each of these nodes with each of those, both ways, in one step.
    pub fn partition(&self, these: &[&str], those: &[&str]) {
        self.say(Fault::Partition(owned(these), owned(those)));
    }

    /// Cuts the link from one node to another, and not the link back.
    pub fn cut(&self, from: &str, to: &str) {
        self.say(Fault::Cut(from.into(), to.into()));
    }

    /// Heals all links that are cut.
    pub fn heal(&self) {
        self.say(Fault::Heal);
    }

    /// Heals the links of two nodes, both ways.
    pub fn heal_between(&self, one: &str, other: &str) {
        self.say(Fault::HealBetween(one.into(), other.into()));
    }

    /// Breaks the connection of two nodes: what is on the links between them is lost, and each side hears
    /// of it. Actors that are watched from the other side end for their watchers, and replies that are
    /// awaited from there are lost, by [`Disconnected`](crate::StopReason::Disconnected). What is sent
    /// from then on arrives.
    pub fn break_connection(&self, one: &str, other: &str) {
        self.say(Fault::Break(one.into(), other.into()));
    }

    /// Holds back what is and comes on the link from one node to another.
    pub fn hold(&self, from: &str, to: &str) {
        self.say(Fault::Hold(from.into(), to.into()));
    }

    /// Lets it go on.
    pub fn release(&self, from: &str, to: &str) {
        self.say(Fault::Release(from.into(), to.into()));
    }

    /// Loses the next event of that type on the link: the first that is on it, or else the first that is
    /// sent over it.
    pub fn drop_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(Wish::Drop, from, to);
    }

    /// Delivers the next event of that type twice.
    pub fn duplicate_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(Wish::Duplicate, from, to);
    }

    /// Has the next event of that type overtaken by the one behind it.
    pub fn delay_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(Wish::Delay, from, to);
    }

    /// Has the clock of a node jump ahead: what its actors read as the time, and the timers that they have
    /// armed, which are due so much sooner.
    pub fn set_ahead(&self, node: &str, by: Duration) {
        self.say(Fault::SetAhead(node.into(), by));
    }

    /// Sets the date on a node back: what its actors read as
    /// [`SystemTime::now`](std::time::SystemTime::now). Timers, and clocks that never go back
    /// ([`Context::now`](crate::Context::now) and [`Instant`](std::time::Instant)), go on.
    pub fn set_back(&self, node: &str, by: Duration) {
        self.say(Fault::SetBack(node.into(), by));
    }

    /// Nothing fails on this node by the tester's own choice. What a script says is done nevertheless.
    pub fn spare(&self, node: &str) {
        self.say(Fault::Spare(node.into()));
    }

    /// Nothing fails on the links of these two nodes by the tester's own choice.
    pub fn spare_link(&self, one: &str, other: &str) {
        self.say(Fault::SpareLink(one.into(), other.into()));
    }

    fn wish<E: Event>(&self, wish: Wish, from: &str, to: &str) {
        self.say(Fault::Next {
            wish,
            from: from.into(),
            to: to.into(),
            event: TypeId::of::<E>(),
            name: type_name::<E>(),
        });
    }

    fn say(&self, fault: Fault) {
        match &self.how {
            How::InOrder => runtime::with(|rt| rt.fault(fault)),
            How::AtOnce(said) => said.borrow_mut().push(fault),
            How::Live(sys) => {
                if let Some(live) = sys.as_live() {
                    live.fault(&fault);
                }
            }
        }
    }
}

fn owned(names: &[&str]) -> Vec<Box<str>> {
    names.iter().map(|name| (*name).into()).collect()
}

/// A registry of names, about to be started.
fn registry() -> Box<dyn Spawn> {
    Box::new(Spawning::new(Names::booting()))
}
