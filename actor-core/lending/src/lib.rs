//! What borrows for longer than the compiler can see: a [guard](Owned) that owns the `Arc` of its lock, and
//! [threads](scope) that borrow from who has started them.

mod owned;
mod scope;

pub use owned::{Mutex, Owned, RwLock};
pub use scope::{Host, Scope, ScopedJoinHandle, ThreadOutcome, scope};
