//! Time that passes at reads of the clock, without a timer: a program that compares timestamps needs this to
//! reach its time-outs (MODIST, section 3.4). In a program with timers, time passes at most up to the next
//! deadline, so that no timer is late. No time passes if no timer is armed any more, or if timers are
//! patient.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::world::timers::Timers;
use crate::strategy::{below, generator};

/// The largest number of drawn jumps in one execution.
const JUMPS_MAX: u32 = 2;

/// Jumps for programs whose time limits only they know. The longest one ends just before the next timer is
/// due, if that is earlier.
const LADDER: [Duration; 6] = [
    Duration::from_millis(1),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(3600),
];

/// The largest number of the program's durations that are kept.
const KNOWN_MAX: usize = 8;

/// The number of ways in which time may pass: slightly less and slightly more than each known duration, and
/// each jump of the ladder. Simpler ways have smaller numbers, which minimisation prefers.
pub(crate) const WAYS: u32 = (2 * KNOWN_MAX + LADDER.len()) as u32;

/// The decisions whether time passes at a read of the clock, and by how much.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimePassing {
    /// For each operation, one more than the step in which it last read a clock; zero if it has read none.
    readers: Vec<u64>,
    /// The differences between timestamps that the program has compared.
    known: Vec<Duration>,
    /// True once the program has armed a timer or slept, so that timers move the clock.
    pub(crate) has_timers: bool,
    /// True once an operation has read a clock again before the program got its first timer.
    pub(crate) read_without_timers: bool,
    /// True once an operation has read a clock again after the program got its first timer.
    pub(crate) read_among_timers: bool,
    /// The number of decisions so far.
    pub(crate) asked: u64,
    /// Draws the decisions that the strategy leaves to the tester; `None` if time then stands still.
    draw: Option<Draw>,
}

/// A random generator of decisions.
#[derive(Clone, Debug)]
struct Draw {
    rng: Xoshiro256PlusPlus,
    /// The number of jumps so far.
    jumps: u32,
    /// Time passes at one of so many reads of the clock; never if this is zero.
    one_of: u64,
}

impl Draw {
    /// Creates a generator. In half of the executions time stands still, in the others it passes at early
    /// reads or at later ones.
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

    /// Decides whether time passes at this read of the clock.
    fn passes(&mut self) -> bool {
        let may_pass = self.one_of > 0 && self.jumps < JUMPS_MAX;
        let passes = may_pass && below(&mut self.rng, self.one_of) == 0;
        self.jumps += u32::from(passes);
        passes
    }

    /// Picks one of the ways, in two cases of three the last.
    fn one_of(&mut self, ways: &[u32]) -> u32 {
        match below(&mut self.rng, 3) {
            0..2 => ways[ways.len() - 1],
            _ => ways[below(&mut self.rng, ways.len() as u64) as usize],
        }
    }
}

impl TimePassing {
    /// Starts an execution, in which decisions are drawn if there is a seed.
    pub(crate) fn begin(&mut self, seed: Option<u64>) {
        self.readers.clear();
        self.known.clear();
        (self.asked, self.has_timers) = (0, false);
        (self.read_without_timers, self.read_among_timers) = (false, false);
        self.draw = seed.map(Draw::new);
    }

    pub(crate) fn is_drawn(&self) -> bool {
        self.draw.is_some()
    }

    /// Draws a way, in which less time than `room` passes; zero means that time stands still.
    pub(crate) fn drawn(&mut self, room: Duration) -> u32 {
        let passes = self.draw.as_mut().is_some_and(Draw::passes);
        let ways = (1..=WAYS).filter(|way| passes && self.size(*way, room).is_some());
        let ways: Vec<u32> = ways.collect();
        match &mut self.draw {
            Some(draw) if passes => draw.one_of(&ways),
            _ => 0,
        }
    }

    /// Keeps the difference between two timestamps that the program has compared.
    pub(crate) fn learn(&mut self, duration: Duration) {
        let is_new = !duration.is_zero() && !self.known.contains(&duration);
        if is_new && self.known.len() < KNOWN_MAX {
            self.known.push(duration);
        }
    }

    /// Records that a clock is read in that step. Returns whether the operation read one in an earlier step,
    /// and none in this one.
    fn reads(&mut self, operation: u32, step: u64) -> bool {
        let operation = operation as usize;
        if self.readers.len() <= operation {
            self.readers.resize(operation + 1, 0);
        }
        let last = std::mem::replace(&mut self.readers[operation], step + 1);
        last > 0 && last != step + 1
    }

    /// Returns the time that passes in the way with that number, counted from one; `None` if the way does not
    /// exist, or the time is not less than `room`.
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

impl Timers {
    /// Records that an operation reads the clock in that step. Returns the time until the next timer is due,
    /// as the exclusive limit of what may pass; `None` if no time passes at this read, or only timers and
    /// faults, as `faults_move` says, move the clock.
    pub(crate) fn passing_limit(
        &mut self,
        reader: u32,
        step: u64,
        faults_move: bool,
    ) -> Option<Duration> {
        let has_read = self.passing.reads(reader, step);
        if !has_read || faults_move {
            return None;
        }
        if !self.passing.has_timers {
            self.passing.read_without_timers = true;
            return Some(Duration::MAX);
        }
        self.passing.read_among_timers = true;
        let earliest = self.earliest().filter(|_| !self.are_patient)?;
        let room = earliest.saturating_sub(self.now());
        self.passing.size(WAYS, room).map(|_| room)
    }
}
