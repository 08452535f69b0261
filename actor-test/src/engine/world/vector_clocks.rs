//! Vector clocks: the happens-before relation of accesses to shared objects.
//!
//! Each task and each thread has a clock. The test body, actors and their futures have one together, so
//! accesses that a message may have ordered are never called a race. An object passes clocks from the task
//! that releases it to the one that acquires it.

use actor_core::seam::{Release, SourceLocation};

use crate::hash::mix;

/// The time up to which the accesses of each task are known; missing entries are zero.
pub(crate) type Clock = Vec<u32>;

#[derive(Clone, Debug, Default)]
pub(crate) struct VectorClocks {
    /// The clock of each task, by its number; the first one is that of all operations that are no tasks.
    of: Vec<Clock>,
    /// The fences of each task, by its number; tasks behind the last entry have none.
    fences: Vec<Fences>,
    /// The last write and the later reads of each object whose accesses must be ordered; few are such
    /// objects.
    cells: Vec<(u32, CellAccesses)>,
}

/// The vector clocks of a task's memory fences.
#[derive(Clone, Debug, Default)]
struct Fences {
    /// The clock that the next acquire fence joins into the task's own.
    seen: Clock,
    /// The clock of the task at its last release fence.
    released: Clock,
}

#[derive(Clone, Debug, Default)]
struct CellAccesses {
    write: Option<CellAccess>,
    reads: Vec<CellAccess>,
}

#[derive(Clone, Copy, Debug)]
struct CellAccess {
    operation: u32,
    task: u32,
    time: u32,
    place: SourceLocation,
}

/// The earlier of two conflicting accesses that happens-before does not order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RacingAccess {
    /// The operation that made the earlier access.
    pub(crate) operation: u32,
    pub(crate) place: SourceLocation,
    pub(crate) writes: bool,
}

impl VectorClocks {
    pub(crate) fn clear(&mut self) {
        self.of.clear();
        self.fences.clear();
        self.cells.clear();
    }

