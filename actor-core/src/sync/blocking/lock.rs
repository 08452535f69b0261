//! The macro for what all blocking locks have in common.

/// Implements the creation and consumption of a blocking lock, its poison, and its standard traits.
macro_rules! blocking_lock {
    ($lock:ident) => {
        lock_traits!($lock);

        impl<T> $lock<T> {
            /// Creates a lock with a value.
            #[track_caller]
            pub const fn new(value: T) -> Self {
                Self(Observed::new(std::sync::$lock::new(value)))
            }

            /// Returns the value.
            ///
            /// # Errors
            ///
            /// Returns the value in the error if the lock is poisoned.
            pub fn into_inner(self) -> LockResult<T> {
                self.0.inner.into_inner()
            }
        }

        impl<T: ?Sized> $lock<T> {
            /// True if a holder of the exclusive lock has panicked.
            #[track_caller]
            pub fn is_poisoned(&self) -> bool {
                self.0.read(KIND, "looks into", |inner| inner.is_poisoned())
            }

            /// Clears the poison that a panic has left.
            #[track_caller]
            pub fn clear_poison(&self) {
                let verb = "clears the poison of";
                self.0.change(KIND, verb, |inner| inner.clear_poison());
            }

            /// Returns the value, without locking, since the borrow is exclusive.
            ///
            /// # Errors
            ///
            /// Returns the value in the error if the lock is poisoned.
            pub fn get_mut(&mut self) -> LockResult<&mut T> {
                self.0.inner.get_mut()
            }
        }
    };
}
