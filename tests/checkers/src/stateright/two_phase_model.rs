//! Two-phase commit as Gray and Lamport specify it, and as stateright's own example has it: a model without
//! actors or queues, whose coordinator may abort at any time.

use stateright::{Model, Property};

#[derive(Clone, Copy, Debug)]
pub(super) struct Transaction {
    managers: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    managers: Vec<Phase>,
    /// The managers that the coordinator knows to be prepared.
    prepared: Vec<bool>,
    decided: Option<bool>,
}

/// The phase of a resource manager, and in it the message that it has sent, if any: messages are never lost,
/// nor received for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Phase {
    has_prepared: bool,
    ended: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Prepare(usize),
    Abort(usize),
    Learn(usize),
    Note(usize),
    Decide(bool),
}

impl Transaction {
    pub(super) fn new(managers: u32) -> Self {
        Self {
            managers: managers as usize,
        }
    }
}

impl Model for Transaction {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let working = Phase {
            has_prepared: false,
            ended: None,
        };
        vec![State {
            managers: vec![working; self.managers],
            prepared: vec![false; self.managers],
            decided: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.decided.is_none() {
            actions.push(Action::Decide(false));
            if state.prepared.iter().all(|is_prepared| *is_prepared) {
                actions.push(Action::Decide(true));
            }
        }
        for (number, phase) in state.managers.iter().enumerate() {
            if state.decided.is_none() && phase.has_prepared {
                actions.push(Action::Note(number));
            }
            if !phase.has_prepared && phase.ended.is_none() {
                actions.extend([Action::Prepare(number), Action::Abort(number)]);
            }
            if state.decided.is_some() {
                actions.push(Action::Learn(number));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Prepare(number) => state.managers[number].has_prepared = true,
            Action::Abort(number) => state.managers[number].ended = Some(false),
            Action::Learn(number) => state.managers[number].ended = state.decided,
            Action::Note(number) => state.prepared[number] = true,
            Action::Decide(commits) => state.decided = Some(commits),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("agreement", |_, state: &State| {
            let is_any = |end| state.managers.iter().any(|phase| phase.ended == Some(end));
            !is_any(true) || !is_any(false)
        })]
    }
}
