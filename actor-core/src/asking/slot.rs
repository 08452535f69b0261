//! The slot of an `ask`, in which the reply waits for the asker.

use std::any::{Any, TypeId};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::Waker;

use super::{Ask, Reply};
use crate::dispatch::{ActorAddress, Target};
use crate::environment::{ClockSleep, sleep};
use crate::event::Event;
use crate::identity::AskId;
use crate::panics::lock;
use crate::production::{Observed, TrackedAsk};
use crate::seam::{
    self, AnySlot, AskSite, AskStatus, CannotCross, Carry, Dropped, Fate, Note, Purpose, Query,
    wake,
};

/// Creates both ends of a new `ask`.
pub(crate) fn asking<R: Event>(origin: Origin) -> (Reply<R>, Ask<R>) {
    let slot = Arc::new(ReplySlot {
        origin,
        show: |observed, value| observed.replied(TypeId::of::<R>(), value),
        open: Mutex::new(SlotState {
            fate: Fate {
                status: AskStatus::Open,
                waker: None,
            },
            value: None,
            crossing: None,
        }),
    });
    let to = Some(slot.clone());
    let ask = Ask {
        from: slot,
        limit: None,
    };
    (Reply { to }, ask)
}

/// The slot of one reply; under test the reply stays invisible here until the tester delivers it.
pub(crate) struct ReplySlot<R> {
    pub(super) origin: Origin,
    /// Shows a reply to the monitors of a live system, before the asker can see it.
    pub(super) show: fn(&Observed, &R),
    pub(super) open: Mutex<SlotState<R>>,
}

/// The executor of an `ask`, with the data it keeps for the `ask`.
pub(crate) enum Origin {
    /// Production. The asker is kept only while a monitor is registered.
    Live(Option<Box<Observed>>, TrackedAsk),
    /// A test; the number is set once the tester has registered the `ask`.
    Controlled(OnceLock<AskId>),
}

// The fields don't change, so a panic leaves them consistent.
impl UnwindSafe for Origin {}
impl RefUnwindSafe for Origin {}

pub(super) struct SlotState<R> {
    pub(super) fate: Fate,
    pub(super) value: Option<R>,
    /// Set if the reply goes to another node.
    pub(super) crossing: Option<Box<Crossing<R>>>,
}

/// The state of a reply that goes to another node.
pub(super) struct Crossing<R> {
    /// The number of copies of the reply beside the first.
    others: u32,
    /// True once the reply was sent or lost, or the connection back is broken.
    pub(super) is_over: bool,
    /// Encodes and decodes the reply.
    carry: Option<Carry<R>>,
}

impl<R> Default for Crossing<R> {
    fn default() -> Self {
        Self {
            others: 0,
            is_over: false,
            carry: None,
        }
    }
}

impl<R> ReplySlot<R> {
    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, SlotState<R>> {
        lock(&self.open)
    }

    /// Records one more copy of the reply.
    pub(super) fn cross(&self, carry: Carry<R>) {
        let crossing = &mut self.lock().crossing;
        let crossing = crossing.get_or_insert_default();
        crossing.others += 1;
        crossing.carry = Some(carry);
    }

    /// Records the loss of one copy; returns true if no copy is left that may answer.
    fn is_given_up(&self) -> bool {
        match &mut self.lock().crossing {
            None => true,
            Some(crossing) if crossing.others > 0 => {
                crossing.others -= 1;
                false
            }
            Some(crossing) => !std::mem::replace(&mut crossing.is_over, true),
        }
    }

    /// Ends the `ask`, since its reply was dropped.
    #[cold]
    pub(super) fn unanswered(&self) {
        match &self.origin {
            Origin::Controlled(id) => {
                if !self.is_given_up() {
                    return;
                }
                if let Some(id) = id.get() {
                    seam::dropped(Dropped::Reply(*id));
                }
            }
            Origin::Live(_, asked) => {
                asked.over();
                let lost = AskStatus::Lost(crate::production::why_lost());
                let waker = self.lock().fate.settle(lost);
                wake(waker);
            }
        }
    }
}

impl Origin {
    pub(super) fn register(&self, id: AskId) {
        if let Self::Controlled(registered) = self {
            registered.get_or_init(|| id);
        }
    }

    pub(super) fn controlled(&self) -> Option<AskId> {
        match self {
            Self::Live(..) => None,
            Self::Controlled(id) => id.get().copied(),
        }
    }

