//! The mail of an actor: messages sent to it and not yet handled.
//!
//! Queues hold untyped entries that name slots of the mail, which the executors see as [`AnyMail`].

use std::any::Any;
use std::cell::RefCell;

use super::CannotCross;
use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::identity::ActorId;
use crate::panics::drop_each;
use crate::slab::{Slab, Slot};
use crate::specification::AnyMonitor;

/// The message type of an actor, as mail needs it. Every [`Actor`](crate::Actor) implements this.
pub trait Mailed: 'static {
    /// See [`Actor::Message`](crate::Actor::Message).
    type Message: Send + 'static;

    /// See [`Actor::__event_index`](crate::Actor::__event_index).
    fn event_index(message: &Self::Message) -> u16;
    /// See [`Actor::__event`](crate::Actor::__event).
    fn event(message: &Self::Message) -> &dyn Event;
    /// See [`Actor::__offer_event`](crate::Actor::__offer_event).
    fn offer_event(message: &Self::Message, to: &mut Fingerprinter) -> bool;
    /// See [`Actor::__carry`](crate::Actor::__carry).
    fn carry(message: &Self::Message) -> Result<Self::Message, CannotCross>;
}

/// The mail of one actor: messages sent to it and not yet handled, in no particular order.
pub struct Mail<A: Mailed> {
    messages: RefCell<Slab<A::Message>>,
}

/// Makes empty mail of one actor type.
pub type MakeMail = fn() -> Box<dyn AnyMail>;

impl<A: Mailed> Mail<A> {
    pub(crate) fn boxed() -> Box<dyn AnyMail> {
        Box::new(Self {
            messages: RefCell::new(Slab::new()),
        })
    }

    #[inline]
    pub(crate) fn insert(&self, message: &mut Slot<A::Message>) -> u32 {
        self.messages.borrow_mut().insert(message)
    }

    /// Returns the message in the slot, encoded and decoded for another node.
    #[inline]
    fn carried(&self, slot: u32) -> Result<A::Message, CannotCross> {
        let messages = self.messages.borrow();
        let message = messages.get(slot).expect("a queue names full slots");
        A::carry(message)
    }

    #[inline]
    pub(crate) fn take(&self, slot: u32) -> A::Message {
        let message = self.messages.borrow_mut().remove(slot);
        message.expect("a queue names full slots")
    }
}

#[inline]
pub(crate) fn mail_of<A: Mailed>(mail: &dyn AnyMail) -> &Mail<A> {
    let mail: &dyn Any = mail;
    mail.downcast_ref().expect("an actor's mail is of its type")
}

/// Events of one type, or of one actor, in numbered slots and without boxes.
///
/// `discard` and `clear` run a user's `Drop` with nothing borrowed.
pub trait AnySlab: Any {
    /// Shows the event in the slot, if there is one.
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event));
    /// Shows the event to a monitor, as the observation of that index; returns its new state's index.
    fn observe(
        &self,
        slot: u32,
        monitor: &mut dyn AnyMonitor,
        observation: u16,
        sender: Option<ActorId>,
        target: Option<ActorId>,
    ) -> Option<usize> {
        let mut state = None;
        self.inspect(slot, &mut |event| {
            state = Some(monitor.observe(observation, event, sender, target));
        });
        state
    }
    /// Drops the event in the slot.
    fn discard(&self, slot: u32);
    /// Drops every event.
    fn clear(&self);
}

/// A [`Mail`] without its type.
pub trait AnyMail: AnySlab + Send {
    /// Takes the message out of `message`, a `Slot<A::Message>`, and returns its slot and event.
    fn put(&self, message: &mut dyn Any) -> (u32, u16);
    /// Feeds the reply's target and the event to a fingerprint; `false` if the event offers nothing.
    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool;
    /// Replaces the message in the slot by its form after encoding and decoding for another node. `drops`
    /// drops the old message and is called with nothing borrowed.
    fn carry(&self, slot: u32, drops: &mut dyn FnMut(&mut dyn FnMut())) -> Result<(), CannotCross>;
    /// Copies the message in the slot for another node; returns the slot of the copy.
    fn copy(&self, slot: u32) -> Result<u32, CannotCross>;
    /// Moves a message here from another mail of the same type.
    fn move_from(&self, other: &dyn AnyMail, slot: u32) -> u32;
}

impl<A: Mailed> AnySlab for Mail<A> {
    #[inline]
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event)) {
        if let Some(message) = self.messages.borrow().get(slot) {
            f(A::event(message));
        }
    }

    fn discard(&self, slot: u32) {
        let message = self.messages.borrow_mut().remove(slot);
        drop(message);
    }

    fn clear(&self) {
        if !self.messages.borrow().is_empty() {
            let held = self.messages.replace(Slab::new());
            drop_each(held.into_values());
        }
    }
}

impl<A: Mailed> AnyMail for Mail<A> {
    #[inline]
    fn put(&self, message: &mut dyn Any) -> (u32, u16) {
        let Some(letter) = message.downcast_mut() else {
            unreachable!("the message is of the target's type")
        };
        let Slot::Full(message) = letter else {
            unreachable!("a message is sent once")
        };
        let event = A::event_index(message);
        (self.insert(letter), event)
    }

    fn fingerprint(&self, slot: u32, to: &mut Fingerprinter) -> bool {
        let messages = self.messages.borrow();
        let message = messages.get(slot);
        message.is_some_and(|message| A::offer_event(message, to))
    }

    fn carry(&self, slot: u32, drops: &mut dyn FnMut(&mut dyn FnMut())) -> Result<(), CannotCross> {
        let carried = self.carried(slot)?;
        let mut old = self.messages.borrow_mut().replace(slot, carried);
        drops(&mut || drop(old.take()));
        Ok(())
    }

    fn copy(&self, slot: u32) -> Result<u32, CannotCross> {
        let copied = self.carried(slot)?;
        Ok(self.insert(&mut Slot::Full(copied)))
    }

    fn move_from(&self, other: &dyn AnyMail, slot: u32) -> u32 {
        self.insert(&mut Slot::Full(mail_of::<A>(other).take(slot)))
    }
}
