//! Shared memory as a controlled executor sees it: [objects](ObjectId), their accesses and waits, tasks.
//!
//! An operation that comes to an access, or blocks, returns in a later step. The operation needs a stack of its
//! own for that: tasks and threads have one, and so does a test body that shares memory.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::task::Waker;

/// A source location.
pub type SourceLocation = &'static Location<'static>;

/// A shared object of one execution: a lock, a channel, an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectId {
    /// The number of the object within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// One access to a shared object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The accessed object.
    pub object: ObjectId,
    /// The action as reports print it: `locks`.
    pub what: &'static str,
    /// The source location of the access.
    pub place: SourceLocation,
}

/// The effect of an access, from which the tester computes dependencies and happens-before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessEffect {
    /// True if the access changes the object.
    pub changes: bool,
    /// True if everything before the releases of the object happens before what follows this access.
    pub acquires: bool,
    /// The effect on later acquirers: everything before this access may happen before what follows theirs.
    pub releases: Release,
    /// The change in the holders of the object.
    pub holds: Hold,
    /// True for an access weaker than sequentially consistent, which gets the weaker guarantees.
    pub is_weak: bool,
}

/// The effect of an access on the released clock of an object, which later acquirers join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Releases nothing, and leaves earlier releases as they are.
    Nothing,
    /// Releases everything before the access, and keeps earlier releases.
    Adds,
    /// Releases everything before the access, and discards earlier releases.
    Replaces,
    /// Releases nothing, and discards earlier releases: a relaxed store.
    Ends,
}

/// The change in the holders of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// No change.
    Stays,
    /// The current operation holds the object exclusively.
    Alone,
    /// The current operation holds the object beside others.
    Shared,
    /// The current operation releases the object, or its share.
    LetsGo,
}

impl AccessEffect {
    /// A read that acquires.
    pub const READS: Self = Self {
        changes: false,
        acquires: true,
        releases: Release::Nothing,
        holds: Hold::Stays,
        is_weak: false,
    };
    /// A change that acquires and releases.
    pub const CHANGES: Self = Self {
        changes: true,
        acquires: true,
        releases: Release::Adds,
        holds: Hold::Stays,
        is_weak: false,
    };
    /// The start of an exclusive hold.
    pub const TAKES: Self = Self {
        holds: Hold::Alone,
        ..Self::READS
    };
    /// The start of a shared hold.
    pub const SHARES: Self = Self {
        holds: Hold::Shared,
        ..Self::TAKES
    };
    /// The end of a hold that changed the object.
    pub const LETS_GO: Self = Self {
        acquires: false,
        holds: Hold::LetsGo,
        ..Self::CHANGES
    };
    /// The end of a hold that only read the object.
    pub const LEAVES: Self = Self {
        changes: false,
        ..Self::LETS_GO
    };

    /// Returns this effect if the operation succeeded; otherwise that of a read.
    pub fn if_ok<T, E>(self, result: &Result<T, E>) -> Self {
        match result {
            Ok(_) => self,
            Err(_) => Self::READS,
        }
    }
}

/// The kind of an operation's wait for a shared object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// Waits to hold the object exclusively.
    Alone,
    /// Waits to hold the object exclusively, ahead of later waiters for a shared hold.
    First,
    /// Waits to hold the object beside others.
    Shared,
    /// Waits for a change by others; an operation that nobody joins may wait so for ever.
    News,
}

/// A point in the code of an operation at which others may go first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchedulingPoint {
    /// The next access, which the operation makes in the step that goes on.
    Access(Access),
    /// The operation yields.
    Yield,
}

/// An access to memory that the current operation has made in this step.
#[derive(Clone, Copy, Debug)]
pub enum MadeAccess<'a> {
    /// An access to an object, with its effect. For an atomic, the text completes [`Access::what`] in reports:
    /// `2 (was 1), Relaxed, into`.
    Object(Access, AccessEffect, Option<fmt::Arguments<'a>>),
    /// A non-atomic access, with which other accesses must be ordered: otherwise it is a data race. Events that
    /// were sent before may arrive first, in steps of their own.
    Unsynchronized {
        /// The accessed cell.
        object: ObjectId,
        /// True for a write.
        writes: bool,
        /// The source location of the access.
        place: SourceLocation,
    },
    /// A memory fence.
    Fence {
        /// True if values read by earlier relaxed loads count as acquired from now on.
        acquires: bool,
        /// True if later relaxed stores release everything before the fence.
        releases: bool,
    },
}

/// The waiters of an object that an operation unblocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unblock {
    /// All, which try again, since the object has changed.
    Retry,
    /// One, as the strategy chooses, by a notification.
    NotifyOne,
    /// All, by a notification.
    NotifyAll,
}

/// The end of a wait on the operation's own stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockUntil {
    /// The object changes, or the operation's waker is called.
    Changed(Access, Wait),
    /// The operation's waker is called, unless it was since the poll in progress began. The next poll begins in
    /// the step that goes on.
    Woken,
}

/// A task or a thread about to be spawned.
pub struct NewTask {
    /// The code of the task, which gets the waker of its operation.
    pub run: Box<dyn FnOnce(Waker)>,
    /// The name of the task.
    pub name: Option<String>,
    /// True for a thread, false for a task.
    pub is_thread: bool,
    /// The object that signals the end of the task: a wait for it is a wait for the task.
    pub end: ObjectId,
}

/// The thread-local values of one operation, by the address of the static; see
/// [`thread_local!`](crate::thread_local!).
pub type Locals = Rc<RefCell<Vec<(usize, Rc<dyn Any>)>>>;
