//! Fingerprints of an execution's state: equal fingerprints mean equal states, up to what types leave out and
//! a chance of 2^-128.
//!
//! A state has parts: each operation with its value, inbox and outbox; and the *rest*, which is the timers,
//! watches, specifications and the clock's distance to every deadline. A value without a fingerprint is
//! represented by its history, and so is a suspended future: such a part stays the same while it is left
//! alone, and never recurs once it has moved. The fingerprint of a whole state combines the rest with the sum
//! over its operations, each of which includes the operation's number.
//!
//! The fingerprints leave out what no program can see: numbers that only name a letter or count sends, slots,
//! and the positions of enabled operations. They leave out time itself, since no retry would ever recur;
//! whatever compares states has to know if the program read the clock.

use std::hash::Hasher;
use std::rc::Rc;

use actor_core::seam::{AnyMail, name_of};
use actor_core::{Fingerprinter, StopReason};

use crate::engine::arena::{ActorParts, Arena};
use crate::engine::panics;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::{Detail, Effect, Subject, reason_number};
use crate::engine::world::letter::{Envelope, LetterOrigin};
use crate::engine::world::operation::{Operation, OperationRole, OperationStage, PendingOrder};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::timers::{TimerStage, VirtualTimer};
use crate::engine::world::watches::WatchedChange;

/// The cost of an operation without its queues.
const COST: u64 = 4;

/// Reads the state between two steps. Types' own code runs with nothing borrowed.
pub(crate) struct EngineView<'a> {
    pub(crate) bodies: &'a [Option<ActorParts>],
    pub(crate) shared: &'a ControlledRuntime,
}

/// Memory for the computation of fingerprints, and its cost.
#[derive(Default)]
pub(crate) struct Scratch {
    items: Vec<FingerprintItem>,
    /// The cost in units of about 10 ns.
    pub(crate) cost: u64,
    /// True if something without a fingerprint was represented by its history.
    pub(crate) uses_history: bool,
    /// True if states of several executions are compared, so that counts over all of them are left out.
    pub(crate) across: bool,
    /// True if actors and events are represented by their histories, and their values are ignored.
    pub(crate) by_history: bool,
    /// The origin of the last step of each operation's code, if known: see [`Origins`].
    pub(crate) origins: Origins,
    /// The armed timers, each with its fingerprint.
    pub(crate) timers: Vec<(u32, u128)>,
}

/// For each operation, a fingerprint of the input to its last run: its state with its inbox, and the answers
/// to choices. The events that it announced follow from that.
#[derive(Default)]
pub(crate) struct Origins(Vec<Option<u64>>);

impl Origins {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn set(&mut self, operation: u32, origin: Option<u64>) {
        let index = operation as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        self.0[index] = origin;
    }

    fn of(&self, operation: u32) -> Option<u64> {
        self.0.get(operation as usize).copied().flatten()
    }
}

/// A value that is fed once nothing is borrowed.
enum FingerprintItem {
    Number(u64),
    /// The substitute for something that can't be inspected.
    Unseen(u64),
    /// An event, and the substitute if it offers no fingerprint.
    Event {
        mail: Rc<dyn AnyMail>,
        slot: u32,
        instead: u64,
    },
}

