//! Waits that may rightly last for ever, exempt from deadlock detection: [`forever`].

use std::future::Future;

use crate::production;
use crate::seam::{self, Address, Dropped, Note};

/// Awaits `future`, which may rightly never be ready: a server that waits for its next job, say.
///
/// The tester expects that every await without a time limit, in a handler or a test body, is eventually
/// completed. Otherwise the tester reports a deadlock: when nothing else can happen, or, beside periodic
/// timers and other traffic, when the wait lasts longer than the liveness threshold. A wait by `forever` is
/// exempt, and so is everything that the same handler awaits at the same time, in a `select!` for instance.
/// An execution may end during such a wait. A `sleep`, or an `ask` with a time limit, needs no `forever`.
///
/// In production, [`LiveSystem::watch_stuck`](crate::LiveSystem::watch_stuck) ignores such a wait.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::forever;
///
/// #[derive(Debug)]
/// struct Open;
/// #[derive(Debug)]
/// struct Job(u32);
///
/// #[derive(Default)]
/// struct Server {
///     done: u32,
/// }
///
/// #[actor(receive(Job))]
/// impl Server {
///     #[on]
///     async fn open(&mut self, _: Open, cx: &mut Context<Self>) {
///         loop {
///             let job = forever(cx.receive::<Job>()).await;
///             self.done += job.0;
///         }
///     }
/// }
/// ```
pub async fn forever<F: Future>(future: F) -> F::Output {
    let _mark = ForeverGuard::new();
    future.await
}

/// Exempts the wait of the operation from deadlock detection while it lives.
struct ForeverGuard(Option<Address>);

impl ForeverGuard {
    fn new() -> Self {
        seam::note(Note::WaitsForever);
        let mark = Self(seam::try_with(|rt| rt.current()));
        production::count(1);
        mark
    }
}

impl Drop for ForeverGuard {
    fn drop(&mut self) {
        production::count(-1);
        if let Some(operation) = self.0 {
            seam::dropped(Dropped::EndlessWait(operation));
        }
    }
}
