//! Objects that tasks, threads and actors share, and the accesses to them: [`SharedObjects`].
//!
//! An object is a lock, a channel or an atomic: operations communicate through it without a message. The
//! value itself belongs to the program. This file has its holders and waiters, and what the behaviour's hash
//! and the [vector clocks](super::vector_clocks) need of each access. An operation is *at* an access if its
//! next step makes that access.

use actor_core::seam::{AccessEffect, Hold, Release, SourceLocation, Wait};

use crate::data::constructs::StepConstruct;
use crate::data::problem::{Awaited, AwaitedObject, Holder, ObjectName};
use crate::data::step::StepKind;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::operations::Operations;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::vector_clocks::{Clock, RacingAccess, VectorClocks, hash_of};
use crate::hash::mix;
use crate::strategy::{OperationId, Pending};

/// The number of reads of unchanged objects without a yield at which an operation counts as spinning.
pub(crate) const REPEATS_MAX: u32 = 1_000;

/// The number of objects remembered for an operation that polls several in turn.
const SEEN_MAX: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct SharedObjects {
    all: Vec<SharedObject>,
    /// The accesses and waits of each operation, by its number.
    doing: Vec<AccessState>,
    /// The number of tasks and threads so far.
    tasks: u32,
    has_threads: bool,
    /// True once an operation has yielded twice in a row, and so had to wait for a step of another one.
    has_waited: bool,
    /// The operations that have yielded, and since then no other one has taken a step.
    yielded: Vec<Yield>,
    pub(crate) clocks: VectorClocks,
    /// The places that asked for less than `SeqCst`, and got sequential consistency.
    weakened: Vec<SourceLocation>,
}

#[derive(Clone, Debug)]
pub(crate) struct SharedObject {
    kind: &'static str,
    made: SourceLocation,
    holders: Vec<u32>,
    waiters: Vec<Waiter>,
    /// A hash of the accesses that changed, took or released the object, in order.
    chain: u64,
    /// The number of changes so far.
    changes: u64,
    pub(crate) clock: Clock,
    /// The task whose end the object stands for, if any.
    task: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    operation: u32,
    wait: Wait,
    /// True if the waiter resumes when the object is unblocked; false if by a call of its waker.
    is_blocked: bool,
}

/// The access, the task number and the reads of one operation.
#[derive(Clone, Debug, Default)]
struct AccessState {
    /// The access or yield that the next step makes.
    at: Option<NextAccess>,
    /// The number among tasks and threads, from one; zero for any other operation.
    task: u32,
    is_thread: bool,
    /// True if nobody will join the task.
    is_detached: bool,
    /// True once the task was aborted.
    is_aborted: bool,
    /// True if the operation was unblocked, and its wait has not ended yet.
    is_unblocked: bool,
    /// The number of reads in a row that found an object as at the read before.
    repeats: u32,
    /// The objects that were read last, each with its number of changes at that time.
    seen: Vec<(u32, u64)>,
}

/// An operation that has yielded.
#[derive(Clone, Copy, Debug)]
struct Yield {
    operation: u32,
    /// True if the operation has yielded twice in a row, and resumes after a step of another one.
    is_held: bool,
}

/// The access that an operation's next step makes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextAccess {
    Object(u32),
    /// A yield to other operations.
    Way,
}