impl EngineView<'_> {
    /// Returns the fingerprint of an operation; zero for one that is gone.
    pub(crate) fn operation(&self, index: u32, scratch: &mut Scratch) -> u128 {
        let Scratch {
            items,
            cost,
            uses_history: is_blind,
            by_history,
            origins,
            ..
        } = scratch;
        let by_history = *by_history;
        *cost += COST;
        let header = {
            let state = self.shared.state.borrow();
            let operation = &state.operations[index];
            if operation.stage == OperationStage::Gone && operation.outbox.first().is_none() {
                return 0;
            }
            let origin = origins.of(index);
            list_operation(&state, &self.shared.arena.borrow(), (index, origin), items);
            OperationHeader::of(operation)
        };
        *cost += items.len() as u64;
        let before = self.shared.current.replace(index);
        let mut to = Fingerprinter::new();
        // Without another name, the number is fed in 32 bits.
        let name = named(index);
        match u32::try_from(name) {
            Ok(number) => to.write_u32(number),
            Err(_) => to.write_u64(name),
        }
        *is_blind |= header.has_future || header.is_revived;
        self.feed(&mut to, |to| {
            let valued = !by_history && self.value(index, to);
            *is_blind |= header.is_actor && !valued && !by_history;
            header.feed(valued, to);
            *is_blind |= feed_items(items.drain(..), by_history, to);
        });
        self.shared.current.set(before);
        items.clear();
        to.value()
    }

    /// Feeds the value of an actor between two steps; returns `false` without a value or a fingerprint.
    fn value(&self, index: u32, to: &mut Fingerprinter) -> bool {
        let body = self.bodies.get(index as usize).and_then(Option::as_ref);
        body.and_then(|parts| parts.body.fingerprint(to))
            .unwrap_or(false)
    }

    /// Returns the fingerprints of everything but the operations: of the armed timers, and of all else.
    pub(crate) fn rest(&self, scratch: &mut Scratch) -> (u128, u128) {
        let Scratch {
            items,
            cost,
            uses_history: is_blind,
            across,
            by_history,
            timers,
            ..
        } = scratch;
        timers.clear();
        let mut to = Fingerprinter::new();
        let lengths = {
            let state = self.shared.state.borrow();
            feed_watches(&state, &mut to);
            for [one, other] in state.relations.links().pairs() {
                to.write_u32(one);
                to.write_u32(other);
            }
            to.write_u32(u32::MAX);
            for supervised in state.relations.families.iter() {
                let now = state.nodes.now_at_family(supervised, state.timers.now());
                supervised.family.feed(now, |number| to.write_u64(number));
            }
            state.temperatures.feed(&mut to);
            for node in state.nodes.paused() {
                to.write_u32(node);
            }
            for clock in state.nodes.clocks() {
                for number in clock.numbers() {
                    to.write_u64(number);
                }
            }
            for disk in state.disks.all() {
                disk.feed(|bytes| {
                    *cost += bytes.len() as u64 / 8;
                    to.write(bytes);
                });
            }
            state.names.feed(|number| to.write_u64(number), named);
            let families = state.relations.families.iter().len() as u64;
            *cost += u64::from(state.relations.watches.count()) + families;
            let lengths = list_timers(&state, &self.shared.arena.borrow(), items);
            for (by, effect) in state.names.waiting() {
                list_effect(
                    &state,
                    &self.shared.arena.borrow(),
                    (*by, None),
                    effect,
                    items,
                );
            }
            lengths
        };
        *cost += COST + items.len() as u64;
        let mut items = items.drain(..);
        // The order of timers follows from their deadlines, so a sum is enough.
        let mut sum = 0_u128;
        for (number, length) in lengths {
            let mut timer = Fingerprinter::new();
            self.feed(&mut timer, |to| {
                *is_blind |= feed_items(items.by_ref().take(length), *by_history, to);
            });
            let timer = timer.value();
            timers.push((number, timer));
            sum = sum.wrapping_add(timer);
        }
        let specifications = self.shared.specifications.borrow();
        self.feed(&mut to, |to| {
            *is_blind |= feed_items(items, *by_history, to);
            *is_blind |= specifications.fingerprint(*across, to);
        });
        (sum, to.value())
    }

    /// Returns the fingerprint of the whole state, from the sum over its operations and the rest.
    pub(crate) fn whole(&self, sum: u128, rest: u128) -> u128 {
        let mut to = Fingerprinter::new();
        to.write_u128(sum);
        to.write_u128(rest);
        to.value()
    }

    /// Calls types' code, which must not act; returns `None` if it panics.
    pub(crate) fn guarded<T>(&self, f: impl FnOnce() -> T) -> Option<T> {
        let before = self.shared.phase.replace(CodePhase::Observing);
        let result = panics::catch(f);
        self.shared.phase.set(before);
        result.ok()
    }

    /// As [`guarded`](Self::guarded). A type that panics yields a fingerprint that never recurs.
    fn feed(&self, to: &mut Fingerprinter, f: impl FnOnce(&mut Fingerprinter)) {
        if self.guarded(|| f(to)).is_none() {
            to.write_u64(self.shared.state.borrow().progress.step());
        }
    }

    /// Returns true if an actor's value offers a fingerprint; `None` while it can't be asked.
    pub(crate) fn offers(&self, index: u32) -> Option<bool> {
        let parts = self.bodies.get(index as usize)?.as_ref()?;
        self.guarded(|| parts.body.fingerprint(&mut Fingerprinter::new()))?
    }

    /// Returns true if the next event of an actor offers a fingerprint.
    pub(crate) fn offers_next(&self, index: u32) -> Option<bool> {
        let (mail, slot) = {
            let state = self.shared.state.borrow();
            let mail = self.shared.arena().mail(index).cloned();
            (mail?, state.operations[index].inbox.next()?.slot)
        };
        self.guarded(|| mail.fingerprint(slot, &mut Fingerprinter::new()))
    }
}

