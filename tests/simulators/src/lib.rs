//! One benchmark program for three simulators: balls that go around a ring of three hosts.
//!
//! Each host throws a number of balls to the next one, and passes on each ball
//! that it receives until the ball has no hops left. In total, [`MESSAGES`]
//! messages travel between hosts, each of them encoded and decoded.

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};

/// The number of hosts in the ring.
pub const HOSTS: usize = 3;
/// The number of balls that each host throws.
pub const BALLS: u64 = 8;
/// The number of hops of each ball: a multiple of [`HOSTS`].
pub const HOPS: u64 = 600;
/// The number of messages that each host receives in one execution.
pub const EACH: u64 = BALLS * HOPS;
/// The number of messages in one execution.
pub const MESSAGES: u64 = HOSTS as u64 * EACH;
/// The number of executions.
pub const EXECUTIONS: u64 = 50;

/// A ball: the hops that are left, and the host that threw it, so that there is something to encode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ball {
    /// The number of hops after this one.
    pub left: u64,
    /// The host that threw the ball.
    pub thrown_by: u32,
}

impl Ball {
    /// Creates a ball that a host throws.
    pub fn of(host: usize) -> Self {
        Self {
            left: HOPS - 1,
            thrown_by: host as u32,
        }
    }

    /// Returns the ball with one hop less; `None` if no hop is left.
    pub fn hand_on(self) -> Option<Self> {
        let left = self.left.checked_sub(1)?;
        Some(Self { left, ..self })
    }

    /// Encodes the ball; returns the number of bytes.
    ///
    /// # Panics
    ///
    /// Never panics: a ball can be encoded.
    pub fn encode(&self, bytes: &mut [u8]) -> usize {
        let config = bincode::config::standard();
        bincode::serde::encode_into_slice(self, bytes, config).expect("there is room")
    }

    /// Decodes a ball.
    ///
    /// # Panics
    ///
    /// Panics if the bytes are no ball.
    pub fn decode(bytes: &[u8]) -> Self {
        let config = bincode::config::standard();
        let decoded = bincode::serde::decode_from_slice(bytes, config);
        decoded.expect("a ball").0
    }
}

/// The maximum number of bytes of an encoded ball.
pub const ROOM: usize = 16;

/// Runs the executions, and prints the messages per second of CPU time, in thousands.
/// A simulator may run additional executions, in order to check that they repeat.
///
/// # Panics
///
/// Panics if messages are missing.
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
