//! Where an actor's handlers run, if not on the workers: [`Stage`].

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tokio::runtime::Handle;

use super::actor::LiveActor;
use super::life::Life;

/// Where a life runs. It takes it along.
pub(in crate::production) enum Stage {
    /// On the threads that the runtime keeps for what blocks.
    BlockingThreads(Handle),
    /// On a thread of its own, which ends with the actor.
    Thread(Sender<Box<Life>>),
}

impl Stage {
    /// Starts a thread for one actor.
    ///
    /// # Errors
    ///
    /// Where the system has no more threads.
    pub(in crate::production) fn thread(actor: &LiveActor) -> io::Result<Self> {
        let (give, lives) = mpsc::channel::<Box<Life>>();
        let hub = actor.hub().clone();
        thread::Builder::new()
            .name(actor.name().replace('\0', " "))
            .spawn(move || {
                let _clock = hub.executor.enter();
                for life in lives {
                    life.run();
                }
            })?;
        Ok(Self::Thread(give))
    }

    /// Has a life run; it is dropped where that can't be.
    pub(in crate::production) fn dispatch(actor: &LiveActor, life: Box<Life>) {
        let hub = actor.hub();
        match life.stage() {
            None => hub.dispatcher.dispatch(life),
            Some(Self::BlockingThreads(runtime)) => {
                let runtime = runtime.clone();
                runtime.spawn_blocking(|| life.run());
            }
            Some(Self::Thread(give)) => {
                let give = give.clone();
                drop(give.send(life));
            }
        }
    }
}
