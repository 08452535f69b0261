//! Faults between two steps: they are injected, undone and ended.

use crate::data::faults::{Fault, FaultKind};
use crate::data::problem::Problem;
use crate::data::step::StepKind;
use crate::engine::running::execution::Engine;
use crate::engine::running::verdict::is_quiet;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::world::faults::{AHEAD, links_cut};
use crate::engine::world::state::BODY;
use crate::records::node_fault::{DiskAfterRestart, NodeFault};
use crate::records::{Record, nanoseconds};
use crate::strategy::{Choice, Enabled, Fairness, StrategyEvent};

/// The decision about faults before the next step.
enum InterStepFault {
    Nothing,
    /// The fault with that number, counted from one, is injected or undone.
    Fault(u32, Fault),
    /// No more faults come.
    End,
}

impl Engine {
    /// Injects or undoes a fault if the strategy asks for one. Ends the faults if the strategy says so, if
    /// nothing can run, or if the schedule has to be fair. Returns true if that was a step.
    #[cold]
    pub(crate) fn between_steps(&mut self, shared: &ControlledRuntime) -> bool {
        let is_over = shared.session().found.is_some() || shared.wants_stack.get();
        if is_over || self.shared.state().progress.step() >= self.bound {
            return false;
        }
        let fault_step = self.fault_step(shared);
        self.shared.state().faults.forget_moments();
        match fault_step {
            InterStepFault::Nothing => false,
            InterStepFault::Fault(number, fault) => {
                self.note(shared, number);
                self.shared.state().faults.struck(&fault);
                self.begin_fault(shared, fault.key);
                self.strike_between(&fault);
                self.after_step(shared, true);
                self.see_fault(shared, fault.key);
                true
            }
            InterStepFault::End => {
                self.note(shared, 0);
                self.shared.state().faults.close();
                shared.may_fail.set(false);
                let left = self.shared.state().faults.take_lasting();
                if left.is_empty() {
                    return false;
                }
                self.begin_fault(shared, Fault::LAST);
                for fault in &left {
                    self.strike_between(fault);
                }
                self.after_step(shared, true);
                self.see_fault(shared, Fault::LAST);
                true
            }
        }
    }

    /// Computes the fingerprint of the state after a fault, if that is wanted.
    fn see_fault(&mut self, shared: &ControlledRuntime, key: u64) {
        self.fingerprinter.forget();
        if self.shared.compares_states.get() && shared.session().found.is_none() {
            let bodies = &self.executor.bodies;
            let view = EngineView { bodies, shared };
            self.fingerprinter
                .after_fault(&view, key, self.idle_moments);
        }
    }

    fn fault_step(&self, shared: &ControlledRuntime) -> InterStepFault {
        let mut state = self.shared.state();
        let world = &mut *state;
        let (nodes, asks) = (&world.nodes, &world.requests.asks);
        let watches = &world.relations.watches;
        let awaits = |node, of| {
            let (mut watches, mut asks) = watches.across(nodes, asks, node, of);
            watches.next().is_some() || asks.next().is_some()
        };
        world.faults.list_possible(nodes, awaits);
        let state = &*state;
        let faults = state.faults.possible();
        let enabled = Enabled::new(
            state.enabled.pending(),
            state.operations.paths(),
            state.enabled.changes(),
            state.progress.step(),
            state.progress.last_operation(),
        );
        let enabled = enabled.with_details(state).seen(self.fingerprinter.seen());
        let mut source = shared.strategy.borrow_mut();
        let strategy = source.strategy_mut();
        let answer = Choice::FaultBetween(&enabled, faults).put_to(strategy);
        match answer {
            None | Some(0) => {}
            Some(Choice::END_FAULTS) => return InterStepFault::End,
            Some(number) => {
                if let Some(fault) = faults.get(number as usize - 1) {
                    return InterStepFault::Fault(number, *fault);
                }
                let problem = Problem::BadFaultBetween {
                    strategy: strategy.name(),
                    number,
                    faults: faults.len(),
                };
                shared.session().find(state.progress.step(), &problem, None);
                shared.instrumented.set(true);
            }
        }
        let is_fair = match self.fairness {
            _ if strategy.needs().faults => false,
            Fairness::Fair => true,
            Fairness::FairFrom(step) => step <= state.progress.step(),
            Fairness::Unfair => false,
        };
        let is_over = state.faults.are_lasting() && is_quiet(self.idle_moments, state);
        match is_fair || is_over {
            true => InterStepFault::End,
            false => InterStepFault::Nothing,
        }
    }

