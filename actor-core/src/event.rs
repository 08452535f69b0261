//! Events, the messages between actors: [`Event`].

use std::any::Any;
use std::fmt::Debug;

/// A value that actors send, announce or reply with.
///
/// Implemented for every type that is `Send + Debug + 'static`; there is nothing to write. `Debug` is
/// required because a bug whose messages can't be printed can't be explained.
///
/// ```
/// use actor_core::Event;
///
/// #[derive(Debug)]
/// struct Ping;
///
/// fn is_event<E: Event>(_: E) {}
/// is_event(Ping);
/// ```
pub trait Event: Any + Send + Debug {}

impl<T: Any + Send + Debug> Event for T {}
