//! Production scenarios, the same for every contender: our actors, tasks over tokio's channel, and
//! tasks over a hand-written mailbox.

mod actors;
mod channels;
mod tasks;

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

pub use actors::Actors;
pub use channels::{Mailbox, Mpsc};
pub use tasks::Tasks;

/// A future of a scenario.
pub type Run<T = ()> = Pin<Box<dyn Future<Output = T> + Send>>;

/// After how many events a sender lets others run, so that a queue does not grow without limit.
pub const BURST: u64 = 1_000;

/// Who runs the scenarios. Each call sets up what it needs, within a tokio runtime.
pub trait Contender {
    /// How the table calls it.
    fn name(&self) -> &'static str;
    /// So many senders send `each` events to one receiver, which handles them all.
    fn fan_in(&self, senders: u64, each: u64) -> Run;
    /// One task asks so many times, one after another.
    fn ask(&self, times: u64) -> Run;
    /// Spawns so many receivers; ends when the last has answered.
    fn spawn(&self, count: u64) -> Run;
    /// Two receivers send an event to and fro, so many round trips.
    fn ping_pong(&self, rounds: u64) -> Run;
    /// An event goes around a ring of `size` receivers, `hops` times from one to the next.
    fn ring(&self, size: u64, hops: u64) -> Run;
    /// So many receivers that have handled one event each and wait for the next.
    fn idle(&self, count: u64) -> Run<Box<dyn Any>>;
}
