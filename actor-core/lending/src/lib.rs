//! The crate's unsafe code for borrows that the compiler cannot check: an [owned guard](Owned), which keeps
//! the `Arc` of its lock, and [scoped threads](scope), which borrow from the function that starts them.

mod owned;
mod scope;

pub use owned::{Mutex, Owned, RwLock};
pub use scope::{Host, Scope, ScopedJoinHandle, ThreadOutcome, scope};