/// Feeds items; returns true if a substitute was fed for something without a fingerprint. By history, the
/// substitute is fed for each event.
fn feed_items(
    items: impl Iterator<Item = FingerprintItem>,
    by_history: bool,
    to: &mut Fingerprinter,
) -> bool {
    let mut is_blind = false;
    for item in items {
        match item {
            FingerprintItem::Number(number) => to.write_u64(number),
            FingerprintItem::Unseen(number) => {
                is_blind = true;
                to.write_u64(number);
            }
            FingerprintItem::Event {
                mail,
                slot,
                instead,
            } => {
                if by_history {
                    to.write_u64(instead);
                } else if !mail.fingerprint(slot, to) {
                    is_blind = true;
                    to.write_u64(instead);
                }
            }
        }
    }
    is_blind
}

/// Returns an operation's number, or another [name](name_of) of it.
fn named(operation: u32) -> u64 {
    name_of(u64::from(operation))
}

/// The description of an operation without its value.
struct OperationHeader {
    flags: u64,
    history: [u64; 2],
    is_actor: bool,
    /// True if its factory has made more than one value, and may count them.
    is_revived: bool,
    /// True if the operation is a future that is not over, which can't be inspected.
    has_future: bool,
}

impl OperationHeader {
    fn of(operation: &Operation) -> Self {
        let (order, failing) = match operation.pending_order {
            PendingOrder::Nothing => (0, StopReason::Halted),
            PendingOrder::Stop => (1, StopReason::Halted),
            PendingOrder::Fail(reason) => (2, reason),
            PendingOrder::Kill => (3, StopReason::Halted),
        };
        let flags = [
            operation.stage as u64,
            u64::from(operation.woken) << 8,
            u64::from(operation.state) << 16,
            order << 32,
            reason_number(failing) << 36,
            u64::from(operation.leaves) << 40,
            u64::from(operation.stopping) << 41,
            u64::from(operation.trap.is_some()) << 42,
            u64::from(operation.is_wake_up_due) << 43,
            reason_number(operation.ending) << 44,
            operation.failure_source.map_or(0, |of| u64::from(of) + 1) << 48,
        ];
        Self {
            flags: flags.into_iter().fold(0, |all, flag| all | flag),
            history: [operation.chain, operation.delivered],
            is_actor: matches!(operation.kind, OperationRole::Actor(_))
                && operation.stage != OperationStage::Gone,
            is_revived: operation.incarnation > 0,
            has_future: operation.has_future(),
        }
    }

    /// Feeds what stands beside a value, and the history if no value was fed.
    fn feed(self, valued: bool, to: &mut Fingerprinter) {
        to.write_u64(self.flags);
        if !valued {
            to.write_u64(self.history[0]);
            to.write_u64(self.history[1]);
        }
    }
}

fn list_operation(
    state: &ExecutionState,
    arena: &Arena,
    (index, origin): (u32, Option<u64>),
    items: &mut Vec<FingerprintItem>,
) {
    let operation = &state.operations[index];
    items.push(FingerprintItem::Number(operation.inbox.len() as u64));
    for letter in operation.inbox.iter() {
        list_letter(arena.mail(index), letter, items);
    }
    if let Some(bound) = &operation.bound {
        items.push(FingerprintItem::Number(u64::from(bound.granted)));
        list_line(state, index, items);
    }
    for effect in operation.outbox.as_slice() {
        list_effect(state, arena, (index, origin), effect, items);
    }
    if let OperationRole::Link(number) = operation.kind {
        let link = state.nodes.link(number);
        let stops = u64::from(link.is_cut) | u64::from(link.is_held) << 1;
        let flags = stops | u64::from(link.is_stale) << 2 | u64::from(link.is_full) << 3;
        items.push(FingerprintItem::Number(flags));
        if link.is_full {
            list_line(state, index, items);
        }
        for item in link.iter() {
            items.push(FingerprintItem::Number(u64::from(item.by)));
            list_effect(state, arena, (item.by, None), &item.effect, items);
        }
    }
}

/// Lists the operations in line for capacity. They have sent nothing yet, so only their numbers are visible.
fn list_line(state: &ExecutionState, owner: u32, items: &mut Vec<FingerprintItem>) {
    let line = state.requests.capacity.line(owner);
    items.extend(line.map(|request| FingerprintItem::Number(named(request.sender) + 1)));
    items.push(FingerprintItem::Number(0));
}

fn list_letter(
    mail: Option<&Rc<dyn AnyMail>>,
    letter: &Envelope,
    items: &mut Vec<FingerprintItem>,
) {
    let sender = match letter.sender.sender() {
        LetterOrigin::Operation(sender) | LetterOrigin::End(sender) => {
            named(sender).wrapping_add(1)
        }
        LetterOrigin::Timer(..) => 0,
    };
    let placed = u64::from(letter.placed) << 48;
    items.push(FingerprintItem::Number(
        placed ^ sender.rotate_left(16) ^ u64::from(letter.event),
    ));
    list_event(mail, letter.slot, letter.key, items);
}

