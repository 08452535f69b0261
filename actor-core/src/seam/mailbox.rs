//! Bounded mailboxes: capacity and overflow policy of an actor's [`Mailbox`].

/// The capacity of an actor's mailbox, and the policy for an event that exceeds it.
///
/// By default a mailbox is unbounded. The bound counts the events that were sent to the actor and that it
/// has not begun to handle, including deferred events. The events of timers, notices of a watched actor's
/// end and the system's order to stop never count and are never refused.
///
/// The sender chooses what to do at a full mailbox: [`send`](crate::ActorRef::send) waits for capacity,
/// [`try_send`](crate::ActorRef::try_send) fails, [`tell`](crate::ActorRef::tell) and
/// [`ask`](crate::ActorRef::ask) never wait. The mailbox's [`Overflow`] determines the rest.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::mailbox::{Mailbox, Overflow};
///
/// #[derive(Debug)]
/// struct Line(String);
///
/// struct Printer;
///
/// #[actor]
/// impl Printer {
///     #[on]
///     fn print(&mut self, line: Line) {
///         println!("{}", line.0);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sys = System::new();
/// let printer = sys.spawner().mailbox(Mailbox::bounded(2)).spawn(Printer);
/// for line in ["one", "two", "three"] {
///     printer.send(Line(line.into())).await?; // the third waits until the first is being printed
/// }
/// let recent = Mailbox::bounded(64).overflow(Overflow::DropOldest);
/// sys.spawner().mailbox(recent).spawn(Printer);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mailbox {
    capacity: Option<u32>,
    overflow: Overflow,
}

/// The treatment of an event if a [bounded mailbox](Mailbox::bounded) is full.
///
/// | | `Wait` | `Reject` | `DropNewest` | `DropOldest` |
/// |---|---|---|---|---|
/// | [`tell`](crate::ActorRef::tell) | dead letter | dead letter | dead letter | the oldest goes |
/// | [`ask`](crate::ActorRef::ask) | [`AskError::Full`] | [`AskError::Full`] | [`AskError::Full`] | the oldest goes |
/// | [`send`](crate::ActorRef::send) | waits | [`SendError::Full`] | dead letter | the oldest goes |
/// | [`try_send`](crate::ActorRef::try_send) | [`SendError::Full`] | [`SendError::Full`] | [`SendError::Full`] | the oldest goes |
///
/// A dead letter is counted and shown, with [`DeadLetterReason::Full`]; an asker gets [`AskError::Full`].
///
/// [`AskError::Full`]: crate::AskError::Full
/// [`SendError::Full`]: crate::mailbox::SendError::Full
/// [`DeadLetterReason::Full`]: crate::observability::DeadLetterReason::Full
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// The sender waits for capacity, first come, first served.
    #[default]
    Wait,
    /// The event is returned to the sender.
    Reject,
    /// The event becomes a dead letter.
    DropNewest,
    /// The oldest unread event becomes a dead letter, and the new one takes its place.
    DropOldest,
}

impl Mailbox {
    /// Returns a mailbox without a bound.
    pub const fn unbounded() -> Self {
        Self {
            capacity: None,
            overflow: Overflow::Wait,
        }
    }

    /// Returns a mailbox for up to `capacity` unread events, at most 2³² − 1.
    ///
    /// # Panics
    ///
    /// If `capacity` is zero: nothing could ever be sent.
    #[track_caller]
    pub const fn bounded(capacity: usize) -> Self {
        assert!(
            capacity > 0,
            "a mailbox with room for no event takes none: its capacity must be at least 1"
        );
        let capacity = if capacity > u32::MAX as usize {
            u32::MAX
        } else {
            capacity as u32
        };
        Self {
            capacity: Some(capacity),
            overflow: Overflow::Wait,
        }
    }

    /// Sets the policy for an event that exceeds the capacity; no effect without a bound.
    #[must_use]
    pub const fn overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// Returns the capacity and the overflow policy; `None` without a bound.
    pub const fn bound(self) -> Option<(u32, Overflow)> {
        match self.capacity {
            Some(capacity) => Some((capacity, self.overflow)),
            None => None,
        }
    }
}
