//! The rules of blocking synchronisation primitives.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::time::Duration;

use actor_core::sync::blocking::atomic::{Ordering, fence};
use actor_core::sync::blocking::{Condvar, LazyLock, Mutex};

use crate::constructs::rules::{ok, rules};

use Ordering::SeqCst;

fn ms(number: u64) -> Duration {
    Duration::from_millis(1 + number % 2)
}

/// Poisons a lock: panics while it is held.
fn poison(lock: &Mutex<u64>) {
    let held = lock.lock();
    let panicked = catch_unwind(AssertUnwindSafe(move || {
        let _held = held;
        resume_unwind(Box::new(()));
    }));
    assert!(panicked.is_err());
}

/// Encodes the result of a wait: the value, and if it timed out.
fn waited(value: u64, timed_out: bool) -> u64 {
    10 * value + u64::from(timed_out)
}

rules! {
    "atomics" {
        load ANYBODY ["sync::blocking::atomic::Atomic::load"] |k, _n| k.things().number.load(SeqCst);
        store ANYBODY ["sync::blocking::atomic::Atomic::store"] |k, n| { k.things().number.store(n, SeqCst); 0 };
        add ANYBODY ["sync::blocking::atomic::Atomic::fetch_add"] |k, n| k.things().number.fetch_add(1 + n, SeqCst);
        exchange ANYBODY ["sync::blocking::atomic::Atomic::compare_exchange"] |k, n| {
            k.things().number.compare_exchange(0, 1 + n, SeqCst, SeqCst).unwrap_or_else(|was| 10 + was)
        };
        exchange_weak ANYBODY ["sync::blocking::atomic::Atomic::compare_exchange_weak"] |k, n| {
            k.things().number.compare_exchange_weak(1, n, SeqCst, SeqCst).unwrap_or_else(|was| 10 + was)
        };
        update ANYBODY ["sync::blocking::atomic::Atomic::fetch_update"] |k, n| {
            let update = |was: u64| (was < 3).then_some(was + n);
            k.things().number.fetch_update(SeqCst, SeqCst, update).unwrap_or_else(|was| 10 + was)
        };
        a_fence ANYBODY ["sync::blocking::atomic::fence"] |k, n| {
            k.things().number.store(n, SeqCst);
            fence(SeqCst);
            k.things().other_number.load(SeqCst)
        };
        store_the_other ANYBODY ["sync::blocking::atomic::Atomic::store"] |k, n| {
            k.things().other_number.store(n, SeqCst);
            k.things().number.load(SeqCst)
        };
    }
    "blocking locks" {
        block_lock STACKED ["sync::blocking::Mutex::lock"] |k, _n| {
            let mut value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            *value += 1;
            *value
        };
        block_lock_twice STACKED ["sync::blocking::Mutex::lock"] |k, n| {
            let mut value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = *k.things().blocking_read_lock.read().unwrap_or_else(PoisonError::into_inner);
            *value += n;
            10 * *value + seen
        };
        block_try_lock ANYBODY ["sync::blocking::Mutex::try_lock"] |k, _n| {
            k.things().blocking_lock.try_lock().map_or(90, |value| *value)
        };
        poison STACKED ["sync::blocking::Mutex::lock"] |k, _n| { poison(&k.things().blocking_lock); 0 };
        is_poisoned ANYBODY ["sync::blocking::Mutex::is_poisoned"] |k, _n| {
            u64::from(k.things().blocking_lock.is_poisoned())
        };
        clear_poison ANYBODY ["sync::blocking::Mutex::clear_poison"] |k, _n| {
            k.things().blocking_lock.clear_poison();
            0
        };
        block_read STACKED ["sync::blocking::RwLock::read"] |k, _n| {
            *k.things().blocking_read_lock.read().unwrap_or_else(PoisonError::into_inner)
        };
        block_read_twice STACKED ["sync::blocking::RwLock::read"] |k, _n| {
            let lock = &k.things().blocking_read_lock;
            let outer = lock.read().unwrap_or_else(PoisonError::into_inner);
            let inner = lock.read().unwrap_or_else(PoisonError::into_inner);
            10 * *outer + *inner
        };
        block_write STACKED ["sync::blocking::RwLock::write"] |k, n| {
            let mut value = k.things().blocking_read_lock.write().unwrap_or_else(PoisonError::into_inner);
            *value += 1 + n;
            *value
        };
        block_try_read ANYBODY ["sync::blocking::RwLock::try_read"] |k, _n| {
            k.things().blocking_read_lock.try_read().map_or(90, |value| *value)
        };
        block_try_write ANYBODY ["sync::blocking::RwLock::try_write"] |k, _n| {
            match k.things().blocking_read_lock.try_write() {
                Ok(mut value) => { *value += 1; *value }
                Err(_) => 90,
            }
        };
        poison_read_lock STACKED ["sync::blocking::RwLock::is_poisoned"] |k, _n| {
            let lock = &k.things().blocking_read_lock;
            let was = lock.is_poisoned();
            let held = lock.write();
            let panicked = catch_unwind(AssertUnwindSafe(move || {
                let _held = held;
                resume_unwind(Box::new(()));
            }));
            2 * u64::from(was) + u64::from(panicked.is_err())
        };
        clear_read_poison ANYBODY ["sync::blocking::RwLock::clear_poison", "sync::blocking::RwLock::is_poisoned"]
            |k, _n| {
                let was = k.things().blocking_read_lock.is_poisoned();
                k.things().blocking_read_lock.clear_poison();
                u64::from(was)
            };
    }
    "condvars" {
        wait_once STACKED ["sync::blocking::Condvar::wait"] |k, _n| {
            let value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let value = k.things().changed.wait(value).unwrap_or_else(PoisonError::into_inner);
            *value
        };
        wait_while STACKED ["sync::blocking::Condvar::wait_while"] |k, _n| {
            let value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let value = k.things().changed.wait_while(value, |value| *value == 0);
            *value.unwrap_or_else(PoisonError::into_inner)
        };
        wait_limited STACKED ["sync::blocking::Condvar::wait_timeout"] |k, n| {
            let value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let (value, result) = k.things().changed.wait_timeout(value, ms(n)).unwrap_or_else(PoisonError::into_inner);
            waited(*value, result.timed_out())
        };
        wait_limited_while STACKED ["sync::blocking::Condvar::wait_timeout_while"] |k, n| {
            let value = k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let changed: &Condvar = &k.things().changed;
            let (value, result) = changed
                .wait_timeout_while(value, ms(n), |value| *value == 0)
                .unwrap_or_else(PoisonError::into_inner);
            waited(*value, result.timed_out())
        };
        condvar_one ANYBODY ["sync::blocking::Condvar::notify_one"] |k, _n| { k.things().changed.notify_one(); 0 };
        condvar_all ANYBODY ["sync::blocking::Condvar::notify_all"] |k, _n| { k.things().changed.notify_all(); 0 };
        change_and_tell STACKED ["sync::blocking::Condvar::notify_all"] |k, n| {
            *k.things().blocking_lock.lock().unwrap_or_else(PoisonError::into_inner) += n;
            k.things().changed.notify_all();
            0
        };
    }
    "once" {
        once STACKED ["sync::blocking::Once::call_once"] |k, n| {
            let mut did = 0;
            k.things().once.call_once(|| did = 1 + k.things().number.fetch_add(n, SeqCst));
            did
        };
        once_is_completed ANYBODY ["sync::blocking::Once::is_completed"] |k, _n| {
            u64::from(k.things().once.is_completed())
        };
        once_lock_get ANYBODY ["sync::blocking::OnceLock::get"] |k, _n| k.things().once_lock.get().map_or(90, |value| *value);
        once_lock_set STACKED ["sync::blocking::OnceLock::set"] |k, n| ok(&k.things().once_lock.set(n));
        once_lock_make STACKED ["sync::blocking::OnceLock::get_or_init"] |k, n| {
            *k.things().once_lock.get_or_init(|| 10 + n + k.things().number.load(SeqCst))
        };
        lazy STACKED ["sync::blocking::LazyLock::force"] |k, _n| *LazyLock::force(&k.things().lazy);
        meet_blocking STACKED ["sync::blocking::Barrier::wait"] |k, _n| {
            u64::from(k.things().blocking_barrier.wait().is_leader())
        };
    }
    "race cells" {
        race_get ANYBODY ["sync::RaceCell::get"] |k, _n| k.things().race.get();
        race_set ANYBODY ["sync::RaceCell::set"] |k, n| { k.things().race.set(n); 0 };
        race_with ANYBODY ["sync::RaceCell::with"] |k, _n| k.things().race.with(|value| *value);
        race_with_mut ANYBODY ["sync::RaceCell::with_mut"] |k, n| {
            k.things().race.with_mut(|value| { *value += n; *value })
        };
        race_locked STACKED ["sync::RaceCell::with_mut"] |k, n| {
            let _held = k.things().blocking_lock.lock();
            k.things().race.with_mut(|value| { *value += n; *value })
        };
    }
}
