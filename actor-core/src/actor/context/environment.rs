//! Fallible calls of the environment, at which the tester injects faults.

use std::future::Future;

use super::Context;
use crate::actor::Actor;
use crate::environment::fallible;

/// Fallible calls of the environment.
impl<A: Actor> Context<A> {
    /// Makes a call that may fail: of a device, a file, another program. Under test, an injected fault
    /// replaces the call by an error that the test supplies through
    /// [`System::fails`](crate::System::fails).
    ///
    /// A test asks for such faults with `faults(call = 2)`. The name identifies the call in the
    /// supplied errors, in reports and in traces.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::io;
    ///
    /// #[derive(Debug)]
    /// struct Insert;
    ///
    /// #[derive(Default)]
    /// struct Terminal {
    ///     card: Option<u64>,
    /// }
    ///
    /// fn read_card() -> io::Result<u64> {
    ///     Ok(4711)
    /// }
    ///
    /// #[actor]
    /// impl Terminal {
    ///     #[on]
    ///     fn insert(&mut self, _: Insert, cx: &mut Context<Self>) {
    ///         self.card = cx.fallible("read the card", read_card).ok();
    ///     }
    /// }
    ///
    /// fn set_up(sys: &System) {
    ///     sys.fails("read the card", || io::Error::other("the reader is unplugged"));
    ///     sys.spawn(Terminal::default()).tell(Insert);
    /// }
    /// # let _ = set_up;
    /// ```
    ///
    /// # Panics
    ///
    /// Under test, if the supplied error is of another type.
    #[track_caller]
    pub fn fallible<T, E: 'static>(
        &mut self,
        name: &str,
        call: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        fallible::call(self.home.is_live(), name, call)
    }

    /// Makes a fallible call as [`fallible`](Context::fallible) does, for a call that is awaited. The
    /// fault is decided when the future is awaited.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::io;
    ///
    /// #[derive(Debug)]
    /// struct Pay(u64);
    ///
    /// struct Till;
    ///
    /// async fn charge(amount: u64) -> io::Result<()> {
    /// #   let _ = amount;
    ///     Ok(())
    /// }
    ///
    /// #[actor]
    /// impl Till {
    ///     #[on]
    ///     async fn pay(&mut self, Pay(amount): Pay, cx: &mut Context<Self>) -> bool {
    ///         cx.fallible_async("charge the card", charge(amount)).await.is_ok()
    ///     }
    /// }
    /// ```
    pub fn fallible_async<T, E: 'static, F>(
        &mut self,
        name: &'static str,
        call: F,
    ) -> impl Future<Output = Result<T, E>> + use<A, T, E, F>
    where
        F: Future<Output = Result<T, E>>,
    {
        fallible::call_async(self.home.is_live(), name, call)
    }
}
