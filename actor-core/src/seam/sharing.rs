//! The interface of shared memory to a controlled executor, for tasks, threads and actors: [`Sharing`].

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::task::Waker;

use crate::identity::Address;

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

/// The services of a controlled executor for code that shares memory.
///
/// Like those of [`Runtime`](crate::seam::Runtime), its methods are called while code of the program under
/// test runs. Some methods, as documented, return in a later step. The operation needs a stack of its own
/// for that: tasks and threads have one, and so does a test body that calls one of these methods.
pub trait Sharing {
    /// Returns the number of the execution.
    fn execution(&self) -> u32;
    /// Registers an object that is new to the execution, with its kind and the place of its creation.
    fn object(&self, kind: &'static str, made: SourceLocation) -> ObjectId;
    /// Announces an access, and returns in the step that makes it. Returns `false` in the current step if
    /// the operation has no stack: an async caller then yields itself. `waits`: the caller can't yield.
    fn announce_access(&self, access: Access, waits: bool) -> bool;
    /// Records the effect of the access that was made.
    fn touch(&self, access: Access, touch: AccessEffect);
    /// Waits until the object changes, or the operation's waker is called; returns in a later step.
    /// Returns true if the object changed.
    fn block(&self, access: Access, wait: Wait) -> bool;
    /// Wakes all waiters of the object.
    fn unblock(&self, object: ObjectId);
    /// Wakes one waiter of the object, as the strategy chooses. Returns true if there was one.
    fn unblock_one(&self, object: ObjectId) -> bool;
    /// Records that the current operation, which has a waker, waits for the object.
    fn awaits(&self, access: Access, wait: Wait);
    /// Ends that wait of an operation.
    fn awaited(&self, object: ObjectId, operation: Address);
    /// Returns true if an operation holds the object.
    fn is_held(&self, object: ObjectId) -> bool;
    /// Returns true if the tester injects a spurious wake-up into the wait that would begin now.
    fn is_woken_spuriously(&self) -> bool;
    /// Returns true if another operation waits for the object by [`Wait::First`].
    fn is_claimed(&self, object: ObjectId) -> bool;
    /// Returns the current operation.
    fn current(&self) -> Address;
    /// Returns the waker of the current operation.
    fn waker(&self) -> Waker;

    /// Starts a task or a thread, when the effect is carried out.
    fn spawn_task(&self, task: NewTask) -> Address;
    /// Records that nobody will join the task.
    fn detach(&self, task: Address);
    /// Aborts a task at its next wait.
    fn abort(&self, task: Address);
    /// Returns true if the current operation was aborted.
    fn is_aborted(&self) -> bool;
    /// Records the panic of a task; returns true if the test allows the panic, false if it is a bug.
    fn panicked(&self, payload: &(dyn Any + Send)) -> bool;
    /// Waits until the operation's waker is called, unless it was since the poll in progress began.
    /// Returns in a later step, in which the next poll begins.
    fn park(&self);
    /// Sets the flag of a wake-up since the operation's poll began, and returns the old one.
    fn replace_wake_up(&self, is_due: bool) -> bool;
    /// Yields to other operations; returns in a later step. Returns `false` as [`announce_access`](Self::announce_access) does.
    fn yield_now(&self, place: SourceLocation, waits: bool) -> bool;
    /// Returns the thread-local values of the current operation.
    fn locals(&self) -> Locals;
    /// A memory fence. Acquiring: values read by earlier relaxed loads count as acquired from now on.
    /// Releasing: later relaxed stores release everything before the fence.
    fn fence(&self, acquires: bool, releases: bool);
    /// Checks a non-atomic access for a data race: other accesses must be ordered with it.
    fn race(&self, object: ObjectId, writes: bool, place: SourceLocation);
}
