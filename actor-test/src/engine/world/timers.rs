//! Virtual time: armed timers, and which of them may fire.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::Duration;

use actor_core::runtime::Purpose as Pretext;

use crate::engine::world::enabled::ABSENT;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::hash::mix;

/// How far a timer has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimerStage {
    /// The slot is free.
    Free,
    /// It waits in its owner's outbox.
    Unarmed,
    /// It runs.
    Armed,
    /// A sleep that is over.
    Over,
}

/// What a timer without an event is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimerPurpose {
    /// Its owner sleeps, or handles its event.
    Own,
    /// Its owner is brought back.
    Restart,
    /// Its owner is to have ended.
    Kill,
}

/// A timer, in a slot that is used again.
#[derive(Clone, Debug)]
pub(crate) struct VirtualTimer {
    pub(crate) stage: TimerStage,
    pub(crate) generation: u32,
    /// Its place in the enabled set.
    pub(crate) position: u32,
    pub(crate) owner: u32,
    pub(crate) delay: Duration,
    pub(crate) deadline: Duration,
    /// What it sends; `None` for a sleep.
    pub(crate) event: Option<(u32, u16)>,
    pub(crate) periodic: bool,
    pub(crate) purpose: TimerPurpose,
    /// For what it was armed, which nothing but a story depends on.
    pub(crate) declared_purpose: Pretext,
    pub(crate) key: u64,
    pub(crate) fired: u32,
    /// When it entered the window, in the order of entries, while it is there.
    place: Option<u64>,
    /// The others of its owner's.
    beside: ListNode,
}

impl VirtualTimer {
    /// It ends a sleep, of which its owner holds the future, or somebody else.
    pub(crate) fn is_sleep(&self) -> bool {
        self.event.is_none() && self.purpose == TimerPurpose::Own
    }

    /// What identifies its next event within the behaviour.
    pub(crate) fn next_key(&self) -> u64 {
        mix(self.key, u64::from(self.fired) + 1)
    }
}

/// All timers of an execution.
///
/// The timers due within the clock error of the earliest deadline are the *window*: any of them may
/// fire next (MODIST, section 3.4). The others wait in a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    pub(crate) slots: Vec<VirtualTimer>,
    free: Vec<u32>,
    later: BinaryHeap<Reverse<(Duration, u64, u32, u32)>>,
    /// By deadline, and among those of one deadline by their order of entry.
    window: BTreeSet<(Duration, u64, u32)>,
    /// The timers that left the window when it was brought up to date last.
    pub(crate) left: Vec<u32>,
    /// The timers that entered it then.
    pub(crate) entered: Vec<u32>,
    owned: OwnerLists,
    armed: usize,
    armed_periodic: usize,
    sequence: u64,
    pub(crate) clock_error: Duration,
}

