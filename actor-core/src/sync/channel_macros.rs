//! Macros for the senders and receivers of all channels: `Clone`, `Drop` and `Debug`.

/// Implements `Clone`: a clone belongs to the same channel.
macro_rules! clones {
    ($end:ident) => {
        impl<T> Clone for $end<T> {
            fn clone(&self) -> Self {
                Self {
                    inner: self.inner.clone(),
                    common: self.common.clone(),
                    made: self.made,
                }
            }
        }
    };
}

/// Implements `Drop`, which under test is an access that the other ends can observe, and `Debug`.
macro_rules! ends {
    ($kind:expr, $end:ident, $what:literal) => {
        impl<T> Drop for $end<T> {
            fn drop(&mut self) {
                self.common
                    .dropped(ObjectOperation::at($kind, $what, self.made));
            }
        }

        impl<T> fmt::Debug for $end<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($end)).finish_non_exhaustive()
            }
        }
    };
}