    /// Injects a fault now, or undoes it.
    fn strike_between(&mut self, fault: &Fault) {
        let count = self.shared.state().nodes.count();
        let mut nodes = (0..count).filter(|node| fault.nodes >> node & 1 == 1);
        let (Some(one), other) = (nodes.next(), nodes.next()) else {
            return;
        };
        let restart = |disk| NodeFault::Restart { node: one, disk };
        let link = || {
            let (from, to) = fault.link_ends();
            (from.trailing_zeros(), to.trailing_zeros())
        };
        let node_fault = match (fault.kind, fault.is_undone) {
            (FaultKind::Partition, false) => {
                NodeFault::Cut(links_cut(&self.shared.state().nodes, fault))
            }
            (FaultKind::Partition, true) => {
                NodeFault::Heal(links_cut(&self.shared.state().nodes, fault))
            }
            (FaultKind::Crash, false) | (FaultKind::Stop, _) => NodeFault::Crash { node: one },
            // A script may have restarted the node already.
            (FaultKind::Crash, true) if self.shared.state().nodes.is_up(one) => return,
            (FaultKind::Crash, true) | (FaultKind::Restart, _) => restart(DiskAfterRestart::Keep),
            (FaultKind::Wipe, _) => restart(DiskAfterRestart::Wipe),
            (FaultKind::Pause, false) => NodeFault::Pause { node: one },
            // The node may have been resumed by a script, or have crashed.
            (FaultKind::Pause, true) if !self.shared.state().nodes.is_paused(one) => return,
            (FaultKind::Pause, true) => NodeFault::Resume { node: one },
            (FaultKind::Clock, _) => {
                let jump = self.shared.state().nodes.clocks_allowed.jump();
                let by_ns = nanoseconds(jump);
                match fault.way {
                    AHEAD => NodeFault::SetAhead { node: one, by_ns },
                    _ => NodeFault::SetBack { node: one, by_ns },
                }
            }
            (FaultKind::Slow, is_undone) => {
                let (from, to) = link();
                match is_undone {
                    false => NodeFault::Hold { from, to },
                    true => NodeFault::Release { from, to },
                }
            }
            (FaultKind::FullLink, is_undone) => {
                let (from, to) = link();
                match is_undone {
                    false => NodeFault::Fill { from, to },
                    // A crash, or a break of the connection, may have drained the link.
                    true if !self.shared.state().nodes.is_full(from, to) => return,
                    true => NodeFault::Drain { from, to },
                }
            }
            (FaultKind::HalfOpen, is_undone) => {
                let (sees, unaware) = link();
                match is_undone {
                    false => NodeFault::HalfOpen { sees, unaware },
                    // The node may have noticed by itself, or one of the two may have crashed.
                    true if !self.shared.state().nodes.is_stale(unaware, sees) => return,
                    true => NodeFault::Notice {
                        node: unaware,
                        of: sees,
                    },
                }
            }
            (FaultKind::Break, _) => NodeFault::Break {
                one,
                other: other.unwrap_or(one),
            },
            (kind, _) => {
                debug_assert!(kind.is_within_a_step(), "{kind} strikes between steps");
                return;
            }
        };
        self.executor.inject(&node_fault);
    }

    fn note(&self, shared: &ControlledRuntime, what: u32) {
        let mut state = self.shared.state();
        // The three numbers of the decision are not steps with an alternative.
        state.progress.add_choices(3);
        shared
            .session()
            .tape
            .record_between(state.progress.step(), what);
    }

    fn begin_fault(&self, shared: &ControlledRuntime, key: u64) {
        let (number, now) = {
            let mut state = self.shared.state();
            (state.progress.begin_step(), state.timers.now())
        };
        let struck = StrategyEvent::Struck(key);
        shared.strategy.borrow_mut().strategy_mut().observe(struck);
        self.record_heard();
        if let Some(decision_log) = shared.session().tape.decision_log() {
            decision_log.steps(number);
        }
        shared.record(|| Record::Step {
            number,
            time_ns: nanoseconds(now),
            who: BODY,
            timer: None,
            kind: StepKind::Fault,
            state: None,
        });
        shared.current.set(BODY);
        shared.calls.set(0);
    }
}
