//! What a program asks its environment for beside actors: time, randomness, and calls that may fail.
//!
//! Each is the operating system's, or tokio's, in production, and the tester's under test.

pub(crate) mod fallible;
mod forever;
mod random;
mod timer;
mod timestamp;

pub use forever::forever;
pub use random::ActorRng;
pub use timer::Timer;
pub use timestamp::Timestamp;

pub(crate) use random::{choose, choose_bool, generator};
pub(crate) use timer::{Sleep, sleep};
