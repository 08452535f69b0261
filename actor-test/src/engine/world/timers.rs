//! Virtual time: the armed timers, and those among them that may fire.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::{Index, IndexMut};
use std::time::Duration;

use actor_core::seam::Purpose;

use crate::data::constructs::StepConstruct;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::passing::TimePassing;
use crate::hash::mix;

/// The stage in the life cycle of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimerStage {
    Free,
    /// The timer waits in an outbox.
    Unarmed,
    /// The timer runs.
    Armed,
    /// The timer was for a sleep that is over.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimerPurpose {
    /// The owner sleeps, or is to handle an event.
    Own,
    /// The owner is to be restarted.
    Restart,
    /// The owner's time to stop is over, so it is to be killed.
    Kill,
}

/// A timer, in a slot that is reused.
#[derive(Clone, Debug)]
pub(crate) struct VirtualTimer {
    pub(crate) stage: TimerStage,
    pub(crate) generation: u32,
    /// The position in the enabled set, or `ABSENT`.
    pub(crate) position: u32,
    pub(crate) owner: u32,
    pub(crate) delay: Duration,
    pub(crate) deadline: Duration,
    /// The mail slot and the number of the event to send; `None` for a sleep.
    pub(crate) event: Option<(u32, u16)>,
    pub(crate) periodic: bool,
    pub(crate) purpose: TimerPurpose,
    /// The purpose that stories show. A timer for a shutdown is patient; nothing else depends on the purpose.
    pub(crate) declared_purpose: Purpose,
    pub(crate) key: u64,
    pub(crate) fired: u32,
    /// True while the timer has yet to fire; a periodic one whose event is unread has fired.
    is_due: bool,
    /// True if the owner's node is paused, so that the timer is neither in the window nor in the heap.
    pub(super) is_paused: bool,
    /// The number of the entry into the window, in the order of entries, while the timer is in the window.
    place: Option<u64>,
    /// The neighbours in the list of the owner's timers.
    beside: ListNode,
}

impl VirtualTimer {
    /// Returns whether the timer ends a sleep, whose future the owner or another operation holds.
    pub(crate) fn is_sleep(&self) -> bool {
        self.event.is_none() && self.purpose == TimerPurpose::Own
    }

    /// Returns the stable key of the timer's next event, for hashes of the behaviour.
    pub(crate) fn next_key(&self) -> u64 {
        mix(self.key, u64::from(self.fired) + 1)
    }
}

/// The deadline of a timer in the heap, the number of the entry, the timer's slot and its generation.
type HeapEntry = (Duration, u64, u32, u32);

/// All timers of an execution.
///
/// The timers due within the clock error of the earliest deadline are the *window*: any of them may fire next
/// (MODIST, section 3.4). The others wait in a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    slots: Vec<VirtualTimer>,
    free: Vec<u32>,
    later: BinaryHeap<Reverse<HeapEntry>>,
    /// The timers that may fire, by deadline, and those of one deadline by their order of entry.
    window: BTreeSet<(Duration, u64, u32)>,
    /// The timers that left the window at its last update.
    pub(crate) left: Vec<u32>,
    /// The timers that entered the window at its last update.
    pub(crate) entered: Vec<u32>,
    owned: OwnerLists,
    armed: usize,
    armed_periodic: usize,
    sequence: u64,
    pub(crate) clock_error: Duration,
    /// The true time.
    now: Duration,
    /// The number of reads of the clock by the program under test.
    clock_reads: u64,
    /// The decisions whether time passes at reads of the clock.
    pub(crate) passing: TimePassing,
    /// True if timers fire only when nothing else is enabled.
    pub(crate) are_patient: bool,
    /// True once an operation was seen to hold a handle to another one's timer, in this execution.
    are_lent: Cell<bool>,
}

impl Index<u32> for Timers {
    type Output = VirtualTimer;

    #[inline]
    fn index(&self, index: u32) -> &VirtualTimer {
        &self.slots[index as usize]
    }
}

