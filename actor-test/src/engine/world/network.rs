//! Network links between nodes, and the messages in transit on them.

use std::any::TypeId;
use std::collections::VecDeque;

use crate::engine::world::asks::Asks;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::touch_by;
use crate::engine::world::letter::Envelope;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::operations::Operations;
use crate::engine::world::pending::pending_arrival;
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;
use crate::records::node_fault::MessageFault;
use crate::settings::Delivery;

/// A link from one node to another. The link is an operation, whose step delivers the next message.
#[derive(Clone, Debug)]
pub(crate) struct NetworkLink {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) operation: u32,
    /// The messages in transit, in the order in which they were sent.
    pub(super) queue: VecDeque<InTransit>,
    /// True if the link is cut: nothing is delivered, and messages sent over it are lost.
    pub(crate) is_cut: bool,
    /// True if the link is held: nothing is delivered for now.
    pub(crate) is_held: bool,
    /// True if the other end has closed the connection, and the sender has not noticed.
    pub(crate) is_stale: bool,
    /// True if the link takes no more events.
    pub(crate) is_full: bool,
    pub(super) is_spared: bool,
    /// The faults that are to strike the next event of a type.
    pub(super) wishes: Vec<(MessageFault, TypeId)>,
}

/// The number of a link, if it is small enough for the space that an [`Effect`] has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LinkHint(u16);

impl LinkHint {
    const NONE: u16 = u16::MAX;

    pub(crate) fn of(link: u32) -> Self {
        Self(u16::try_from(link).unwrap_or(Self::NONE))
    }
}

/// A message in transit on a link: an effect that is carried out when it arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InTransit {
    pub(crate) by: u32,
    pub(crate) effect: Effect,
    /// True if the message behind this one is to overtake it.
    yields: bool,
}

impl InTransit {
    pub(crate) fn new(by: u32, effect: Effect) -> Self {
        Self {
            by,
            effect,
            yields: false,
        }
    }

    fn letter(&self) -> Option<(u32, &Envelope)> {
        match &self.effect {
            Effect::Send { to, letter } => Some((*to, letter)),
            _ => None,
        }
    }

    fn event_type(&self, operations: &Operations) -> Option<TypeId> {
        let (to, letter) = self.letter()?;
        let event = operations.info(to)?.events.get(usize::from(letter.event))?;
        Some(event.type_id)
    }
}

/// The outcome of putting a message on a link.
pub(crate) enum LinkOutcome {
    OnLink,
    /// The message is on this link, and a copy of it is to follow.
    Duplicated(u32),
    Lost,
    /// The message arrives at once.
    Arrives,
}

impl Nodes {
    /// Returns the links that were used, or that a script has mentioned.
    pub(crate) fn links(&self) -> impl Iterator<Item = &NetworkLink> {
        self.links.iter()
    }

    pub(crate) fn link(&self, number: u32) -> &NetworkLink {
        &self.links[number as usize]
    }

    /// Returns the link for messages from one operation to another.
    #[inline]
    pub(crate) fn hinted(&self, hint: LinkHint, from: u32, to: u32) -> u32 {
        match hint.0 {
            LinkHint::NONE => self.made_for(from, to),
            number => number.into(),
        }
    }

    /// Returns the operation of the link for messages from one operation to another.
    pub(super) fn hinted_operation(&self, hint: LinkHint, from: u32, to: u32) -> u32 {
        self.link(self.hinted(hint, from, to)).operation
    }

    #[cold]
    fn made_for(&self, from: u32, to: u32) -> u32 {
        let apart = self.nodes_if_different(from, to);
        let number = apart.and_then(|(from, to)| self.link_number(from, to));
        number.expect("it was made before the message was sent")
    }

    /// Lets a node notice in the step in progress that its connection to another node was closed.
    fn notices(&mut self, node: u32, of: u32) {
        self.reconnects(node, of);
        self.noticing.push((node, of));
    }

    /// Records that a node has noticed that its connection to another node was closed.
    pub(crate) fn reconnects(&mut self, node: u32, of: u32) {
        if let Some(number) = self.link_number(node, of) {
            self.link_mut(number).is_stale = false;
        }
    }

