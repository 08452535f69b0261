//! Time that passes though no timer fires: where a program compares times, what it takes for a time-out
//! needs that (MODIST, section 3.4). As soon as a program arms a timer, the clock is moved by timers alone.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::data::faults::FaultKind;
use crate::engine::world::state::State;
use crate::strategy::{below, generator};

/// How often an execution may have time pass so.
const JUMPS_MAX: u32 = 2;

/// Jumps for programs whose time limits are known to nobody but themselves.
const LADDER: [Duration; 6] = [
    Duration::from_secs(3600),
    Duration::from_secs(60),
    Duration::from_secs(10),
    Duration::from_secs(1),
    Duration::from_millis(100),
    Duration::from_millis(1),
];

/// How many of the program's durations are kept.
const KNOWN_MAX: usize = 8;

/// In how many ways time may pass: by each rung of the ladder, and by a little less and a little more than
/// each duration that is known.
pub(crate) const WAYS: u32 = (LADDER.len() + 2 * KNOWN_MAX) as u32;

/// Whether time passes, and by how much.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passing {
    /// The operations that have read a clock, and the step of the last time.
    readers: Vec<(u32, u64)>,
    /// How far apart the timestamps are that the program has compared.
    known: Vec<Duration>,
    jumps: u32,
    /// The program has armed a timer or slept, so that timers move its clock.
    pub(crate) has_timers: bool,
    /// How often it was asked whether time has passed.
    pub(crate) asked: u64,
    /// Draws the answers where the strategy leaves them to the tester; `None` where time stands still then.
    draw: Option<Draw>,
}

/// Draws whether time passes.
#[derive(Clone, Debug)]
struct Draw {
    rng: Xoshiro256PlusPlus,
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
            8..12 => 1,
            12..14 => 4,
            14 => 16,
            _ => 64,
        };
        Self { rng, one_of }
    }

    /// One of the ways that are possible, the longest in every other case; or zero.
    fn way(&mut self, possible: &[u32]) -> u32 {
        if self.one_of == 0 || below(&mut self.rng, self.one_of) > 0 {
            return 0;
        }
        match below(&mut self.rng, 2) {
            0 => possible[0],
            _ => possible[below(&mut self.rng, possible.len() as u64) as usize],
        }
    }
}

impl Passing {
    /// Starts an execution, in which answers are drawn from a seed or not at all.
    pub(crate) fn begin(&mut self, seed: Option<u64>) {
        self.readers.clear();
        self.known.clear();
        (self.jumps, self.asked, self.has_timers) = (0, 0, false);
        self.draw = seed.map(Draw::new);
    }

    /// Whether answers are drawn in this execution.
    pub(crate) fn is_drawn(&self) -> bool {
        self.draw.is_some()
    }

    /// The answer where the strategy has none.
    pub(crate) fn drawn(&mut self, possible: &[u32]) -> u32 {
        let draw = self.draw.as_mut();
        draw.map_or(0, |draw| draw.way(possible))
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
        let mut readers = self.readers.iter_mut();
        match readers.find(|(reader, _)| *reader == operation) {
            Some((_, last)) => std::mem::replace(last, step) != step,
            None => {
                self.readers.push((operation, step));
                false
            }
        }
    }

    /// How long the way is with that number, from one.
    pub(crate) fn size(&self, way: u32) -> Option<Duration> {
        let place = way.checked_sub(1)? as usize;
        if let Some(rung) = LADDER.get(place) {
            return Some(*rung);
        }
        let place = place - LADDER.len();
        let known = *self.known.get(place / 2)?;
        Some(match place % 2 {
            0 => known - known / 50,
            _ => known.saturating_add(known / 50),
        })
    }
}

impl State {
    /// An operation reads the clock. The ways in which time may have passed since it did before, the longest
    /// first: none where timers or faults move the clock.
    pub(crate) fn ways_to_pass(&mut self, reader: u32) -> Vec<u32> {
        let has_read = self.passing.reads(reader, self.step);
        let moves = self.passing.has_timers || self.budgets.budget(FaultKind::Clock) > 0;
        if !has_read || moves || self.passing.jumps == JUMPS_MAX {
            return Vec::new();
        }
        let size = |way: &u32| self.passing.size(*way);
        let mut ways: Vec<u32> = (1..=WAYS).filter(|way| size(way).is_some()).collect();
        ways.sort_by_key(|way| std::cmp::Reverse(size(way)));
        ways
    }

    /// So much time passes.
    pub(crate) fn pass(&mut self, by: Duration) {
        self.passing.jumps += 1;
        self.now = self.now.saturating_add(by);
    }
}
