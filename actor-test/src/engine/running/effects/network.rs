//! Links between nodes: letters and replies leave, travel, are lost or duplicated, and arrive.

use std::fmt::Display;

use actor_core::generated::Moment;
use actor_core::{AskError, StopReason};

use crate::data::faults::FaultKind;
use crate::data::problem::{Crossing, CrossingFailure, Problem};
use crate::data::step::MessageId;
use crate::data::story::ChoicePurpose;
use crate::engine::panics;
use crate::engine::running::effects::Effects;
use crate::engine::running::executor::Executor;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::capacity::DeliveryOutcome as Arrived;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::Envelope;
use crate::engine::world::network::{InTransit, LinkHint, LinkOutcome};
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;
use crate::records::node_fault::{MessageFault, NodeFault};
use crate::records::{DeliveryRecord, Record};
use crate::settings::Delivery;
use crate::strategy::Choice;

/// The tag of an arrival from another node, among the moments at which faults are placed.
const ARRIVAL: u64 = 0xa221_7a10;

/// Nodes under test: letters and replies cross the links between them, and faults strike there.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a> {
    pub(in crate::engine::running) shared: &'a ControlledRuntime,
}

impl ControlledRuntime {
    pub(crate) fn network(&self) -> Network<'_> {
        Network { shared: self }
    }
}

