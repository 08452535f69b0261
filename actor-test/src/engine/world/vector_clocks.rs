//! Vector clocks: which accesses have happened before which others.
//!
//! Each task and each thread has a clock; the test body, actors and their futures have one together, so
//! that nothing which a message may have put in order is called a race. An object hands clocks on, from
//! who releases it to who acquires it.

use actor_core::runtime::{Place, Release};

/// For each task, how far what it did is known; entries that are missing are zero.
pub(crate) type Clock = Vec<u32>;

/// All clocks of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct VectorClocks {
    /// By the number of the task; the first is that of all that are none.
    of: Vec<Clock>,
    /// By the number of the task; those without are not in it.
    fences: Vec<Fences>,
    /// The accesses to each object that nothing but their order makes right: the last write, and the
    /// reads since. Few objects have any.
    cells: Vec<(u32, CellAccesses)>,
}

/// What a task has to do with fences.
#[derive(Clone, Debug, Default)]
struct Fences {
    /// What it will know at the next that acquires.
    seen: Clock,
    /// What it knew at the last that released.
    released: Clock,
}

#[derive(Clone, Debug, Default)]
struct CellAccesses {
    write: Option<Access>,
    reads: Vec<Access>,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    operation: u32,
    task: u32,
    /// The task's own time.
    time: u32,
    place: Place,
}

/// Two accesses in no order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RacingAccess {
    /// Who made the earlier one.
    pub(crate) operation: u32,
    pub(crate) place: Place,
    pub(crate) writes: bool,
}

impl VectorClocks {
    pub(crate) fn clear(&mut self) {
        self.of.clear();
        self.fences.clear();
        self.cells.clear();
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

    /// A task spawns another.
    pub(crate) fn fork(&mut self, parent: u32, child: u32) {
        let known = self.clock(parent).clone();
        join(self.clock(child), &known);
        self.tick(parent);
    }

    /// A task knows from now on what the clock knows.
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

    /// A task has seen what an object hands on, and does not know it before it comes to a fence.
    pub(crate) fn see(&mut self, task: u32, clock: &[u32]) {
        if !clock.is_empty() {
            join(&mut self.fences(task).seen, clock);
        }
    }

    /// A task comes to a fence.
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

    /// A task hands on what it knew at its last fence.
    pub(crate) fn release_fenced(&mut self, task: u32, clock: &mut Clock) {
        if let Some(fences) = self.fences.get(task as usize) {
            join(clock, &fences.released);
        }
    }

    /// A task hands on what it knows.
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

    /// What a task did is known to all that are no tasks.
    pub(crate) fn publish(&mut self, task: u32) {
        if task != 0 {
            let known = self.clock(task).clone();
            join(self.clock(0), &known);
            self.tick(task);
        }
    }

    /// A task was told of something by what is no object: it knows what those know that are no tasks.
    pub(crate) fn hear(&mut self, task: u32) {
        if task != 0 {
            let known = self.clock(0).clone();
            join(self.clock(task), &known);
            self.tick(0);
        }
    }

    /// A task accesses a cell; tells the last access that has not happened before.
    pub(crate) fn access(
        &mut self,
        task: u32,
        operation: u32,
        object: u32,
        writes: bool,
        place: Place,
    ) -> Option<RacingAccess> {
        let clock = self.clock(task).clone();
        let access = Access {
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
        let is_unordered = |earlier: &&Access| {
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

/// Takes the later of two times, task by task.
fn join(into: &mut Clock, from: &[u32]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (into, from) in into.iter_mut().zip(from) {
        *into = (*into).max(*from);
    }
}
