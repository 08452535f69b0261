//! Verdicts on an execution: while it runs too hot, at its end, and at its bound.

use crate::data::bug::Cycle;
use crate::data::problem::{Evidence, Problem};
use crate::engine::recording::recorder::Recorder;
use crate::engine::running::end_warnings;
use crate::engine::running::execution::Engine;
use crate::engine::running::outcome::{EndReason, Outcome};
use crate::engine::running::overdue::{
    ALONE_MIN, find_overdue, long_waits, own_run, wait_of, was_paid,
};
use crate::engine::running::waits::{pending_waits, someone_awaits};
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::seam::sharing::column;
use crate::engine::session::EngineSession;
use crate::engine::specs::specifications::PendingObligation;
use crate::engine::specs::suspicion::Suspicion;
use crate::engine::world::letter::Envelope;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::temperature::Obligation;
use crate::strategy::{Fairness, Pruned};

impl Engine {
    /// Handles an alarm: something is too hot, or hot enough for lasso detection, or a check of waits is due.
    #[cold]
    pub(crate) fn alarmed(
        &mut self,
        state: &mut ExecutionState,
        session: &mut EngineSession,
    ) -> Option<EndReason> {
        if state.temperatures.recovered() {
            return Some(EndReason::Recovered);
        }
        if let Some(hot) = state.temperatures.alarming(state.progress.step()) {
            return Some(self.too_hot(state, session, hot));
        }
        if state.temperatures.takes_check(state.progress.step())
            && let Some(end) = find_overdue(state, session)
        {
            return Some(end);
        }
        if state.temperatures.warns(state.progress.step()) {
            self.lasso.warned(state);
        }
        None
    }

    fn too_hot(
        &self,
        state: &ExecutionState,
        session: &mut EngineSession,
        hot: (usize, u64, u64),
    ) -> EndReason {
        let (heat, temperature, since) = hot;
        let threshold = self.bounds.temperature();
        let cycle = self.lasso.cycle_of(heat, since);
        let evidence = Evidence::Heat {
            temperature,
            threshold,
            cycle,
        };
        let suspicion = Suspicion {
            entry: Obligation::Specification(heat),
            since,
            cycle,
            certain: false,
        };
        suspect(
            &self.shared,
            state.progress.step(),
            session,
            (heat, suspicion),
            evidence,
        );
        EndReason::Bug
    }

    /// Checks whether the execution repeats the first state of the cycle that was found in it, while the
    /// obligation is pending all the time.
    #[cold]
    pub(crate) fn check_cycle(
        &mut self,
        state: &ExecutionState,
        session: &mut EngineSession,
    ) -> Option<EndReason> {
        let cycle = self.cycle?;
        let seen = self.fingerprinter.seen()?;
        if state.progress.step() == cycle.from {
            self.cycle_start = Some(seen.print);
        }
        if state.progress.step() != cycle.to || self.cycle_start != Some(seen.print) {
            return None;
        }
        let entry = cycle.entry()?;
        let is_pending = entry < 62 && seen.obligations >> entry & 1 == 1;
        let since = is_pending.then(|| state.temperatures.pending_since(entry))??;
        (since <= cycle.from).then(|| go_round(&self.shared, state, session, cycle))
    }

