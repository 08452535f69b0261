//! Aimed faults: at moments without an event of their own, such as a state change, a hot monitor or a write.
//!
//! In each program such a moment opens a window, and the probability of a restart in the window is known.

use std::time::Duration;

use actor_core::fs::OpenOptions;
use actor_core::prelude::*;
use actor_test::Tester;
use behaviour::harness::events::Go;
use behaviour::harness::strategy;

use super::{assert_about, share_of_bugs};

#[derive(Debug)]
struct Close;

#[derive(Debug)]
struct Opened;

#[derive(Debug)]
struct Closed;

/// Returns the share of executions in which a node restarts within the window.
fn share(set_up: fn(&System)) -> f64 {
    let tester = Tester::new()
        .iterations(2_000)
        .faults("restart=1".parse().expect("faults"))
        .keep_going()
        .strategy(strategy("aimed-random"));
    let report = tester.run(|sys| set_up(&sys));
    let is_it = |text: &str| text.contains("in the window");
    assert!(report.bugs.iter().all(|bug| is_it(bug.message())));
    share_of_bugs(&report)
}

/// The probability that a fault aimed at a moment strikes at its k-th of n occurrences.
fn at(k: i32, n: f64) -> f64 {
    (0.5_f64.powi(k) + 1.0 / n) / 2.0
}

/// The window: a drop while it is open means that the node has restarted in the window.
#[derive(Debug, Default)]
struct Window(bool);

impl Drop for Window {
    fn drop(&mut self) {
        assert!(!self.0, "in the window");
    }
}

#[derive(Default)]
struct Door {
    window: Window,
}

#[actor(states(Shut(defer(Close)), Open(ignore(Go))))]
impl Door {
    /// Enters the state in a step without an event.
    #[on(Shut)]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(1)).await;
        self.window.0 = true;
        cx.goto(DoorState::Open);
    }

    #[on(Open)]
    fn close(&mut self, _: Close) {
        self.window.0 = false;
    }
}

/// Of five kinds of moments, each of which occurs once, one opens the
/// window: two events are sent and handled, and the door is open.
#[test]
fn a_state_is_aimed_at() {
    let seen = share(|sys| {
        sys.node("n1", |node| {
            let door = node.spawn(Door::default());
            door.tell(Go);
            door.tell(Close);
        });
    });
    assert_about(seen, at(1, 1.0) / 5.0);
}

#[derive(Default)]
struct Shop {
    window: Window,
}

#[actor]
impl Shop {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_millis(1)).await;
        self.window.0 = true;
        cx.announce(Opened);
        cx.sleep(Duration::from_millis(1)).await;
        self.window.0 = false;
        cx.announce(Closed);
    }
}

#[derive(Default)]
struct Hours;

#[monitor(hot(Serving), cold(Quiet))]
impl Hours {
    #[on]
    fn opened(&mut self, _: &Opened, cx: &mut MonitorContext<Self>) {
        cx.goto(HoursState::Serving);
    }

    #[on]
    fn closed(&mut self, _: &Closed, cx: &mut MonitorContext<Self>) {
        cx.goto(HoursState::Quiet);
    }
}

/// Of three kinds of moments, one opens the window: an event is sent and handled; the monitor is hot.
#[test]
fn a_hot_monitor_is_aimed_at() {
    let seen = share(|sys| {
        sys.monitor::<Hours>();
        sys.node("n1", |node| node.spawn(Shop::default()).tell(Go));
    });
    assert_about(seen, at(1, 1.0) / 3.0);
}

#[derive(Default)]
struct Clerk {
    window: Window,
}

#[actor]
impl Clerk {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) -> std::io::Result<()> {
        let options = OpenOptions::new().write(true).create(true);
        let file = cx.disk().open("file", options).await?;
        self.window.0 = true;
        file.write_at(0, vec![1]).await?;
        file.sync_data().await?;
        self.window.0 = false;
        Ok(())
    }
}

/// The file is written and synced, the node's disk is changed twice,
/// and an event is sent and handled. Each change is inside the window.
#[test]
fn a_write_is_aimed_at() {
    let seen = share(|sys| {
        sys.node("n1", |node| node.spawn(Clerk::default()).tell(Go));
    });
    let changes = 2.0 * at(1, 1.0) + at(1, 2.0) + at(2, 2.0);
    assert_about(seen, changes / 5.0);
}