impl Timers {
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.later.clear();
        // Not `clear`, which gives the memory back.
        while self.window.pop_first().is_some() {}
        self.owned.clear();
        self.armed = 0;
        self.armed_periodic = 0;
        self.sequence = 0;
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
                declared_purpose: Pretext::Event,
                key,
                fired: 0,
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
        timer.declared_purpose = Pretext::Event;
        timer.key = key;
        timer.fired = 0;
        let generation = timer.generation;
        self.owned
            .add(owner, &mut self.slots, index, |timer| &mut timer.beside);
        (index, generation)
    }

    /// The timer of that generation, if it is not over.
    pub(crate) fn get(&mut self, index: u32, generation: u32) -> Option<&mut VirtualTimer> {
        let timer = self.slots.get_mut(index as usize)?;
        (timer.generation == generation && timer.stage != TimerStage::Free).then_some(timer)
    }

    /// Starts a reserved timer, which is due after so long.
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

    /// A periodic timer's event was taken from the inbox: it runs again, to the next multiple of its
    /// period that is not in the past.
    pub(crate) fn rearm(&mut self, index: u32, now: Duration, period: Duration) {
        let timer = &mut self.slots[index as usize];
        let behind = now.saturating_sub(timer.deadline).as_nanos();
        let periods = behind.div_ceil(period.as_nanos()).max(1);
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
        let ahead = period.saturating_mul(periods);
        timer.deadline = timer.deadline.saturating_add(ahead);
        self.queue(index);
    }

    /// The armed timer of which this is the number is due at another time.
    pub(crate) fn postpone(&mut self, index: u32, now: Duration, deadline: Duration) {
        let timer = &mut self.slots[index as usize];
        // One whose tick is unread is rearmed when that is read.
        let waits = timer.place.is_some() || timer.deadline > now;
        self.leave_window(index);
        let timer = &mut self.slots[index as usize];
        timer.deadline = deadline;
        if waits {
            self.queue(index);
        }
    }

    fn queue(&mut self, index: u32) {
        let timer = &self.slots[index as usize];
        self.sequence += 1;
        let entry = (timer.deadline, self.sequence, index, timer.generation);
        self.later.push(Reverse(entry));
    }

    /// Takes a timer out of the window, to fire or because it was cancelled.
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

    /// A sleep is over; its slot is freed when its future goes.
    pub(crate) fn end_sleep(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        self.armed -= 1;
        self.armed_periodic -= usize::from(timer.periodic);
        timer.stage = TimerStage::Over;
    }

    /// Brings the window up to date; tells whether it has changed. The timers that [left](Self::left)
    /// it and those that [entered](Self::entered) it are to be found beside it.
    pub(crate) fn refresh_window(&mut self) -> bool {
        while let Some(Reverse((deadline, _, index, generation))) = self.later.peek() {
            let timer = &self.slots[*index as usize];
            if timer.generation == *generation
                && timer.stage == TimerStage::Armed
                && timer.deadline == *deadline
            {
                break;
            }
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
            // Nothing enters, and since the earliest has not moved nothing leaves.
            return false;
        }
        self.leave_beyond(limit);
        self.enter_up_to(limit);
        true
    }

    /// Has the timers leave that are due too late now, in the order in which they entered.
    fn leave_beyond(&mut self, limit: Duration) {
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
        while let Some(Reverse((deadline, _, index, generation))) = self.later.peek().copied() {
            if deadline > limit {
                break;
            }
            self.later.pop();
            let timer = &mut self.slots[index as usize];
            if timer.generation == generation
                && timer.stage == TimerStage::Armed
                && timer.deadline == deadline
            {
                self.sequence += 1;
                timer.place = Some(self.sequence);
                self.window.insert((deadline, self.sequence, index));
                self.entered.push(index);
            }
        }
    }

    /// When the first of those that may fire is due.
    pub(crate) fn earliest(&self) -> Option<Duration> {
        self.window.first().map(|(deadline, ..)| *deadline)
    }

    /// How many timers may fire.
    pub(crate) fn in_window(&self) -> usize {
        self.window.len()
    }

    /// The armed timers of an owner's that end with it, by number: a sleep ends with its future.
    pub(crate) fn ending_with(&self, owner: u32) -> Vec<u32> {
        let ends = |timer: &u32| {
            let timer = &self.slots[*timer as usize];
            timer.stage == TimerStage::Armed && !timer.is_sleep()
        };
        let mut armed: Vec<u32> = self.of(owner).filter(ends).collect();
        armed.sort_unstable();
        armed
    }

    /// The timers of an owner's whose slots are not free.
    pub(crate) fn of(&self, owner: u32) -> impl Iterator<Item = u32> {
        self.owned.of(owner, &self.slots, |timer| &timer.beside)
    }

    /// How many are armed.
    pub(crate) fn armed(&self) -> usize {
        self.armed
    }

    /// How many of the armed ones are periodic.
    pub(crate) fn armed_periodic(&self) -> usize {
        self.armed_periodic
    }
}
