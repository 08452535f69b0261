//! Simulated answers of the operating system per thread: random bytes and the virtual clock.
//!
//! The state lies in thread-locals with constant initialisers and no destructors. So reading them allocates
//! nothing, takes no lock, and works in a thread that is about to end and in a signal handler.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// The date at which every execution begins: 2026-01-01, 00:00:00 UTC, in seconds since 1970.
pub(crate) const EPOCH_S: u64 = 1_767_225_600;

thread_local! {
    /// True while this thread gets simulated answers.
    static ANSWERED: Cell<bool> = const { Cell::new(false) };
    /// The state of the generator of random bytes.
    static STATE: Cell<u64> = const { Cell::new(0) };
    /// The virtual time since the execution began.
    static CLOCK: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// The duration by which the date was set back.
    static DATE_BACK: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// The callback before each read of the clock.
    static BEFORE: Cell<Option<fn()>> = const { Cell::new(None) };
    static ASKED: Cell<RequestCounts> = const { Cell::new(RequestCounts { random: 0, clock: 0 }) };
    /// True as long as this thread has never requested random bytes, simulated or not.
    static FRESH: Cell<bool> = const { Cell::new(true) };
}

/// The numbers of requests of a thread since simulation began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RequestCounts {
    /// The number of requests for random bytes.
    pub random: u64,
    /// The number of reads of the clock.
    pub clock: u64,
}

/// A guard: its thread gets simulated answers while the guard lives.
#[derive(Debug)]
#[must_use = "the thread is answered as long as this lives"]
pub struct Simulation {
    /// A marker that keeps the guard on its thread (`!Send`).
    thread: PhantomData<*const ()>,
}

/// Begins simulated answers on this thread, until the returned guard is dropped. Random bytes follow from the
/// seed, and the clock stands at zero until it is [set](set_clock).
///
/// ```
/// use std::time::Instant;
///
/// let answering = actor_test_os::simulate(7);
/// let begun = Instant::now();
/// if actor_test_os::takes_effect() {
///     actor_test_os::set_clock(std::time::Duration::from_secs(3));
///     assert_eq!(begun.elapsed().as_secs(), 3);
///     assert_eq!(actor_test_os::request_counts().clock, 2);
/// }
/// drop(answering);
/// ```
pub fn simulate(seed: u64) -> Simulation {
    crate::symbols::find_clock();
    STATE.set(seed);
    CLOCK.set(Duration::ZERO);
    DATE_BACK.set(Duration::ZERO);
    ASKED.set(RequestCounts::default());
    ANSWERED.set(true);
    Simulation {
        thread: PhantomData,
    }
}

/// Resets the seed and the clock of this thread, as [`simulate`] sets them; the request counts stay.
///
/// ```
/// let _answering = actor_test_os::simulate(7);
/// actor_test_os::reset_simulation(7);
/// ```
pub fn reset_simulation(seed: u64) {
    STATE.set(seed);
    CLOCK.set(Duration::ZERO);
    DATE_BACK.set(Duration::ZERO);
}

impl Drop for Simulation {
    fn drop(&mut self) {
        ANSWERED.set(false);
    }
}

/// Sets the virtual time since the execution began.
pub fn set_clock(now: Duration) {
    CLOCK.set(now);
}

/// Sets the duration by which the date lags behind the virtual time; monotonic clocks are unaffected.
pub fn set_date_back(by: Duration) {
    DATE_BACK.set(by);
}

/// Sets a callback that runs before each read of the virtual clock on this thread. The callback may
/// [set](set_clock) the clock; reads by the callback don't call it again.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// let answering = actor_test_os::simulate(7);
/// let begun = Instant::now();
/// actor_test_os::before_clock(Some(|| actor_test_os::set_clock(Duration::from_secs(3))));
/// if actor_test_os::takes_effect() {
///     assert_eq!(begun.elapsed().as_secs(), 3);
/// }
/// actor_test_os::before_clock(None);
/// drop(answering);
/// ```
pub fn before_clock(what: Option<fn()>) {
    BEFORE.set(what);
}

/// Returns the request counts of this thread's current or last simulation.
#[inline]
pub fn request_counts() -> RequestCounts {
    ASKED.get()
}

/// Returns true if this thread has never requested random bytes. A thread that has may keep a generator with
/// that seed: the keys of `HashMap` are drawn once for each thread, and so is the seed of `rand::rng()`.
pub fn is_fresh() -> bool {
    FRESH.get()
}

/// Returns true if simulated answers reach the standard library of this process: this package is linked into
/// the executable and supports the system.
///
/// ```
/// let known = cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"));
/// assert_eq!(actor_test_os::takes_effect(), known && !cfg!(miri));
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "whether this very call is answered is the question"
)]
pub fn takes_effect() -> bool {
    static EFFECT: OnceLock<bool> = OnceLock::new();
    *EFFECT.get_or_init(|| {
        // The check runs on a new thread, since this one may be simulated already.
        let asks = || {
            let _answering = simulate(0);
            let clock = SystemTime::now() == SystemTime::UNIX_EPOCH + Duration::from_secs(EPOCH_S);
            let _ = std::hash::RandomState::new();
            clock && request_counts().random > 0
        };
        std::thread::Builder::new()
            .spawn(asks)
            .is_ok_and(|thread| thread.join().unwrap_or(false))
    })
}

/// Records a request for random bytes; returns true if this thread is simulated.
pub(crate) fn asks() -> bool {
    FRESH.set(false);
    ANSWERED.get()
}

/// Fills `bytes` with random bytes, and counts one request.
pub(crate) fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&next().to_le_bytes()[..chunk.len()]);
    }
    let asked = ASKED.get();
    ASKED.set(RequestCounts {
        random: asked.random + 1,
        ..asked
    });
}

/// Returns the virtual time, or `None` if this thread is not simulated.
pub(crate) fn clock() -> Option<Duration> {
    if !ANSWERED.get() {
        return None;
    }
    if let Some(before) = BEFORE.take() {
        before();
        BEFORE.set(Some(before));
    }
    let asked = ASKED.get();
    ASKED.set(RequestCounts {
        clock: asked.clock + 1,
        ..asked
    });
    Some(CLOCK.get())
}

/// Returns the duration by which the date was set back.
pub(crate) fn date_back() -> Duration {
    DATE_BACK.get()
}

/// Returns the next number of SplitMix64, which has one word of state.
fn next() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of SplitMix64 from the seed 1234567, as its author's program prints them.
    #[test]
    fn bytes_are_those_of_splitmix() {
        let answering = simulate(1_234_567);
        let mut bytes = [0; 20];
        assert!(asks());
        fill(&mut bytes);
        assert_eq!(bytes[..8], 6_457_827_717_110_365_317_u64.to_le_bytes());
        assert_eq!(bytes[8..16], 3_203_168_211_198_807_973_u64.to_le_bytes());
        assert_eq!(
            bytes[16..],
            9_817_491_932_198_370_423_u64.to_le_bytes()[..4]
        );
        drop(answering);
        assert!(!asks());
    }
}
