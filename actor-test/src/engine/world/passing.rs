//! Time that passes though no timer fires: where a program compares times, what it takes for a time-out
//! needs that (MODIST, section 3.4). Where the program has timers, it passes up to the next one and no
//! further, so that none is late; and not at all where none is armed any more, or where timers wait until
//! nothing else can be done.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::data::faults::FaultKind;
use crate::engine::world::state::ExecutionState;
use crate::strategy::{below, generator};

/// How often time passes so in an execution in which that is drawn.
const JUMPS_MAX: u32 = 2;

/// Jumps for programs whose time limits are known to nobody but themselves. Where the next timer is due
/// before the longest is over, that ends just before it.
const LADDER: [Duration; 6] = [
    Duration::from_millis(1),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(3600),
];

/// How many of the program's durations are kept.
const KNOWN_MAX: usize = 8;

/// In how many ways time may pass: by a little less and a little more than each duration that is known, and
/// by each rung of the ladder. What is simpler has a smaller number, which minimising prefers.
pub(crate) const WAYS: u32 = (2 * KNOWN_MAX + LADDER.len()) as u32;

/// Whether time passes, and by how much.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimePassing {
    /// By operation, the number of the step after that in which it has read a clock last; zero of one that
    /// has read none.
    readers: Vec<u64>,
    /// How far apart the timestamps are that the program has compared.
    known: Vec<Duration>,
    /// The program has armed a timer or slept, so that timers move its clock.
    pub(crate) has_timers: bool,
    /// A clock was read again before the program had any timer.
    pub(crate) read_without_timers: bool,
    /// A clock was read again since the program has timers.
    pub(crate) read_among_timers: bool,
    /// How often it was asked whether time has passed.
    pub(crate) asked: u64,
    /// Draws the answers where the strategy leaves them to the tester; `None` where time stands still then.
    draw: Option<Draw>,
}

/// Draws whether time passes.
#[derive(Clone, Debug)]
struct Draw {
    rng: Xoshiro256PlusPlus,
    /// How often it has.
    jumps: u32,
    /// It does at one of so many places; never where it is zero.
    one_of: u64,
}

impl Draw {
    /// In half of the executions time stands still, in the others it may pass at the first places or at later
    /// ones.
    fn new(seed: u64) -> Self {
        let mut rng = generator(seed);
        let one_of = match below(&mut rng, 16) {
            0..8 => 0,
            8..13 => 1,
            13..15 => 6,
            _ => 48,
        };
        Self {
            rng,
            jumps: 0,
            one_of,
        }
    }

    /// Whether time passes at this place.
    fn passes(&mut self) -> bool {
        let may_pass = self.one_of > 0 && self.jumps < JUMPS_MAX;
        let passes = may_pass && below(&mut self.rng, self.one_of) == 0;
        self.jumps += u32::from(passes);
        passes
    }

    /// One of some ways, in two cases of three the last.
    fn one_of(&mut self, ways: &[u32]) -> u32 {
        match below(&mut self.rng, 3) {
            0..2 => ways[ways.len() - 1],
            _ => ways[below(&mut self.rng, ways.len() as u64) as usize],
        }
    }
}

impl TimePassing {
    /// Starts an execution, in which answers are drawn from a seed or not at all.
    pub(crate) fn begin(&mut self, seed: Option<u64>) {
        self.readers.clear();
        self.known.clear();
        (self.asked, self.has_timers) = (0, false);
        (self.read_without_timers, self.read_among_timers) = (false, false);
        self.draw = seed.map(Draw::new);
    }

    /// Whether answers are drawn in this execution.
    pub(crate) fn is_drawn(&self) -> bool {
        self.draw.is_some()
    }

    /// The answer where the strategy has none, and less time than `room` may pass.
    pub(crate) fn drawn(&mut self, room: Duration) -> u32 {
        let passes = self.draw.as_mut().is_some_and(Draw::passes);
        let ways = (1..=WAYS).filter(|way| passes && self.size(*way, room).is_some());
        let ways: Vec<u32> = ways.collect();
        match &mut self.draw {
            Some(draw) if passes => draw.one_of(&ways),
            _ => 0,
        }
    }

    /// The program has compared timestamps that are so far apart.
    pub(crate) fn learn(&mut self, duration: Duration) {
        let is_new = !duration.is_zero() && !self.known.contains(&duration);
        if is_new && self.known.len() < KNOWN_MAX {
            self.known.push(duration);
        }
    }

    /// A clock is read in that step; tells whether the operation has read one in a step before, and none in
    /// this one.
    fn reads(&mut self, operation: u32, step: u64) -> bool {
        let operation = operation as usize;
        if self.readers.len() <= operation {
            self.readers.resize(operation + 1, 0);
        }
        let last = std::mem::replace(&mut self.readers[operation], step + 1);
        last > 0 && last != step + 1
    }

    /// How much time passes in the way with that number, from one, where it is less than `room`; nothing in
    /// one that is not possible.
    pub(crate) fn size(&self, way: u32, room: Duration) -> Option<Duration> {
        let place = way.checked_sub(1)? as usize;
        let size = match place.checked_sub(2 * KNOWN_MAX) {
            Some(rung) => *LADDER.get(rung)?,
            None => {
                let known = *self.known.get(place / 2)?;
                match place % 2 {
                    0 => known - known / 50,
                    _ => known.saturating_add(known / 50),
                }
            }
        };
        let size = match way == WAYS {
            true => size.min(room - room / 50),
            false => size,
        };
        (size < room).then_some(size)
    }
}

impl ExecutionState {
    /// An operation reads the clock. Less time than this may have passed since it did before: then the next
    /// timer is due. Nothing where timers or faults are all that moves the clock.
    pub(crate) fn passing_limit(&mut self, reader: u32) -> Option<Duration> {
        let has_read = self.passing.reads(reader, self.step);
        if !has_read || self.budgets.budget(FaultKind::Clock) > 0 {
            return None;
        }
        if !self.passing.has_timers {
            self.passing.read_without_timers = true;
            return Some(Duration::MAX);
        }
        self.passing.read_among_timers = true;
        let earliest = self.timers.earliest().filter(|_| !self.patient_timers)?;
        let room = earliest.saturating_sub(self.now);
        self.passing.size(WAYS, room).map(|_| room)
    }
}
