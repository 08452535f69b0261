//! The rules of tasks and threads that participants start, and of thread-local state.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use actor_core::sync::blocking::atomic::Ordering::SeqCst;
use actor_core::task::{self, AbortHandle, JoinError, JoinSet};
use actor_core::{hint, thread};

use crate::constructs::actors::Question;
use crate::constructs::kit::Kit;
use crate::constructs::rules::rules;

actor_core::thread_local! {
    static LOCAL: Cell<u64> = Cell::new(5);
    static LOCAL_LIST: RefCell<Vec<u64>> = RefCell::new(Vec::new());
}

fn ms(number: u64) -> Duration {
    Duration::from_millis(1 + number % 2)
}

/// Encodes the result of a task.
fn end(joined: Result<u64, JoinError>) -> u64 {
    match joined {
        Ok(value) => 1 + value,
        Err(error) if error.is_cancelled() => 97,
        Err(_) => 98,
    }
}

impl Kit {
    /// Returns the work of a participant's task or thread.
    fn work(&self, number: u64) -> impl FnOnce() -> u64 + Send + 'static {
        let common = self.common().clone();
        let mut row = self
            .row
            .other(200 * (1 + number as usize % 2) + self.row.of);
        move || {
            let seen = common.things.number.fetch_add(1, SeqCst);
            row.note(seen);
            seen
        }
    }

    /// Returns the same work with a pause.
    fn patient_work(&self, number: u64) -> impl Future<Output = u64> + Send + 'static {
        let work = self.work(number);
        let common = self.common().clone();
        async move {
            if number > 1 {
                task::yield_now().await;
            } else {
                common.things.notify.notified().await;
            }
            work()
        }
    }

    fn set(&mut self) -> &mut JoinSet<u64> {
        self.set.get_or_insert_default()
    }
}

