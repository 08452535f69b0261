//! Coverage counts of the actors of one type.

use actor_core::generated::ActorInfo;

/// The counts of one actor type, over all its actors and executions.
///
/// The counts are kept by position in the type's table, so that counting is one increment.
pub(crate) struct TypeCoverage {
    /// The path of the type, as rustc prints it.
    path: &'static str,
    info: &'static ActorInfo,
    counts: CoverageCounts,
}

/// The counts of a [`TypeCoverage`].
#[derive(Clone)]
pub(crate) struct CoverageCounts {
    /// The number of actors that began in each state; one entry for a plain actor.
    pub(crate) started: Box<[u64]>,
    /// The number of events that each state handled, state by state, as
    /// [`dispositions`](ActorInfo::dispositions) are.
    pub(crate) handled: Box<[u64]>,
    /// The number of moves from each state to each other, by source and then by target.
    pub(crate) moved: Box<[u64]>,
}

impl CoverageCounts {
    fn none(info: &ActorInfo) -> Self {
        let states = info.states.len().max(1);
        let zeros = |count: usize| vec![0; count].into_boxed_slice();
        Self {
            started: zeros(states),
            handled: zeros(states * info.events.len()),
            moved: zeros(states * states),
        }
    }
}

impl TypeCoverage {
    pub(crate) fn new(path: &'static str, info: &'static ActorInfo) -> Self {
        Self {
            path,
            info,
            counts: CoverageCounts::none(info),
        }
    }

    pub(crate) fn path(&self) -> &'static str {
        self.path
    }

    /// Returns true for an actor of the library, which is no part of the program under test.
    pub(crate) fn is_foreign(&self) -> bool {
        self.path.starts_with("actor_core::")
    }

    pub(crate) fn info(&self) -> &'static ActorInfo {
        self.info
    }

    pub(crate) fn counts(&self) -> &CoverageCounts {
        &self.counts
    }

    /// Restores the counts of before; `None` resets them to zero.
    pub(crate) fn restore(&mut self, before: Option<&CoverageCounts>) {
        self.counts = before
            .cloned()
            .unwrap_or_else(|| CoverageCounts::none(self.info));
    }

    /// Counts an actor that begins in a state.
    pub(crate) fn start(&mut self, state: usize) {
        count(&mut self.counts.started, state);
    }

    /// Takes back the start of an actor that begins again.
    pub(crate) fn take_back_start(&mut self, state: usize) {
        if let Some(count) = self.counts.started.get_mut(state) {
            *count -= 1;
        }
    }

    #[inline]
    pub(crate) fn handle(&mut self, state: usize, event: u16) {
        let at = state * self.info.events.len() + usize::from(event);
        count(&mut self.counts.handled, at);
    }

    /// Adds the numbers of events that actors without states have handled.
    pub(crate) fn add_handled(&mut self, counts: &[u64]) {
        for (sum, count) in self.counts.handled.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    /// Counts a move from one state to another.
    pub(crate) fn go(&mut self, from: usize, to: usize) {
        let states = self.info.states.len().max(1);
        count(&mut self.counts.moved, from * states + to);
    }
}

#[inline]
fn count(counts: &mut [u64], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}
