//! Waits that may rightly last for ever: [`forever`].

use std::future::Future;

use crate::production;
use crate::runtime::{self, Address};

/// Awaits `future`, which may rightly never be ready: a server that waits for its next job, say.
///
/// The tester takes a handler, or a test body, that awaits without a time limit for one that is owed
/// what it awaits. It reports who awaits in vain as a deadlock: where nothing else can happen, and
/// beside periodic timers and other traffic where that lasts for longer than the threshold of
/// liveness. What is awaited by `forever` is owed to nobody, and neither is what the same handler
/// awaits beside it, in a `select!` for instance. An execution may end while it waits. What takes an
/// end by itself, a `sleep` or an `ask` with a time limit, needs no such word.
///
/// It changes nothing else. In production, [`LiveSystem::watch_stuck`](crate::LiveSystem::watch_stuck)
/// passes over a handler while it waits so.
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
    let _mark = Mark::new();
    future.await
}

/// While it lives, the operation's wait is nobody's debt.
struct Mark(Option<Address>);

impl Mark {
    fn new() -> Self {
        let mark = Self(runtime::try_with(|rt| rt.waits_forever()));
        production::count(1);
        mark
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        production::count(-1);
        if let Some(operation) = self.0 {
            runtime::try_with(|rt| rt.waited_forever(operation));
        }
    }
}
