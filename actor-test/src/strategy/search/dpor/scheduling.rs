//! Linearisation of an execution graph: the schedule of steps that shows it.

use std::sync::Arc;

use super::graph::{ExecutionGraph, Label, LabelAction, LabelId, NO_LABEL, ProcessLabels};
use super::graph_run::{GraphRun, ScheduledStep};
use super::transitions::{self, TransitionTable};
use super::world::{WORLD, WorldAccess, WorldDependencies};

/// A step of a graph: consecutive labels `from..to` of a process.
pub(super) struct GraphStep<'a> {
    pub(super) process: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    /// The label by which the world takes the access of this step.
    pub(super) taken_by: Option<LabelId>,
    /// The immediate predecessors of the step, as lengths of prefixes of processes.
    pub(super) preceding: &'a [(u32, u32)],
}

impl ExecutionGraph {
    /// Returns the strategy that takes the steps of the graph in an order that respects happens-before,
    /// without failing steps. Operations in `held` would fail beyond the graph. At most one step without a
    /// known transition is taken, as the last one: such a step may undo others, for instance by cancelling a
    /// timer.
    pub(super) fn follow(
        &self,
        table: &TransitionTable,
        held: &[u64],
        ties: Arc<WorldDependencies>,
    ) -> GraphRun {
        self.follow_in_order(table, held, ties, None)
    }

    /// Returns the same strategy, such that a monitor first observes the given labels in that order.
    pub(super) fn follow_in_order(
        &self,
        table: &TransitionTable,
        held: &[u64],
        ties: Arc<WorldDependencies>,
        order: Option<(u32, &[LabelId])>,
    ) -> GraphRun {
        let (mut schedule, mut answers) = (Vec::new(), Vec::new());
        let (monitor, order) = order.unwrap_or_default();
        let mut next = 0;
        let mut may_come = |graph: &Self, stride: &GraphStep<'_>| {
            let GraphStep {
                process, from, to, ..
            } = *stride;
            let labels = &graph.processes[process as usize].labels[from as usize..to as usize];
            let is_seen = labels.iter().any(|label| label.free_monitors.has(monitor));
            if next == order.len() || !is_seen {
                return true;
            }
            let due = order[next];
            let is_due = due.process == process && (from..to).contains(&due.index);
            next += usize::from(is_due);
            is_due
        };
        self.each_step(table, &mut may_come, |stride| {
            let found = &self.processes[stride.process as usize];
            if transitions::is_observer(found.path) {
                // Observers have no steps of their own.
                return;
            }
            let labels = &found.labels[stride.from as usize..stride.to as usize];
            let given = labels.iter().filter_map(|label| match label.act {
                LabelAction::Answer(answer) => Some(answer),
                _ => None,
            });
            let before = answers.len();
            answers.extend(given);
            schedule.push(ScheduledStep {
                who: found.path,
                message: self.message(labels[0].act),
                answers: (answers.len() - before) as u32,
            });
        });
        GraphRun::new(schedule, answers, held.to_vec(), ties)
    }

    /// Visits the steps of the graph in an order that respects happens-before, each as soon as `may_come`
    /// permits. Failing steps are left out.
    pub(super) fn each_step(
        &self,
        table: &TransitionTable,
        mut may_come: impl FnMut(&Self, &GraphStep<'_>) -> bool,
        mut take: impl FnMut(&GraphStep<'_>),
    ) {
        let whole = self.whole();
        let until: Vec<u32> = self
            .processes
            .iter()
            .map(|process| process.safe(table))
            .collect();
        let world = self.process_of(WORLD);
        let mut taken = vec![0; self.processes.len()];
        let mut preceding = Vec::new();
        let mut goes_on = true;
        // Steps that are known less than this wait until no better known step is left.
        let mut known = Knowledge::Whole;
        'all: while std::mem::take(&mut goes_on) {
            for (process, found) in self.processes.iter().enumerate() {
                // The world takes accesses within the steps of other operations.
                while taken[process] < until[process] && Some(process as u32) != world {
                    let process = process as u32;
                    let (from, to) = found.step(taken[process as usize], until[process as usize]);
                    let of_step = match to as usize == found.labels.len() {
                        true => found.knowledge(table),
                        false => Knowledge::Whole,
                    };
                    if of_step > known {
                        break;
                    }
                    preceding.clear();
                    let mut access = None;
                    for index in from..to {
                        self.add_preceding(LabelId { process, index }, &whole, &mut preceding);
                        if let LabelAction::Access(_) = found.labels[index as usize].act {
                            access = found.labels[index as usize].inbox;
                        }
                    }
                    let taken_by = access.map(|(process, index)| LabelId { process, index });
                    if let Some(by) = taken_by {
                        let world = by.process;
                        if by.index == NO_LABEL || by.index >= until[world as usize] {
                            break;
                        }
                        preceding.push((world, by.index));
                        self.add_preceding(by, &whole, &mut preceding);
                        // Predecessors of the access precede the step. The access itself and its taking are
                        // parts of the step.
                        preceding.retain(|(of, count)| {
                            (*of != process || *count <= from)
                                && (*of != world || *count <= by.index)
                        });
                    }
                    let is_due = |(process, count): &(u32, u32)| taken[*process as usize] >= *count;
                    let stride = GraphStep {
                        process,
                        from,
                        to,
                        taken_by,
                        preceding: &preceding,
                    };
                    if !preceding.iter().all(is_due) || !may_come(self, &stride) {
                        break;
                    }
                    taken[process as usize] = to;
                    if let Some(by) = taken_by {
                        taken[by.process as usize] = by.index + 1;
                    }
                    goes_on = true;
                    take(&stride);
                    if of_step != Knowledge::Whole {
                        break 'all;
                    }
                }
            }
            if !goes_on && known != Knowledge::AfterAccess {
                goes_on = true;
                known = match known {
                    Knowledge::Whole => Knowledge::Nothing,
                    _ => Knowledge::AfterAccess,
                };
            }
        }
    }

    /// Returns the event that a step handles, or zero.
    fn message(&self, act: LabelAction) -> u64 {
        let LabelAction::Receive { from, .. } = act else {
            return 0;
        };
        match self.label(from).act {
            LabelAction::Send { message, .. } => message,
            _ => 0,
        }
    }
}

