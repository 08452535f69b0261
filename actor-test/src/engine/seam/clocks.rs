//! Clocks of nodes under test: offset, drift, and passing time.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::data::faults::FaultKind;
use crate::data::story::ChoicePurpose;
use crate::engine::recording::tape::RecordedDecision;
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::passing::WAYS;
use crate::hash::mix;
use crate::records::{Record, nanoseconds};
use crate::strategy::Choice;

/// The possible offsets of a clock, in halves of the maximum: none, the maximum, half of it.
const OFFSETS: [u32; 3] = [0, 2, 1];

/// The possible drifts of a clock: none, faster, slower.
const DRIFTS: [i64; 3] = [0, 1, -1];

thread_local! {
    /// The execution whose program reads the clocks of the process on this thread.
    static READS: RefCell<Weak<ControlledRuntime>> = const { RefCell::new(Weak::new()) };
}

/// A guard: while it exists, its thread's reads of the process's clocks count as reads of an actor's clock.
pub(crate) struct ClockReadGuard(());

impl ClockReadGuard {
    pub(crate) fn of(shared: &Rc<ControlledRuntime>) -> Self {
        READS.set(Rc::downgrade(shared));
        actor_test_os::before_clock(Some(|| {
            let shared = READS.with_borrow(Weak::upgrade);
            // A strategy or a logger that the tester has called does not read the clock for the program.
            if let Some(shared) = shared.filter(|shared| shared.is_free()) {
                shared.pass_time();
            }
        }));
        Self(())
    }
}

impl Drop for ClockReadGuard {
    fn drop(&mut self) {
        actor_test_os::before_clock(None);
        READS.set(Weak::new());
    }
}

impl CurrentOperation<'_> {
    /// Has the strategy choose the offset and drift of a new node's clock, if the clocks of nodes may differ.
    pub(super) fn draw_clock(self, node: u32) {
        let allowed = self.state.borrow().nodes.clocks_allowed;
        if !allowed.are_apart() {
            return;
        }
        let drawn = |is_wanted: bool, asked| match is_wanted {
            true => self.decide(Choice::Below(3, asked)) as usize,
            false => 0,
        };
        let offset = drawn(!allowed.offset().is_zero(), ChoicePurpose::Offset);
        let drift = drawn(allowed.drift_ppb() > 0, ChoicePurpose::Drift);
        let ahead = allowed.offset() * OFFSETS[offset] / 2;
        let drift_ppb = DRIFTS[drift] * i64::from(allowed.drift_ppb());
        self.state
            .borrow_mut()
            .nodes
            .set_clock(node, ahead, drift_ppb);
        self.instrumented.set(true);
        self.record(|| Record::Clock {
            node: self.state.borrow().nodes.name(node).to_owned(),
            ahead_ns: nanoseconds(ahead),
            drift_ppb,
        });
    }
}

impl ControlledRuntime {
    /// Returns true if nothing is borrowed that a read of the clock needs.
    fn is_free(&self) -> bool {
        self.state.try_borrow_mut().is_ok()
            && self.session.try_borrow_mut().is_ok()
            && self.strategy.try_borrow_mut().is_ok()
            && self.answers.try_borrow_mut().is_ok()
    }

    /// Handles a read of a clock: time may have passed since its reader's last read.
    pub(super) fn pass_time(&self) {
        let current = self.current.get();
        // No time passes for observers or in the clean-up.
        if self.phase.get() != CodePhase::Running {
            return;
        }
        let room = {
            let state = &mut *self.state.borrow_mut();
            let faults_move = state.faults.budgets().budget(FaultKind::Clock) > 0;
            let step = state.progress.step();
            state.timers.passing_limit(current, step, faults_move)
        };
        let Some(room) = room else {
            return;
        };
        let known = self.answers.borrow_mut().pop_front().or_else(|| {
            let mut source = self.strategy.borrow_mut();
            Choice::Passing(WAYS).put_to(source.strategy_mut())
        });
        let mut state = self.state.borrow_mut();
        state.timers.passing.asked += 1;
        let answer = known.unwrap_or_else(|| state.timers.passing.drawn(room));
        let passed = state.timers.passing.size(answer, room);
        let chosen = passed.map_or(0, |_| answer);
        if let Some(by) = passed {
            state.timers.pass(by);
            state
                .operations
                .extend_chain(current, mix(0x7a_55ed, u64::from(chosen)));
            state.operations[current].own_run = 0;
            actor_test_os::set_clock(state.nodes.now_at(current, state.timers.now()));
        }
        let step = state.progress.step();
        drop(state);
        let check = mix(0x7a_55ed, u64::from(WAYS)) as u32;
        self.session()
            .tape
            .record(RecordedDecision { chosen, check }, step);
        if let Some(by) = passed {
            let by_ns = nanoseconds(by);
            self.record(|| Record::Passed { by_ns });
        }
    }
}
