//! The rules of asynchronous synchronisation primitives.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Waker};

use actor_core::sync::{mpsc, oneshot};

use crate::constructs::rules::{ok, rules};

/// Encodes the result of a non-blocking receive.
fn tried<E: std::fmt::Debug>(result: Result<u64, E>) -> u64 {
    match result {
        Ok(value) => 10 + value,
        // The names of the errors differ in length, so the length identifies the error.
        Err(reason) => format!("{reason:?}").len() as u64,
    }
}

/// The result if the participant has no such end.
const NONE: u64 = 97;

macro_rules! end {
    ($kit:ident.$end:ident) => {
        match &mut $kit.ends.$end {
            Some(end) => end,
            None => return NONE,
        }
    };
}

rules! {
    "locks" {
        lock ANYBODY ["sync::Mutex::lock"] |k, _n| {
            let mut value = k.things().lock.lock().await;
            *value += 1;
            *value
        };
        lock_owned ANYBODY ["sync::Mutex::lock_owned"] |k, _n| {
            let mut guard = Arc::clone(&k.things().lock).lock_owned().await;
            *guard += 1;
            let value = *guard;
            k.hold(guard);
            value
        };
        try_lock ANYBODY ["sync::Mutex::try_lock"] |k, _n| k.things().lock.try_lock().map_or(90, |value| *value);
        try_lock_owned ANYBODY ["sync::Mutex::try_lock_owned"] |k, _n| {
            match Arc::clone(&k.things().lock).try_lock_owned() {
                Ok(guard) => k.hold(guard),
                Err(_) => 90,
            }
        };
        keep_locking ANYBODY ["sync::Mutex::lock_owned", "sync::OwnedMutexGuard::drop"] |k, _n| {
            let lock = Arc::clone(&k.things().lock);
            k.keep(async move { *lock.lock_owned().await })
        };
        release ANYBODY ["sync::OwnedMutexGuard::drop", "sync::OwnedRwLockReadGuard::drop",
            "sync::OwnedRwLockWriteGuard::drop"] |k, _n| u64::from(k.held.pop().is_some());
    }
    "read locks" {
        read ANYBODY ["sync::RwLock::read"] |k, _n| *k.things().read_lock.read().await;
        write ANYBODY ["sync::RwLock::write"] |k, _n| {
            let mut value = k.things().read_lock.write().await;
            *value += 1;
            *value
        };
        read_owned ANYBODY ["sync::RwLock::read_owned"] |k, _n| {
            let guard = Arc::clone(&k.things().read_lock).read_owned().await;
            let value = *guard;
            k.hold(guard);
            value
        };
        write_owned ANYBODY ["sync::RwLock::write_owned"] |k, _n| {
            let mut guard = Arc::clone(&k.things().read_lock).write_owned().await;
            *guard += 1;
            k.hold(guard)
        };
        try_read ANYBODY ["sync::RwLock::try_read"] |k, _n| {
            k.things().read_lock.try_read().map_or(90, |value| *value)
        };
        try_write ANYBODY ["sync::RwLock::try_write"] |k, _n| match k.things().read_lock.try_write() {
            Ok(mut value) => { *value += 1; *value }
            Err(_) => 90,
        };
        try_read_owned ANYBODY ["sync::RwLock::try_read_owned"] |k, _n| {
            match Arc::clone(&k.things().read_lock).try_read_owned() {
                Ok(guard) => { let value = *guard; k.hold(guard); value }
                Err(_) => 90,
            }
        };
        try_write_owned ANYBODY ["sync::RwLock::try_write_owned"] |k, _n| {
            match Arc::clone(&k.things().read_lock).try_write_owned() {
                Ok(mut guard) => { *guard += 1; let value = *guard; k.hold(guard); value }
                Err(_) => 90,
            }
        };
        release_read ANYBODY ["sync::OwnedRwLockReadGuard::drop", "sync::OwnedRwLockWriteGuard::drop"]
            |k, _n| u64::from(k.held.pop().is_some());
    }
    "notify" {
        notified ANYBODY ["sync::Notify::notified", "sync::Notified::await"] |k, _n| {
            k.things().notify.notified().await;
            0
        };
        notified_enabled ANYBODY ["sync::Notified::enable"] |k, _n| {
            let mut notified = pin!(k.things().notify.notified());
            let was = notified.as_mut().enable();
            notified.await;
            u64::from(was)
        };
        notified_or_not ANYBODY ["sync::Notified::await"] |k, _n| {
            let notified = pin!(k.things().notify.notified());
            let mut task = TaskContext::from_waker(Waker::noop());
            u64::from(notified.poll(&mut task).is_ready())
        };
        keep_waiting ANYBODY ["sync::Notify::notified"] |k, _n| {
            let notify = Arc::clone(&k.things().notify);
            k.keep(async move { notify.notified().await; 1 })
        };
        notify_one ANYBODY ["sync::Notify::notify_one"] |k, _n| { k.things().notify.notify_one(); 0 };
        notify_last ANYBODY ["sync::Notify::notify_last"] |k, _n| { k.things().notify.notify_last(); 0 };
        notify_waiters ANYBODY ["sync::Notify::notify_waiters"] |k, _n| {
            k.things().notify.notify_waiters();
            0
        };
    }
    "permits" {
        acquire ANYBODY ["sync::Semaphore::acquire"] |k, _n| ok(&k.things().semaphore.acquire().await);
        acquire_many ANYBODY ["sync::Semaphore::acquire_many"] |k, n| {
            ok(&k.things().semaphore.acquire_many(1 + n as u32 % 2).await)
        };
        acquire_owned ANYBODY ["sync::Semaphore::acquire_owned"] |k, _n| {
            match Arc::clone(&k.things().semaphore).acquire_owned().await {
                Ok(permit) => k.hold(permit),
                Err(_) => 90,
            }
        };
        acquire_many_owned ANYBODY ["sync::Semaphore::acquire_many_owned"] |k, n| {
            match Arc::clone(&k.things().semaphore).acquire_many_owned(1 + n as u32 % 2).await {
                Ok(permit) => k.hold(permit),
                Err(_) => 90,
            }
        };
        try_acquire ANYBODY ["sync::Semaphore::try_acquire"] |k, _n| ok(&k.things().semaphore.try_acquire());
        try_acquire_many ANYBODY ["sync::Semaphore::try_acquire_many"] |k, _n| {
            ok(&k.things().semaphore.try_acquire_many(2))
        };
        try_acquire_owned ANYBODY ["sync::Semaphore::try_acquire_owned"] |k, _n| {
            match Arc::clone(&k.things().semaphore).try_acquire_owned() {
                Ok(permit) => k.hold(permit),
                Err(_) => 90,
            }
        };
        try_acquire_many_owned ANYBODY ["sync::Semaphore::try_acquire_many_owned"] |k, _n| {
            match Arc::clone(&k.things().semaphore).try_acquire_many_owned(2) {
                Ok(permit) => k.hold(permit),
                Err(_) => 90,
            }
        };
        forget_permit ANYBODY ["sync::SemaphorePermit::forget"] |k, _n| {
            match k.things().semaphore.acquire().await {
                Ok(permit) => { permit.forget(); 1 }
                Err(_) => 90,
            }
        };
        forget_owned_permit ANYBODY ["sync::OwnedSemaphorePermit::forget"] |k, _n| {
            match Arc::clone(&k.things().semaphore).try_acquire_owned() {
                Ok(permit) => { permit.forget(); 1 }
                Err(_) => 90,
            }
        };
        add_permits ANYBODY ["sync::Semaphore::add_permits"] |k, _n| { k.things().semaphore.add_permits(1); 0 };
        forget_permits ANYBODY ["sync::Semaphore::forget_permits"] |k, n| {
            k.things().semaphore.forget_permits(1 + n as usize % 2) as u64
        };
        count_permits ANYBODY ["sync::Semaphore::available_permits"] |k, _n| {
            k.things().semaphore.available_permits() as u64
        };
        is_closed ANYBODY ["sync::Semaphore::is_closed"] |k, _n| u64::from(k.things().semaphore.is_closed());
        close_semaphore ANYBODY ["sync::Semaphore::close"] |k, _n| { k.things().semaphore.close(); 0 };
        give_back ANYBODY ["sync::Semaphore::acquire_owned"] |k, _n| u64::from(k.held.pop().is_some());
    }
    "barriers" {
        meet ANYBODY ["sync::Barrier::wait"] |k, _n| u64::from(k.things().barrier.wait().await.is_leader());
        meet_and_lock ANYBODY ["sync::Barrier::wait", "sync::Mutex::lock"] |k, _n| {
            k.things().barrier.wait().await;
            let mut value = k.things().lock.lock().await;
            *value += 1;
            *value
        };
    }
    "cells" {
        get_or_init ANYBODY ["sync::OnceCell::get_or_init"] |k, n| {
            let of = k.row.of as u64;
            *k.things().cell.get_or_init(|| async move { 10 * of + n }).await
        };
        get_or_init_slowly ANYBODY ["sync::OnceCell::get_or_init"] |k, n| {
            let (of, things) = (k.row.of as u64, k.things());
            let slowly = || async { *things.lock.lock().await + 10 * of + n };
            *things.cell.get_or_init(slowly).await
        };
        get_or_try_init ANYBODY ["sync::OnceCell::get_or_try_init"] |k, n| {
            let of = k.row.of as u64;
            let init = || async move { if n % 2 == 0 { Ok(10 * of) } else { Err(()) } };
            k.things().cell.get_or_try_init(init).await.map_or(90, |value| *value)
        };
        get_cell ANYBODY ["sync::OnceCell::get"] |k, _n| k.things().cell.get().map_or(90, |value| *value);
        set_cell ANYBODY ["sync::OnceCell::set"] |k, n| ok(&k.things().cell.set(10 * k.row.of as u64 + n));
        is_set ANYBODY ["sync::OnceCell::initialized"] |k, _n| u64::from(k.things().cell.initialized());
    }
    "watches" {
        watch_send ANYBODY ["sync::watch::Sender::send"] |k, n| ok(&end!(k.watch_send).send(1 + n));
        watch_modify ANYBODY ["sync::watch::Sender::send_modify"] |k, _n| {
            end!(k.watch_send).send_modify(|value| *value += 1);
            0
        };
        watch_modify_if ANYBODY ["sync::watch::Sender::send_if_modified"] |k, _n| {
            let changed = end!(k.watch_send).send_if_modified(|value| { *value += 1; *value % 2 == 0 });
            u64::from(changed)
        };
        watch_replace ANYBODY ["sync::watch::Sender::send_replace"] |k, n| end!(k.watch_send).send_replace(n);
        watch_own ANYBODY ["sync::watch::Sender::borrow"] |k, _n| *end!(k.watch_send).borrow();
        watch_subscribe ANYBODY ["sync::watch::Sender::subscribe"] |k, _n| {
            let receiver = end!(k.watch_send).subscribe();
            let value = *receiver.borrow();
            k.ends.watch = Some(receiver);
            value
        };
        watch_count ANYBODY ["sync::watch::Sender::receiver_count"] |k, _n| {
            end!(k.watch_send).receiver_count() as u64
        };
        watch_closed ANYBODY ["sync::watch::Sender::closed"] |k, _n| { end!(k.watch_send).closed().await; 0 };
        watch_is_closed ANYBODY ["sync::watch::Sender::is_closed"] |k, _n| {
            u64::from(end!(k.watch_send).is_closed())
        };
        watch_drop_sender ANYBODY ["sync::watch::Sender::drop"] |k, _n| {
            u64::from(k.ends.watch_send.take().is_some())
        };
        watch_changed ANYBODY ["sync::watch::Receiver::changed", "sync::watch::Receiver::borrow_and_update"]
            |k, _n| {
                let receiver = end!(k.watch);
                let changed = ok(&receiver.changed().await);
                10 * changed + *receiver.borrow_and_update()
            };
        watch_wait_for ANYBODY ["sync::watch::Receiver::wait_for"] |k, n| {
            let found = end!(k.watch).wait_for(|value| *value > n % 2).await;
            found.map_or(90, |value| *value)
        };
        watch_borrow ANYBODY ["sync::watch::Receiver::borrow"] |k, _n| *end!(k.watch).borrow();
        watch_has_changed ANYBODY ["sync::watch::Receiver::has_changed"] |k, _n| {
            end!(k.watch).has_changed().map_or(90, u64::from)
        };
        watch_mark ANYBODY ["sync::watch::Receiver::mark_changed", "sync::watch::Receiver::mark_unchanged"]
            |k, n| {
                let receiver = end!(k.watch);
                match n % 2 {
                    0 => receiver.mark_changed(),
                    _ => receiver.mark_unchanged(),
                }
                receiver.has_changed().map_or(90, u64::from)
            };
        watch_drop ANYBODY ["sync::watch::Receiver::drop"] |k, _n| u64::from(k.ends.watch.take().is_some());
    }
    "channels" {
        send_in ANYBODY ["sync::mpsc::Sender::send"] |k, n| ok(&end!(k.send).send(n).await);
        try_send_in ANYBODY ["sync::mpsc::Sender::try_send"] |k, n| match end!(k.send).try_send(n) {
            Ok(()) => 2,
            Err(mpsc::TrySendError::Full(_)) => 1,
            Err(_) => 0,
        };
        reserve ANYBODY ["sync::mpsc::Sender::reserve", "sync::mpsc::Permit::send"] |k, n| {
            match end!(k.send).reserve().await {
                Ok(permit) => { permit.send(10 + n); 1 }
                Err(_) => 0,
            }
        };
        reserve_in_vain ANYBODY ["sync::mpsc::Sender::try_reserve", "sync::mpsc::Permit::drop"] |k, _n| {
            ok(&end!(k.send).try_reserve())
        };
        send_closed ANYBODY ["sync::mpsc::Sender::closed"] |k, _n| { end!(k.send).closed().await; 0 };
        send_look ANYBODY ["sync::mpsc::Sender::is_closed", "sync::mpsc::Sender::capacity"] |k, _n| {
            let send = end!(k.send);
            10 * send.capacity() as u64 + u64::from(send.is_closed())
        };
        drop_sender ANYBODY ["sync::mpsc::Sender::drop"] |k, _n| u64::from(k.ends.send.take().is_some());
        receive_from ANYBODY ["sync::mpsc::Receiver::recv"] |k, _n| end!(k.receive).recv().await.unwrap_or(90);
        try_receive ANYBODY ["sync::mpsc::Receiver::try_recv"] |k, _n| tried(end!(k.receive).try_recv());
        receive_many ANYBODY ["sync::mpsc::Receiver::recv_many"] |k, _n| {
            let mut all = Vec::new();
            end!(k.receive).recv_many(&mut all, 2).await;
            all.into_iter().fold(1, |all, value| 10 * all + value)
        };
        receive_look ANYBODY ["sync::mpsc::Receiver::len", "sync::mpsc::Receiver::is_empty",
            "sync::mpsc::Receiver::is_closed"] |k, _n| {
                let receive = end!(k.receive);
                let (empty, closed) = (receive.is_empty(), receive.is_closed());
                10 * receive.len() as u64 + 2 * u64::from(empty) + u64::from(closed)
            };
        close_channel ANYBODY ["sync::mpsc::Receiver::close"] |k, _n| { end!(k.receive).close(); 0 };
        drop_receiver ANYBODY ["sync::mpsc::Receiver::drop"] |k, _n| u64::from(k.ends.receive.take().is_some());
        send_blocking STACKED ["sync::mpsc::Sender::blocking_send"] |k, n| ok(&end!(k.send).blocking_send(n));
        receive_blocking STACKED ["sync::mpsc::Receiver::blocking_recv"] |k, _n| {
            end!(k.receive).blocking_recv().unwrap_or(90)
        };
    }
    "unbounded channels" {
        unbounded_send ANYBODY ["sync::mpsc::UnboundedSender::send"] |k, n| ok(&end!(k.send_unbounded).send(n));
        unbounded_closed ANYBODY ["sync::mpsc::UnboundedSender::closed"] |k, _n| {
            end!(k.send_unbounded).closed().await;
            0
        };
        unbounded_is_closed ANYBODY ["sync::mpsc::UnboundedSender::is_closed"] |k, _n| {
            u64::from(end!(k.send_unbounded).is_closed())
        };
        unbounded_drop_sender ANYBODY ["sync::mpsc::UnboundedSender::drop"] |k, _n| {
            u64::from(k.ends.send_unbounded.take().is_some())
        };
        unbounded_receive ANYBODY ["sync::mpsc::UnboundedReceiver::recv"] |k, _n| {
            end!(k.receive_unbounded).recv().await.unwrap_or(90)
        };
        unbounded_try_receive ANYBODY ["sync::mpsc::UnboundedReceiver::try_recv"] |k, _n| {
            tried(end!(k.receive_unbounded).try_recv())
        };
        unbounded_receive_many ANYBODY ["sync::mpsc::UnboundedReceiver::recv_many"] |k, _n| {
            let mut all = Vec::new();
            end!(k.receive_unbounded).recv_many(&mut all, 2).await;
            all.into_iter().fold(1, |all, value| 10 * all + value)
        };
        unbounded_look ANYBODY ["sync::mpsc::UnboundedReceiver::len", "sync::mpsc::UnboundedReceiver::is_empty",
            "sync::mpsc::UnboundedReceiver::is_closed"] |k, _n| {
                let receive = end!(k.receive_unbounded);
                let (empty, closed) = (receive.is_empty(), receive.is_closed());
                10 * receive.len() as u64 + 2 * u64::from(empty) + u64::from(closed)
            };
        unbounded_close ANYBODY ["sync::mpsc::UnboundedReceiver::close"] |k, _n| {
            end!(k.receive_unbounded).close();
            0
        };
        unbounded_drop ANYBODY ["sync::mpsc::UnboundedReceiver::drop"] |k, _n| {
            u64::from(k.ends.receive_unbounded.take().is_some())
        };
        unbounded_receive_blocking STACKED ["sync::mpsc::UnboundedReceiver::blocking_recv"] |k, _n| {
            end!(k.receive_unbounded).blocking_recv().unwrap_or(90)
        };
    }
    "oneshots" {
        once_send ANYBODY ["sync::oneshot::Sender::send"] |k, n| match k.ends.once_send.take() {
            Some(send) => ok(&send.send(n)),
            None => NONE,
        };
        once_closed ANYBODY ["sync::oneshot::Sender::closed"] |k, _n| { end!(k.once_send).closed().await; 0 };
        once_is_closed ANYBODY ["sync::oneshot::Sender::is_closed"] |k, _n| {
            u64::from(end!(k.once_send).is_closed())
        };
        once_drop_sender ANYBODY ["sync::oneshot::Sender::drop"] |k, _n| {
            u64::from(k.ends.once_send.take().is_some())
        };
        once_receive ANYBODY ["sync::oneshot::Receiver::await"] |k, _n| {
            end!(k.once_receive).await.map_or(90, |value: u64| value)
        };
        keep_once ANYBODY ["sync::oneshot::Receiver::await"] |k, _n| match k.ends.once_receive.take() {
            Some(receive) => k.keep(async move { receive.await.unwrap_or(90) }),
            None => NONE,
        };
        once_try_receive ANYBODY ["sync::oneshot::Receiver::try_recv"] |k, _n| {
            match end!(k.once_receive).try_recv() {
                Ok(value) => 10 + value,
                Err(oneshot::error::TryRecvError::Empty) => 1,
                Err(_) => 2,
            }
        };
        once_close ANYBODY ["sync::oneshot::Receiver::close"] |k, _n| { end!(k.once_receive).close(); 0 };
        once_drop ANYBODY ["sync::oneshot::Receiver::drop"] |k, _n| {
            u64::from(k.ends.once_receive.take().is_some())
        };
        once_receive_blocking STACKED ["sync::oneshot::Receiver::blocking_recv"] |k, _n| {
            match k.ends.once_receive.take() {
                Some(receive) => receive.blocking_recv().unwrap_or(90),
                None => NONE,
            }
        };
    }
    "broadcasts" {
        cast ANYBODY ["sync::broadcast::Sender::send"] |k, n| end!(k.cast).send(n).map_or(90, |count| count as u64);
        cast_count ANYBODY ["sync::broadcast::Sender::receiver_count"] |k, _n| end!(k.cast).receiver_count() as u64;
        cast_look ANYBODY ["sync::broadcast::Sender::len", "sync::broadcast::Sender::is_empty"] |k, _n| {
            let cast = end!(k.cast);
            10 * cast.len() as u64 + u64::from(cast.is_empty())
        };
        cast_subscribe ANYBODY ["sync::broadcast::Sender::subscribe"] |k, _n| {
            k.ends.heard = Some(end!(k.cast).subscribe());
            0
        };
        cast_drop ANYBODY ["sync::broadcast::Sender::drop"] |k, _n| u64::from(k.ends.cast.take().is_some());
        hear ANYBODY ["sync::broadcast::Receiver::recv"] |k, _n| {
            tried(end!(k.heard).recv().await)
        };
        try_hear ANYBODY ["sync::broadcast::Receiver::try_recv"] |k, _n| tried(end!(k.heard).try_recv());
        hear_look ANYBODY ["sync::broadcast::Receiver::len", "sync::broadcast::Receiver::is_empty"] |k, _n| {
            let heard = end!(k.heard);
            10 * heard.len() as u64 + u64::from(heard.is_empty())
        };
        hear_anew ANYBODY ["sync::broadcast::Receiver::resubscribe"] |k, _n| {
            k.ends.heard = Some(end!(k.heard).resubscribe());
            0
        };
        hear_drop ANYBODY ["sync::broadcast::Receiver::drop"] |k, _n| u64::from(k.ends.heard.take().is_some());
    }
}
