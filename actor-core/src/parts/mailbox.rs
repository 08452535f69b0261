//! How much an actor's mailbox holds: [`Mailbox`].

/// How many unread events an actor's mailbox holds, and what becomes of one more.
///
/// Unless told otherwise a mailbox has no bound. The bound counts the events that were sent to the
/// actor and that it has not begun to handle; what a state defers is unread, and counts. The events
/// of timers, word of a watched actor's end and the system's order to stop never count and are never
/// refused.
///
/// What waits where a mailbox is full is up to the sender: [`send`](crate::ActorRef::send) waits for
/// room, [`try_send`](crate::ActorRef::try_send) is refused,
/// [`tell`](crate::ActorRef::tell) and [`ask`](crate::ActorRef::ask) never wait. The mailbox says
/// the rest by its [`Overflow`].
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::{Mailbox, Overflow};
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

/// What becomes of an event where a [bounded mailbox](Mailbox::bounded) is full.
///
/// | | `Wait` | `Reject` | `DropNewest` | `DropOldest` |
/// |---|---|---|---|---|
/// | [`tell`](crate::ActorRef::tell) | dead letter | dead letter | dead letter | the oldest goes |
/// | [`ask`](crate::ActorRef::ask) | [`AskError::Full`] | [`AskError::Full`] | [`AskError::Full`] | the oldest goes |
/// | [`send`](crate::ActorRef::send) | waits | [`SendError::Full`] | dead letter | the oldest goes |
/// | [`try_send`](crate::ActorRef::try_send) | [`SendError::Full`] | [`SendError::Full`] | [`SendError::Full`] | the oldest goes |
///
/// A dead letter is counted and shown, with [`DeadLetterReason::Full`]; whoever asked it is told
/// [`AskError::Full`].
///
/// [`AskError::Full`]: crate::AskError::Full
/// [`SendError::Full`]: crate::SendError::Full
/// [`DeadLetterReason::Full`]: crate::DeadLetterReason::Full
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// Who sends waits until there is room, first come, first served.
    #[default]
    Wait,
    /// The event is given back to who sends.
    Reject,
    /// The event becomes a dead letter.
    DropNewest,
    /// The oldest unread event becomes a dead letter, and the new one takes its place.
    DropOldest,
}

impl Mailbox {
    /// A mailbox without a bound.
    pub const fn unbounded() -> Self {
        Self {
            capacity: None,
            overflow: Overflow::Wait,
        }
    }

    /// A mailbox that holds so many unread events. A capacity above 2³² − 1 is that.
    ///
    /// # Panics
    ///
    /// Where `capacity` is zero: nothing could ever be sent.
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

    /// Says what becomes of an event for which there is no room; of no meaning without a bound.
    #[must_use]
    pub const fn overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// How many unread events it holds, and what becomes of one more; `None` without a bound.
    pub const fn bound(self) -> Option<(u32, Overflow)> {
        match self.capacity {
            Some(capacity) => Some((capacity, self.overflow)),
            None => None,
        }
    }
}