    pub(crate) fn outcome(&mut self, end: EndReason) -> Outcome {
        let mut end = end;
        if was_paid(&self.shared.state(), end) {
            end = EndReason::Recovered;
        }
        if end == EndReason::Quiescent {
            judge_quiescence(&self.shared);
        }
        if end == EndReason::Bound && self.fairness != Fairness::Unfair {
            self.judge_spin();
        }
        if self.shared.is_recorded() {
            self.record_heard();
            self.record_unmet_reads();
        }
        let (state, mut session) = (self.shared.state(), self.shared.session());
        if session.found.is_some() {
            end = EndReason::Bug;
        }
        let specifications = self.shared.specifications.borrow();
        let undecided = match end {
            EndReason::Bound => specifications.pending_obligations(&state.temperatures, true),
            _ => Vec::new(),
        };
        let cut_off = match end {
            EndReason::Bound => long_waits(&state),
            _ => Vec::new(),
        };
        let suspicion = session.suspicion.take();
        let is_uncertain = suspicion.map_or(!undecided.is_empty(), |suspicion| !suspicion.certain);
        let opaque = if is_uncertain {
            self.lasso.opaque()
        } else {
            self.fingerprinter.opaque()
        };
        Outcome {
            end,
            steps: state.progress.step(),
            contended_steps: session.tape.taken().len() as u64
                - state.progress.choices()
                - state.timers.passing.asked,
            fairness: self.fairness,
            finding: session.found.clone(),
            transient: None,
            class: state.operations.behaviour_hash(),
            undecided: undecided.into_iter().chain(cut_off).collect(),
            wants_liveness: specifications.wants_liveness(),
            longest_pending: state.temperatures.longest_pending(),
            suspicion,
            unmet: session.unmet.take(),
            opaque,
            dead_letters: state.progress.dead_letters(),
            went_fair: self.replaced.is_some(),
            end_state: end_warnings::warnings(&state, end, self.fairness != Fairness::Unfair),
            faults: state.faults.counts(),
            clocks_apart: state.nodes.are_clocks_apart(),
            landmarks: session.landmarks.report(),
            diverged_at: session.tape.diverged_at(),
            strayed_at: session.tape.strayed_at(),
            weakened: state
                .objects
                .weakened()
                .iter()
                .copied()
                .map(column)
                .collect(),
            has_threads: state.objects.have_threads(),
            waited_for_a_step: state.objects.has_waited_for_a_step(),
            clock_stood: state.timers.passing.read_without_timers
                && !state.timers.passing.is_drawn(),
            only_timers_pass: state.timers.passing.read_among_timers
                && !state.timers.passing.is_drawn(),
            records: session
                .recorder
                .take()
                .map(Recorder::into_records)
                .unwrap_or_default(),
            asked: actor_test_os::RequestCounts::default(),
        }
    }

    /// Reports an actor that has long handled only its own events at the fair bound. The actor may be slow.
    fn judge_spin(&mut self) {
        let state = self.shared.state();
        if state.temperatures.watched().is_some() {
            return;
        }
        let long = (self.bound / 4).max(ALONE_MIN);
        let spins =
            (0..state.operations.count()).find(|operation| own_run(&state, *operation) >= long);
        if let Some(operation) = spins {
            let problem = Problem::SelfSending {
                who: state.name(operation),
                events: own_run(&state, operation),
            };
            let since = state.progress.step();
            drop(state);
            self.shared.session().suspicion = Some(Suspicion {
                entry: Obligation::SelfSending(operation),
                since,
                cycle: None,
                certain: false,
            });
            self.shared.find(&problem, None);
        }
    }
}

/// Returns true after three rounds of nothing but periodic timers, with nothing pending or awaited.
pub(crate) fn is_idle(idle_moments: &mut usize, state: &ExecutionState) -> bool {
    let (armed, periodic) = state.armed_timers();
    if armed > periodic {
        *idle_moments = 0;
        return false;
    }
    if !only_ticks(state) {
        return false;
    }
    // Counted so far and no further, so that states recur while something is pending.
    if *idle_moments <= 3 * periodic {
        *idle_moments += 1;
    }
    *idle_moments > 3 * periodic && !state.temperatures.any_pending() && !someone_awaits(state)
}

/// Returns true if nothing is enabled, or nothing but periodic timers in the round after the third one.
pub(crate) fn is_quiet(idle_moments: usize, state: &ExecutionState) -> bool {
    let (armed, periodic) = state.armed_timers();
    let is_idle = armed == periodic && only_ticks(state) && idle_moments >= 3 * periodic;
    state.enabled.pending().is_empty() || is_idle
}