impl SharedObjects {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.doing.clear();
        self.tasks = 0;
        self.has_threads = false;
        self.has_waited = false;
        self.yielded.clear();
        self.clocks.clear();
        self.weakened.clear();
    }

    /// Records a place that asked for less than `SeqCst`.
    pub(crate) fn weaken(&mut self, place: SourceLocation) {
        if !self.weakened.contains(&place) {
            self.weakened.push(place);
        }
    }

    /// Returns the places that asked for less than `SeqCst`, and got sequential consistency.
    pub(crate) fn weakened(&self) -> &[SourceLocation] {
        &self.weakened
    }

    pub(crate) fn have_threads(&self) -> bool {
        self.has_threads
    }

    pub(crate) fn has_waited_for_a_step(&self) -> bool {
        self.has_waited
    }

    /// Returns whether nothing is shared.
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        self.all.is_empty() && self.doing.is_empty()
    }

    pub(crate) fn add(&mut self, kind: &'static str, made: SourceLocation) -> u32 {
        self.all.push(SharedObject {
            kind,
            made,
            holders: Vec::new(),
            waiters: Vec::new(),
            chain: 0,
            changes: 0,
            clock: Clock::default(),
            task: None,
        });
        self.all.len() as u32 - 1
    }

    pub(crate) fn kind(&self, object: u32) -> &'static str {
        self.all[object as usize].kind
    }

    pub(crate) fn name(&self, object: u32) -> ObjectName {
        let SharedObject { kind, made, .. } = self.all[object as usize];
        let is_same = |other: &&SharedObject| other.kind == kind && other.made == made;
        let (until, later) = self.all.split_at(object as usize + 1);
        let number = until.iter().filter(is_same).count() as u32;
        let is_only = number == 1 && !later.iter().any(|other| is_same(&other));
        ObjectName {
            kind: kind.into(),
            number: (!is_only).then_some(number),
            made: made.to_string(),
        }
    }

    pub(crate) fn is_end_of(&self, object: u32, task: u32) -> bool {
        self.all[object as usize].task == Some(task)
    }

    /// Returns the operation's number among tasks and threads, from one; zero for any other operation.
    pub(crate) fn task(&self, operation: u32) -> u32 {
        self.doing(operation).map_or(0, |doing| doing.task)
    }

    /// Returns the generated name of a task or thread without a name.
    pub(crate) fn task_name(&self, operation: u32) -> String {
        match self.doing(operation) {
            Some(doing) if doing.is_thread => format!("thread#{}", doing.task),
            _ => format!("task#{}", self.task(operation)),
        }
    }

    fn doing(&self, operation: u32) -> Option<&AccessState> {
        self.doing.get(operation as usize)
    }

    fn doing_of(&mut self, operation: u32) -> &mut AccessState {
        let operation = operation as usize;
        if self.doing.len() <= operation {
            self.doing.resize_with(operation + 1, AccessState::default);
        }
        &mut self.doing[operation]
    }

    /// Returns the access that an operation's next step makes, if any.
    #[inline]
    pub(crate) fn at(&self, operation: u32) -> Option<NextAccess> {
        self.doing(operation)?.at
    }

    /// Has an operation resume with an access.
    pub(crate) fn come_to(
        &mut self,
        footprint: &mut StepFootprint,
        operation: u32,
        at: NextAccess,
    ) {
        footprint.add(StepConstruct::Sharing);
        self.doing_of(operation).at = Some(at);
    }

    /// Takes the access of an operation that begins its step.
    pub(crate) fn leave(&mut self, operation: u32) -> Option<NextAccess> {
        self.doing.get_mut(operation as usize)?.at.take()
    }

    pub(crate) fn detach(&mut self, operation: u32) {
        self.doing_of(operation).is_detached = true;
    }

    pub(crate) fn abort(&mut self, operation: u32) {
        self.doing_of(operation).is_aborted = true;
    }

    pub(crate) fn is_aborted(&self, operation: u32) -> bool {
        self.doing(operation).is_some_and(|doing| doing.is_aborted)
    }

    /// Adds the operation to the object's waiters; returns whether it was not among them.
    pub(crate) fn wait(
        &mut self,
        operation: u32,
        object: u32,
        wait: Wait,
        is_blocked: bool,
    ) -> bool {
        let waiters = &mut self.all[object as usize].waiters;
        let is_new = !waiters.iter().any(|waiter| waiter.operation == operation);
        if is_new {
            waiters.push(Waiter {
                operation,
                wait,
                is_blocked,
            });
        }
        // An operation that waits does not spin.
        self.progress(operation);
        is_new
    }

    /// Removes the operation from the object's waiters; returns whether it was unblocked.
    pub(crate) fn wait_ends(&mut self, operation: u32, object: u32) -> bool {
        if let Some(object) = self.all.get_mut(object as usize) {
            object
                .waiters
                .retain(|waiter| waiter.operation != operation);
        }
        let doing = self.doing.get_mut(operation as usize);
        doing.is_some_and(|doing| std::mem::take(&mut doing.is_unblocked))
    }

    /// Returns the operations that resume when the object is unblocked.
    pub(crate) fn blocked(&self, object: u32) -> Vec<u32> {
        let waiters = self.all[object as usize].waiters.iter();
        let blocked = waiters.filter(|waiter| waiter.is_blocked);
        blocked.map(|waiter| waiter.operation).collect()
    }

    /// Returns whether the operation resumes only when some object is unblocked.
    pub(crate) fn is_blocked(&self, operation: u32) -> bool {
        let mut waiters = self.all.iter().flat_map(|object| &object.waiters);
        waiters.any(|waiter| waiter.is_blocked && waiter.operation == operation)
    }

    pub(crate) fn is_held(&self, object: u32) -> bool {
        !self.all[object as usize].holders.is_empty()
    }

    /// Returns another operation that waits for exclusive access, ahead of those that wait for shared access.
    pub(crate) fn claimant(&self, object: u32, operation: u32) -> Option<u32> {
        let mut waiters = self.all[object as usize].waiters.iter();
        let claims = |waiter: &&Waiter| waiter.wait == Wait::First && waiter.operation != operation;
        waiters.find(claims).map(|waiter| waiter.operation)
    }

    /// Returns the operation behind whose exclusive claim this one waits for shared access.
    fn exclusive_claim_before(&self, object: u32, operation: u32) -> Option<u32> {
        let mut waiters = self.all[object as usize].waiters.iter();
        let waits = |waiter: &Waiter| waiter.operation == operation && waiter.wait == Wait::Shared;
        let claimant = self.claimant(object, operation);
        claimant.filter(|_| waiters.any(waits))
    }

    /// Resets the count of unchanged reads of an operation.
    fn progress(&mut self, operation: u32) {
        if let Some(doing) = self.doing.get_mut(operation as usize) {
            doing.repeats = 0;
            doing.seen.clear();
        }
    }

    /// Records a read of the object; returns whether the operation spins.
    fn record_read(&mut self, operation: u32, object: u32) -> bool {
        let seen = (object, self.all[object as usize].changes);
        let doing = self.doing_of(operation);
        if doing.seen.contains(&seen) {
            doing.repeats += 1;
            return doing.repeats == REPEATS_MAX;
        }
        doing.repeats = 0;
        doing.seen.retain(|(other, _)| *other != object);
        if doing.seen.len() == SEEN_MAX {
            doing.seen.remove(0);
        }
        doing.seen.push(seen);
        false
    }

    /// Records a yield; returns whether the operation may go on at once. That is false for a second yield in
    /// a row, without a step of another operation in between.
    pub(crate) fn record_yield(&mut self, operation: u32) -> bool {
        self.progress(operation);
        // Several branches of one poll count as one yield.
        let is_same_poll = matches!(self.at(operation), Some(NextAccess::Way));
        let mut ways = self.yielded.iter_mut();
        match ways.find(|way| way.operation == operation) {
            Some(_) if is_same_poll => true,
            Some(way) => {
                way.is_held = true;
                self.has_waited = true;
                false
            }
            None => {
                self.yielded.push(Yield {
                    operation,
                    is_held: false,
                });
                true
            }
        }
    }

    /// Feeds the operations that have yielded, and whether they are held back, into a fingerprint.
    pub(crate) fn feed_yields(&self, mut to: impl FnMut(u64)) {
        for way in &self.yielded {
            to(u64::from(way.operation) << 1 | u64::from(way.is_held));
        }
    }

    /// Feeds the vector clocks into a fingerprint, once accesses must be ordered. They depend on the order of
    /// accesses to different objects by operations that have one clock together.
    pub(crate) fn feed_clocks(&self, mut to: impl FnMut(u64)) {
        if self.clocks.order_accesses() {
            self.clocks.feed(&mut to);
            for object in &self.all {
                to(hash_of(&object.clock));
            }
        }
    }

    /// Returns whether the operation waits for a step of another one, even if it is woken.
    pub(crate) fn is_held_back(&self, operation: u32) -> bool {
        let mut ways = self.yielded.iter();
        ways.any(|way| way.operation == operation && way.is_held)
    }

    /// Returns whether some operation has yielded.
    pub(crate) fn has_yields(&self) -> bool {
        !self.yielded.is_empty()
    }

    /// Ends all yields except that of the operation `stepped`; returns the operations that resume.
    pub(crate) fn end_yields(&mut self, stepped: Option<u32>) -> Vec<u32> {
        let goes_on = |way: &Yield| stepped != Some(way.operation);
        let free = self
            .yielded
            .iter()
            .filter(|way| goes_on(way) && way.is_held);
        let free = free.map(|way| way.operation).collect();
        self.yielded.retain(|way| !goes_on(way));
        free
    }

    /// Shows a resume as an access, if the operation resumes with one.
    pub(super) fn show_access(&self, index: u32, pending: &mut Pending) {
        if let Some(NextAccess::Object(object)) = self.at(index) {
            pending.kind = StepKind::Access;
            pending.inbox = Some(OperationId::object(object));
        }
    }

    /// Takes the access of an operation that resumes. Without an access, something other than an object has
    /// woken the operation, and its vector clock learns what the actors know.
    pub(crate) fn goes_on(&mut self, operation: u32) {
        if self.leave(operation).is_none() {
            let task = self.task(operation);
            self.clocks.hear(task);
        }
    }

    /// Passes the vector clock of an operation that sends, or wakes another, to the actors.
    pub(crate) fn publishes(&mut self, operation: u32) {
        let task = self.task(operation);
        self.clocks.publish(task);
    }

    /// Records a memory fence of an operation.
    pub(crate) fn fenced(&mut self, operation: u32, acquires: bool, releases: bool) {
        let task = self.task(operation);
        self.clocks.fence(task, acquires, releases);
    }

    /// Records that an operation waits for exclusive access, and so keeps others out.
    pub(crate) fn claimed(&mut self, operations: &mut Operations, operation: u32, object: u32) {
        let key = operations[operation].key;
        let found = &mut self.all[object as usize];
        found.changes += 1;
        found.chain = mix(found.chain, key);
        let seen = found.chain;
        operations.extend_chain(operation, seen);
    }

    /// Returns the operations that are blocked on the object and were not woken yet.
    pub(crate) fn blocked_still(&self, operations: &Operations, object: u32) -> Vec<u32> {
        let mut blocked = self.blocked(object);
        blocked.retain(|operation| !operations[*operation].woken);
        blocked
    }

    /// Records an access that happens-before must order; returns a conflicting one without such an order.
    pub(crate) fn race(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        operation: u32,
        object: u32,
        writes: bool,
        place: SourceLocation,
    ) -> Option<RacingAccess> {
        footprint.add(StepConstruct::Sharing);
        let found = &mut self.all[object as usize];
        if writes {
            found.chain = mix(found.chain, operations[operation].key);
        }
        let seen = mix(found.chain, u64::from(!writes));
        operations.extend_chain(operation, seen);
        let task = self.task(operation);
        self.clocks.access(task, operation, object, writes, place)
    }

    /// Returns whether all that a task waits for is news from others, and nobody joins the task or it
    /// `awaits_ticks` of an interval.
    pub(crate) fn awaits_news(&self, operation: u32, awaits_ticks: bool) -> bool {
        let is_detached = self.doing(operation).is_some_and(|doing| doing.is_detached);
        let all = self.all.iter();
        let mut waits = all
            .flat_map(|object| &object.waiters)
            .filter(|waiter| waiter.operation == operation)
            .peekable();
        (awaits_ticks || is_detached && waits.peek().is_some())
            && waits.all(|waiter| waiter.wait == Wait::News)
    }

    /// Returns the operations that are blocked on the object, except those behind an exclusive claim.
    pub(crate) fn unclaimed(&self, object: u32) -> Vec<u32> {
        let mut blocked = self.blocked(object);
        blocked.retain(|operation| self.exclusive_claim_before(object, *operation).is_none());
        blocked
    }
}

