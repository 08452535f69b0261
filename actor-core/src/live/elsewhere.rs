//! Actors whose handlers run on other threads than those of the runtime's tasks.
//!
//! The actor stays a task, which is woken, aborted and counted as any; only its polls are made
//! elsewhere, one at a time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::{Context as TaskContext, Wake, Waker};
use std::{io, thread};

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::task::spawn_blocking;

/// The life of an actor, on its way between threads.
pub(super) type Life = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Rings when the actor has something to do.
struct Bell(Notify);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // A ring before anyone listens is kept.
        self.0.notify_one();
    }
}

/// One poll, wherever it is made.
struct Turn {
    life: Life,
    waker: Waker,
    /// The task is gone, and the actor is to be dropped.
    is_aborted: Arc<AtomicBool>,
}

impl Turn {
    /// Returns the life, unless it is over.
    fn take(mut self) -> Option<Life> {
        // Relaxed: whoever is a moment late has begun before.
        if self.is_aborted.load(Ordering::Relaxed) {
            return None;
        }
        let mut task = TaskContext::from_waker(&self.waker);
        let is_over = self.life.as_mut().poll(&mut task).is_ready();
        (!is_over).then_some(self.life)
    }
}

/// Says that the task is gone.
struct OnAbort(Arc<AtomicBool>);

impl Drop for OnAbort {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a life by turns, which `run` takes elsewhere and brings the life back from.
async fn by_turns<F: Future<Output = Option<Life>>>(mut life: Life, run: impl Fn(Turn) -> F) {
    let bell = Arc::new(Bell(Notify::new()));
    let waker = Waker::from(bell.clone());
    let on_abort = OnAbort(Arc::default());
    loop {
        let turn = Turn {
            life,
            waker: waker.clone(),
            is_aborted: on_abort.0.clone(),
        };
        let Some(back) = run(turn).await else {
            return;
        };
        life = back;
        bell.0.notified().await;
    }
}

/// On the threads that the runtime keeps for what blocks.
pub(super) async fn on_blocking_threads(life: Life) {
    by_turns(life, async |turn| {
        spawn_blocking(|| turn.take()).await.ok().flatten()
    })
    .await;
}

/// On a thread of its own, which ends with the actor.
///
/// # Errors
///
/// Where the system has no more threads.
pub(super) fn on_a_thread(
    name: &str,
    runtime: Handle,
    life: Life,
) -> io::Result<impl Future<Output = ()> + Send + use<>> {
    let (give, turns) = mpsc::channel::<(Turn, oneshot::Sender<Life>)>();
    thread::Builder::new()
        .name(name.replace('\0', " "))
        .spawn(move || {
            let _runtime = runtime.enter();
            for (turn, back) in turns {
                if let Some(life) = turn.take() {
                    // Where the task is gone the life ends here.
                    drop(back.send(life));
                }
            }
        })?;
    Ok(async move {
        by_turns(life, |turn| {
            let (back, returned) = oneshot::channel();
            let sent = give.send((turn, back));
            async move {
                sent.ok()?;
                returned.await.ok()
            }
        })
        .await;
    })
}