/// Returns true if no operation but timers is enabled.
fn only_ticks(state: &ExecutionState) -> bool {
    // Patient timers that are held back are not among the enabled operations.
    !state.enabled.holds_back() && state.enabled.len() <= state.timers.in_window()
}

/// Reports that a specification stays pending.
pub(crate) fn suspect(
    shared: &ControlledRuntime,
    step: u64,
    session: &mut EngineSession,
    (entry, suspicion): (usize, Suspicion),
    evidence: Evidence,
) {
    let problem = Problem::StaysPending {
        obligation: shared.specifications.borrow().obligation(entry),
        since: suspicion.since,
        evidence,
    };
    session.suspicion = Some(suspicion);
    session.find(step, &problem, None);
}

fn go_round(
    shared: &ControlledRuntime,
    state: &ExecutionState,
    session: &mut EngineSession,
    cycle: Cycle,
) -> EndReason {
    let entry = cycle.entry().unwrap_or_default();
    let since = state
        .temperatures
        .pending_since(entry)
        .unwrap_or(state.progress.step());
    let suspicion = Suspicion {
        entry: Obligation::Specification(entry),
        since,
        cycle: Some(cycle),
        certain: true,
    };
    suspect(
        shared,
        state.progress.step(),
        session,
        (entry, suspicion),
        Evidence::Cycle(cycle),
    );
    EndReason::Bug
}

/// Handles a strategy that declined to pick, perhaps since it found a fair cycle.
#[cold]
pub(crate) fn pruned(
    shared: &ControlledRuntime,
    state: &ExecutionState,
    pruned: &Pruned,
) -> EndReason {
    match pruned.fair_cycle.as_deref() {
        Some(cycle) => go_round(shared, state, &mut shared.session(), *cycle),
        None => EndReason::Pruned,
    }
}

/// Judges a quiescent execution: everything that waits is a bug, and so is every pending obligation.
fn judge_quiescence(shared: &ControlledRuntime) {
    let waiting = waiting(shared);
    if let Some(problem) = waiting {
        shared.find(&problem, None);
        return;
    }
    let state = shared.state();
    for operation in 0..state.operations.count() {
        let found = &state.operations[operation];
        if found.stage == OperationStage::Idle
            && found.inbox.next().is_none()
            && !state.nodes.is_paused_at(operation)
            && let Some(Envelope { event, .. }) = found.inbox.first().copied()
        {
            let info = state.operations.info(operation);
            let problem = Problem::LeftDeferred {
                who: state.name(operation),
                state: state.operations.state_name(operation).unwrap_or_default(),
                count: found.inbox.len() as u64,
                first: info.map_or("event", |info| info.events[usize::from(event)].name),
            };
            drop(state);
            shared.find(&problem, None);
            return;
        }
    }
    drop(state);
    judge_unmet(shared);
}

/// Reports an obligation that is pending at the end, when nothing can discharge it any more.
fn judge_unmet(shared: &ControlledRuntime) {
    let pending = shared
        .specifications
        .borrow()
        .pending_obligations(&shared.state().temperatures, false);
    if let Some(PendingObligation {
        entry,
        obligation,
        since,
    }) = pending.into_iter().next()
    {
        shared.session().unmet = Some((entry, since));
        shared.find(&Problem::PendingAtEnd { obligation, since }, None);
    }
}

/// Returns the waits of an execution in which nothing can run, as a bug.
fn waiting(shared: &ControlledRuntime) -> Option<Problem> {
    let state = shared.state();
    let mut waits = Vec::new();
    for operation in pending_waits(&state) {
        let wait = wait_of(&state, operation);
        if wait.awaits.is_empty() {
            return Some(Problem::AwaitsOutside { who: wait.who });
        }
        waits.push(wait);
    }
    (!waits.is_empty()).then_some(Problem::Deadlock { waits })
}