impl ExecutionState {
    /// Creates an operation for a task or a thread, whose end is the object `end`.
    pub(crate) fn spawn_task(
        &mut self,
        parent: u32,
        name: Option<&str>,
        is_thread: bool,
        end: u32,
    ) -> u32 {
        let task = self.create_task(parent, name);
        self.objects.tasks += 1;
        self.objects.has_threads |= is_thread;
        let number = self.objects.tasks;
        let doing = self.objects.doing_of(task);
        doing.task = number;
        doing.is_thread = is_thread;
        if let Some(end) = self.objects.all.get_mut(end as usize) {
            end.task = Some(task);
        }
        let parent = self.objects.task(parent);
        self.objects.clocks.fork(parent, number);
        task
    }

    /// Records an access of an operation; returns whether the operation spins.
    pub(crate) fn accessed(&mut self, operation: u32, object: u32, touch: AccessEffect) -> bool {
        self.footprint.add(StepConstruct::Sharing);
        let AccessEffect {
            changes,
            acquires,
            releases,
            holds,
            is_weak: _,
        } = touch;
        let task = self.objects.task(operation);
        let objects = &mut self.objects;
        let found = &mut objects.all[object as usize];
        // Two reads in a row are independent, so a read does not change the object's hash.
        found.changes += u64::from(changes);
        let seen = if changes || holds != Hold::Stays {
            found.chain = mix(found.chain, self.operations[operation].key);
            found.chain
        } else {
            mix(found.chain, 0x100c)
        };
        match acquires {
            true => objects.clocks.acquire(task, &found.clock),
            false => objects.clocks.see(task, &found.clock),
        }
        objects.clocks.release(task, &mut found.clock, releases);
        if changes && matches!(releases, Release::Nothing | Release::Ends) {
            objects.clocks.release_fenced(task, &mut found.clock);
        }
        match holds {
            Hold::Stays => {}
            Hold::Alone | Hold::Shared => found.holders.push(operation),
            Hold::LetsGo => {
                let own = found.holders.iter().position(|holder| *holder == operation);
                // A guard may be dropped by another operation than the one that took it.
                let held = own.or((!found.holders.is_empty()).then_some(0));
                held.map(|held| found.holders.remove(held));
            }
        }
        let others: Vec<u32> = match holds {
            Hold::Stays | Hold::LetsGo => Vec::new(),
            _ => {
                let excluded = |wait| match holds {
                    Hold::Alone => wait != Wait::News,
                    _ => matches!(wait, Wait::Alone | Wait::First),
                };
                let waiters = found.waiters.iter();
                let blocked = waiters.filter(|waiter| waiter.is_blocked && excluded(waiter.wait));
                blocked.map(|waiter| waiter.operation).collect()
            }
        };
        self.operations.extend_chain(operation, seen);
        // The object is taken again, so the wake-ups of these waiters are void.
        for other in others.into_iter().filter(|other| *other != operation) {
            self.operations[other].woken = false;
            self.footprint.changes(other);
            self.refresh(other);
        }
        if changes {
            self.objects.progress(operation);
            return false;
        }
        // An access that takes the object counts as a mere read only when the object is released unchanged.
        let is_read = matches!(holds, Hold::Stays | Hold::LetsGo);
        is_read && self.objects.record_read(operation, object)
    }