    /// Returns whether an access that must be ordered was made. Nothing that was known before can order such
    /// an access, so clocks say nothing until then.
    pub(crate) fn order_accesses(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Feeds the clocks of tasks and fences, and the accesses that must be ordered, into a fingerprint.
    pub(crate) fn feed(&self, mut to: impl FnMut(u64)) {
        for clock in &self.of {
            to(hash_of(clock));
        }
        for fences in &self.fences {
            to(hash_of(&fences.seen));
            to(hash_of(&fences.released));
        }
        // The order of the first accesses, and that of reads, says nothing.
        let sum = |hashes: &mut dyn Iterator<Item = u64>| hashes.fold(0, u64::wrapping_add);
        to(sum(&mut self.cells.iter().map(|(object, accesses)| {
            let known = |access: &CellAccess| mix(access.task.into(), access.time.into());
            let write = accesses.write.as_ref().map_or(0, known);
            let reads = sum(&mut accesses.reads.iter().map(known));
            mix(mix((*object).into(), write), reads)
        })));
    }

    fn clock(&mut self, task: u32) -> &mut Clock {
        let task = task as usize;
        while self.of.len() <= task {
            let mut clock = vec![0; self.of.len() + 1];
            clock[self.of.len()] = 1;
            self.of.push(clock);
        }
        &mut self.of[task]
    }

    fn tick(&mut self, task: u32) {
        self.clock(task)[task as usize] += 1;
    }

    /// Passes the clock of a task to a task that it spawns.
    pub(crate) fn fork(&mut self, parent: u32, child: u32) {
        let known = self.clock(parent).clone();
        join(self.clock(child), &known);
        self.tick(parent);
    }

    /// Joins a clock into that of a task.
    pub(crate) fn acquire(&mut self, task: u32, clock: &[u32]) {
        join(self.clock(task), clock);
    }

    fn fences(&mut self, task: u32) -> &mut Fences {
        let task = task as usize;
        if self.fences.len() <= task {
            self.fences.resize_with(task + 1, Fences::default);
        }
        &mut self.fences[task]
    }

    /// Keeps the clock of an object that a task has read, up to the task's next acquire fence.
    pub(crate) fn see(&mut self, task: u32, clock: &[u32]) {
        if !clock.is_empty() {
            join(&mut self.fences(task).seen, clock);
        }
    }

    pub(crate) fn fence(&mut self, task: u32, acquires: bool, releases: bool) {
        if acquires {
            let seen = std::mem::take(&mut self.fences(task).seen);
            join(self.clock(task), &seen);
        }
        if releases {
            let known = self.clock(task).clone();
            self.fences(task).released = known;
            self.tick(task);
        }
    }

    /// Joins the clock of a task's last release fence into that of an object.
    pub(crate) fn release_fenced(&mut self, task: u32, clock: &mut Clock) {
        if let Some(fences) = self.fences.get(task as usize) {
            join(clock, &fences.released);
        }
    }

    /// Passes the clock of a task to an object.
    pub(crate) fn release(&mut self, task: u32, clock: &mut Clock, release: Release) {
        match release {
            Release::Nothing => return,
            Release::Ends => return clock.clear(),
            Release::Replaces => clock.clear(),
            Release::Adds => {}
        }
        join(clock, self.clock(task));
        self.tick(task);
    }

    /// Joins the clock of a task into that of all operations that are no tasks.
    pub(crate) fn publish(&mut self, task: u32) {
        if task != 0 {
            let known = self.clock(task).clone();
            join(self.clock(0), &known);
            self.tick(task);
        }
    }

    /// Joins the clock of all operations that are no tasks into that of a task.
    pub(crate) fn hear(&mut self, task: u32) {
        if task != 0 {
            let known = self.clock(0).clone();
            join(self.clock(task), &known);
            self.tick(0);
        }
    }

    /// Records an access of a task; returns an earlier conflicting access that did not happen before it.
    pub(crate) fn access(
        &mut self,
        task: u32,
        operation: u32,
        object: u32,
        writes: bool,
        place: SourceLocation,
    ) -> Option<RacingAccess> {
        let clock = self.clock(task).clone();
        let access = CellAccess {
            operation,
            task,
            time: clock[task as usize],
            place,
        };
        let known = self.cells.iter().position(|(cell, _)| *cell == object);
        let known = known.unwrap_or_else(|| {
            self.cells.push((object, CellAccesses::default()));
            self.cells.len() - 1
        });
        let cell = &mut self.cells[known].1;
        let is_unordered = |earlier: &&CellAccess| {
            clock.get(earlier.task as usize).copied().unwrap_or(0) < earlier.time
        };
        let write = cell
            .write
            .iter()
            .find(is_unordered)
            .map(|found| (found, true));
        let reads = cell.reads.iter().filter(|_| writes);
        let read = reads
            .clone()
            .find(|read| is_unordered(read))
            .map(|found| (found, false));
        let race = write.or(read).map(|(earlier, was_write)| RacingAccess {
            operation: earlier.operation,
            place: earlier.place,
            writes: was_write,
        });
        if writes {
            cell.reads.clear();
            cell.write = Some(access);
        } else {
            cell.reads.retain(|read| read.task != task);
            cell.reads.push(access);
        }
        race
    }
}

/// Returns a hash of a clock, in which missing entries are zero.
pub(crate) fn hash_of(clock: &[u32]) -> u64 {
    let known = clock.iter().zip(1..).filter(|(time, _)| **time > 0);
    known.fold(0, |hash, (time, task)| {
        mix(hash, u64::from(*time) << 32 | task)
    })
}

/// Joins a clock into another: the later time for each task.
fn join(into: &mut Clock, from: &[u32]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (into, from) in into.iter_mut().zip(from) {
        *into = (*into).max(*from);
    }
}
