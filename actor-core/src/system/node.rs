//! Nodes, which crash and restart as a whole, and their faults: [`System::node`], [`Faults`].

use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::time::Duration;

use super::System;
use crate::event::Event;
use crate::production::LiveSystem;
use crate::seam::{self, Action, DiskAfterRestart, MessageFault, Registration, ScriptedFault};
use crate::specification::{Answer, World};

impl System {
    /// Starts a *node*: a machine whose actors crash and restart together, by [`Faults::crash`] and
    /// [`Faults::restart`]. `boot` gets a system of the node, so that a set-up function works on a node
    /// unchanged, and runs again at each restart of the node. The actors that it spawns, and that these
    /// spawn, are on the node.
    ///
    /// On the node itself a name is used as it is, and on other nodes with the node's name before it. A
    /// reference by name, [`at("n2/replica")`](crate::Scope::at), leads to the actor that has the name when
    /// a message arrives, also after a restart of the node. A reference to an actor itself, as `spawn` and
    /// [`lookup`](crate::Scope::lookup) return it, never leads to the successor on a restarted node: an
    /// event to the old actor is a dead letter. Both can be sent in messages.
    ///
    /// Under test, messages between two nodes are encoded and decoded, and travel on a *link*: they leave in
    /// a step of the sender, and arrive in a step of the link. Between two nodes they keep their order, by
    /// default. Code on no node, such as a test's body, communicates with the nodes directly. In production a
    /// node is a part of this process, `boot` has run when this returns, and messages are not encoded.
    ///
    /// If another node has the name, no node is started: that is reported as an error which nobody receives.
    /// A panic of `boot` is reported in the same way; its node is down.
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
    /// sys.node("n1", |node| {
    ///     node.spawner().name("greeter").registered().spawn(Greeter);
    /// });
    /// let greeter = sys.at::<Greeter>("n1/greeter");
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    ///
    /// sys.faults().restart("n1");
    /// assert_eq!(greeter.ask(Greet).await, Ok("hello"));
    /// # sys.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn node(&self, name: &str, mut boot: impl FnMut(&System) + Send + 'static) {
        match self.as_live() {
            Some(live) => {
                let boot = move |live: &LiveSystem| boot(&System::of_node(live.clone()));
                live.node(name, Box::new(boot));
            }
            None => {
                let boot = move || boot(&System::controlled());
                seam::register(Registration::Node(name, Box::new(boot)));
            }
        }
    }

    /// Returns the handle by which a script injects faults into nodes and links, for tests of scenarios. Faults take
    /// effect in the order of the calls, together with the caller's other effects.
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
                true => FaultSink::Live(self),
                false => FaultSink::InOrder,
            },
        }
    }

    /// Injects faults as soon as a predicate over the actors' states is true, once: the faults of `script`
    /// happen before any other step. Production does not evaluate predicates.
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
                how: FaultSink::AtOnce(RefCell::default()),
            };
            script(&faults);
            match faults.how {
                FaultSink::AtOnce(said) => said.into_inner(),
                FaultSink::InOrder | FaultSink::Live(_) => Vec::new(),
            }
        });
        seam::register(Registration::Script {
            name,
            predicate,
            script,
        });
    }
}

/// Scripted faults of nodes and of the links between them, from [`System::faults`] or as the argument of a script in
/// [`System::when`]. Nodes are named as in [`System::node`]; an unknown name is reported as a bug.
///
/// A link has one direction. A *cut* link loses everything on it and everything sent over it until it is
/// healed; notifications of an actor's end wait for that. A *held* link delivers and loses nothing until it
/// is released.
#[derive(Debug)]
pub struct Faults<'a> {
    how: FaultSink<'a>,
}

#[derive(Debug)]
enum FaultSink<'a> {
    /// As an effect of the caller, in order.
    InOrder,
    /// All at once, at the end of the script.
    AtOnce(RefCell<Vec<ScriptedFault>>),
    Live(&'a System),
}