fn list_event(
    mail: Option<&Rc<dyn AnyMail>>,
    slot: u32,
    instead: u64,
    items: &mut Vec<FingerprintItem>,
) {
    items.push(match mail {
        Some(mail) => FingerprintItem::Event {
            mail: mail.clone(),
            slot,
            instead,
        },
        None => FingerprintItem::Number(instead),
    });
}

fn list_effect(
    state: &ExecutionState,
    arena: &Arena,
    (index, origin): (u32, Option<u64>),
    effect: &Effect,
    items: &mut Vec<FingerprintItem>,
) {
    let facts = effect.facts(index, state);
    let tag = (facts.tag as u64) << 32;
    items.push(match facts.subject {
        Subject::Operation(operation) => FingerprintItem::Number(tag ^ named(operation)),
        Subject::Number(number) => FingerprintItem::Number(tag | u64::from(number)),
        Subject::Once(number) => FingerprintItem::Unseen(tag | u64::from(number)),
    });
    match facts.detail {
        Detail::Nothing => {}
        Detail::Number(number) => items.push(FingerprintItem::Number(number)),
        Detail::Letter(to, letter) => list_letter(arena.mail(to), letter, items),
        Detail::DiskCall(call) => {
            let record = state.disks.call(call);
            items.push(FingerprintItem::Number(record.fingerprint()));
        }
        Detail::Timer(timer, generation) => {
            let found = &state.timers[timer];
            if found.generation == generation {
                items.push(FingerprintItem::Number(found.delay.as_nanos() as u64));
                list_timer_event(arena, found, items);
            }
        }
        Detail::TimerMark(timer, generation) => {
            let mark = state
                .timers
                .mark(index, &state.operations[index], timer, generation);
            items.push(FingerprintItem::Number(mark));
        }
        // The last run of the operation's code has announced the event.
        Detail::Announced => {
            let unseen = || FingerprintItem::Unseen(state.operations[index].chain);
            // The number of effects left shows which of the announced events this is.
            items.push(origin.map_or_else(unseen, FingerprintItem::Number));
        }
    }
}

fn list_timer_event(arena: &Arena, timer: &VirtualTimer, items: &mut Vec<FingerprintItem>) {
    items.push(FingerprintItem::Number(
        u64::from(timer.periodic) | (timer.purpose as u64) << 8,
    ));
    if let Some((slot, event)) = timer.event {
        items.push(FingerprintItem::Number(u64::from(event) + 1));
        list_event(arena.mail(timer.owner), slot, timer.key, items);
    }
}

/// Lists the armed timers, and late ticks; returns the number of items of each.
fn list_timers(
    state: &ExecutionState,
    arena: &Arena,
    items: &mut Vec<FingerprintItem>,
) -> Vec<(u32, usize)> {
    let mut lengths = Vec::new();
    for (index, timer) in state.timers.iter().enumerate() {
        // The lateness of a tick determines when the next one is due.
        let is_late = timer.stage == TimerStage::Over && timer.periodic;
        if timer.stage != TimerStage::Armed && !is_late {
            continue;
        }
        let before = items.len();
        items.push(FingerprintItem::Number(named(timer.owner)));
        // A deadline may be past if others were due with it, or if its event is unread.
        let (ahead, behind) = (
            timer.deadline.saturating_sub(state.timers.now()),
            state.timers.now().saturating_sub(timer.deadline),
        );
        items.push(FingerprintItem::Number(ahead.as_nanos() as u64));
        items.push(FingerprintItem::Number(behind.as_nanos() as u64));
        items.push(FingerprintItem::Number(timer.delay.as_nanos() as u64));
        let inbox = &state.operations[timer.owner].inbox;
        let unread = timer.periodic && inbox.has_timed(index as u32, timer.generation);
        items.push(FingerprintItem::Number(u64::from(unread)));
        list_timer_event(arena, timer, items);
        lengths.push((index as u32, items.len() - before));
    }
    lengths
}

fn feed_watches(state: &ExecutionState, to: &mut Fingerprinter) {
    // The order of the watches is that of their notices.
    for watch in state.relations.watches.open() {
        to.write_u32(watch.watcher);
        to.write_u32(watch.target);
        if watch.until != WatchedChange::End {
            to.write_u32(u32::MAX - 1 - watch.until as u32);
        }
    }
    if let Some(limit) = state.requests.asks.limit() {
        to.write_u128(limit.as_nanos());
    }
    to.write_u32(u32::MAX);
}