    /// Returns the number of the `ask` under test, counted from two.
    pub(super) fn mark(&self) -> u64 {
        match self.controlled() {
            None => 1,
            Some(ask) => 2 + u64::from(ask.index),
        }
    }

    /// Makes the sent value visible in production; under test the tester delivers it later.
    #[inline]
    pub(super) fn settle(&self, fate: &mut Fate) -> Option<Waker> {
        match self {
            Self::Live(_, asked) => {
                asked.over();
                fate.settle(AskStatus::Delivered)
            }
            Self::Controlled(_) => None,
        }
    }

    /// Notifies the asker or the tester of the value, under no lock.
    #[inline]
    pub(super) fn answered(&self, waker: Option<Waker>) {
        match self {
            Self::Live(..) => wake(waker),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    seam::with(|rt| rt.reply(*id));
                }
            }
        }
    }

    /// Records a poll for the reply; if the reply is not there, the asker awaits it from now on.
    #[inline]
    pub(super) fn sought(&self, is_there: bool) {
        match self {
            Self::Live(_, asked) if !is_there => asked.awaited(),
            Self::Live(..) => {}
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    seam::with(|rt| rt.note(Note::ReplyPolled(*id, is_there)));
                }
            }
        }
    }

    /// Records that the asker has dropped its end.
    #[inline]
    pub(super) fn left(&self) {
        match self {
            Self::Live(_, asked) => asked.over(),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    seam::dropped(Dropped::Ask(*id));
                }
            }
        }
    }

    /// Records that an actor other than the one that was asked may answer.
    pub(super) fn handed_over(&self) {
        match self {
            Self::Live(_, asked) => asked.over(),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    seam::note(Note::ReplyHandedOver(*id));
                }
            }
        }
    }
}

impl<R: Event> AnySlot for ReplySlot<R> {
    fn register(&self, id: AskId) {
        self.origin.register(id);
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn carry(&self) -> Result<(), CannotCross> {
        let carry = {
            let open = self.lock();
            open.crossing.as_ref().and_then(|crossing| crossing.carry)
        };
        // Outside the lock, since encoding and dropping run the user's code.
        let (Some(carry), Some(value)) = (carry, self.lock().value.take()) else {
            return Ok(());
        };
        let carried = carry(&value)?;
        self.lock().value = Some(carried);
        drop(value);
        Ok(())
    }

    fn sever(&self) {
        self.lock().crossing.get_or_insert_default().is_over = true;
    }

    fn with_state(&self, f: &mut dyn FnMut(&mut Fate, Option<&dyn Event>)) {
        let SlotState { fate, value, .. } = &mut *self.lock();
        match value {
            Some(value) => f(fate, Some(value)),
            None => f(fate, None),
        }
    }
}

/// The start of an `ask` of an actor.
impl Target {
    fn asking(&self) -> Origin {
        match self.live_actor() {
            Some(actor) => {
                let (observed, asked) = actor.asking();
                Origin::Live(observed, asked)
            }
            None => Origin::Controlled(OnceLock::new()),
        }
    }

    /// Creates both ends of a new `ask` of this actor; the caller posts the event next.
    pub(crate) fn begin_ask<R: Event>(&self, site: Option<AskSite>) -> (Reply<R>, Ask<R>) {
        let (reply, ask) = asking(self.asking());
        if let ActorAddress::Controlled(address) = self.place() {
            seam::ask(*address, &ask.slot(), site);
        }
        (reply, ask)
    }

    /// Starts the time limit of the system for an `ask` of this actor.
    pub(crate) fn ask_limit(&self) -> Option<ClockSleep> {
        match self.live_actor() {
            Some(actor) => actor.ask_limit().map(ClockSleep::Live),
            None => {
                let limit = seam::query(|to| Query::AskLimit(to))?;
                Some(sleep(false, limit, Purpose::Reply))
            }
        }
    }

    /// Begins an `ask` that monitors don't observe: a wait for this actor's start or end, for which no
    /// event is sent, or a reply that a relay passes on.
    pub(crate) fn begin_ask_beside<R: Event>(&self) -> (Reply<R>, Ask<R>) {
        match self.live_actor() {
            Some(actor) => asking(Origin::Live(None, actor.asking_beside())),
            None => self.begin_ask(None),
        }
    }
}
