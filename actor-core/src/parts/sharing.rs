//! The seam between what tasks, threads and actors share and a controlled executor: [`Sharing`].

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::task::Waker;

use crate::identity::Address;

/// A line of a source.
pub type Place = &'static Location<'static>;

/// Something shared, of one execution: a lock, a channel, an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectId {
    /// The number of the object within the execution.
    pub index: u32,
    /// The execution.
    pub execution: u32,
}

/// An access to something shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// To what.
    pub object: ObjectId,
    /// What it does, as a story has it: `locks`.
    pub what: &'static str,
    /// Where in the program.
    pub place: Place,
}

/// What an access has done, for who wants to know which accesses depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The object is not what it was.
    pub changes: bool,
    /// What others did before they released the object has happened before what comes now.
    pub acquires: bool,
    /// What was done before this is seen by those that acquire the object from now on.
    pub releases: Release,
    /// What becomes of who holds it.
    pub holds: Hold,
    /// The program asks for less than sequential consistency, and gets that.
    pub is_weak: bool,
}

/// What an access hands on to those that acquire the object later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Nothing; what was released before stays so.
    Nothing,
    /// What was done before, beside what was released earlier.
    Adds,
    /// What was done before, and nothing that was released earlier.
    Replaces,
    /// Nothing, and nothing that was released earlier: a relaxed store.
    Ends,
}

/// What becomes of who holds an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// Nothing.
    Stays,
    /// The current operation holds it, and nobody else may.
    Alone,
    /// The current operation holds it beside others.
    Shared,
    /// The current operation lets go of it, or of its share.
    LetsGo,
}

impl Touch {
    /// It has looked at the object, and acquires what was released.
    pub const LOOKS: Self = Self {
        changes: false,
        acquires: true,
        releases: Release::Nothing,
        holds: Hold::Stays,
        is_weak: false,
    };
    /// It has changed the object, acquires what was released, and releases.
    pub const CHANGES: Self = Self {
        changes: true,
        acquires: true,
        releases: Release::Adds,
        holds: Hold::Stays,
        is_weak: false,
    };
    /// It holds the object from now on, alone.
    pub const TAKES: Self = Self {
        holds: Hold::Alone,
        ..Self::LOOKS
    };
    /// It holds the object from now on, beside others.
    pub const SHARES: Self = Self {
        holds: Hold::Shared,
        ..Self::TAKES
    };
    /// It lets go of the object, which it has changed.
    pub const LETS_GO: Self = Self {
        acquires: false,
        holds: Hold::LetsGo,
        ..Self::CHANGES
    };
    /// It lets go of the object, at which it has only looked.
    pub const LEAVES: Self = Self {
        changes: false,
        ..Self::LETS_GO
    };

    /// As this, where something succeeded; else it was only looked at.
    pub fn if_ok<T, E>(self, result: &Result<T, E>) -> Self {
        match result {
            Ok(_) => self,
            Err(_) => Self::LOOKS,
        }
    }
}

/// How an operation waits for something shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// To hold it alone.
    Alone,
    /// To hold it alone, before whoever comes later to hold it beside others.
    First,
    /// To hold it beside others.
    Shared,
    /// For what others do with it; an operation that nobody joins may wait so for ever.
    News,
}

/// A task or a thread about to be spawned.
pub struct NewTask {
    /// What it runs, with the waker of its operation.
    pub run: Box<dyn FnOnce(Waker)>,
    /// Its name.
    pub name: Option<String>,
    /// It is a thread.
    pub is_thread: bool,
    /// What tells of its end: who waits for that waits for this.
    pub end: ObjectId,
}

/// What the code of one thread has for itself, by the address of the static; see
/// [`thread_local!`](crate::thread_local!).
pub type Locals = Rc<RefCell<Vec<(usize, Rc<dyn Any>)>>>;

/// What a controlled executor offers to code that shares memory.
///
/// As with [`Runtime`](crate::runtime::Runtime), every method is called while code of the program under
/// test runs. A method that says so comes back in a later step: the operation needs a stack of its own
/// for that, which tasks and threads have, and the test body where it calls one of these.
pub trait Sharing {
    /// The number of the execution.
    fn execution(&self) -> u32;
    /// Takes in an object that is new to the execution: what kind of thing, and where it was made.
    fn object(&self, kind: &'static str, made: Place) -> ObjectId;
    /// An access is about to be made; comes back in the step that makes it. `false` where that is the
    /// current step, since the operation has no stack: an async caller gives way by itself then.
    /// `waits` says that the caller can't.
    fn reach(&self, access: Access, waits: bool) -> bool;
    /// The access was made.
    fn touch(&self, access: Access, touch: Touch);
    /// Waits until somebody changes the object, or the operation's waker is called; comes back in a later
    /// step. Tells whether it was the former.
    fn block(&self, access: Access, wait: Wait) -> bool;
    /// Who waits for the object may look again.
    fn unblock(&self, object: ObjectId);
    /// Of those that are blocked on the object one may look again, whichever the strategy chooses. Tells
    /// whether there is one.
    fn unblock_one(&self, object: ObjectId) -> bool;
    /// The current operation, whose waker will be called, waits for the object.
    fn awaits(&self, access: Access, wait: Wait);
    /// It does not any more.
    fn awaited(&self, object: ObjectId, operation: Address);
    /// Somebody holds the object.
    fn is_held(&self, object: ObjectId) -> bool;
    /// Whether the wait for the object that would begin now ends at once, for no reason.
    fn is_woken_spuriously(&self) -> bool;
    /// Whether another waits for the object by [`Wait::First`].
    fn is_claimed(&self, object: ObjectId) -> bool;
    /// The current operation.
    fn current(&self) -> Address;
    /// What wakes the current operation.
    fn waker(&self) -> Waker;

    /// Starts a task or a thread, when the effect is carried out.
    fn spawn_task(&self, task: NewTask) -> Address;
    /// Nobody will join the task.
    fn detach(&self, task: Address);
    /// Has a task end where it waits next.
    fn abort(&self, task: Address);
    /// The current operation was told to end.
    fn is_aborted(&self) -> bool;
    /// The task has panicked; whether that is part of the story, and not a bug.
    fn panicked(&self, payload: &(dyn Any + Send)) -> bool;
    /// Waits until the operation's waker is called, unless it was since the poll in progress began; returns
    /// in a later step, in which the next poll begins.
    fn park(&self);
    /// Sets, and returns as it was before, that the operation's waker was called since the poll in
    /// progress began.
    fn replace_wake_up(&self, is_due: bool) -> bool;
    /// Lets others go first; comes back in a later step. `false` as with [`reach`](Self::reach).
    fn give_way(&self, place: Place, waits: bool) -> bool;
    /// What the current operation has for itself.
    fn locals(&self) -> Locals;
    /// What the current operation has seen by loads that acquired nothing has happened before what comes now,
    /// and what it stores without a release from now on releases what was done before.
    fn fence(&self, acquires: bool, releases: bool);
    /// An access that nothing but its order to others makes right.
    fn race(&self, object: ObjectId, writes: bool, place: Place);
}