impl Faults<'_> {
    /// Crashes a node: ends all actors and timers on it at once, without `#[stop]` hooks. Messages that the
    /// node has sent before may still arrive; later messages to it are dead letters. No effect if it is down.
    pub fn crash(&self, node: &str) {
        self.inject(ScriptedFault::Crash(node.into()));
    }

    /// Restarts a node with its disk: its boot code runs, and spawns the actors of the node's next
    /// incarnation. A node that is up crashes first.
    pub fn restart(&self, node: &str) {
        self.inject(ScriptedFault::Restart(node.into(), DiskAfterRestart::Keep));
    }

    /// Restarts a node whose disk is lost. In production the disk is kept.
    pub fn restart_without_disk(&self, node: &str) {
        self.inject(ScriptedFault::Restart(node.into(), DiskAfterRestart::Wipe));
    }

    /// Pauses a node: until it is resumed, nothing on it takes a step and none of its timers fires, as a process
    /// after `SIGSTOP` or in a long garbage collection. The time goes on, and messages to it wait. No effect if
    /// the node is down or paused, and in production.
    pub fn pause(&self, node: &str) {
        self.inject(ScriptedFault::Pause(node.into()));
    }

    /// Resumes a paused node: its timers that were due meanwhile fire late. No effect if it is not paused.
    pub fn resume(&self, node: &str) {
        self.inject(ScriptedFault::Resume(node.into()));
    }

    /// Cuts the links between each of `these` and each of `those`, both ways, in one step.
    pub fn partition(&self, these: &[&str], those: &[&str]) {
        self.inject(ScriptedFault::Partition(owned(these), owned(those)));
    }

    /// Cuts the link from one node to another, and not the link back.
    pub fn cut(&self, from: &str, to: &str) {
        self.inject(ScriptedFault::Cut(from.into(), to.into()));
    }

    /// Heals all cut links.
    pub fn heal(&self) {
        self.inject(ScriptedFault::Heal);
    }

    /// Heals the links of two nodes, both ways.
    pub fn heal_between(&self, one: &str, other: &str) {
        self.inject(ScriptedFault::HealBetween(one.into(), other.into()));
    }

    /// Breaks the connection of two nodes: messages on the links between them are lost, and each node is
    /// notified. For a watcher on one node, actors on the other end by
    /// [`Disconnected`](crate::StopReason::Disconnected), and awaited replies from there are lost. Later
    /// messages arrive.
    pub fn break_connection(&self, one: &str, other: &str) {
        self.inject(ScriptedFault::Break(one.into(), other.into()));
    }

    /// Breaks the connection of two nodes for one of them, as if a firewall had forgotten it, or the node had given
    /// it up: messages on the links between them are lost, and `sees` is notified as by
    /// [`break_connection`](Self::break_connection). The other node notices when it sends its next
    /// message to `sees`, which is lost, when one from there arrives on a new connection, or when `sees`
    /// crashes. In production this has no effect.
    pub fn half_open(&self, sees: &str, unaware: &str) {
        self.inject(ScriptedFault::HalfOpen(sees.into(), unaware.into()));
    }

    /// Holds back current and later messages on the link from one node to another.
    pub fn hold(&self, from: &str, to: &str) {
        self.inject(ScriptedFault::Hold(from.into(), to.into()));
    }

    /// Releases the messages that are held back on the link.
    pub fn release(&self, from: &str, to: &str) {
        self.inject(ScriptedFault::Release(from.into(), to.into()));
    }

    /// Fills the link from one node to another, as if the other one read too slowly: a `send` over it waits until
    /// the link is [drained](Self::drain), a `try_send` is refused, the event of a `tell` is a dead letter, and
    /// an `ask` ends in [`AskError::Full`](crate::AskError::Full). Messages on the link arrive, and so do replies
    /// and notices. A crash of either node, or a break of the connection, drains the link. In production this has
    /// no effect.
    pub fn fill(&self, from: &str, to: &str) {
        self.inject(ScriptedFault::Fill(from.into(), to.into()));
    }

    /// Lets a full link take events again.
    pub fn drain(&self, from: &str, to: &str) {
        self.inject(ScriptedFault::Drain(from.into(), to.into()));
    }

    /// Drops the next event of that type on the link: the first that is on it, or will be sent over it.
    pub fn drop_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(MessageFault::Drop, from, to);
    }

    /// Delivers the next event of that type twice.
    pub fn duplicate_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(MessageFault::Duplicate, from, to);
    }

    /// Delays the next event of that type until the message behind it has overtaken it.
    pub fn delay_next<E: Event>(&self, from: &str, to: &str) {
        self.wish::<E>(MessageFault::Delay, from, to);
    }

    /// Sets the clock of a node ahead: the time that its actors read, and their timers, which are due sooner.
    pub fn set_ahead(&self, node: &str, by: Duration) {
        self.inject(ScriptedFault::SetAhead(node.into(), by));
    }

    /// Sets the date on a node back: the time that its actors read as
    /// [`SystemTime::now`](std::time::SystemTime::now). Timers and monotonic clocks
    /// ([`Scope::now`](crate::Scope::now) and [`Instant`](std::time::Instant)) are unaffected.
    pub fn set_back(&self, node: &str, by: Duration) {
        self.inject(ScriptedFault::SetBack(node.into(), by));
    }

    /// Exempts a node from faults of the tester's own choice; scripted faults still happen.
    pub fn spare(&self, node: &str) {
        self.inject(ScriptedFault::Spare(node.into()));
    }

    /// Exempts the links of two nodes from faults of the tester's own choice.
    pub fn spare_link(&self, one: &str, other: &str) {
        self.inject(ScriptedFault::SpareLink(one.into(), other.into()));
    }

    fn wish<E: Event>(&self, wish: MessageFault, from: &str, to: &str) {
        self.inject(ScriptedFault::Next {
            wish,
            from: from.into(),
            to: to.into(),
            event: TypeId::of::<E>(),
            name: type_name::<E>(),
        });
    }

    fn inject(&self, fault: ScriptedFault) {
        match &self.how {
            FaultSink::InOrder => seam::act(Action::Fault(fault)),
            FaultSink::AtOnce(said) => said.borrow_mut().push(fault),
            FaultSink::Live(sys) => {
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
