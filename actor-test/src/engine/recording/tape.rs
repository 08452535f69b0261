//! Decisions as they are made, and compared with a recording.

/// One decision: what was chosen, and a check of what there was to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    /// The position among the enabled operations, or the answer to a choice.
    pub(crate) chosen: u32,
    /// A hash of the question: how many were enabled and what the chosen one does, or the bound.
    pub(crate) check: u32,
}

/// The decisions of one execution.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    taken: Vec<Decision>,
    expected: Option<Vec<Decision>>,
    /// The step of the first decision that differs from what is expected.
    diverged_at: Option<u64>,
}

impl Tape {
    /// Starts an execution that is compared with `expected`, where given.
    pub(crate) fn begin(&mut self, expected: Option<Vec<Decision>>) {
        self.taken.clear();
        self.expected = expected;
        self.diverged_at = None;
    }

    /// Adds a decision, which is taken in the given step.
    #[inline]
    pub(crate) fn record(&mut self, decision: Decision, step: u64) {
        if let Some(expected) = &self.expected
            && self.diverged_at.is_none()
            && expected.get(self.taken.len()) != Some(&decision)
        {
            self.diverged_at = Some(step);
        }
        self.taken.push(decision);
    }

    pub(crate) fn taken(&self) -> &[Decision] {
        &self.taken
    }

    /// The step of the first decision that differs from what is expected, if any.
    pub(crate) fn diverged_at(&self) -> Option<u64> {
        self.diverged_at
    }
}
