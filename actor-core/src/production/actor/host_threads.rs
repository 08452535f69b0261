//! Threads for actors whose handlers don't run on the workers: [`HostThreads`].

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tokio::runtime::Handle;

use super::actor_task::ActorTask;
use crate::production::host::executor::Executor;

/// The threads on which an actor task runs. The task is moved there for each run, so this is cloned out of
/// it.
#[derive(Clone)]
pub(in crate::production) enum HostThreads {
    /// The runtime's threads for blocking work.
    BlockingThreads(Handle),
    /// A thread of its own, which ends with the actor.
    Thread(Sender<Box<ActorTask>>),
}

impl HostThreads {
    /// Starts a thread for one actor.
    ///
    /// # Errors
    ///
    /// If the system can't start another thread.
    pub(in crate::production) fn thread(name: &str, executor: &Executor) -> io::Result<Self> {
        let (give, lives) = mpsc::channel::<Box<ActorTask>>();
        let executor = executor.clone();
        thread::Builder::new()
            .name(name.replace('\0', " "))
            .spawn(move || {
                let _clock = executor.enter();
                for life in lives {
                    life.run();
                }
            })?;
        Ok(Self::Thread(give))
    }

    /// Runs an actor task there; drops it if that is impossible.
    pub(in crate::production) fn run(&self, life: Box<ActorTask>) {
        match self {
            Self::BlockingThreads(runtime) => drop(runtime.spawn_blocking(|| life.run())),
            Self::Thread(give) => drop(give.send(life)),
        }
    }
}
