//! What tasks, threads and actors share, and who does what with it: [`Objects`].
//!
//! An object is a lock, a channel, an atomic: something by which operations meet without a message. The
//! value itself is the program's; here is who holds it, who waits for it, and what of all accesses a
//! behaviour's hash and the [clocks](super::clocks) need. An operation that has come to an access is *at*
//! it: the access is its next step.

use actor_core::runtime::{Hold, Place, Release, Touch, Wait};

use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::vector_clocks::{Clock, RacingAccess, VectorClocks};
use crate::hash::mix;
use crate::strategy::StepConstruct;

/// How often an operation may look at what has not changed, without a word that it waits.
pub(crate) const REPEATS_MAX: u32 = 1_000;

/// How many objects are kept in mind of those that a spinning operation looks at in turn.
const SEEN_MAX: usize = 16;

/// All that is shared in an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedObjects {
    all: Vec<SharedObject>,
    /// What each operation does with them, by its number.
    doing: Vec<AccessState>,
    /// How many tasks and threads there are.
    tasks: u32,
    has_threads: bool,
    /// Somebody has let others go first twice in a row, and waited for one that does.
    has_waited: bool,
    /// Those that let others go first, and have seen nobody go since.
    yielded: Vec<Yield>,
    pub(crate) clocks: VectorClocks,
}

/// Something shared.
#[derive(Clone, Debug)]
pub(crate) struct SharedObject {
    kind: &'static str,
    made: Place,
    holders: Vec<u32>,
    waiters: Vec<Waiter>,
    /// The accesses up to now, in their order, as a hash.
    chain: u64,
    /// How many of them have changed it.
    changes: u64,
    pub(crate) clock: Clock,
    /// It is the end of that task.
    task: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    operation: u32,
    wait: Wait,
    /// It goes on when it is unblocked; else when its waker is called.
    is_blocked: bool,
}

/// What an operation does with what is shared.
#[derive(Clone, Debug, Default)]
struct AccessState {
    /// The access that its next step makes.
    at: Option<NextAccess>,
    /// Its number among the tasks and threads, from one; zero for everything else.
    task: u32,
    is_thread: bool,
    /// Nobody will join it.
    is_detached: bool,
    /// It was told to end.
    is_aborted: bool,
    /// What it was blocked on has changed.
    is_unblocked: bool,
    /// How often it has looked, one look after the other, at what was as it had seen it before.
    repeats: u32,
    /// What it has seen, each with the number of changes.
    seen: Vec<(u32, u64)>,
}

/// An operation that lets others go first.
#[derive(Clone, Copy, Debug)]
struct Yield {
    operation: u32,
    /// It has done so twice in a row, and goes on when another has taken a step.
    is_held: bool,
}

