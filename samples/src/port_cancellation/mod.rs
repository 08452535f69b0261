//! A port of tasks that is cancelled while somebody receives from it, after a bug in a coordination
//! library told in "Finding and Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and
//! others, OSDI 2008).
//!
//! A [`Port`] holds the tasks of one piece of work, which belong together: either all are received,
//! or all are cancelled. A [`Receiver`] registers, which tells it how many there are, and takes
//! them one by one. A [`Canceller`] asks to cancel, and then takes them one by one to call each
//! off. Each access to the port is an event of its own, so one may come between two of the other:
//! the port has to remember who began.
//!
//! **The bug it teaches.** With [`Bug::FlagNotSet`], the port forgets to note that it is being
//! cancelled. A receiver that registered before, and was slow to take its first task, is let in
//! while the canceller is at work. Some tasks are run, the others called off, and the receiver
//! waits for the rest of its share for ever. A monitor names the moment when the tasks were
//! divided; without it, there is still a deadlock to be seen at the end.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The port does not note that it is being cancelled.
    FlagNotSet,
}

/// Who takes tasks from the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// A receiver, to run them.
    Receiving,
    /// A canceller, to call them off.
    Cancelling,
}

/// Asks the port how many tasks there are to receive; none where it was cancelled.
#[derive(Debug)]
pub struct Register;

/// Asks the port for leave to cancel: `false` where a receiver was faster.
#[derive(Debug)]
pub struct Cancel;

/// Asks the port for the next task; `None` where there is none for this side.
#[derive(Debug)]
pub struct Take(pub Side);

/// Tells a receiver that another task was posted.
#[derive(Debug)]
pub struct Posted;

/// Announced by the port: a task left it.
#[derive(Debug)]
pub struct Left {
    /// The task.
    pub task: u64,
    /// Who has it.
    pub side: Side,
}

/// Asks a receiver or a canceller to do its work, and answers with the tasks it took.
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
/// All tasks go to the same side.
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

/// Starts a port with so many tasks, and a receiver and a canceller, which begin to work when they
/// are asked to.
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

/// Has both work at the same time, and returns what each took.
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
