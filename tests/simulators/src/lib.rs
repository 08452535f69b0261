//! One program for three simulators: balls that go around a ring of three hosts.
//!
//! Each host throws so many balls to the next one, and hands on each that it gets until that has gone far
//! enough. All balls together are as many messages between hosts as [`MESSAGES`] says, each of them encoded
//! and decoded.

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};

/// How many hosts are in the ring.
pub const HOSTS: usize = 3;
/// How many balls each of them throws.
pub const BALLS: u64 = 8;
/// From how many hosts to the next each ball goes: a multiple of [`HOSTS`].
pub const HOPS: u64 = 600;
/// How many messages each host gets in one execution.
pub const EACH: u64 = BALLS * HOPS;
/// How many messages there are in one execution.
pub const MESSAGES: u64 = HOSTS as u64 * EACH;
/// How many executions there are.
pub const EXECUTIONS: u64 = 50;

/// How many hops are left, and where it comes from, so that there is something to encode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ball {
    /// The hops after this one.
    pub left: u64,
    /// The host that has thrown it.
    pub thrown_by: u32,
}

impl Ball {
    /// One that a host throws.
    pub fn of(host: usize) -> Self {
        Self {
            left: HOPS - 1,
            thrown_by: host as u32,
        }
    }

    /// The ball as the next one gets it, unless it has gone far enough.
    pub fn hand_on(self) -> Option<Self> {
        let left = self.left.checked_sub(1)?;
        Some(Self { left, ..self })
    }

    /// As it travels.
    ///
    /// # Panics
    ///
    /// Never: a ball can be encoded.
    pub fn encode(&self, bytes: &mut [u8]) -> usize {
        let config = bincode::config::standard();
        bincode::serde::encode_into_slice(self, bytes, config).expect("there is room")
    }

    /// What has arrived.
    ///
    /// # Panics
    ///
    /// Where that is no ball.
    pub fn decode(bytes: &[u8]) -> Self {
        let config = bincode::config::standard();
        let decoded = bincode::serde::decode_from_slice(bytes, config);
        decoded.expect("a ball").0
    }
}

/// How much room a ball takes at most when it is encoded.
pub const ROOM: usize = 16;

/// Runs the executions, and prints how many messages have arrived in a second of CPU time, in thousands.
/// A simulator may run some more, to see that they repeat.
///
/// # Panics
///
/// Where messages are missing.
pub fn measure(executions: impl FnOnce() -> u64) {
    let begun = ProcessTime::now();
    let arrived = executions();
    let took = begun.elapsed();
    assert!(
        arrived >= EXECUTIONS * MESSAGES,
        "{arrived} messages have arrived"
    );
    assert_eq!(arrived % MESSAGES, 0, "every message arrives");
    println!("{:.0}", arrived as f64 / took.as_secs_f64() / 1_000.0);
}
