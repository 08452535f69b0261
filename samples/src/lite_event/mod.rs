//! An event to wait for that is cheap until somebody has to block, after a bug told in "Finding and
//! Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and others, OSDI 2008).
//!
//! A [`LiteEvent`] is a flag, and a kernel event only while somebody blocks: those are scarce. To
//! wait is to [`Check`] the flag; where it is not set, to [`Allocate`] the kernel event unless there
//! is one, to [`Block`] on it, and to [`Dispose`] of it afterwards. To set is to [`Mark`] the flag,
//! and then to [`Signal`] the kernel event where there is one. Each of these is atomic; the
//! operation as a whole is not.
//!
//! **The bug it teaches.** With [`Bug::DisposedByTheFirst`], whoever has waited disposes of the
//! kernel event. That is right for one waiter, for whom it was written. With two, the first may be
//! back and dispose of what the second has allocated, as it believes, and is about to block on. The
//! code that uses it says nothing but `wait`, `wait` and `set`.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The first waiter that is back disposes of the kernel event, whoever else uses it.
    DisposedByTheFirst,
}

/// Asks whether the flag is set.
#[derive(Debug)]
pub struct Check;

/// Asks for a kernel event to block on.
#[derive(Debug)]
pub struct Allocate;

/// Asks to be told when the kernel event is signalled.
#[derive(Debug)]
pub struct Block(pub Recipient<Signalled>);

/// Tells a blocked waiter to go on.
#[derive(Debug)]
pub struct Signalled;

/// Says that the sender is done with the kernel event.
#[derive(Debug)]
pub struct Dispose;

/// Sets the flag.
#[derive(Debug)]
pub struct Mark;

/// Signals the kernel event, where there is one.
#[derive(Debug)]
pub struct Signal;

/// Asks a waiter to wait; answered when it has.
#[derive(Debug)]
pub struct Wait;

/// Asks a setter to set.
#[derive(Debug)]
pub struct Set;

/// What the system provides: it stays signalled once it is.
#[derive(Debug)]
struct KernelEvent {
    signalled: bool,
    blocked: Vec<Recipient<Signalled>>,
    users: u32,
}

// ANCHOR: event
/// The memory that setters and waiters share.
#[derive(Debug, Default)]
pub struct LiteEvent {
    set: bool,
    kernel: Option<KernelEvent>,
    bug: Option<Bug>,
}

#[actor]
impl LiteEvent {
    #[on]
    fn check(&mut self, _: Check) -> bool {
        self.set
    }

    #[on]
    fn allocate(&mut self, _: Allocate) {
        let signalled = self.set;
        let kernel = self.kernel.get_or_insert_with(|| KernelEvent {
            signalled,
            blocked: Vec::new(),
            users: 0,
        });
        kernel.users += 1;
    }

    #[on]
    fn block(&mut self, block: Block) {
        let Some(kernel) = &mut self.kernel else {
            panic!("blocked on a kernel event that was disposed of");
        };
        kernel.blocked.push(block.0);
        if kernel.signalled {
            kernel.signal();
        }
    }

    #[on]
    fn dispose(&mut self, _: Dispose) {
        if let Some(kernel) = &mut self.kernel {
            kernel.users -= 1;
            if kernel.users == 0 || self.bug == Some(Bug::DisposedByTheFirst) {
                self.kernel = None;
            }
        }
    }

    #[on]
    fn mark(&mut self, _: Mark) {
        self.set = true;
    }

    #[on]
    fn signal(&mut self, _: Signal) {
        if let Some(kernel) = &mut self.kernel {
            kernel.signal();
        }
    }
}
// ANCHOR_END: event

impl KernelEvent {
    fn signal(&mut self) {
        self.signalled = true;
        for waiter in self.blocked.drain(..) {
            waiter.tell(Signalled);
        }
    }
}

// ANCHOR: waiter
/// Waits for the event.
#[derive(Debug)]
pub struct Waiter {
    event: ActorRef<LiteEvent>,
}

#[actor(receive(Signalled))]
impl Waiter {
    #[on]
    async fn wait(&mut self, _: Wait, cx: &mut Context<Self>) {
        if self.event.ask(Check).await == Ok(true) {
            return;
        }
        if self.event.ask(Allocate).await.is_ok() {
            self.event.tell(Block(cx.recipient()));
            cx.receive::<Signalled>().await;
            self.event.tell(Dispose);
        }
    }
}
// ANCHOR_END: waiter

/// Sets the event.
#[derive(Debug)]
pub struct Setter {
    event: ActorRef<LiteEvent>,
}

#[actor]
impl Setter {
    #[on]
    fn set(&mut self, _: Set) {
        self.event.tell(Mark);
        self.event.tell(Signal);
    }
}

/// Who uses an event.
#[derive(Debug)]
pub struct Users {
    /// They wait when they are asked to.
    pub waiters: Vec<ActorRef<Waiter>>,
    /// It sets when it is asked to.
    pub setter: ActorRef<Setter>,
}

/// Starts an event with so many waiters and a setter.
pub fn set_up(sys: &System, waiters: usize, bug: Option<Bug>) -> Users {
    let event = sys.spawn(LiteEvent {
        bug,
        ..LiteEvent::default()
    });
    let waiter = || Waiter {
        event: event.clone(),
    };
    Users {
        waiters: (0..waiters).map(|_| sys.spawn(waiter())).collect(),
        setter: sys.spawn(Setter { event }),
    }
}

/// Has everybody wait while the event is set.
pub async fn everyone_waits(users: &Users) {
    let waits: Vec<_> = users
        .waiters
        .iter()
        .map(|waiter| waiter.ask(Wait))
        .collect();
    users.setter.tell(Set);
    for wait in waits {
        wait.await.expect("waiters do not stop");
    }
}
