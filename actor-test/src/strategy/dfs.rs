//! Exhaustive depth-first search.

use super::{Choice, Covered, Enabled, Execution, Fairness, Gap, Reduction, StepKind, Strategy};

/// Visits every schedule up to the step bound, depth first: the oracle that other strategies are
/// checked against, and good for small tests only.
///
/// Unfair, so liveness is judged only in executions that end. Seeds of generators are not explored:
/// each is zero, and the search is [not called exhaustive](Covered) where one was asked for.
#[derive(Debug, Default)]
pub struct Dfs {
    /// One entry a branching point of the current execution: what was taken, and of how many.
    path: Vec<Branch>,
    depth: usize,
    begun: bool,
    executions_max: Option<u64>,
    executions: u64,
    local_first: bool,
    /// There is no other path.
    is_complete: bool,
    /// In how many executions a seed was asked for.
    seeded: u64,
    /// One was in this execution.
    is_seeded: bool,
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    taken: u32,
    of: u32,
}

impl Dfs {
    /// Every schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops after so many executions.
    #[must_use]
    pub fn executions_max(mut self, executions: u64) -> Self {
        self.executions_max = Some(executions);
        self
    }

    /// Takes steps that concern one actor alone (starting, handling) before any other, in one order
    /// instead of all.
    ///
    /// Every order of events in every inbox is still visited. It is not sound for what else can see
    /// the order of handlers: monitors, predicates, and time read within a handler.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// Goes to the next path in depth-first order; `false` where there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(last) = self.path.last_mut() {
            if last.taken + 1 < last.of {
                last.taken += 1;
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn branch(&mut self, of: usize) -> usize {
        if of == 1 {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        if self.depth == self.path.len() {
            self.path.push(Branch { taken: 0, of });
        }
        let branch = &mut self.path[self.depth];
        self.depth += 1;
        // A program that is not deterministic may offer less than before; the replay check names it.
        branch.of = of;
        branch.taken.min(of - 1) as usize
    }
}

impl Strategy for Dfs {
    fn name(&self) -> String {
        let name = if self.local_first { "dfs-local" } else { "dfs" };
        match self.executions_max {
            None => name.into(),
            Some(bound) => format!("{name}:{bound}"),
        }
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, _: &Execution) -> bool {
        let more = if self.begun { self.backtrack() } else { true };
        self.begun = true;
        self.is_complete = !more;
        self.is_seeded = false;
        self.depth = 0;
        self.executions += 1;
        more && self.executions_max.is_none_or(|max| self.executions <= max)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> usize {
        if self.local_first {
            let local =
                |kind| matches!(kind, StepKind::Start | StepKind::Handle | StepKind::Resume);
            if let Some(index) = enabled.iter().position(|pending| local(pending.kind)) {
                return index;
            }
        }
        self.branch(enabled.len())
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        match choice {
            Choice::Below(bound) => self.branch(bound as usize) as u32,
            Choice::Seed => {
                self.seeded += u64::from(!self.is_seeded);
                self.is_seeded = true;
                0
            }
        }
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn covered(&self) -> Covered {
        let mut gaps = Vec::new();
        if let Some(bound) = self.executions_max
            && self.executions > bound
            && !self.is_complete
        {
            gaps.push(Gap::Executions { bound });
        }
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        Covered::Systematic {
            reduction: match self.local_first {
                true => Reduction::LocalFirst,
                false => Reduction::None,
            },
            is_complete: self.is_complete,
            gaps,
        }
    }
}