    /// Returns the operation of the link for messages from one operation to another, if the link is there and
    /// the two are on different nodes.
    pub(super) fn link_operation(&self, from: u32, to: u32) -> Option<u32> {
        let (from, to) = self.nodes_if_different(from, to)?;
        Some(self.between(from, to)?.operation)
    }

    pub(super) fn between(&self, from: u32, to: u32) -> Option<&NetworkLink> {
        let number = self.link_number(from, to)?;
        Some(&self.links[number as usize])
    }

    pub(crate) fn is_cut(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|link| link.is_cut)
    }

    pub(crate) fn is_held(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|link| link.is_held)
    }

    /// Returns whether the connection is closed at its other end, which the sending node has not noticed.
    pub(crate) fn is_stale(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|link| link.is_stale)
    }

    /// Returns the first effect on a link, if that one is delivered next whatever else is done in the meantime.
    pub(super) fn first_in_order(&self, number: u32) -> Option<Effect> {
        let first = self.link(number).queue.front();
        let first = first.filter(|first| self.delivery == Delivery::PerPair && !first.yields);
        first.map(|first| first.effect)
    }

    /// Returns whether the link takes no more events.
    pub(crate) fn is_full(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|link| link.is_full)
    }

    /// Returns the operation of the link for messages from one operation to another, if it is full.
    pub(super) fn full_link(&self, from: u32, to: u32) -> Option<u32> {
        let (from, to) = self.nodes_if_different(from, to)?;
        let link = self.between(from, to)?;
        link.is_full.then_some(link.operation)
    }

    /// Returns whether some connection is half-open.
    pub(crate) fn are_half_open(&self) -> bool {
        self.links().any(|link| link.is_stale)
    }

    /// Returns whether one of two nodes has not noticed that their connection is closed.
    pub(crate) fn is_half_open(&self, one: u32, other: u32) -> bool {
        self.is_stale(one, other) || self.is_stale(other, one)
    }

    /// Returns the nodes that have not noticed that their connection to this one is closed, and hear of its crash.
    pub(crate) fn unaware_of(&self, node: u32) -> Vec<u32> {
        let stale = self.links().filter(|link| link.is_stale && link.to == node);
        let unaware = stale.map(|link| link.from);
        unaware.filter(|other| !self.is_cut(node, *other)).collect()
    }

    pub(crate) fn is_link_spared(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|link| link.is_spared)
    }

    /// Returns the number of messages in transit.
    pub(crate) fn in_transit(&self, from: u32, to: u32) -> usize {
        self.between(from, to).map_or(0, |link| link.queue.len())
    }

    /// Returns whether the fault can strike the message at a place on the link: a letter is there and, for a
    /// delay, another one is behind it.
    pub(crate) fn can_wish(&self, wish: MessageFault, from: u32, to: u32, place: usize) -> bool {
        let Some(link) = self.between(from, to) else {
            return false;
        };
        let is_letter = |at: usize| {
            link.queue
                .get(at)
                .is_some_and(|item| item.letter().is_some())
        };
        is_letter(place) && (wish != MessageFault::Delay || is_letter(place + 1))
    }

    /// Returns the link from one node to another, which is created if there is none.
    #[inline]
    pub(crate) fn link_between(&mut self, operations: &mut Operations, from: u32, to: u32) -> u32 {
        match self.link_number(from, to) {
            Some(known) => known,
            None => self.make_link(operations, from, to),
        }
    }

    #[cold]
    fn make_link(&mut self, operations: &mut Operations, from: u32, to: u32) -> u32 {
        let number = self.links.len() as u32;
        let key = mix(mix(0x11_4b, self.key(from)), self.key(to));
        let operation = operations.create(OperationRole::Link(number), key);
        operations.numbering.created_on_the_way();
        let spare = self.spare_links.pop();
        let (mut queue, mut wishes) =
            spare.map_or_else(Default::default, |link| (link.queue, link.wishes));
        queue.clear();
        wishes.clear();
        self.links.push(NetworkLink {
            from,
            to,
            operation,
            queue,
            is_cut: false,
            is_held: false,
            is_stale: false,
            is_full: false,
            is_spared: false,
            wishes,
        });
        self.set_link_number(from, to, number);
        number
    }

    pub(crate) fn link_mut(&mut self, number: u32) -> &mut NetworkLink {
        &mut self.links[number as usize]
    }

    pub(crate) fn spare_link(&mut self, operations: &mut Operations, one: u32, other: u32) {
        for (from, to) in [(one, other), (other, one)] {
            let number = self.link_between(operations, from, to);
            self.link_mut(number).is_spared = true;
        }
    }
}

