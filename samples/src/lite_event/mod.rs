//! A lightweight event that allocates only if a waiter blocks, after a bug in "Finding
//! and Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and others, OSDI 2008).
//!
//! A [`LiteEvent`] is a flag, plus a kernel event while a waiter blocks, since kernel
//! events are scarce. A waiter [`Check`]s the flag. If the flag is not set, the waiter
//! [`Allocate`]s the kernel event if there is none, [`Block`]s on it, and [`Dispose`]s
//! of it afterwards. A setter [`Mark`]s the flag, and then [`Signal`]s the kernel event
//! if there is one. Each of these operations is atomic; a wait as a whole is not.
//!
//! **The bug it teaches.** With [`Bug::DisposedByTheFirst`], every waiter disposes of
//! the kernel event after its wait. That is correct for the one waiter of the original
//! design. With two waiters, the first may dispose of the kernel event that the second
//! is about to block on. The code of the users contains only `wait`, `wait` and `set`.

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The first waiter that returns disposes of the kernel event, although another may still use it.
    DisposedByTheFirst,
}

/// Asks if the flag is set.
#[derive(Debug)]
pub struct Check;

/// Asks for a kernel event to block on.
#[derive(Debug)]
pub struct Allocate;

/// Asks to be notified when the kernel event is signalled.
#[derive(Debug)]
pub struct Block(pub Recipient<Signalled>);

/// Notifies a blocked waiter that the event is signalled.
#[derive(Debug)]
pub struct Signalled;

/// The sender no longer needs the kernel event.
#[derive(Debug)]
pub struct Dispose;

/// Sets the flag.
#[derive(Debug)]
pub struct Mark;

/// Signals the kernel event, if there is one.
#[derive(Debug)]
pub struct Signal;

/// Asks a waiter to wait; answered after the wait.
#[derive(Debug)]
pub struct Wait;

/// Asks a setter to set the event.
#[derive(Debug)]
pub struct Set;

/// The kernel event of the operating system, which stays signalled once it is.
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

/// The users of an event.
#[derive(Debug)]
pub struct Users {
    /// The waiters, which wait when they are asked to.
    pub waiters: Vec<ActorRef<Waiter>>,
    /// The setter, which sets the event when it is asked to.
    pub setter: ActorRef<Setter>,
}

/// Starts an event with this number of waiters and a setter.
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

/// Makes all waiters wait while the event is set.
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