    /// Wakes an operation that is blocked, which then tries again.
    pub(crate) fn unblock_this(&mut self, operation: u32) {
        self.objects.doing_of(operation).is_unblocked = true;
        self.operations[operation].woken = true;
        self.footprint.changes(operation);
        self.refresh(operation);
    }
}

/// Returns the objects that an operation waits for.
pub(crate) fn awaited_objects(
    state: &ExecutionState,
    operation: u32,
) -> impl Iterator<Item = Awaited> {
    let all = state.objects.all.iter().zip(0..);
    let mine = all.filter(move |(object, _)| {
        object
            .waiters
            .iter()
            .any(|waiter| waiter.operation == operation)
    });
    mine.map(move |(object, number)| match object.task {
        Some(task) => Awaited::End {
            of: state.name(task),
        },
        None => Awaited::Object(awaited_object(state, number, operation)),
    })
}

/// Returns an object and its holders, for the operation `waits` that waits for it.
pub(crate) fn awaited_object(state: &ExecutionState, object: u32, waits: u32) -> AwaitedObject {
    let claimant = state.objects.exclusive_claim_before(object, waits);
    let name = state.objects.name(object);
    let object = &state.objects.all[object as usize];
    let mut holders: Vec<u32> = object.holders.clone();
    holders.sort_unstable();
    holders.dedup();
    let holders = holders.iter().map(|holder| match *holder == waits {
        true => Holder::Itself,
        false => Holder::Other(state.name(*holder)),
    });
    AwaitedObject {
        name,
        holders: holders.collect(),
        behind: claimant.map(|claimant| state.name(claimant)),
    }
}
