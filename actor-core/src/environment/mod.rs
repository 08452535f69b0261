//! The environment of a program beside actors: time, randomness, and calls that may fail.
//!
//! In production, the operating system or tokio provides each; under test, the tester does.

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
pub(crate) use timer::{ClockSleep, sleep};
