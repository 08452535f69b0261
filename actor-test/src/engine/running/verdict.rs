//! Judging an execution: while it is too hot, at its end, and at its bound.

use crate::data::bug::BugKind;
use crate::engine::recording::recorder::Recorder;
use crate::engine::running::execution::{End, Engine, Outcome};
use crate::engine::running::leftovers::leftovers;
use crate::engine::session::Session;
use crate::engine::watching::specifications::Owed;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::world::operation::{Letter, Stage};
use crate::engine::world::room::Status;
use crate::engine::world::state::State;
use crate::strategy::Fairness;

impl Engine {
    /// Nothing but periodic timers for three rounds, with nothing owed and nobody waiting.
    pub(crate) fn is_idle(idle_moments: &mut usize, state: &State) -> bool {
        let periodic = state.timers.armed_periodic();
        if state.timers.armed() > periodic {
            *idle_moments = 0;
            return false;
        }
        // Patient timers that are held back are not among the enabled.
        if state.enabled.holds_back() || state.enabled.len() > state.timers.in_window() {
            return false;
        }
        *idle_moments += 1;
        *idle_moments > 3 * periodic && !state.thermometer.any_owed() && state.suspended == 0
    }

    #[cold]
    pub(crate) fn too_hot(&self, state: &State, session: &mut Session) -> End {
        if state.thermometer.recovered() {
            return End::Recovered;
        }
        let Some((heat, temperature, since)) = state.thermometer.alarming(state.step) else {
            return End::Bound;
        };
        let threshold = self.bounds.temperature();
        let cycle = self.lasso.cycle_of(heat, since);
        let seen = cycle.map_or_else(String::new, |cycle| format!("; there is {cycle}"));
        let why = format!(
            "for {temperature} steps of fair scheduling (threshold {threshold}), owed since step {since}{seen}"
        );
        let suspicion = Suspicion {
            entry: heat,
            since,
            cycle,
            certain: false,
        };
        self.suspect(state.step, session, suspicion, &why);
        End::Bug
    }

    /// Finds that something stays owed.
    pub(crate) fn suspect(
        &self,
        step: u64,
        session: &mut Session,
        suspicion: Suspicion,
        why: &str,
    ) {
        let what = self
            .shared
            .specifications
            .borrow()
            .describe(suspicion.entry);
        session.suspicion = Some(suspicion);
        session.find(step, BugKind::Liveness, format!("{what}, {why}"), None);
    }

    /// Judges the end of an execution.
    pub(crate) fn outcome(&mut self, end: End) -> Outcome {
        let mut end = end;
        if end == End::Quiescent {
            self.judge_quiescence();
        }
        if end == End::Bound && self.fairness != Fairness::Unfair {
            self.judge_spin();
        }
        let (state, mut session) = (self.state(), self.session());
        if session.found.is_some() {
            end = End::Bug;
        }
        let specifications = self.shared.specifications.borrow();
        let undecided = match end {
            End::Bound => specifications.owed(&state.thermometer, true),
            _ => Vec::new(),
        };
        let suspicion = session.suspicion.take();
        let in_doubt = suspicion.map_or(!undecided.is_empty(), |suspicion| !suspicion.certain);
        let opaque = if in_doubt {
            self.lasso.opaque()
        } else {
            Vec::new()
        };
        Outcome {
            end,
            steps: state.step,
            fairness: self.fairness,
            finding: session.found.clone(),
            transient: None,
            class: state.class,
            undecided,
            wants_liveness: specifications.wants_liveness(),
            owed_longest: state.thermometer.owed_longest(),
            suspicion,
            opaque,
            dead_letters: state.dead_letters,
            went_fair: self.replaced.is_some(),
            leftovers: leftovers(&state, end, self.fairness != Fairness::Unfair),
            told: session.landmarks.tell(),
            diverged_at: session.tape.diverged_at(),
            records: session
                .recorder
                .take()
                .map(Recorder::into_records)
                .unwrap_or_default(),
        }
    }

    /// Nothing can run any more: whoever awaits has a bug, and so has whatever is owed.
    fn judge_quiescence(&mut self) {
        let waiting = self.waiting();
        if let Some((kind, message)) = waiting {
            self.shared.find(kind, message, None);
            return;
        }
        let state = self.state();
        for operation in 0..state.live as u32 {
            let found = &state.operations[operation as usize];
            if found.stage == Stage::Idle
                && found.inbox.next().is_none()
                && let Some(Letter { event, .. }) = found.inbox.first().copied()
            {
                let count = crate::plural::count(found.inbox.len() as u64, "deferred event");
                let info = state.info(operation);
                let event = info.map_or("event", |info| info.events[usize::from(event)].name);
                let in_state = state.state_name(operation).unwrap_or_default();
                let message = format!(
                    "`{}` ends in state `{in_state}` with {count}, `{event}` first",
                    state.name(operation)
                );
                drop(state);
                self.shared.find(BugKind::DeferredForever, message, None);
                return;
            }
        }
        drop(state);
        self.judge_unmet();
    }

    /// The execution is over: what is hot now stays hot.
    fn judge_unmet(&mut self) {
        let owed = self
            .shared
            .specifications
            .borrow()
            .owed(&self.state().thermometer, false);
        if let Some(first) = owed.first() {
            let Owed { what, since } = first;
            let message = format!("the execution ended while {what}, owed since step {since}");
            self.shared.find(BugKind::HotAtEnd, message, None);
        }
    }

    /// At the fair bound: one actor that handled nothing but its own events since long.
    fn judge_spin(&mut self) {
        let state = self.state();
        let long = (self.bound / 4).max(100);
        let spins = (0..state.live as u32)
            .find(|operation| state.operations[*operation as usize].own_run >= long);
        if let Some(operation) = spins {
            let message = format!(
                "`{}` handled only events that it had sent itself, {} in a row, without a change of state or an effect on others",
                state.name(operation),
                state.operations[operation as usize].own_run
            );
            drop(state);
            self.shared.find(BugKind::Spin, message, None);
        }
    }

    /// Who awaits what, where nothing can run.
    fn waiting(&self) -> Option<(BugKind, String)> {
        let state = self.state();
        let mut awaits = Vec::new();
        for operation in 0..state.live as u32 {
            let found = &state.operations[operation as usize];
            if found.stage != Stage::Suspended {
                continue;
            }
            let name = state.name(operation);
            let asked: Vec<String> = state
                .asks
                .iter()
                .filter(|ask| ask.asker == operation && !ask.delivered && !ask.abandoned)
                .map(|ask| format!("the reply of `{}`", state.name(ask.target)))
                .collect();
            let room = state
                .questions
                .iter()
                .filter(|question| {
                    question.sender == operation && question.status == Status::InLine
                })
                .map(|question| {
                    format!("room in the mailbox of `{}`", state.name(question.target))
                });
            let info = state.info(operation);
            let received = found.receiving.iter().filter_map(|event| {
                let info = info?;
                Some(format!(
                    "an event `{}`",
                    info.events[usize::from(*event)].name
                ))
            });
            let what: Vec<String> = asked.into_iter().chain(room).chain(received).collect();
            if what.is_empty() {
                let message = format!(
                    "`{name}` awaits something that nothing in this test will complete: a tokio \
                     timer, a socket, a thread, or a channel that nobody sends to"
                );
                return Some((BugKind::OutsideWait, message));
            }
            awaits.push(format!("`{name}` awaits {}", what.join(" and ")));
        }
        (!awaits.is_empty()).then(|| {
            (
                BugKind::Deadlock,
                format!("nothing can run: {}", awaits.join("; ")),
            )
        })
    }
}