rules! {
    "tasks" {
        begin_task ANYBODY ["task::spawn"] |k, n| {
            let work = k.work(n);
            k.tasks.push(task::spawn(async move { work() }));
            0
        };
        begin_patient_task ANYBODY ["task::spawn", "task::yield_now"] |k, n| {
            let work = k.patient_work(n);
            k.tasks.push(task::spawn(work));
            0
        };
        yields ANYBODY ["task::yield_now"] |k, _n| {
            task::yield_now().await;
            k.things().number.load(SeqCst)
        };
        join_task ANYBODY ["task::JoinHandle::await"] |k, _n| match k.tasks.pop() {
            Some(joins) => end(joins.await),
            None => 0,
        };
        keep_joining ANYBODY ["task::JoinHandle::await"] |k, _n| match k.tasks.pop() {
            Some(joins) => k.keep(async move { end(joins.await) }),
            None => 0,
        };
        abort_task ANYBODY ["task::JoinHandle::abort"] |k, _n| match k.tasks.last() {
            Some(joins) => { joins.abort(); 1 }
            None => 0,
        };
        task_is_finished ANYBODY ["task::JoinHandle::is_finished"] |k, _n| {
            k.tasks.last().map_or(2, |joins| u64::from(joins.is_finished()))
        };
        detach_task ANYBODY ["task::spawn"] |k, _n| u64::from(k.tasks.pop().is_some());
        begin_for_others ANYBODY ["task::JoinHandle::abort_handle"] |k, n| {
            let joins = task::spawn(k.patient_work(n));
            let before = k.things().aborts.try_lock().map(|mut aborts| aborts.replace(joins.abort_handle()));
            k.tasks.push(joins);
            before.map_or(90, |before| u64::from(before.is_some()))
        };
        abort_of_another ANYBODY ["task::AbortHandle::abort", "task::AbortHandle::is_finished"] |k, n| {
            let aborts: Option<AbortHandle> = k.things().aborts.try_lock().ok().and_then(|mut aborts| aborts.take());
            match aborts {
                Some(aborts) => {
                    let was = aborts.is_finished();
                    if n > 0 {
                        aborts.abort();
                    }
                    1 + u64::from(was)
                }
                None => 0,
            }
        };
        block_on STACKED ["task::block_on"] |k, n| {
            let ask = k.peer(n).ask(Question(n));
            task::block_on(ask).unwrap_or(99)
        };
    }
    "task sets" {
        set_spawn ANYBODY ["task::JoinSet::spawn"] |k, n| {
            let work = k.patient_work(n);
            k.set().spawn(work);
            0
        };
        set_spawn_two ANYBODY ["task::JoinSet::spawn"] |k, n| {
            let (one, other) = (k.work(n), k.work(1 + n));
            k.set().spawn(async move { one() });
            k.set().spawn(async move { other() });
            0
        };
        set_next ANYBODY ["task::JoinSet::join_next"] |k, _n| k.set().join_next().await.map_or(0, end);
        set_try_next ANYBODY ["task::JoinSet::try_join_next"] |k, _n| k.set().try_join_next().map_or(0, end);
        set_look ANYBODY ["task::JoinSet::len", "task::JoinSet::is_empty"] |k, _n| {
            2 * k.set().len() as u64 + u64::from(k.set().is_empty())
        };
        set_all ANYBODY ["task::JoinSet::join_all"] |k, _n| match k.set.take() {
            Some(set) => set.join_all().await.iter().fold(1, |all, value| 10 * all + value),
            None => 0,
        };
        set_abort ANYBODY ["task::JoinSet::abort_all"] |k, _n| { k.set().abort_all(); 0 };
        set_shutdown ANYBODY ["task::JoinSet::shutdown"] |k, _n| { k.set().shutdown().await; 0 };
        set_detach ANYBODY ["task::JoinSet::detach_all"] |k, _n| { k.set().detach_all(); 0 };
        set_drop ANYBODY ["task::JoinSet::drop"] |k, _n| u64::from(k.set.take().is_some());
    }
    "threads" {
        begin_thread ANYBODY ["thread::spawn"] |k, n| {
            let work = k.work(n);
            k.threads.push(thread::spawn(work));
            0
        };
        begin_named_thread ANYBODY ["thread::Builder::spawn"] |k, n| {
            let work = k.work(n);
            match thread::Builder::new().name("named".into()).spawn(work) {
                Ok(joins) => { k.threads.push(joins); 0 }
                Err(_) => 1,
            }
        };
        begin_parked_thread ANYBODY ["thread::spawn", "thread::park"] |k, n| {
            let work = k.work(n);
            k.threads.push(thread::spawn(move || { thread::park(); work() }));
            0
        };
        join_thread STACKED ["thread::JoinHandle::join"] |k, _n| match k.threads.pop() {
            Some(joins) => joins.join().map_or(98, |value| 1 + value),
            None => 0,
        };
        thread_is_finished ANYBODY ["thread::JoinHandle::is_finished"] |k, _n| {
            k.threads.last().map_or(2, |joins| u64::from(joins.is_finished()))
        };
        unpark_own ANYBODY ["thread::JoinHandle::thread", "thread::Thread::unpark"] |k, _n| match k.threads.last() {
            Some(joins) => { joins.thread().unpark(); 1 }
            None => 0,
        };
        offer_to_be_unparked STACKED ["thread::current"] |k, _n| {
            let offered = k.things().parked.try_lock().map(|mut parked| parked.replace(thread::current()));
            offered.map_or(90, |before| u64::from(before.is_some()))
        };
        unpark_another ANYBODY ["thread::Thread::unpark"] |k, _n| {
            let parked = k.things().parked.try_lock().map(|parked| parked.clone());
            match parked {
                Ok(Some(parked)) => { parked.unpark(); 1 }
                Ok(None) => 0,
                Err(_) => 90,
            }
        };
        offer_and_park STACKED ["thread::current", "thread::park"] |k, _n| {
            *k.things().parked.lock().await = Some(thread::current());
            thread::park();
            k.things().number.load(SeqCst)
        };
        park_for STACKED ["thread::park_timeout"] |k, n| {
            thread::park_timeout(ms(n));
            k.things().number.load(SeqCst)
        };
        thread_sleeps STACKED ["thread::sleep"] |k, n| { thread::sleep(ms(n)); k.things().number.load(SeqCst) };
        thread_yields STACKED ["thread::yield_now"] |k, _n| { thread::yield_now(); k.things().number.load(SeqCst) };
        spins STACKED ["hint::spin_loop"] |k, _n| {
            for turn in 0..2 {
                if k.things().number.load(SeqCst) > 0 {
                    return 1 + turn;
                }
                hint::spin_loop();
            }
            0
        };
        scope STACKED ["thread::scope"] |k, _n| {
            let number = &k.things().number;
            thread::scope(|scope| {
                let joins = scope.spawn(|| number.fetch_add(1, SeqCst));
                let own = number.load(SeqCst);
                10 * own + joins.join().unwrap_or(9)
            })
        };
        scope_by_builder STACKED ["thread::Builder::spawn_scoped", "thread::scope"] |k, _n| {
            let number = &k.things().number;
            thread::scope(|scope| {
                let began = thread::Builder::new().spawn_scoped(scope, || number.fetch_add(1, SeqCst));
                u64::from(began.is_ok())
            })
        };
    }
    "locals" {
        local_get ANYBODY ["thread::LocalKey::get"] |_k, _n| LOCAL.get();
        local_set ANYBODY ["thread::LocalKey::set"] |_k, n| { LOCAL.set(n); 0 };
        local_replace ANYBODY ["thread::LocalKey::replace"] |_k, n| LOCAL.replace(n);
        local_take ANYBODY ["thread::LocalKey::take"] |_k, _n| LOCAL.take();
        local_with ANYBODY ["thread::LocalKey::with"] |_k, _n| LOCAL.with(Cell::get);
        local_list ANYBODY ["thread::LocalKey::with_borrow"] |_k, _n| LOCAL_LIST.with_borrow(Vec::len) as u64;
        local_list_push ANYBODY ["thread::LocalKey::with_borrow_mut"] |k, n| {
            let seen = k.things().number.load(SeqCst);
            LOCAL_LIST.with_borrow_mut(|list| { list.push(n); 10 * list.len() as u64 + seen })
        };
    }
    "blocking channels" {
        pass ANYBODY ["sync::blocking::mpsc::Sender::send"] |k, n| match &k.ends.pass {
            Some(send) => u64::from(send.send(n).is_ok()),
            None => 97,
        };
        pass_drop ANYBODY ["sync::blocking::mpsc::Sender::drop"] |k, _n| u64::from(k.ends.pass.take().is_some());
        push STACKED ["sync::blocking::mpsc::SyncSender::send"] |k, n| match &k.ends.push {
            Some(send) => u64::from(send.send(10 + n).is_ok()),
            None => 97,
        };
        try_push ANYBODY ["sync::blocking::mpsc::SyncSender::try_send"] |k, n| match &k.ends.push {
            Some(send) => u64::from(send.try_send(10 + n).is_ok()),
            None => 97,
        };
        push_drop ANYBODY ["sync::blocking::mpsc::SyncSender::drop"] |k, _n| u64::from(k.ends.push.take().is_some());
        pull STACKED ["sync::blocking::mpsc::Receiver::recv"] |k, n| match k.puller(n) {
            Some(receive) => receive.recv().unwrap_or(96),
            None => 97,
        };
        try_pull ANYBODY ["sync::blocking::mpsc::Receiver::try_recv"] |k, n| match k.puller(n) {
            Some(receive) => receive.try_recv().unwrap_or(96),
            None => 97,
        };
        pull_for STACKED ["sync::blocking::mpsc::Receiver::recv_timeout"] |k, n| match k.puller(n) {
            Some(receive) => receive.recv_timeout(ms(n)).unwrap_or(96),
            None => 97,
        };
        pull_two STACKED ["sync::blocking::mpsc::Receiver::iter"] |k, n| match k.puller(n) {
            Some(receive) => receive.iter().take(2).fold(1, |all, value| 100 * all + value),
            None => 97,
        };
        pull_what_is_there ANYBODY ["sync::blocking::mpsc::Receiver::try_iter"] |k, n| match k.puller(n) {
            Some(receive) => receive.try_iter().fold(1, |all, value| 100 * all + value),
            None => 97,
        };
        pull_drop ANYBODY ["sync::blocking::mpsc::Receiver::drop"] |k, n| match n % 2 {
            0 => u64::from(k.ends.passed.take().is_some()),
            _ => u64::from(k.ends.pushed.take().is_some()),
        };
    }
}

impl Kit {
    /// Returns one of the two receivers, if the participant has one.
    fn puller(&self, number: u64) -> Option<&actor_core::sync::blocking::mpsc::Receiver<u64>> {
        let (passed, pushed) = (self.ends.passed.as_ref(), self.ends.pushed.as_ref());
        match number % 2 {
            0 => passed.or(pushed),
            _ => pushed.or(passed),
        }
    }
}
