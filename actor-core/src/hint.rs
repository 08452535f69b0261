//! Hints for busy waiting, as in the standard library.

use crate::seam::{self, SchedulingPoint};

/// Hints to the processor that the thread is in a spin loop. Under test this is a
/// [`yield_now`](crate::thread::yield_now) of the thread or task.
///
/// ```
/// use actor_core::hint;
/// use actor_core::sync::blocking::atomic::{AtomicBool, Ordering};
///
/// let is_ready = AtomicBool::new(true);
/// while !is_ready.load(Ordering::Acquire) {
///     hint::spin_loop();
/// }
/// ```
#[inline]
pub fn spin_loop() {
    if !seam::is_controlled() {
        return std::hint::spin_loop();
    }
    if let Some(runtime) = seam::current() {
        runtime.reach(SchedulingPoint::Yield, true);
    }
}
