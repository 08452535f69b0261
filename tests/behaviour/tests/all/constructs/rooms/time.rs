//! The rules of time in tasks, and of selects.

use std::task::{Context as TaskContext, Waker};
use std::time::Duration;

use actor_core::task;

use crate::constructs::actors::Question;
use crate::constructs::rules::{ok, rules};

fn ms(number: u64) -> Duration {
    Duration::from_millis(2 * number)
}

rules! {
    "time" {
        nap ANYBODY ["task::sleep", "task::Sleep::await"] |_k, n| { task::sleep(ms(n)).await; 0 };
        keep_napping ANYBODY ["task::sleep"] |k, n| {
            let nap = task::sleep(ms(n));
            k.keep(async move { nap.await; 1 })
        };
        hand_a_nap ANYBODY ["task::sleep"] |k, n| match k.things().nap.try_lock() {
            Ok(mut nap) => u64::from(nap.replace(task::sleep(ms(n))).is_some()),
            Err(_) => 90,
        };
        take_a_nap ANYBODY ["task::Sleep::await"] |k, _n| {
            let nap = k.things().nap.try_lock().map(|mut nap| nap.take());
            match nap {
                Ok(Some(nap)) => { nap.await; 1 }
                Ok(None) => 0,
                Err(_) => 90,
            }
        };
        limited ANYBODY ["task::timeout", "task::Timeout::await"] |k, n| {
            let server = k.server();
            let question = async move { server.ask(Question(n)).await.unwrap_or(99) };
            task::timeout(ms(n), question).await.map_or(98, |answer| 1 + answer)
        };
        limited_nap ANYBODY ["task::timeout"] |_k, n| ok(&task::timeout(ms(n), task::sleep(ms(1))).await);
        ticks ANYBODY ["task::interval", "task::Interval::tick"] |_k, n| {
            let mut ticks = task::interval(ms(1 + n));
            ticks.tick().await;
            ticks.tick().await;
            0
        };
        a_late_tick ANYBODY ["task::Interval::reset", "task::Interval::poll_tick"] |_k, n| {
            let mut ticks = task::interval(ms(1));
            ticks.set_missed_tick_behavior(match n {
                0 | 1 => task::MissedTickBehavior::Burst,
                2 => task::MissedTickBehavior::Delay,
                _ => task::MissedTickBehavior::Skip,
            });
            if n == 0 {
                ticks.reset();
            }
            ticks.tick().await;
            task::sleep(ms(2)).await;
            u64::from(ticks.poll_tick(&mut TaskContext::from_waker(Waker::noop())).is_ready())
        };
    }
    "selects" {
        first_of_two ANYBODY ["sync::Notified::await", "task::Sleep::await"] |k, n| {
            let notify = &k.things().notify;
            actor_core::select! {
                () = notify.notified() => 1,
                () = task::sleep(ms(n)) => 2,
            }
        };
        first_of_asks ANYBODY ["Ask::await"] |k, n| {
            let (one, other) = (k.peer(n), k.peer(1 + n));
            actor_core::select! {
                answer = one.ask(Question(n)) => answer.unwrap_or(99),
                answer = other.ask(Question(10)) => 10 + answer.unwrap_or(99),
            }
        };
    }
}
