//! The system's clock, for elapsed times in reports and for time limits. Only this module reads the system's
//! clock; no schedule depends on it.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// Returns the current instant of the system's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub fn now() -> Instant {
    Instant::now()
}

static BEGUN: OnceLock<SystemTime> = OnceLock::new();

/// Returns the time at which the run of this process began: as set by the tool, or else at the first call.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub fn run_began() -> SystemTime {
    *BEGUN.get_or_init(SystemTime::now)
}

/// Sets the time at which the run began; a child process receives it from the tool.
pub(crate) fn set_run_began(begun: SystemTime) {
    let _ = BEGUN.set(begun);
}

/// Measures the time between periodic checks of something that may hang.
#[derive(Debug)]
pub(crate) struct CheckTimer {
    last: Instant,
}

impl CheckTimer {
    /// The maximum time that counts between two checks. If more has passed, the checking process was
    /// suspended, for instance by ctrl-Z, and most likely the process it checks was suspended, too.
    const MOST: Duration = Duration::from_secs(1);

    pub(crate) fn begin() -> Self {
        Self { last: now() }
    }

    /// Returns the time since the previous check, at most [`MOST`](Self::MOST).
    pub(crate) fn elapsed(&mut self) -> Duration {
        self.elapsed_at(now())
    }

    fn elapsed_at(&mut self, now: Instant) -> Duration {
        let since = now.saturating_duration_since(self.last);
        self.last = now;
        since.min(Self::MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_of_the_one_who_looks_does_not_count() {
        let mut timer = CheckTimer::begin();
        let begun = timer.last;
        let mut elapsed = |seconds| timer.elapsed_at(begun + Duration::from_secs_f64(seconds));
        assert_eq!(elapsed(0.1), Duration::from_millis(100));
        assert_eq!(elapsed(1.1), Duration::from_secs(1));
        assert_eq!(elapsed(3601.1), Duration::from_secs(1));
        assert_eq!(elapsed(3601.2), Duration::from_millis(100));
    }
}
