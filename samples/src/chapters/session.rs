//! Time: a session that ends after ten minutes without a key, or earlier because of a bug.

// ANCHOR: session
use std::time::Duration;

use actor_core::prelude::*;

const LIMIT: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Key;
#[derive(Debug)]
pub struct Idle;

#[derive(Debug, Default)]
pub struct Session {
    last_key: Duration,
}

#[actor]
impl Session {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(LIMIT, Idle);
    }

    #[on]
    fn key(&mut self, _: Key, cx: &mut Context<Self>) {
        self.last_key = cx.now();
        cx.after(LIMIT, Idle);
    }

    #[on]
    fn idle(&mut self, _: Idle, cx: &mut Context<Self>) {
        let idle = cx.now() - self.last_key;
        assert!(idle >= LIMIT, "logged out after {idle:?}");
        cx.halt();
    }
}
// ANCHOR_END: session

// ANCHOR: right
#[derive(Debug, Default)]
pub struct PatientSession {
    last_key: Duration,
    timer: Option<Timer>,
}

#[actor]
impl PatientSession {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.timer = Some(cx.after(LIMIT, Idle));
    }

    #[on]
    fn key(&mut self, _: Key, cx: &mut Context<Self>) {
        self.last_key = cx.now();
        if let Some(timer) = self.timer.replace(cx.after(LIMIT, Idle)) {
            cx.cancel(timer);
        }
    }

    #[on]
    fn idle(&mut self, _: Idle, cx: &mut Context<Self>) {
        let idle = cx.now() - self.last_key;
        assert!(idle >= LIMIT, "logged out after {idle:?}");
        cx.halt();
    }
}
// ANCHOR_END: right

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(expect_bug = "logged out after")]
    async fn a_key_keeps_you_logged_in(sys: &System) {
        let session = sys.spawn(Session::default());
        sys.sleep(Duration::from_secs(360)).await;
        session.tell(Key);
    }
}
// ANCHOR_END: tests

#[cfg(test)]
mod patient_tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn a_key_keeps_you_logged_in_for_ten_minutes(sys: &System) {
        let session = sys.spawn(PatientSession::default());
        sys.sleep(Duration::from_secs(360)).await;
        session.tell(Key);
    }
}
