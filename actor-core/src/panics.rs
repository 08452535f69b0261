//! Containment of panics in user code: [`catch_panic`] catches them, [`discard`] drops their payloads.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The largest number of payloads in a row whose destructors may panic.
const DEPTH: u32 = 4;

/// The payload of a panic.
pub type Payload = Box<dyn Any + Send>;

/// Locks, and ignores poisoning: no user code runs under such a lock, so a panic leaves it consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn catch_panic<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(message_of)
}

/// Returns the message of a panic, and drops the payload.
pub(crate) fn message_of(payload: Payload) -> String {
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => {
            let known = payload.downcast_ref::<&str>().copied();
            discard(payload);
            known
                .unwrap_or("a panic whose payload is not a string")
                .to_owned()
        }
    }
}

/// Drops the payload of a panic. The payload's destructor is user code and may panic again, with a payload
/// whose destructor also panics. After a few of them, the last payload is leaked.
pub fn discard(payload: Payload) {
    let mut left = Some(payload);
    for _ in 0..DEPTH {
        let Some(payload) = left else {
            return;
        };
        left = catch_unwind(AssertUnwindSafe(|| drop(payload))).err();
    }
    mem::forget(left);
}

/// Drops each value separately: a second panic during an unwinding would abort the process. The first panic
/// continues after all values are dropped.
pub fn drop_each<T>(values: impl IntoIterator<Item = T>) {
    call_each(values.into_iter().map(|value| move || drop(value)));
}

/// Calls each closure separately, as [`drop_each`] drops values.
pub fn call_each(calls: impl IntoIterator<Item = impl FnOnce()>) {
    let mut first = None;
    for call in calls {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
            match first {
                None => first = Some(payload),
                Some(_) => discard(payload),
            }
        }
    }
    if let Some(payload) = first {
        resume_unwind(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value whose destructor panics with another such value, the given number of times.
    struct Mine(u32);

    impl Drop for Mine {
        fn drop(&mut self) {
            if self.0 > 0 {
                std::panic::resume_unwind(Box::new(Self(self.0 - 1)));
            }
        }
    }

    #[test]
    fn payloads_may_panic_when_they_are_dropped() {
        for count in [0, 1, DEPTH - 1, DEPTH, 100] {
            let panics = || std::panic::resume_unwind(Box::new(Mine(count)));
            let message = catch_panic::<()>(panics).unwrap_err();
            assert_eq!(message, "a panic whose payload is not a string");
        }
    }

    #[test]
    fn a_message_is_kept() {
        let owned = catch_panic::<()>(|| panic!("of {}", "its own")).unwrap_err();
        let fixed = catch_panic::<()>(|| panic!("fixed")).unwrap_err();
        assert_eq!((owned.as_str(), fixed.as_str()), ("of its own", "fixed"));
        assert_eq!(catch_panic(|| 7), Ok(7));
    }
}
