//! Timers: they are armed, cancelled and fire.

use actor_core::AskError;
use actor_core::seam::Purpose as Declared;

use crate::data::story::Purpose;
use crate::engine::panics;
use crate::engine::running::effects::Effects;
use crate::engine::running::executor::Executor;
use crate::engine::running::handling::report_panic;
use crate::engine::world::arming::{Armed, Fired};
use crate::engine::world::capacity::DeliveryOutcome;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::timers::{self, VirtualTimer};
use crate::records::{Record, nanoseconds};

impl Effects<'_> {
    /// Arms a timer that was not cancelled meanwhile. A timer of an owner that is gone ends.
    pub(super) fn arm(&self, timer: u32, generation: u32) {
        let armed = self.shared.state().arm(timer, generation);
        match armed {
            Armed::Runs => {
                self.shared.instrumented.set(true);
                self.record_armed(timer);
            }
            Armed::Orphaned(remains) => self.end_orphan(remains),
            Armed::Cancelled => {}
        }
    }

    /// Cancels a timer of `owner`.
    pub(super) fn cancel(&self, owner: u32, timer: u32, generation: u32) {
        let remains = self.shared.state().cancel(owner, timer, generation);
        self.end_orphan(remains);
    }

    /// Records the end of a timer, and drops its events.
    fn end_orphan(&self, remains: OrphanedValues) {
        self.shared.record_cancelled(&remains);
        self.drop_remains(remains);
    }

    pub(crate) fn drop_remains(&self, remains: OrphanedValues) {
        let garbage = self.shared.arena().garbage(remains);
        self.dropping(AskError::Dropped, || garbage.discard());
    }

    fn record_armed(&self, timer: u32) {
        if self.shared.is_recorded() {
            let timer = self.shared.state().timers[timer].clone();
            let event = timer
                .event
                .map(|(slot, _)| self.shared.audience().print_letter(timer.owner, slot));
            self.shared.record(|| Record::Armed {
                owner: timer.owner,
                timer: timer.key,
                delay_ns: nanoseconds(timer.delay),
                periodic: timer.periodic,
                purpose: purpose_of(&timer),
                event,
            });
        }
    }
}

impl Executor {
    pub(crate) fn fire(&mut self, timer: u32) {
        let (fired, now) = {
            let mut state = self.shared.state();
            (state.fire(timer), state.timers.now())
        };
        actor_test_os::set_clock(now);
        match fired {
            Fired::Slept(owner) => {
                self.shared.current.set(owner);
                self.shared.state().progress.set_last_operation(owner);
                let waker = self.shared.arena().clockwork(timer).waker.take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            Fired::Due(owner, purpose) => self.due(owner, purpose),
            Fired::Event {
                owner,
                letter,
                periodic,
            } => {
                self.shared.current.set(owner);
                self.shared.state().progress.set_last_operation(owner);
                let delivery = {
                    let mut state = self.shared.state();
                    let delivery = state.deliver(owner, letter);
                    if delivery == DeliveryOutcome::Arrived {
                        // A later cancellation finds the letter.
                        state.operations[owner].inbox.note_timed();
                    }
                    delivery
                };
                self.shared.effects().sent(owner, owner, letter, delivery);
                if periodic {
                    self.refill(timer, owner);
                }
            }
        }
    }

    fn refill(&mut self, timer: u32, owner: u32) {
        let (again, mail) = {
            let mut arena = self.shared.arena();
            let again = arena.clockwork(timer).again.take();
            (again, arena.mail(owner).cloned())
        };
        let (Some(again), Some(mail)) = (again, mail) else {
            return;
        };
        match panics::catch(|| again(&*mail)) {
            Ok(slot) => {
                if self.shared.state().timers.refill(timer, slot) {
                    self.shared.arena().clockwork(timer).again = Some(again);
                }
            }
            Err(panic) => report_panic(&self.shared, owner, *panic),
        }
    }
}

/// Returns the purpose of a timer, as stories show it.
pub(crate) fn purpose_of(timer: &VirtualTimer) -> Purpose {
    match (timer.purpose, timer.declared_purpose) {
        (timers::TimerPurpose::Restart, _) => Purpose::Restart,
        (timers::TimerPurpose::Kill, _) => Purpose::Kill,
        (timers::TimerPurpose::Own, Declared::Event) => Purpose::Event,
        (timers::TimerPurpose::Own, Declared::State) => Purpose::State,
        (timers::TimerPurpose::Own, Declared::NextEvent) => Purpose::NextEvent,
        (timers::TimerPurpose::Own, Declared::Sleep) => Purpose::Sleep,
        (timers::TimerPurpose::Own, Declared::Limit) => Purpose::Limit,
        (timers::TimerPurpose::Own, Declared::Tick) => Purpose::Tick,
        (timers::TimerPurpose::Own, Declared::Reply) => Purpose::Reply,
        (timers::TimerPurpose::Own, Declared::Shutdown) => Purpose::Shutdown,
    }
}