impl IndexMut<u32> for Timers {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut VirtualTimer {
        &mut self.slots[index as usize]
    }
}

impl Timers {
    /// Returns the number of slots, used and free.
    pub(crate) fn count(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Returns all slots, used and free.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &VirtualTimer> {
        self.slots.iter()
    }

    /// Returns the slot with that number, if there is one.
    pub(crate) fn slot(&self, index: u32) -> Option<&VirtualTimer> {
        self.slots.get(index as usize)
    }

    /// Returns the true time, for the tester and its observers.
    pub(crate) fn now(&self) -> Duration {
        self.now
    }

    /// Lets time pass while the program reads the clock.
    pub(crate) fn pass(&mut self, by: Duration) {
        self.now = self.now.saturating_add(by);
    }

    /// Moves the time up to the deadline of a timer, and returns the timer.
    pub(super) fn pass_to(&mut self, index: u32) -> &mut VirtualTimer {
        let timer = &mut self.slots[index as usize];
        self.now = timer.deadline.max(self.now);
        timer.is_due = false;
        timer
    }

    /// Returns the number of reads of the clock by the program under test.
    pub(crate) fn clock_reads(&self) -> u64 {
        self.clock_reads
    }

    /// Returns the true time to the program under test.
    pub(crate) fn read_clock(&mut self, footprint: &mut StepFootprint) -> Duration {
        footprint.add(StepConstruct::Clock);
        self.clock_reads += 1;
        self.now
    }

    /// Records that an operation holds a handle to another one's timer.
    pub(super) fn lend(&self) {
        self.are_lent.set(true);
    }

    pub(crate) fn are_lent(&self) -> bool {
        self.are_lent.get()
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.later.clear();
        // A call of `clear` would give the memory back.
        while self.window.pop_first().is_some() {}
        self.owned.clear();
        self.armed = 0;
        self.armed_periodic = 0;
        self.sequence = 0;
        self.are_lent.set(false);
        self.now = Duration::ZERO;
        self.clock_reads = 0;
    }

    /// Reserves a slot for a timer that is not armed yet.
    pub(crate) fn reserve(&mut self, owner: u32, delay: Duration, key: u64) -> (u32, u32) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(VirtualTimer {
                stage: TimerStage::Free,
                generation: 0,
                position: ABSENT,
                owner,
                delay,
                deadline: Duration::ZERO,
                event: None,
                periodic: false,
                purpose: TimerPurpose::Own,
                declared_purpose: Purpose::Event,
                key,
                fired: 0,
                is_due: false,
                is_paused: false,
                place: None,
                beside: ListNode::default(),
            });
            self.slots.len() as u32 - 1
        });
        let timer = &mut self.slots[index as usize];
        timer.stage = TimerStage::Unarmed;
        timer.owner = owner;
        timer.delay = delay;
        timer.event = None;
        timer.periodic = false;
        timer.purpose = TimerPurpose::Own;
        timer.declared_purpose = Purpose::Event;
        timer.key = key;
        timer.fired = 0;
        timer.is_due = false;
        timer.is_paused = false;
        let generation = timer.generation;
        self.owned
            .add(owner, &mut self.slots, index, |timer| &mut timer.beside);
        (index, generation)
    }

    /// Returns the timer of that generation, if its slot is not free.
    pub(crate) fn get(&mut self, index: u32, generation: u32) -> Option<&mut VirtualTimer> {
        let timer = self.slots.get_mut(index as usize)?;
        (timer.generation == generation && timer.stage != TimerStage::Free).then_some(timer)
    }

    /// Returns the sleep of that generation to the operation that polls it; `None` if the sleep is over.
    pub(crate) fn poll_sleep(
        &self,
        footprint: &mut StepFootprint,
        by: u32,
        index: u32,
        generation: u32,
    ) -> Option<&VirtualTimer> {
        let timer = self.slots.get(index as usize)?;
        if timer.generation != generation || timer.stage == TimerStage::Free {
            return None;
        }
        let is_over = timer.stage == TimerStage::Over;
        if !is_over || timer.owner != by {
            footprint.sleeps();
        }
        (!is_over).then_some(timer)
    }

    /// Returns the time since the deadline of a timer to the program; zero if it is not past, or the timer is
    /// over.
    pub(crate) fn past_deadline(
        &mut self,
        footprint: &mut StepFootprint,
        index: u32,
        generation: u32,
    ) -> Duration {
        footprint.add(StepConstruct::Timer);
        let now = self.now;
        let timer = self.get(index, generation);
        timer.map_or(Duration::ZERO, |timer| now.saturating_sub(timer.deadline))
    }

    /// Arms a reserved timer, which is due after `delay`.
    pub(crate) fn arm(&mut self, index: u32, now: Duration, delay: Duration) {
        let timer = &mut self.slots[index as usize];
        if timer.stage != TimerStage::Unarmed {
            return;
        }
        timer.stage = TimerStage::Armed;
        timer.deadline = now.saturating_add(delay);
        self.armed += 1;
        self.armed_periodic += usize::from(timer.periodic);
        self.queue(index);
    }

    /// Arms a periodic timer again, whose event was taken from the inbox. The deadline is the next multiple
    /// of its period that is not in the past.
    pub(crate) fn rearm(&mut self, index: u32, now: Duration, period: Duration) {
        let timer = &mut self.slots[index as usize];
        let behind = now.saturating_sub(timer.deadline).as_nanos();
        let periods = behind.div_ceil(period.as_nanos()).max(1);
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
        let ahead = period.saturating_mul(periods);
        timer.deadline = timer.deadline.saturating_add(ahead);
        self.queue(index);
    }

    /// Moves the deadline of an armed timer.
    pub(crate) fn postpone(&mut self, index: u32, deadline: Duration) {
        self.leave_window(index);
        let timer = &mut self.slots[index as usize];
        timer.deadline = deadline;
        // A timer with an unread tick is armed again when the tick is read.
        if timer.is_due {
            self.queue(index);
        }
    }

    /// Takes a timer out of the window, and out of the heap at the next [`remove_paused`](Self::remove_paused).
    pub(super) fn pause(&mut self, index: u32) {
        self.leave_window(index);
        self.slots[index as usize].is_paused = true;
    }

    /// Removes the paused timers from the heap.
    pub(super) fn remove_paused(&mut self) {
        let slots = &self.slots;
        let is_paused = |index: u32| slots[index as usize].is_paused;
        self.later
            .retain(|Reverse((_, _, index, _))| !is_paused(*index));
    }

    pub(super) fn resume(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        timer.is_paused = false;
        if timer.is_due {
            self.queue(index);
        }
    }

    fn queue(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        timer.is_due = true;
        if timer.is_paused {
            return;
        }
        self.sequence += 1;
        let entry = (timer.deadline, self.sequence, index, timer.generation);
        self.later.push(Reverse(entry));
    }

    /// Removes a timer from the window, to fire or because it was cancelled.
    pub(crate) fn leave_window(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        if let Some(place) = timer.place.take() {
            self.window.remove(&(timer.deadline, place, index));
        }
    }

    /// Frees the slot of a timer that is over.
    pub(crate) fn free(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        if timer.stage == TimerStage::Armed {
            self.armed -= 1;
            self.armed_periodic -= usize::from(timer.periodic);
        }
        timer.stage = TimerStage::Free;
        timer.generation += 1;
        let owner = timer.owner;
        self.owned
            .remove(owner, &mut self.slots, index, |timer| &mut timer.beside);
        self.free.push(index);
    }

    /// Makes a time limit of a name one of the actor that has the name.
    pub(crate) fn retarget(&mut self, index: u32, to: u32) {
        let from = std::mem::replace(&mut self.slots[index as usize].owner, to);
        self.owned
            .remove(from, &mut self.slots, index, |timer| &mut timer.beside);
        self.owned
            .add(to, &mut self.slots, index, |timer| &mut timer.beside);
    }

    /// Ends a sleep. The slot is freed when the future is dropped.
    pub(crate) fn end_sleep(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        self.armed -= 1;
        self.armed_periodic -= usize::from(timer.periodic);
        timer.stage = TimerStage::Over;
    }

    /// Updates the window after a change of timers, which is in the footprint of the step. Returns whether the
    /// window has changed. The timers concerned are then in [`left`](Self::left) and
    /// [`entered`](Self::entered).
    pub(super) fn refresh_window(&mut self, footprint: &mut StepFootprint) -> bool {
        footprint.add(StepConstruct::Timer);
        footprint.touch_timers();
        while let Some(Reverse(entry)) = self.later.peek()
            && !self.waits_by(entry)
        {
            self.later.pop();
        }
        let in_window = self.window.first().map(|(deadline, ..)| *deadline);
        let later = self.later.peek().map(|Reverse((deadline, ..))| *deadline);
        let earliest = match (in_window, later) {
            (Some(window), Some(later)) => window.min(later),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return false,
        };
        let limit = earliest.saturating_add(self.clock_error);
        if later.is_none_or(|later| later > limit) && in_window.is_some() {
            // No timer enters, and none leaves, since the earliest deadline has not moved.
            return false;
        }
        self.leave_after(limit);
        self.enter_up_to(limit);
        true
    }

    /// Returns whether the timer of an entry waits in the heap, with the deadline of the entry.
    fn waits_by(&self, (deadline, _, index, generation): &HeapEntry) -> bool {
        let timer = &self.slots[*index as usize];
        timer.generation == *generation
            && timer.stage == TimerStage::Armed
            && timer.deadline == *deadline
            && timer.place.is_none()
    }

    /// Removes the timers due after `limit` from the window, in the order in which they entered.
    fn leave_after(&mut self, limit: Duration) {
        self.left.clear();
        let mut left = Vec::new();
        while let Some(last) = self.window.last().copied()
            && last.0 > limit
        {
            self.window.remove(&last);
            left.push((last.1, last.2));
        }
        left.sort_unstable();
        for (_, index) in left {
            self.slots[index as usize].place = None;
            self.left.push(index);
            self.queue(index);
        }
    }

    fn enter_up_to(&mut self, limit: Duration) {
        self.entered.clear();
        while let Some(Reverse((deadline, sequence, index, generation))) =
            self.later.peek().copied()
        {
            if deadline > limit {
                break;
            }
            self.later.pop();
            if self.waits_by(&(deadline, sequence, index, generation)) {
                self.sequence += 1;
                let timer = &mut self.slots[index as usize];
                timer.place = Some(self.sequence);
                self.window.insert((deadline, self.sequence, index));
                self.entered.push(index);
            }
        }
    }

    /// Returns whether the timer fires only when nothing else is enabled.
    pub(super) fn is_patient(&self, index: u32) -> bool {
        self.are_patient || self.slots[index as usize].declared_purpose == Purpose::Shutdown
    }

    /// Returns the deadline of the first timer that may fire.
    pub(crate) fn earliest(&self) -> Option<Duration> {
        self.window.first().map(|(deadline, ..)| *deadline)
    }

    /// Returns the number of timers that may fire.
    pub(crate) fn in_window(&self) -> usize {
        self.window.len()
    }

    /// Returns the armed timers that end with their owner, by number. A sleep ends with its future.
    pub(crate) fn ending_with(&self, owner: u32) -> Vec<u32> {
        let ends = |timer: &u32| {
            let timer = &self.slots[*timer as usize];
            timer.stage == TimerStage::Armed && !timer.is_sleep()
        };
        let mut armed: Vec<u32> = self.of(owner).filter(ends).collect();
        armed.sort_unstable();
        armed
    }

    /// Returns the timers of an owner whose slots are not free.
    pub(crate) fn of(&self, owner: u32) -> impl Iterator<Item = u32> {
        self.owned.of(owner, &self.slots, |timer| &timer.beside)
    }

    pub(crate) fn armed(&self) -> usize {
        self.armed
    }

    pub(crate) fn armed_periodic(&self) -> usize {
        self.armed_periodic
    }
}