impl Network<'_> {
    /// Encodes a letter for another node, and puts it on the link, unless the link is full.
    pub(crate) fn cross(&self, by: u32, to: u32, link: LinkHint, mut letter: Envelope) {
        // The permit is for the link, and for no place in a mailbox behind it.
        let is_admitted = std::mem::take(&mut letter.placed);
        let mut event = None;
        if self.shared.shows(Moment::Sent) {
            self.shared.audience().show_sent(to, &letter);
            let is_recorded = self.shared.is_recorded();
            event = is_recorded.then(|| self.shared.audience().print_letter(to, letter.slot));
        }
        if !self.carry(by, to, &letter) {
            return self.lose(by, to, letter, AskError::Dropped);
        }
        let effect = Effect::Send { to, letter };
        let loaded = {
            let mut state = self.shared.state();
            let link = state.nodes.hinted(link, by, to);
            match state.nodes.link(link).refuses() && !is_admitted {
                true => {
                    state.progress.add_dead_letters(1);
                    None
                }
                false => Some(state.load_on(link, InTransit::new(by, effect))),
            }
        };
        let arrival = match loaded {
            None => DeliveryRecord::LinkFull,
            Some(LinkOutcome::Lost) => DeliveryRecord::Lost,
            Some(LinkOutcome::Arrives | LinkOutcome::OnLink | LinkOutcome::Duplicated(_)) => {
                DeliveryRecord::Leaves
            }
        };
        if let Some(event) = event {
            self.shared
                .effects()
                .record_leaving(to, &letter, event, arrival);
        }
        match loaded {
            None => self.lose(by, to, letter, AskError::Full),
            Some(LinkOutcome::OnLink) => {}
            Some(LinkOutcome::Arrives) => _ = self.arrive(by, to, letter),
            Some(LinkOutcome::Lost) => self.lose_quietly(to, &letter),
            Some(LinkOutcome::Duplicated(link)) => {
                if let Some(second) = self.copy(by, to, letter) {
                    self.shared
                        .state()
                        .change_link(link, |link| link.push(second));
                }
            }
        }
    }

    /// Replaces a letter's event by its decoded copy; returns `false` if it can't cross, which is a bug.
    fn carry(&self, by: u32, to: u32, letter: &Envelope) -> bool {
        let Some(mail) = self.shared.arena().mail(to).cloned() else {
            return false;
        };
        // The event as it was sent is dropped in the phase before. So the phase shows that a panic comes
        // from a `Drop`, which need not be caught by itself.
        let phase = self.shared.phase.get();
        let mut drops = |old: &mut dyn FnMut()| {
            self.shared.phase.set(phase);
            old();
            self.shared.phase.set(CodePhase::Crossing);
        };
        let carry = || mail.carry(letter.slot, &mut drops);
        let carried = self.encode(by, carry, |state| describe(state, to, letter));
        carried.is_some()
    }

    /// Encodes and decodes a value for another node, with the user's code. A value that can't cross is a bug.
    fn encode<T, E: Display>(
        &self,
        by: u32,
        encode: impl FnOnce() -> Result<T, E>,
        what: impl FnOnce(&ExecutionState) -> Crossing,
    ) -> Option<T> {
        let phase = self.shared.phase.replace(CodePhase::Crossing);
        let encoded = panics::catch(encode);
        let left_in = self.shared.phase.replace(phase);
        let why = match encoded {
            Ok(Ok(done)) => return Some(done),
            Ok(Err(why)) => CrossingFailure::Error(why.to_string()),
            Err(panic) if left_in != CodePhase::Crossing => {
                self.shared.effects().drop_has_panicked(*panic);
                return None;
            }
            Err(panic) => CrossingFailure::Panicked {
                message: panic.message,
            },
        };
        let problem = {
            let state = self.shared.state();
            Problem::CannotCross {
                who: state.name(by),
                what: what(&state),
                why,
            }
        };
        self.shared.find(&problem, None);
        None
    }

    /// Makes a second copy of a letter on a link.
    fn copy(&self, by: u32, to: u32, letter: Envelope) -> Option<InTransit> {
        let mail = self.shared.arena().mail(to).cloned()?;
        let copy = || mail.copy(letter.slot);
        let slot = self.encode(by, copy, |state| describe(state, to, &letter))?;
        let mut state = self.shared.state();
        state.operations.departs();
        let letter = Envelope { slot, ..letter };
        Some(InTransit::new(by, Effect::Send { to, letter }))
    }

    /// Drops a letter on its way, without a notification.
    fn lose_quietly(&self, to: u32, letter: &Envelope) {
        self.shared.state().operations.lands();
        let phase = self.shared.phase.replace(CodePhase::Crashing);
        self.shared.drops_silently.set(true);
        self.shared
            .effects()
            .discard(to, letter.slot, AskError::Disconnected);
        self.shared.drops_silently.set(false);
        self.shared.phase.set(phase);
    }

    /// Drops a letter on its way, and notifies the operation that awaits a reply.
    pub(in crate::engine::running) fn lose(
        &self,
        by: u32,
        to: u32,
        letter: Envelope,
        why: AskError,
    ) {
        self.shared.state().operations.lands();
        self.shared.current.set(by);
        self.shared.effects().discard(to, letter.slot, why);
    }

    /// Sends a reply of `by` from one node to another.
    pub(super) fn cross_reply(
        &self,
        by: u32,
        (from, to): (u32, u32),
        ask: u32,
        lost: Option<AskError>,
    ) {
        let Some(slot) = self.shared.arena().reply(ask).cloned() else {
            return;
        };
        self.shared.audience().show_reply(by, ask, &*slot, lost);
        if lost.is_none() {
            let carried = self.encode(by, || slot.carry(), |_| Crossing::Reply);
            if carried.is_none() {
                return;
            }
        }
        drop(slot);
        self.load_reply(by, (from, to), ask, lost);
    }

    /// Loads a reply from one node to another onto the link; without one, the reply arrives at once.
    pub(super) fn load_reply(
        &self,
        by: u32,
        (from, to): (u32, u32),
        ask: u32,
        lost: Option<AskError>,
    ) {
        let effect = Effect::Reply { ask, lost };
        let loaded = self
            .shared
            .state()
            .load(from, to, InTransit::new(by, effect));
        match loaded {
            LinkOutcome::OnLink | LinkOutcome::Duplicated(_) => {}
            LinkOutcome::Arrives => self.shared.effects().bring_reply(ask, lost),
            LinkOutcome::Lost => self.shared.record(|| Record::LostOnLink { message: None }),
        }
    }

    /// Lets a drop, a duplicate or a delay strike at a link's next item; returns true if one is left to
    /// deliver.
    fn faults_on_link(&self, link: u32, at: usize) -> bool {
        let (from, to, key) = {
            let state = self.shared.state();
            let found = state.nodes.link(link);
            (
                found.from,
                found.to,
                state.operations.paths()[found.operation as usize],
            )
        };
        for (kind, wish) in [
            (FaultKind::Drop, MessageFault::Drop),
            (FaultKind::Duplicate, MessageFault::Duplicate),
            (FaultKind::Delay, MessageFault::Delay),
        ] {
            let node_fault = NodeFault::At {
                wish,
                from,
                to,
                place: at,
            };
            let is_possible = self.shared.state().nodes.can_happen(&node_fault);
            if !is_possible || self.shared.strike(kind, key, 1) == 0 {
                continue;
            }
            self.record_node_fault(&node_fault);
            self.grant(wish, link, at);
            if wish == MessageFault::Drop {
                return false;
            }
        }
        true
    }

    /// Delivers a letter at its node; returns the receiver if it is in the inbox.
    pub(super) fn arrive(&self, by: u32, to: u32, letter: Envelope) -> Option<u32> {
        let sent = Effect::Send { to, letter };
        let Some(Effect::Send { to, letter }) = self.shared.effects().at_holder(by, sent) else {
            return None;
        };
        let (delivery, may_close) = {
            let mut state = self.shared.state();
            state.operations.lands();
            state.footprint.changes(to);
            let delivery = state.deliver(to, letter);
            (delivery, state.operations.may_close_cycle(to, by))
        };
        if may_close {
            self.shared.effects().find_cycle(by);
        }
        if self.shared.is_recorded() {
            self.record_arrival(to, &letter, delivery);
        }
        let (lost, why) = match delivery {
            Arrived::Arrived => return Some(to),
            Arrived::Dead => (letter, self.shared.effects().why_dead(to)),
            Arrived::Full => (letter, AskError::Full),
            Arrived::Replaced(oldest) => (oldest, AskError::Full),
        };
        // The receiver reports the loss, so that the report travels back over the link.
        self.shared.current.set(to);
        self.shared.effects().discard(to, lost.slot, why);
        None
    }

    #[cold]
    fn record_arrival(&self, to: u32, letter: &Envelope, delivery: Arrived) {
        let event = self.shared.audience().print_letter(to, letter.slot);
        let arrival = self.shared.effects().arrival_of(to, letter, delivery);
        self.shared.record(|| Record::Arrived {
            message: MessageId::new(letter.key),
            from: letter.sender.into(),
            to,
            event,
            arrival,
        });
    }

    /// Drops, duplicates or delays the item at that place on a link.
    pub(in crate::engine::running) fn grant(&self, wish: MessageFault, link: u32, place: usize) {
        let Some(item) = self.shared.state().nodes.link(link).get(place) else {
            return;
        };
        match wish {
            MessageFault::Drop => {
                let lost = self
                    .shared
                    .state()
                    .change_link(link, |link| link.take(place));
                self.lose_all(lost.into_iter().collect());
            }
            MessageFault::Duplicate => {
                if let Effect::Send { to, letter } = item.effect
                    && let Some(second) = self.copy(item.by, to, letter)
                {
                    self.shared
                        .state()
                        .change_link(link, |link| link.insert(place + 1, second));
                }
            }
            MessageFault::Delay => self
                .shared
                .state()
                .change_link(link, |link| link.delay(place)),
        }
    }

    /// Drops items that were on a link, without a notification.
    pub(in crate::engine::running) fn lose_all(&self, lost: Vec<InTransit>) {
        for item in lost {
            match item.effect {
                Effect::Send { to, letter } => {
                    let message = Some(MessageId::new(letter.key));
                    self.shared.record(|| Record::LostOnLink { message });
                    self.lose_quietly(to, &letter);
                }
                Effect::Reply { .. } => {
                    self.shared.record(|| Record::LostOnLink { message: None });
                }
                _ => {}
            }
        }
    }
}

