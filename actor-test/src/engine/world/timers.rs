//! Virtual time: armed timers, and which of them may fire.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::engine::world::enabled::ABSENT;

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
pub(crate) enum Purpose {
    /// Its owner sleeps, or handles its event.
    Own,
    /// Its owner is brought back.
    Restart,
    /// Its owner is to have ended.
    Kill,
}

/// A timer, in a slot that is used again.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
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
    pub(crate) purpose: Purpose,
    pub(crate) key: u64,
    pub(crate) fired: u32,
}

/// All timers of an execution.
///
/// The timers due within the clock error of the earliest deadline are the *window*: any of them may
/// fire next (MODIST, section 3.4). The others wait in a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    pub(crate) slots: Vec<Timer>,
    free: Vec<u32>,
    later: BinaryHeap<Reverse<(Duration, u64, u32, u32)>>,
    window: Vec<u32>,
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
        self.window.clear();
        self.armed = 0;
        self.armed_periodic = 0;
        self.sequence = 0;
    }

    /// Reserves a slot for a timer that is not armed yet.
    pub(crate) fn reserve(&mut self, owner: u32, delay: Duration, key: u64) -> (u32, u32) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Timer {
                stage: TimerStage::Free,
                generation: 0,
                position: ABSENT,
                owner,
                delay,
                deadline: Duration::ZERO,
                event: None,
                periodic: false,
                purpose: Purpose::Own,
                key,
                fired: 0,
            });
            self.slots.len() as u32 - 1
        });
        let timer = &mut self.slots[index as usize];
        timer.stage = TimerStage::Unarmed;
        timer.owner = owner;
        timer.delay = delay;
        timer.event = None;
        timer.periodic = false;
        timer.purpose = Purpose::Own;
        timer.key = key;
        timer.fired = 0;
        (index, timer.generation)
    }

    /// The timer of that generation, if it is not over.
    pub(crate) fn get(&mut self, index: u32, generation: u32) -> Option<&mut Timer> {
        let timer = self.slots.get_mut(index as usize)?;
        (timer.generation == generation && timer.stage != TimerStage::Free).then_some(timer)
    }

    /// Starts a reserved timer.
    pub(crate) fn arm(&mut self, index: u32, now: Duration) {
        let timer = &mut self.slots[index as usize];
        if timer.stage != TimerStage::Unarmed {
            return;
        }
        timer.stage = TimerStage::Armed;
        timer.deadline = now.saturating_add(timer.delay);
        self.armed += 1;
        self.armed_periodic += usize::from(timer.periodic);
        self.queue(index);
    }

    /// A periodic timer's event was taken from the inbox: it runs again, to the next multiple of its
    /// period that is not in the past.
    pub(crate) fn rearm(&mut self, index: u32, now: Duration) {
        let timer = &mut self.slots[index as usize];
        let behind = now.saturating_sub(timer.deadline).as_nanos();
        let periods = behind.div_ceil(timer.delay.as_nanos()).max(1);
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
        let ahead = timer.delay.saturating_mul(periods);
        timer.deadline = timer.deadline.saturating_add(ahead);
        self.queue(index);
    }

    fn queue(&mut self, index: u32) {
        let timer = &self.slots[index as usize];
        self.sequence += 1;
        let entry = (timer.deadline, self.sequence, index, timer.generation);
        self.later.push(Reverse(entry));
    }

    /// Takes a timer out of the window, to fire or because it was cancelled.
    pub(crate) fn leave_window(&mut self, index: u32) {
        if let Some(at) = self.window.iter().position(|timer| *timer == index) {
            self.window.remove(at);
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
        self.free.push(index);
    }

    /// A sleep is over; its slot is freed when its future goes.
    pub(crate) fn end_sleep(&mut self, index: u32) {
        let timer = &mut self.slots[index as usize];
        self.armed -= 1;
        timer.stage = TimerStage::Over;
    }

    /// Brings the window up to date. Returns the timers that left it, then those that entered.
    pub(crate) fn refresh_window(&mut self) -> Option<(Vec<u32>, Vec<u32>)> {
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
        let soonest = |timer: &u32| self.slots[*timer as usize].deadline;
        let in_window = self.window.iter().map(soonest).min();
        let later = self.later.peek().map(|Reverse((deadline, ..))| *deadline);
        let earliest = match (in_window, later) {
            (Some(window), Some(later)) => window.min(later),
            (window, later) => window.or(later)?,
        };
        let limit = earliest.saturating_add(self.clock_error);
        if later.is_none_or(|later| later > limit) && in_window.is_some() {
            // Nothing enters, and since the earliest has not moved nothing leaves.
            return None;
        }
        let mut left = Vec::new();
        let slots = &self.slots;
        self.window.retain(|timer| {
            let stays = slots[*timer as usize].deadline <= limit;
            if !stays {
                left.push(*timer);
            }
            stays
        });
        for timer in &left {
            self.queue(*timer);
        }
        let mut entered = Vec::new();
        while let Some(Reverse((deadline, _, index, generation))) = self.later.peek().copied() {
            if deadline > limit {
                break;
            }
            self.later.pop();
            let timer = &self.slots[index as usize];
            if timer.generation == generation
                && timer.stage == TimerStage::Armed
                && timer.deadline == deadline
            {
                self.window.push(index);
                entered.push(index);
            }
        }
        Some((left, entered))
    }

    /// The timers that may fire.
    pub(crate) fn window(&self) -> &[u32] {
        &self.window
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
