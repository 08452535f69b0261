//! The order in which branches of a [`select!`](crate::select) are polled.

use std::task::Poll;

use crate::production::next_u64;
use crate::seam::{self, RandomChoice};

pub use actor_macros::select as expand;

/// Awaits several futures, and continues with the first that is ready; drops the others. Syntax as tokio's.
///
/// ```
/// use actor_core::sync::mpsc;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (orders, mut received) = mpsc::channel(1);
/// let (_keep, mut stop) = mpsc::channel::<()>(1);
/// orders.send(7).await.unwrap();
/// let order = actor_core::select! {
///     Some(order) = received.recv() => order,
///     _ = stop.recv() => 0,
///     else => panic!("nobody sends any more"),
/// };
/// assert_eq!(order, 7);
/// # }
/// ```
///
/// # Branches
///
/// A branch is `pattern = future => handler`, or `pattern = future, if condition => handler`. The conditions
/// are evaluated first, then all futures are created, even those whose condition is false; these are not
/// polled. If a future is ready and the pattern does not match its value, the other futures are awaited. If
/// no branch is left, `else => ..` is evaluated. A handler may `break`, `continue`, `return` and use `?`.
///
/// To continue a future later, pass a reference to it: `done = &mut future => ..`.
///
/// # Several ready branches
///
/// Any ready branch may be taken. In production the choice is random each time. Under test it is a decision
/// of the tester, so that each order is explored, recorded and replayed. With `biased;` before the first
/// branch, the futures are polled in the order in which they are written, and there is nothing to decide.
///
/// tokio's `select!` draws from a generator of its own, which the tester does not control; with `biased;` it
/// can be used in tests as well. To replace `select!` of the crate `futures`, write references to the
/// futures, `else` for `complete`, and `biased;` with a last branch `() = async {} => ..` for `default`.
///
/// # Panics
///
/// If no branch is left, and there is no `else`.
#[macro_export]
macro_rules! select {
    ($($branches:tt)*) => {
        $crate::__private::select::expand!(($crate) $($branches)*)
    };
}

/// The result of polling a branch: `None` if pending, `Some(None)` if the pattern does not match the value.
pub type Polled<T> = Option<Option<T>>;

/// Polls the open branches in order, until one is ready.
pub fn poll_in_order<T>(
    open: &mut [bool],
    poll: impl FnMut(usize) -> Polled<T>,
) -> Poll<Option<T>> {
    poll_from(0, open, poll)
}

/// Polls the open branches, beginning with any of them, until one is ready.
pub fn poll_in_any_order<T>(
    open: &mut [bool],
    poll: impl FnMut(usize) -> Polled<T>,
) -> Poll<Option<T>> {
    let count = open.iter().filter(|is_open| **is_open).count();
    let first = match count {
        0 | 1 => 0,
        _ if seam::is_controlled() => seam::choose(RandomChoice::Branch(count as u32)) as usize,
        _ => (next_u64() % count as u64) as usize,
    };
    let mut all = open.iter().enumerate().filter(|(_, is_open)| **is_open);
    let first = all.nth(first).map_or(0, |(branch, _)| branch);
    poll_from(first, open, poll)
}

fn poll_from<T>(
    first: usize,
    open: &mut [bool],
    mut poll: impl FnMut(usize) -> Polled<T>,
) -> Poll<Option<T>> {
    let mut is_awaited = false;
    for branch in (first..open.len()).chain(0..first) {
        if !open[branch] {
            continue;
        }
        match poll(branch) {
            None => is_awaited = true,
            Some(ready) => {
                open[branch] = false;
                if let Some(value) = ready {
                    return Poll::Ready(Some(value));
                }
            }
        }
    }
    match is_awaited {
        true => Poll::Pending,
        false => Poll::Ready(None),
    }
}

/// Panics because no branch is left to be awaited.
#[track_caller]
pub fn panic_no_branch_left() -> ! {
    panic!("no branch of a `select!` is left, and it has no `else`");
}