impl Executor {
    /// Delivers the next item of a link.
    pub(crate) fn deliver_next(&mut self, operation: u32) {
        self.ensure_slot(operation);
        let (link, length) = {
            let state = self.shared.state();
            let OperationRole::Link(link) = state.operations[operation].kind else {
                return;
            };
            let length = match state.nodes.delivery {
                Delivery::Bag => state.nodes.link(link).len(),
                Delivery::PerPair | Delivery::Mailbox => 1,
            };
            (link, length as u32)
        };
        let at = match length {
            0 | 1 => 0,
            several => self
                .shared
                .decide(Choice::Below(several, ChoicePurpose::Delivery)),
        };
        if self.shared.may_fail.get() && !self.shared.network().faults_on_link(link, at as usize) {
            return;
        }
        let Some(item) = self
            .shared
            .state()
            .change_link(link, |link| link.take(at as usize))
        else {
            return;
        };
        if self.shared.may_fail.get() {
            let mut state = self.shared.state();
            let sender = state.node_bits(item.by);
            let nodes = state.node_bits(operation);
            state.faults.record_moment(mix(ARRIVAL, sender), nodes);
        }
        // A delivery over a new connection shows that the old one was closed.
        let noticed = {
            let state = self.shared.state();
            let link = state.nodes.link(link);
            let (node, of) = (link.to, link.from);
            let is_stale = state.nodes.is_stale(node, of);
            is_stale.then_some(NodeFault::Notice { node, of })
        };
        if let Some(noticed) = noticed {
            self.inject(&noticed);
        }
        let reached = match item.effect {
            Effect::Send { to, letter } => self.shared.network().arrive(item.by, to, letter),
            Effect::Reply { ask, lost } => {
                let to = self.shared.state().requests.asks[ask].asker;
                self.shared.record(|| Record::ArrivedReply { to });
                self.shared.effects().bring_reply(ask, lost);
                Some(to)
            }
            effect => {
                self.carry_out(item.by, effect);
                None
            }
        };
        if let Some(reached) = reached {
            self.shared.state().progress.reaches(reached);
        }
    }
}

impl Effects<'_> {
    /// Returns the reason for the loss of what is sent to an ended actor.
    pub(crate) fn why_dead(&self, to: u32) -> AskError {
        let state = self.shared.state();
        let is_down = state.operations[to].ending == StopReason::Disconnected;
        match is_down || state.nodes.is_over(to) {
            true => AskError::Disconnected,
            false => AskError::Stopped,
        }
    }
}

/// Describes a letter for a bug report.
fn describe(state: &ExecutionState, to: u32, letter: &Envelope) -> Crossing {
    let info = state.operations.info(to);
    let event = info.and_then(|info| info.events.get(usize::from(letter.event)));
    Crossing::Event {
        event: event.map_or("?", |event| event.name),
        to: state.name(to),
    }
}
