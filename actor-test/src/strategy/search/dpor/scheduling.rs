//! A graph as the steps of an execution.

use std::sync::Arc;

use super::graph::{ExecutionGraph, Label, LabelAction, LabelId, NO_LABEL, OperationLabels};
use super::graph_run::{GraphRun, ScheduledStep};
use super::transitions::{self, TransitionTable};
use super::world::{WORLD, WorldAccess, WorldDependencies};

/// The labels of a graph by which a step is taken: those of a lane, from one up to another.
pub(super) struct GraphStep<'a> {
    pub(super) lane: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    /// The world takes its access by that label.
    pub(super) taken_by: Option<LabelId>,
    /// What comes right before it: so many labels of which lane.
    pub(super) preceding: &'a [(u32, u32)],
}

impl ExecutionGraph {
    /// The strategy that takes the steps of the graph, each after those that come before it, but for those
    /// that fail. Those in `held` may fail beyond it. A step of which it is not known what it does comes
    /// last, and no other one such: it may undo what others are to take, a timer for instance.
    pub(super) fn follow(
        &self,
        lives: &TransitionTable,
        held: &[u64],
        ties: Arc<WorldDependencies>,
    ) -> GraphRun {
        self.follow_in_order(lives, held, ties, None)
    }

    /// The same, in which a monitor sees these first, in that order.
    pub(super) fn follow_in_order(
        &self,
        lives: &TransitionTable,
        held: &[u64],
        ties: Arc<WorldDependencies>,
        order: Option<(u32, &[LabelId])>,
    ) -> GraphRun {
        let (mut schedule, mut answers) = (Vec::new(), Vec::new());
        let (monitor, order) = order.unwrap_or_default();
        let mut next = 0;
        let mut may_come = |graph: &Self, stride: &GraphStep<'_>| {
            let GraphStep { lane, from, to, .. } = *stride;
            let labels = &graph.lanes[lane as usize].labels[from as usize..to as usize];
            let is_seen = labels.iter().any(|label| label.free_monitors.has(monitor));
            if next == order.len() || !is_seen {
                return true;
            }
            let due = order[next];
            let is_due = due.lane == lane && (from..to).contains(&due.index);
            next += usize::from(is_due);
            is_due
        };
        self.each_step(lives, &mut may_come, |stride| {
            let found = &self.lanes[stride.lane as usize];
            if transitions::is_onlooker(found.path) {
                // What onlookers see is seen in the step that they see.
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

    /// Takes the steps of the graph, each after those that come before it and once it may come, but for
    /// those that fail.
    pub(super) fn each_step(
        &self,
        lives: &TransitionTable,
        mut may_come: impl FnMut(&Self, &GraphStep<'_>) -> bool,
        mut take: impl FnMut(&GraphStep<'_>),
    ) {
        let whole = self.whole();
        let until: Vec<u32> = self.lanes.iter().map(|lane| lane.safe(lives)).collect();
        let world = self.lane_of(WORLD);
        let mut taken = vec![0; self.lanes.len()];
        let mut preceding = Vec::new();
        let mut goes_on = true;
        // Nothing is left but a step that is as little known as that.
        let mut known = Knowledge::Whole;
        'all: while std::mem::take(&mut goes_on) {
            for (lane, found) in self.lanes.iter().enumerate() {
                // The world takes accesses in the steps of others.
                while taken[lane] < until[lane] && Some(lane as u32) != world {
                    let lane = lane as u32;
                    let (from, to) = found.step(taken[lane as usize], until[lane as usize]);
                    let of_step = match to as usize == found.labels.len() {
                        true => found.knowledge(lives),
                        false => Knowledge::Whole,
                    };
                    if of_step > known {
                        break;
                    }
                    preceding.clear();
                    let mut access = None;
                    for index in from..to {
                        self.add_preceding(LabelId { lane, index }, &whole, &mut preceding);
                        if let LabelAction::Access(_) = found.labels[index as usize].act {
                            access = found.labels[index as usize].inbox;
                        }
                    }
                    let taken_by = access.map(|(lane, index)| LabelId { lane, index });
                    if let Some(by) = taken_by {
                        let world = by.lane;
                        if by.index == NO_LABEL || by.index >= until[world as usize] {
                            break;
                        }
                        preceding.push((world, by.index));
                        self.add_preceding(by, &whole, &mut preceding);
                        // What comes before the access comes before the step; the access itself and that it
                        // was taken are parts of it.
                        preceding.retain(|(of, count)| {
                            (*of != lane || *count <= from) && (*of != world || *count <= by.index)
                        });
                    }
                    let is_due = |(lane, count): &(u32, u32)| taken[*lane as usize] >= *count;
                    let stride = GraphStep {
                        lane,
                        from,
                        to,
                        taken_by,
                        preceding: &preceding,
                    };
                    if !preceding.iter().all(is_due) || !may_come(self, &stride) {
                        break;
                    }
                    taken[lane as usize] = to;
                    if let Some(by) = taken_by {
                        taken[by.lane as usize] = by.index + 1;
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

    /// The event that is handled in a step.
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

/// What is known of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Knowledge {
    /// All that it does.
    Whole,
    /// Nothing.
    Nothing,
    /// The world has taken its access, and what it does then is not in the graph yet.
    AfterAccess,
}

impl OperationLabels {
    /// What is known of its last step.
    fn knowledge(&self, lives: &TransitionTable) -> Knowledge {
        let is_operation = self.path != WORLD && !transitions::is_onlooker(self.path);
        match self.labels.last() {
            Some(last) if last.act.is_input() && is_operation => match self.stretch(lives) {
                Some(_) => Knowledge::Whole,
                None => Knowledge::Nothing,
            },
            Some(Label {
                act: LabelAction::Access(_),
                inbox: Some((_, by)),
                ..
            }) if *by != NO_LABEL => Knowledge::AfterAccess,
            _ => Knowledge::Whole,
        }
    }

    /// How many labels can be taken without a failure.
    fn safe(&self, lives: &TransitionTable) -> u32 {
        let all = self.labels.len();
        if !self.fails(lives) {
            return all as u32;
        }
        let runs = |label: &Label| match label.act {
            LabelAction::Access(touch) => touch == WorldAccess::Resume,
            act => act.is_run(),
        };
        self.labels.iter().rposition(runs).unwrap_or(all) as u32
    }

    /// The labels of the step that begins with that one, up to a limit.
    pub(super) fn step(&self, from: u32, until: u32) -> (u32, u32) {
        let first = self.labels[from as usize].act;
        // What is carried out at an access comes after it.
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
                act if carries && act.is_deed() => carries = false,
                _ => break,
            }
            to += 1;
        }
        (from, to)
    }
}
