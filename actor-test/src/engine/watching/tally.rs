//! How often the actors of one type ran which code.

use actor_core::generated::ActorInfo;

/// Counts of one actor type, over all its actors and executions.
///
/// They are kept by position in the type's table, so that counting is one increment.
pub(crate) struct TypeCoverage {
    /// The type with its path, as rustc prints it.
    path: &'static str,
    info: &'static ActorInfo,
    counts: CoverageCounts,
}

/// What a [`Tally`] has counted.
#[derive(Clone)]
pub(crate) struct CoverageCounts {
    /// How many actors began in each state; one entry for a plain actor.
    pub(crate) started: Box<[u64]>,
    /// How many events each state handled, state by state, as
    /// [`dispositions`](ActorInfo::dispositions) are.
    pub(crate) handled: Box<[u64]>,
    /// How often each state was followed by each other, from state by from state.
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

    /// It is an actor of the library, no part of the program under test.
    pub(crate) fn is_foreign(&self) -> bool {
        self.path.starts_with("actor_core::")
    }

    pub(crate) fn info(&self) -> &'static ActorInfo {
        self.info
    }

    pub(crate) fn counts(&self) -> &CoverageCounts {
        &self.counts
    }

    /// Goes back to what was counted before; to nothing where that is `None`.
    pub(crate) fn restore(&mut self, before: Option<&CoverageCounts>) {
        self.counts = before
            .cloned()
            .unwrap_or_else(|| CoverageCounts::none(self.info));
    }

    /// An actor begins in a state.
    pub(crate) fn start(&mut self, state: usize) {
        count(&mut self.counts.started, state);
    }

    /// An actor that began in a state begins again.
    pub(crate) fn take_back_start(&mut self, state: usize) {
        if let Some(count) = self.counts.started.get_mut(state) {
            *count -= 1;
        }
    }

    /// A state handles an event.
    #[inline]
    pub(crate) fn handle(&mut self, state: usize, event: u16) {
        let at = state * self.info.events.len() + usize::from(event);
        count(&mut self.counts.handled, at);
    }

    /// So many of each event were handled by actors without states.
    pub(crate) fn add_handled(&mut self, counts: &[u64]) {
        for (sum, count) in self.counts.handled.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    /// An actor goes from one state to another.
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
