//! The cancellation of a port of tasks races with a receiver, after a
//! bug in a coordination library in "Finding and Reproducing Heisenbugs
//! in Concurrent Programs" (Musuvathi and others, OSDI 2008).
//!
//! A [`Port`] holds the tasks of one piece of work, which belong together: either all are
//! received, or all are cancelled. A [`Receiver`] registers, which returns the number of
//! tasks, and takes the tasks one by one. A [`Canceller`] asks to cancel, and then takes
//! the tasks one by one to call each off. Each access to the port is a separate event, so
//! the two may interleave. The port must remember which of them began.
//!
//! **The bug it teaches.** With [`Bug::FlagNotSet`], the port forgets to set the flag for
//! a cancellation. A receiver that registered before, and was slow to take its first task,
//! is admitted while the canceller works. Some tasks are run, the others are cancelled,
//! and the receiver waits for the rest for ever. A monitor reports the step that divides
//! the tasks; without the monitor, the tester still reports a deadlock at the end.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The port does not set the flag for a cancellation.
    FlagNotSet,
}

/// The kind of client that takes tasks from the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// A receiver, which runs the tasks.
    Receiving,
    /// A canceller, which calls the tasks off.
    Cancelling,
}

/// Asks the port for the number of tasks to receive; zero if it was cancelled.
#[derive(Debug)]
pub struct Register;

/// Asks the port for permission to cancel; the reply is `false` if a receiver was faster.
#[derive(Debug)]
pub struct Cancel;

/// Asks the port for the next task; `None` if there is none for this kind of client.
#[derive(Debug)]
pub struct Take(pub Side);

/// Notifies a receiver that another task was posted.
#[derive(Debug)]
pub struct Posted;

/// Announced by the port: a task was taken.
#[derive(Debug)]
pub struct Left {
    /// The task.
    pub task: u64,
    /// The kind of client that has taken the task.
    pub side: Side,
}

/// Asks a receiver or a canceller to do its work; the reply is the tasks that it took.
#[derive(Debug)]
pub struct Work;

// ANCHOR: port
/// Holds tasks that belong together.
#[derive(Debug)]
pub struct Port {
    tasks: VecDeque<u64>,
    receiving: bool,
    cancelling: bool,
    bug: Option<Bug>,
}

#[actor]
impl Port {
    #[on]
    fn register(&mut self, _: Register) -> usize {
        if self.cancelling { 0 } else { self.tasks.len() }
    }

    #[on]
    fn cancel(&mut self, _: Cancel) -> bool {
        if self.receiving {
            return false;
        }
        self.cancelling = self.bug != Some(Bug::FlagNotSet);
        true
    }

    #[on]
    fn take(&mut self, take: Take, cx: &mut Context<Self>) -> Option<u64> {
        let Take(side) = take;
        if side == Side::Receiving {
            if self.cancelling {
                return None;
            }
            self.receiving = true;
        }
        let task = self.tasks.pop_front()?;
        cx.announce(Left { task, side });
        Some(task)
    }
}
// ANCHOR_END: port

// ANCHOR: receiver
/// Takes the tasks to run them.
#[derive(Debug)]
pub struct Receiver {
    port: ActorRef<Port>,
}

#[actor(receive(Posted))]
impl Receiver {
    /// A receiver that has begun waits for the rest.
    #[on]
    async fn work(&mut self, _: Work, cx: &mut Context<Self>) -> Vec<u64> {
        let mut taken = Vec::new();
        let count = self.port.ask(Register).await.unwrap_or(0);
        while taken.len() < count {
            match self.port.ask(Take(Side::Receiving)).await {
                Ok(Some(task)) => taken.push(task),
                Ok(None) if taken.is_empty() => break,
                Ok(None) => {
                    cx.receive::<Posted>().await;
                }
                Err(_) => break,
            }
        }
        taken
    }
}
// ANCHOR_END: receiver

/// Takes the tasks to call them off.
#[derive(Debug)]
pub struct Canceller {
    port: ActorRef<Port>,
}

#[actor]
impl Canceller {
    #[on]
    async fn work(&mut self, _: Work) -> Vec<u64> {
        let mut taken = Vec::new();
        if self.port.ask(Cancel).await == Ok(true) {
            while let Ok(Some(task)) = self.port.ask(Take(Side::Cancelling)).await {
                taken.push(task);
            }
        }
        taken
    }
}

// ANCHOR: monitor
/// A safety property: all tasks go to the same kind of client.
#[derive(Debug, Default)]
pub struct AllOrNone {
    first: Option<Side>,
}

#[monitor]
impl AllOrNone {
    #[on]
    fn left(&mut self, left: &Left) {
        let first = *self.first.get_or_insert(left.side);
        assert!(
            left.side == first,
            "the tasks are divided between a receiver and a canceller"
        );
    }
}
// ANCHOR_END: monitor

/// Starts a port with this number of tasks, and a receiver and
/// a canceller, which begin to work when they are asked to.
pub fn set_up(
    sys: &System,
    tasks: u64,
    bug: Option<Bug>,
) -> (ActorRef<Receiver>, ActorRef<Canceller>) {
    let port = sys.spawn(Port {
        tasks: (0..tasks).collect(),
        receiving: false,
        cancelling: false,
        bug,
    });
    let receiver = sys.spawn(Receiver { port: port.clone() });
    (receiver, sys.spawn(Canceller { port }))
}

/// Makes both work at the same time, and returns the tasks that each took.
pub async fn both_work(
    receiver: &ActorRef<Receiver>,
    canceller: &ActorRef<Canceller>,
) -> (Vec<u64>, Vec<u64>) {
    let (received, cancelled) = (receiver.ask(Work), canceller.ask(Work));
    (
        received.await.expect("a receiver does not stop"),
        cancelled.await.expect("a canceller does not stop"),
    )
}