impl NetworkLink {
    /// Returns whether the link refuses events, and does not lose them anyway.
    pub(crate) fn refuses(&self) -> bool {
        self.is_full && !self.is_cut && !self.is_stale
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &InTransit> {
        self.queue.iter()
    }

    /// Returns the message that is delivered next, or that is one of several under bag delivery.
    fn next(&self) -> Option<&InTransit> {
        match self.is_cut || self.is_held {
            true => None,
            false => self.queue.front(),
        }
    }

    /// Returns the message at a place.
    pub(crate) fn get(&self, place: usize) -> Option<InTransit> {
        self.queue.get(place).copied()
    }

    /// Takes the message at a place.
    pub(crate) fn take(&mut self, place: usize) -> Option<InTransit> {
        match place {
            0 => self.queue.pop_front(),
            _ => self.queue.remove(place),
        }
    }

    pub(crate) fn insert(&mut self, place: usize, item: InTransit) {
        self.queue.insert(place.min(self.queue.len()), item);
    }

    /// Puts a copy of the last letter on the link.
    pub(crate) fn push(&mut self, item: InTransit) {
        self.queue.push_back(item);
    }

    /// Makes the message behind a place overtake the one there, now or when it is sent.
    pub(crate) fn delay(&mut self, place: usize) {
        if place + 1 < self.queue.len() {
            self.queue.swap(place, place + 1);
        } else if let Some(last) = self.queue.get_mut(place) {
            last.yields = true;
        }
    }

    /// Adds a fault that is to strike the next event of that type.
    pub(crate) fn wish(&mut self, wish: MessageFault, event: TypeId) {
        self.wishes.push((wish, event));
    }

    /// Takes the fault that is to strike a message that goes on the link, if any.
    fn wish_for(&mut self, operations: &Operations, item: &InTransit) -> Option<MessageFault> {
        let event = item.event_type(operations)?;
        let at = self
            .wishes
            .iter()
            .position(|(_, wished)| *wished == event)?;
        Some(self.wishes.remove(at).0)
    }

    /// Returns the place of the first event of a type.
    pub(crate) fn find(&self, operations: &Operations, event: TypeId) -> Option<usize> {
        let mut items = self.queue.iter();
        items.position(|item| item.event_type(operations) == Some(event))
    }
}

impl ExecutionState {
    /// Takes the first effect out of an outbox. Returns it if it is to be carried out now; a letter to another
    /// node and the like is put on the link instead, unless the effect does that itself.
    #[inline]
    pub(crate) fn take_effect(&mut self, index: u32) -> Option<Effect> {
        let effect = self.operations[index].outbox.take_first()?;
        if self.footprint.records_touched() {
            touch_by(self, index, &effect);
        }
        match self.nodes.is_empty() {
            true => Some(effect),
            false => self.put_on_link(index, effect),
        }
    }

    /// Puts an effect for another node on its link; returns it if it is to be carried out now.
    #[inline(never)]
    fn put_on_link(&mut self, index: u32, effect: Effect) -> Option<Effect> {
        let apart = effect
            .facts(index, self)
            .travels_to
            .and_then(|to| self.nodes.nodes_if_different(index, to));
        match (apart, effect) {
            (None, effect) | (Some(_), effect @ Effect::Reply { .. }) => Some(effect),
            (Some((from, to)), effect) => {
                match self.load(from, to, InTransit::new(index, effect)) {
                    LinkOutcome::Arrives => Some(effect),
                    LinkOutcome::OnLink | LinkOutcome::Duplicated(_) | LinkOutcome::Lost => None,
                }
            }
        }
    }