/// Where an operation is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextAccess {
    Object(u32),
    /// It lets others go first.
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
    }

    /// Threads were started.
    pub(crate) fn have_threads(&self) -> bool {
        self.has_threads
    }

    /// Somebody has let others go first twice in a row, and waited for one that does.
    pub(crate) fn has_waited_for_a_step(&self) -> bool {
        self.has_waited
    }

    /// Nothing is shared.
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        self.all.is_empty() && self.doing.is_empty()
    }

    pub(crate) fn add(&mut self, kind: &'static str, made: Place) -> u32 {
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

    pub(crate) fn made(&self, object: u32) -> Place {
        self.all[object as usize].made
    }

    /// It is the end of that task.
    pub(crate) fn is_end_of(&self, object: u32, task: u32) -> bool {
        self.all[object as usize].task == Some(task)
    }

    /// The task or thread that an operation is, from one; zero for everything else.
    pub(crate) fn task(&self, operation: u32) -> u32 {
        self.doing(operation).map_or(0, |doing| doing.task)
    }

    /// What it is called that has no name.
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

    /// The access, if any, that an operation's next step makes.
    #[inline]
    pub(crate) fn at(&self, operation: u32) -> Option<NextAccess> {
        self.doing(operation)?.at
    }

    pub(crate) fn come_to(&mut self, operation: u32, at: NextAccess) {
        self.doing_of(operation).at = Some(at);
    }

    /// The operation takes its step.
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

    /// The operation waits for the object; tells whether it did not before.
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
        // It does not spin.
        self.progress(operation);
        is_new
    }

    /// It does so no more; tells whether it was unblocked.
    pub(crate) fn wait_ends(&mut self, operation: u32, object: u32) -> bool {
        if let Some(object) = self.all.get_mut(object as usize) {
            object
                .waiters
                .retain(|waiter| waiter.operation != operation);
        }
        let doing = self.doing.get_mut(operation as usize);
        doing.is_some_and(|doing| std::mem::take(&mut doing.is_unblocked))
    }

    /// Who goes on when the object is unblocked.
    pub(crate) fn blocked(&self, object: u32) -> Vec<u32> {
        let waiters = self.all[object as usize].waiters.iter();
        let blocked = waiters.filter(|waiter| waiter.is_blocked);
        blocked.map(|waiter| waiter.operation).collect()
    }

    /// The operation goes on when some object is unblocked, and not before.
    pub(crate) fn is_blocked(&self, operation: u32) -> bool {
        let mut waiters = self.all.iter().flat_map(|object| &object.waiters);
        waiters.any(|waiter| waiter.is_blocked && waiter.operation == operation)
    }

    /// Somebody holds the object.
    pub(crate) fn is_held(&self, object: u32) -> bool {
        !self.all[object as usize].holders.is_empty()
    }

    /// Who else waits to hold the object alone, and comes before those that want to hold it beside others.
    pub(crate) fn claimant(&self, object: u32, operation: u32) -> Option<u32> {
        let mut waiters = self.all[object as usize].waiters.iter();
        let claims = |waiter: &&Waiter| waiter.wait == Wait::First && waiter.operation != operation;
        waiters.find(claims).map(|waiter| waiter.operation)
    }

    /// Behind whom the operation waits to hold the object beside others.
    fn exclusive_claim_before(&self, object: u32, operation: u32) -> Option<u32> {
        let mut waiters = self.all[object as usize].waiters.iter();
        let waits = |waiter: &Waiter| waiter.operation == operation && waiter.wait == Wait::Shared;
        let claimant = self.claimant(object, operation);
        claimant.filter(|_| waiters.any(waits))
    }

    /// What the operation did was no idle look.
    fn progress(&mut self, operation: u32) {
        if let Some(doing) = self.doing.get_mut(operation as usize) {
            doing.repeats = 0;
            doing.seen.clear();
        }
    }

    /// The operation has looked at the object; tells whether it spins.
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

    /// The operation lets others go first; tells whether it may go on at once all the same. It may where
    /// another has taken a step since it did so before.
    pub(crate) fn record_yield(&mut self, operation: u32) -> bool {
        self.progress(operation);
        // Several branches of one poll let others go first once.
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

    /// Who lets others go first, and waits for that.
    pub(crate) fn feed_yields(&self, mut to: impl FnMut(u64)) {
        for way in &self.yielded {
            to(u64::from(way.operation) << 1 | u64::from(way.is_held));
        }
    }

    /// The operation goes on when another has taken a step, whoever wakes it.
    pub(crate) fn is_held_back(&self, operation: u32) -> bool {
        let mut ways = self.yielded.iter();
        ways.any(|way| way.operation == operation && way.is_held)
    }

    /// Somebody lets others go first.
    pub(crate) fn has_yields(&self) -> bool {
        !self.yielded.is_empty()
    }

    /// An operation has taken a step, or nobody can: tells who goes on, having let others go first.
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
}

impl ExecutionState {
    /// Creates an operation for a task or a thread.
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

    /// An operation goes on. Where that is not with an access, it has heard of something that is not
    /// shared here.
    pub(crate) fn goes_on(&mut self, operation: u32) {
        if self.objects.leave(operation).is_none() {
            let task = self.objects.task(operation);
            self.objects.clocks.hear(task);
        }
    }

    /// What an operation sends, or whom it wakes, tells others of what it did.
    pub(crate) fn publishes(&mut self, operation: u32) {
        let task = self.objects.task(operation);
        self.objects.clocks.publish(task);
    }

    /// An operation has come to a fence.
    pub(crate) fn fenced(&mut self, operation: u32, acquires: bool, releases: bool) {
        let task = self.objects.task(operation);
        self.objects.clocks.fence(task, acquires, releases);
    }

