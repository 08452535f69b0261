//! What travels between actors.

use std::any::Any;
use std::fmt::Debug;

/// A value that actors send, announce or reply with.
///
/// Implemented for every type that is `Send + Debug + 'static`; there is nothing to write.
/// `Debug` is asked for because a bug that can't print its messages can't be explained.
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