    /// Updates the enabled set with the next message that the link would deliver.
    pub(crate) fn refresh_link(&mut self, number: u32) {
        let link = &self.nodes.links[number as usize];
        let operation = link.operation;
        let pending = link
            .next()
            .map(|next| pending_arrival(self, operation, next));
        match pending {
            Some(pending) => {
                let position = &mut self.operations[operation].position;
                self.enabled.set(position, pending);
            }
            None => self.disable(operation),
        }
        self.footprint.changes(operation);
    }

    /// Puts a message on the link between two nodes.
    pub(crate) fn load(&mut self, from: u32, to: u32, item: InTransit) -> LinkOutcome {
        let is_direct = self.nodes.delivery == Delivery::Mailbox;
        match self.nodes.link_number(from, to) {
            Some(link) => self.load_on(link, item),
            None if is_direct => LinkOutcome::Arrives,
            None => {
                let link = self.nodes.make_link(&mut self.operations, from, to);
                self.load_on(link, item)
            }
        }
    }

    pub(crate) fn load_on(&mut self, number: u32, mut item: InTransit) -> LinkOutcome {
        let link = self.nodes.link(number);
        let (is_cut, is_free) = (link.is_cut, !link.is_cut && !link.is_held);
        let wishes = !link.wishes.is_empty();
        let (from, to) = (link.from, link.to);
        if link.is_stale && !is_cut {
            self.nodes.notices(from, to);
            // The look-up ends with the connection.
            let is_lookup = matches!(item.effect, Effect::Name { .. });
            if is_lookup || !is_kept(&self.requests.asks, &item) {
                return LinkOutcome::Lost;
            }
        }
        if is_free && self.nodes.delivery == Delivery::Mailbox {
            // An arrival over a new connection shows that the old one was closed.
            if self.nodes.is_stale(to, from) {
                self.nodes.notices(to, from);
            }
            return LinkOutcome::Arrives;
        }
        if is_cut && !is_kept(&self.requests.asks, &item) {
            return LinkOutcome::Lost;
        }
        let link = self.nodes.link_mut(number);
        let wish = match wishes {
            true => link.wish_for(&self.operations, &item),
            false => None,
        };
        if wish == Some(MessageFault::Drop) {
            return LinkOutcome::Lost;
        }
        item.yields = wish == Some(MessageFault::Delay);
        link.queue.push_back(item);
        let behind = link.queue.len() - 1;
        let overtakes = behind > 0 && std::mem::take(&mut link.queue[behind - 1].yields);
        if overtakes {
            link.queue.swap(behind - 1, behind);
        }
        // A message behind others does not change what is delivered next.
        if behind == 0 || overtakes {
            self.refresh_link(number);
        } else {
            let operation = link.operation;
            self.footprint.changes(operation);
        }
        match wish {
            Some(MessageFault::Duplicate) => LinkOutcome::Duplicated(number),
            _ => LinkOutcome::OnLink,
        }
    }

    /// Changes a link, and updates the enabled set with the next message that it would deliver.
    pub(crate) fn change_link<T>(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut NetworkLink) -> T,
    ) -> T {
        let changed = change(self.nodes.link_mut(number));
        self.refresh_link(number);
        changed
    }

    /// Lets a link take events again, and grants the requests that wait for room on it.
    pub(crate) fn drain_link(&mut self, number: u32) {
        if !self.nodes.link(number).is_full {
            return;
        }
        self.change_link(number, |link| link.is_full = false);
        let operation = self.nodes.link(number).operation;
        let requests = &mut self.requests.capacity;
        requests.admit_line(&mut self.footprint, &mut self.operations, operation);
    }

    /// Removes and returns all messages that a link loses.
    pub(crate) fn clear_link(&mut self, number: u32, keeps: bool) -> Vec<InTransit> {
        let all = std::mem::take(&mut self.nodes.link_mut(number).queue);
        let (kept, lost) = all
            .into_iter()
            .partition(|item| keeps && is_kept(&self.requests.asks, item));
        self.change_link(number, |link| link.queue = kept);
        lost.into()
    }
}

/// Returns whether a cut link keeps the message: notices of ends and the like, and answers to look-ups of names,
/// since a look-up can't be repeated.
fn is_kept(asks: &Asks, item: &InTransit) -> bool {
    match item.effect {
        Effect::Send { .. } => false,
        Effect::Reply { ask, .. } => asks[ask].is_for_end(),
        _ => true,
    }
}