    /// An access was made by an operation; tells whether that one spins.
    pub(crate) fn accessed(&mut self, operation: u32, object: u32, touch: Touch) -> bool {
        self.reach.add(StepConstruct::Sharing);
        let Touch {
            changes,
            acquires,
            releases,
            holds,
            is_weak: _,
        } = touch;
        let task = self.objects.task(operation);
        let objects = &mut self.objects;
        let found = &mut objects.all[object as usize];
        // Two looks in a row are in no order.
        found.changes += u64::from(changes);
        let seen = if changes || holds != Hold::Stays {
            found.chain = mix(found.chain, self.operations[operation as usize].key);
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
                // A guard may be dropped by another than took it.
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
        self.extend_chain(operation, seen);
        // What they were told of is gone again.
        for other in others.into_iter().filter(|other| *other != operation) {
            self.operations[other as usize].woken = false;
            self.changes(other);
            self.refresh(other);
        }
        if changes {
            self.objects.progress(operation);
            return false;
        }
        // Whether it was only a look shows when it lets go.
        let is_look = matches!(holds, Hold::Stays | Hold::LetsGo);
        is_look && self.objects.record_read(operation, object)
    }

    /// An operation has come to wait for an object, and so keeps others out.
    pub(crate) fn claimed(&mut self, operation: u32, object: u32) {
        let key = self.operations[operation as usize].key;
        let found = &mut self.objects.all[object as usize];
        found.changes += 1;
        found.chain = mix(found.chain, key);
        let seen = found.chain;
        self.extend_chain(operation, seen);
    }

    /// Those that are blocked on the object, and have not been told to look again.
    pub(crate) fn blocked_still(&self, object: u32) -> Vec<u32> {
        let mut blocked = self.objects.blocked(object);
        blocked.retain(|operation| !self.operations[*operation as usize].woken);
        blocked
    }

    /// Those that are blocked on the object may look again, but for those that others come before.
    pub(crate) fn unblock(&mut self, object: u32) {
        for operation in self.objects.blocked(object) {
            if self
                .objects
                .exclusive_claim_before(object, operation)
                .is_none()
            {
                self.unblock_this(operation);
            }
        }
    }

    /// It may look again.
    pub(crate) fn unblock_this(&mut self, operation: u32) {
        self.objects.doing_of(operation).is_unblocked = true;
        self.operations[operation as usize].woken = true;
        self.changes(operation);
        self.refresh(operation);
    }

    /// What an operation awaits of what is shared, in words.
    pub(crate) fn awaited_objects(&self, operation: u32) -> impl Iterator<Item = String> {
        let all = self.objects.all.iter().zip(0..);
        let mine = all.filter(move |(object, _)| {
            object
                .waiters
                .iter()
                .any(|waiter| waiter.operation == operation)
        });
        mine.map(move |(object, number)| match object.task {
            Some(task) => format!("the end of `{}`", self.name(task)),
            None => self.object_in_words(number, operation),
        })
    }

    /// What is shared, and who holds it, in words to one that waits.
    pub(crate) fn object_in_words(&self, object: u32, waits: u32) -> String {
        let claimant = self.objects.exclusive_claim_before(object, waits);
        let object = &self.objects.all[object as usize];
        let SharedObject { kind, made, .. } = object;
        let mut text = format!("the {kind} of {made}");
        let mut holders: Vec<u32> = object.holders.clone();
        holders.sort_unstable();
        holders.dedup();
        let holders: Vec<String> = holders
            .iter()
            .map(|holder| match *holder == waits {
                true => "it itself".to_owned(),
                false => format!("`{}`", self.name(*holder)),
            })
            .collect();
        if !holders.is_empty() {
            text += &format!(
                ", which {} {}",
                holders.join(" and "),
                if holders.len() == 1 { "holds" } else { "hold" }
            );
        }
        if let Some(claimant) = claimant {
            text += &format!(
                ", behind `{}`, which waits to hold it alone",
                self.name(claimant)
            );
        }
        text
    }

    /// What is shared, as a story has it.
    pub(crate) fn object_in_story(&self, object: u32) -> String {
        let SharedObject {
            kind, made, task, ..
        } = &self.objects.all[object as usize];
        match task {
            Some(task) => self.name(*task),
            None => format!("{kind} of {made}"),
        }
    }

    /// Whoever waits here waits for news, and nobody waits for its end; or for the next tick of an interval:
    /// as an actor whose inbox is empty, or that has a periodic timer, it owes nothing and is owed nothing.
    pub(crate) fn may_wait_forever(&self, operation: u32) -> bool {
        if !matches!(
            self.operations[operation as usize].kind,
            OperationRole::Task
        ) {
            return false;
        }
        let is_detached = self
            .objects
            .doing(operation)
            .is_some_and(|doing| doing.is_detached);
        let all = self.objects.all.iter();
        let mut waits = all
            .flat_map(|object| &object.waiters)
            .filter(|waiter| waiter.operation == operation)
            .peekable();
        let awaits_ticks = self.awaits_ticks(operation);
        (awaits_ticks || is_detached && waits.peek().is_some())
            && waits.all(|waiter| waiter.wait == Wait::News)
    }

    /// An access that only its order to others makes right; tells the other one where there is none.
    pub(crate) fn race(
        &mut self,
        operation: u32,
        object: u32,
        writes: bool,
        place: Place,
    ) -> Option<RacingAccess> {
        self.reach.add(StepConstruct::Sharing);
        let found = &mut self.objects.all[object as usize];
        if writes {
            found.chain = mix(found.chain, self.operations[operation as usize].key);
        }
        let seen = mix(found.chain, u64::from(!writes));
        self.extend_chain(operation, seen);
        let task = self.objects.task(operation);
        self.objects
            .clocks
            .access(task, operation, object, writes, place)
    }
}
