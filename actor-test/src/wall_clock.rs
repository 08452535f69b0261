//! The system's clock: for people who want to know how long something took, and for limits on time.
//! This is the one place that reads it; no schedule depends on it.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// Now.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub fn now() -> Instant {
    Instant::now()
}

static BEGUN: OnceLock<SystemTime> = OnceLock::new();

/// When the run began that this process belongs to: as the tool told, or when this was asked first.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub fn run_began() -> SystemTime {
    *BEGUN.get_or_init(SystemTime::now)
}

/// This process is a child, and its run began before it.
pub(crate) fn set_run_began(begun: SystemTime) {
    let _ = BEGUN.set(begun);
}

/// Time for who looks at something again and again, to find that it stands still.
#[derive(Debug)]
pub(crate) struct Looks {
    last: Instant,
}

impl Looks {
    /// How much time counts between two looks. Where more has passed, whoever looks was stopped, by
    /// ctrl-Z for instance, and what it looks at most likely was, too.
    const MOST: Duration = Duration::from_secs(1);

    pub(crate) fn begin() -> Self {
        Self { last: now() }
    }

    /// The time since the look before.
    pub(crate) fn look(&mut self) -> Duration {
        self.look_at(now())
    }

    fn look_at(&mut self, now: Instant) -> Duration {
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
        let mut looks = Looks::begin();
        let begun = looks.last;
        let mut look = |seconds| looks.look_at(begun + Duration::from_secs_f64(seconds));
        assert_eq!(look(0.1), Duration::from_millis(100));
        assert_eq!(look(1.1), Duration::from_secs(1));
        assert_eq!(look(3601.1), Duration::from_secs(1));
        assert_eq!(look(3601.2), Duration::from_millis(100));
    }
}
