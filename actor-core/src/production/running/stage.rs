//! Where an actor's handlers run, if not on the workers: [`Stage`].

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tokio::runtime::Handle;

use super::dispatcher::Run;
use crate::production::host::executor::Executor;

/// Where a life runs. It takes it along.
pub(in crate::production) enum Stage<L> {
    /// On the threads that the runtime keeps for what blocks.
    BlockingThreads(Handle),
    /// On a thread of its own, which ends with the actor.
    Thread(Sender<Box<L>>),
}

impl<L: Run> Stage<L> {
    /// Starts a thread for one actor.
    ///
    /// # Errors
    ///
    /// Where the system has no more threads.
    pub(in crate::production) fn thread(name: &str, executor: &Executor) -> io::Result<Self> {
        let (give, lives) = mpsc::channel::<Box<L>>();
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

    /// Has a life run; it is dropped where that can't be.
    pub(in crate::production) fn run(&self, life: Box<L>) {
        match self {
            Self::BlockingThreads(runtime) => drop(runtime.spawn_blocking(|| life.run())),
            Self::Thread(give) => drop(give.send(life)),
        }
    }
}

/// To take it out of the life that it is to run.
impl<L> Clone for Stage<L> {
    fn clone(&self) -> Self {
        match self {
            Self::BlockingThreads(runtime) => Self::BlockingThreads(runtime.clone()),
            Self::Thread(give) => Self::Thread(give.clone()),
        }
    }
}