/// The knowledge of a step's transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Knowledge {
    /// The whole transition is known.
    Whole,
    /// The transition is unknown.
    Nothing,
    /// The world has taken the step's access, and the graph does not have the rest of the step yet.
    AfterAccess,
}

impl ProcessLabels {
    /// Returns the knowledge of the process's last step.
    fn knowledge(&self, table: &TransitionTable) -> Knowledge {
        let is_operation = self.path != WORLD && !transitions::is_observer(self.path);
        match self.labels.last() {
            Some(last) if last.act.is_input() && is_operation => {
                match self.last_transition(table) {
                    Some(_) => Knowledge::Whole,
                    None => Knowledge::Nothing,
                }
            }
            Some(Label {
                act: LabelAction::Access(_),
                inbox: Some((_, by)),
                ..
            }) if *by != NO_LABEL => Knowledge::AfterAccess,
            _ => Knowledge::Whole,
        }
    }

    /// Returns the number of labels before the failing step; all labels if the operation does not fail.
    fn safe(&self, table: &TransitionTable) -> u32 {
        let all = self.labels.len();
        if !self.fails(table) {
            return all as u32;
        }
        let runs = |label: &Label| match label.act {
            LabelAction::Access(touch) => touch == WorldAccess::Resume,
            act => act.is_run(),
        };
        self.labels.iter().rposition(runs).unwrap_or(all) as u32
    }

    /// Returns the range of the labels of the step that begins at `from`, up to a limit.
    pub(super) fn step(&self, from: u32, until: u32) -> (u32, u32) {
        let first = self.labels[from as usize].act;
        // The effect of a flush or of a timer follows its access.
        let mut carries = matches!(
            first,
            LabelAction::Access(WorldAccess::Flush | WorldAccess::Fire)
        );
        let runs = first.is_run();
        let mut to = from + 1;
        while to < until {
            match self.labels[to as usize].act {
                LabelAction::Answer(_)
                | LabelAction::Synced { .. }
                | LabelAction::Arm
                | LabelAction::Cancel { .. } => {}
                LabelAction::Access(WorldAccess::Run) if runs => {}
                act if carries && act.is_effect() => carries = false,
                _ => break,
            }
            to += 1;
        }
        (from, to)
    }
}
