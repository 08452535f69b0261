//! Monitors: events are shown to them.

use std::any::Any;

use actor_core::generated::Moment;
use actor_core::seam::{Address, AnyMail, AnyMonitor};
use actor_core::{ActorId, AskError, Event};

use crate::data::problem::Problem;
use crate::data::step::MessageId;
use crate::engine::panics::Panic;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::specs::observers::{EventObservers, ObservingMonitor};
use crate::engine::world::letter::{Envelope, PackedSender};
use crate::engine::world::state::{BODY, ExecutionState};
use crate::engine::world::types::place_of;
use crate::hash::mix;
use crate::records::Record;
use crate::strategy::MonitorTransition;

/// Shows events to monitors.
#[derive(Clone, Copy)]
pub(crate) struct Audience<'a> {
    shared: &'a ControlledRuntime,
}

impl ControlledRuntime {
    pub(crate) fn audience(&self) -> Audience<'_> {
        Audience { shared: self }
    }
}

impl Audience<'_> {
    /// Returns the monitors that observe an event of the operation at that moment.
    pub(crate) fn who(
        &self,
        state: &ExecutionState,
        operation: u32,
        event: u16,
        moment: Moment,
    ) -> EventObservers {
        if !self.shared.shows(moment) {
            return EventObservers::Nobody;
        }
        let first_event = state.operations[operation].first_event;
        let observers = &mut self.shared.session().observers;
        observers.who(
            &state.operations.types,
            place_of(first_event, event),
            moment,
        )
    }

    pub(crate) fn actor_id(&self, operation: u32) -> ActorId {
        ActorId::controlled(Address {
            operation,
            execution: self.shared.execution.get(),
        })
    }

    /// Shows an event in an actor's mail to the monitors that observe it.
    #[inline(always)]
    pub(crate) fn show_letter(
        &self,
        mail: &dyn AnyMail,
        receiver: u32,
        from: PackedSender,
        slot: u32,
        moment: Moment,
        to: EventObservers,
    ) {
        let sender = from.sent_by().filter(|operation| *operation != BODY);
        let sender = sender.map(|operation| self.actor_id(operation));
        let target = Some(self.actor_id(receiver));
        match to {
            EventObservers::Nobody => {}
            EventObservers::One(observer) => self.show_monitor(observer, |monitor, observation| {
                mail.observe(slot, monitor, observation, sender, target)
            }),
            EventObservers::Several => {
                self.show(moment, sender, target, |show| mail.inspect(slot, show))
            }
        }
    }

    pub(crate) fn show_reply(
        &self,
        from: u32,
        ask: u32,
        slot: &actor_core::seam::AskSlot,
        lost: Option<AskError>,
    ) {
        let (asker, letter, is_for_end) = {
            let state = self.shared.state();
            let ask = &state.requests.asks[ask];
            (ask.asker, ask.letter, ask.is_for_end())
        };
        if self.shared.is_recorded() {
            let reply = match lost {
                None => Ok(self.shared.print(|f| slot.inspect(f))),
                Some(error) => Err(error),
            };
            self.shared.record(|| Record::Replied {
                from,
                to: asker,
                asked: MessageId::new(letter),
                reply,
            });
        }
        let is_shown = lost.is_none() && !is_for_end && self.shared.shows(Moment::Replied);
        // A relay forwards the reply, which is shown then.
        if is_shown && !self.shared.state().operations.is_relay(asker) {
            let sender = Some(self.actor_id(from));
            let target = (asker != BODY).then(|| self.actor_id(asker));
            self.show(Moment::Replied, sender, target, |show| slot.inspect(show));
        }
    }

    /// Shows an event to every monitor that observes its type; only the event's own slot is borrowed
    /// meanwhile.
    pub(crate) fn show(
        &self,
        moment: Moment,
        sender: Option<ActorId>,
        target: Option<ActorId>,
        inspect: impl Fn(&mut dyn FnMut(&dyn Event)),
    ) {
        inspect(&mut |event| {
            let type_id = <dyn Any>::type_id(event);
            let mut from = 0;
            loop {
                let next = self.shared.session().observers.next(from, type_id, moment);
                let Some((after, observer)) = next else {
                    break;
                };
                from = after;
                self.show_monitor(observer, |monitor, observation| {
                    Some(monitor.observe(observation, event, sender, target))
                });
            }
        });
    }

    /// Shows an event to one monitor.
    #[inline(always)]
    fn show_monitor(
        &self,
        observer: ObservingMonitor,
        observe: impl FnOnce(&mut dyn AnyMonitor, u16) -> Option<usize>,
    ) {
        if self.shared.hears_steps.get() {
            self.note_observation(observer.monitor);
        }
        if self.shared.keeps_view.get() {
            self.extend_view(|state| {
                let ObservingMonitor {
                    monitor,
                    observation,
                } = observer;
                let who = u64::from(monitor) << 48 | u64::from(observation) << 32;
                mix(
                    state.operations.behaviour_hash(),
                    who | u64::from(state.progress.last_operation()),
                )
            });
        }
        self.shared.phase.set(CodePhase::Observing);
        let shown = {
            let mut specifications = self.shared.specifications.borrow_mut();
            specifications.show(observer, observe)
        };
        self.shared.phase.set(CodePhase::Running);
        match shown {
            Ok(None) => {}
            Ok(Some(now)) => self.monitor_moved(observer.monitor, now),
            Err(panic) => self.monitor_panicked(observer.monitor, *panic),
        }
    }

    /// Records that a monitor is about to observe a step, for a strategy that is notified of steps.
    #[cold]
    fn note_observation(&self, monitor: u16) {
        self.shared.state().footprint.add_monitor(monitor);
        if self.shared.compares_states.get() {
            return;
        }
        let heat = {
            let specifications = self.shared.specifications.borrow();
            specifications.is_new_to_strategy(monitor)
        };
        if heat.is_some() {
            self.monitor_hashes(monitor);
        }
    }

    /// Returns the fingerprints of a monitor's state at the last call and now.
    fn monitor_hashes(&self, monitor: u16) -> Option<(u64, u64)> {
        let heat = self.shared.specifications.borrow().heat_of(monitor);
        let is_pending = self.shared.state().temperatures.is_pending(heat);
        self.shared.phase.set(CodePhase::Observing);
        let states = {
            let mut specifications = self.shared.specifications.borrow_mut();
            specifications.monitor_hashes(monitor, is_pending)
        };
        self.shared.phase.set(CodePhase::Running);
        states
    }

    /// Records the states of the step's observers, for a strategy that does not compare whole states.
    pub(crate) fn note_monitor_transitions(&self) {
        let observers = self.shared.state().footprint.monitors();
        if self.shared.compares_states.get() {
            return;
        }
        for monitor in observers.iter() {
            let states = self.monitor_hashes(monitor as u16);
            self.shared
                .state()
                .footprint
                .monitor_transitions
                .push(MonitorTransition { monitor, states });
        }
    }

    /// Records the state to which a monitor has moved.
    #[inline(never)]
    fn monitor_moved(&self, monitor: u16, now: usize) {
        let shared = &self.shared;
        let mut specifications = shared.specifications.borrow_mut();
        let was = {
            let landmarks = &mut self.shared.session().landmarks;
            specifications.moved(monitor, now, &mut self.shared.state(), landmarks)
        };
        shared.record(|| specifications.move_of(monitor, was));
    }

    #[cold]
    fn monitor_panicked(&self, monitor: u16, panic: Panic) {
        let (name, value) = {
            let specifications = self.shared.specifications.borrow();
            let value = specifications.monitor_value(monitor);
            let value = value.filter(|_| self.shared.is_recorded());
            let value = value.map(|value| self.shared.printed(value));
            (specifications.monitor_name(monitor), value)
        };
        if let Some(value) = value {
            self.shared.record(|| Record::Remembered { value });
        }
        let message = panic.message;
        let name = name.into();
        let problem = Problem::MonitorFailed { name, message };
        self.shared.find(&problem, panic.location);
    }

    /// Adds an observation to the hash of all that monitors and predicates have seen.
    #[cold]
    pub(super) fn extend_view(&self, at: impl FnOnce(&ExecutionState) -> u64) {
        let at = at(&self.shared.state.borrow());
        self.shared.session().landmarks.observed(at);
    }

    pub(crate) fn print_letter(&self, receiver: u32, slot: u32) -> String {
        let mail = self.shared.arena().mail(receiver).cloned();
        mail.map_or_else(String::new, |mail| {
            self.shared.print(|f| mail.inspect(slot, f))
        })
    }

    /// Shows a sent letter to the monitors that observe sends.
    pub(in crate::engine::running) fn show_sent(&self, to: u32, letter: &Envelope) {
        let state = self.shared.state();
        let observers = self.who(&state, to, letter.event, Moment::Sent);
        let is_shown =
            observers != EventObservers::Nobody && !state.operations.is_relayed(letter.sender);
        drop(state);
        if is_shown {
            self.show_sent_to(observers, to, letter.sender, letter.slot);
        }
    }

    /// Shows a sent event, which is not relayed, to these monitors.
    #[inline(always)]
    pub(in crate::engine::running) fn show_sent_to(
        &self,
        observers: EventObservers,
        to: u32,
        from: PackedSender,
        slot: u32,
    ) {
        let mail = self.shared.arena().mail(to).cloned();
        if let Some(mail) = mail {
            self.show_letter(&*mail, to, from, slot, Moment::Sent, observers);
        }
    }
}
