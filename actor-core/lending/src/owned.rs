//! Owned lock guards: [`Owned`] holds a guard together with the `Arc` that contains its lock.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use tokio::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard, TryLockError};

pub use tokio::sync::{Mutex, RwLock};

/// A guard of a tokio lock, and the `Arc` that contains the lock, possibly as a field of a larger value.
///
/// ```
/// use std::sync::Arc;
///
/// use actor_core_lending::{Mutex, Owned};
///
/// struct Counter {
///     name: &'static str,
///     count: Mutex<u32>,
/// }
///
/// let counter = Arc::new(Counter { name: "clicks", count: Mutex::new(1) });
/// let mut count = Owned::try_lock(counter.clone(), |counter| &counter.count).unwrap();
/// *count += 1;
/// assert!(counter.count.try_lock().is_err());
/// assert_eq!(count.owner().name, "clicks");
/// drop(count);
/// assert_eq!(*counter.count.try_lock().unwrap(), 2);
/// ```
pub struct Owned<G, O: ?Sized> {
    /// Invariant: the guard is initialised until this is dropped. Neither the guard nor any reference that
    /// claims to be borrowed for `'static` is handed out.
    // The guard borrows from the value behind `owner`. That value may already be freed while the dropped
    // guard is still an argument of a running function. The compiler assumes that a reference in an argument
    // is valid for the whole call; it does not assume this for a reference in a `MaybeUninit`.
    guard: MaybeUninit<G>,
    owner: Arc<O>,
}

/// Returns the lock inside the owner as a `'static` reference.
///
/// # Safety
///
/// The owner, or a clone of it, must outlive everything that is made from the reference.
unsafe fn lasting<O: ?Sized + 'static, L: ?Sized + 'static>(
    owner: &Arc<O>,
    lock: impl for<'a> FnOnce(&'a O) -> &'a L,
) -> &'static L {
    // SAFETY: the value behind an `Arc` stays at its address as long as the `Arc` or a clone of it lives,
    // which the caller guarantees. Meanwhile only the holder of the sole `Arc` could get a `&mut` to it.
    // `lock` must work for any lifetime, so it can't keep this reference for longer than that.
    lock(unsafe { &*Arc::as_ptr(owner) })
}

impl<G, O: ?Sized> Owned<G, O> {
    fn new(guard: G, owner: Arc<O>) -> Self {
        Self {
            guard: MaybeUninit::new(guard),
            owner,
        }
    }

    /// The `Arc` that contains the lock.
    pub fn owner(&self) -> &Arc<O> {
        &self.owner
    }

    fn guard(&self) -> &G {
        // SAFETY: the guard is initialised until this is dropped.
        unsafe { self.guard.assume_init_ref() }
    }
}

impl<G, O: ?Sized> Drop for Owned<G, O> {
    fn drop(&mut self) {
        // SAFETY: the guard is initialised until this is dropped, which is now and happens once. The value
        // that the guard borrows from is still there: the owner is dropped after this function.
        unsafe { self.guard.assume_init_drop() }
    }
}

impl<T: ?Sized + 'static, O: ?Sized + 'static> Owned<MutexGuard<'static, T>, O> {
    /// Waits for the lock.
    pub async fn lock(owner: Arc<O>, lock: impl for<'a> FnOnce(&'a O) -> &'a Mutex<T>) -> Self {
        // SAFETY: the guard is stored beside the owner, which is dropped after the guard. Before that, both
        // are in this future, whose argument is dropped after its later locals at any point.
        let guard = unsafe { lasting(&owner, lock) }.lock().await;
        Self::new(guard, owner)
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds the lock.
    pub fn try_lock(
        owner: Arc<O>,
        lock: impl for<'a> FnOnce(&'a O) -> &'a Mutex<T>,
    ) -> Result<Self, TryLockError> {
        // SAFETY: as in `lock`.
        let guard = unsafe { lasting(&owner, lock) }.try_lock()?;
        Ok(Self::new(guard, owner))
    }
}

impl<T: ?Sized + 'static, O: ?Sized + 'static> Owned<RwLockReadGuard<'static, T>, O> {
    /// Waits for a shared lock, until no writer holds the lock.
    pub async fn read(owner: Arc<O>, lock: impl for<'a> FnOnce(&'a O) -> &'a RwLock<T>) -> Self {
        // SAFETY: as in `lock`.
        let guard = unsafe { lasting(&owner, lock) }.read().await;
        Self::new(guard, owner)
    }

    /// Takes a shared lock if no writer holds the lock.
    ///
    /// # Errors
    ///
    /// If a writer holds the lock, or waits for it.
    pub fn try_read(
        owner: Arc<O>,
        lock: impl for<'a> FnOnce(&'a O) -> &'a RwLock<T>,
    ) -> Result<Self, TryLockError> {
        // SAFETY: as in `lock`.
        let guard = unsafe { lasting(&owner, lock) }.try_read()?;
        Ok(Self::new(guard, owner))
    }
}

impl<T: ?Sized + 'static, O: ?Sized + 'static> Owned<RwLockWriteGuard<'static, T>, O> {
    /// Waits for the exclusive lock, until no reader or writer holds the lock.
    pub async fn write(owner: Arc<O>, lock: impl for<'a> FnOnce(&'a O) -> &'a RwLock<T>) -> Self {
        // SAFETY: as in `lock`.
        let guard = unsafe { lasting(&owner, lock) }.write().await;
        Self::new(guard, owner)
    }

    /// Takes the exclusive lock if no reader or writer holds the lock.
    ///
    /// # Errors
    ///
    /// If a reader or writer holds the lock.
    pub fn try_write(
        owner: Arc<O>,
        lock: impl for<'a> FnOnce(&'a O) -> &'a RwLock<T>,
    ) -> Result<Self, TryLockError> {
        // SAFETY: as in `lock`.
        let guard = unsafe { lasting(&owner, lock) }.try_write()?;
        Ok(Self::new(guard, owner))
    }
}

impl<G: Deref, O: ?Sized> Deref for Owned<G, O> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        self.guard()
    }
}

impl<G: DerefMut, O: ?Sized> DerefMut for Owned<G, O> {
    fn deref_mut(&mut self) -> &mut G::Target {
        // SAFETY: the guard is initialised until this is dropped.
        unsafe { self.guard.assume_init_mut() }
    }
}

impl<G: fmt::Debug, O: ?Sized> fmt::Debug for Owned<G, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.guard().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use futures_executor::block_on;

    use super::*;

    struct Named<T: ?Sized> {
        name: &'static str,
        value: Mutex<T>,
    }

    fn named<T>(value: T) -> Arc<Named<T>> {
        let (name, value) = ("it", Mutex::new(value));
        Arc::new(Named { name, value })
    }

    #[test]
    fn it_may_be_the_last_that_has_the_lock() {
        let owner = named(vec![1]);
        let mut guard = block_on(Owned::lock(owner.clone(), |it| &it.value));
        drop(owner);
        guard.push(2);
        assert_eq!(*guard, [1, 2]);
        assert_eq!(guard.owner().name, "it");
        // The guard is an argument of `drop`, whose memory is freed while that function runs.
        drop(guard);
    }

    #[test]
    fn it_goes_to_another_thread() {
        let owner = named(1);
        let guard = block_on(Owned::lock(owner.clone(), |it| &it.value));
        let other = std::thread::spawn(move || *guard);
        assert_eq!(other.join().ok(), Some(1));
        assert!(owner.value.try_lock().is_ok());
    }

    #[test]
    fn who_waits_may_be_dropped_with_the_last_arc() {
        let owner = named(1);
        let held = Owned::try_lock(owner.clone(), |it| &it.value);
        let mut task = Context::from_waker(Waker::noop());
        {
            let mut waits = pin!(Owned::lock(owner.clone(), |it| &it.value));
            assert!(matches!(waits.as_mut().poll(&mut task), Poll::Pending));
            assert!(Owned::try_lock(owner.clone(), |it| &it.value).is_err());
            drop((held, owner));
        }
    }

    #[test]
    fn what_it_locks_may_be_unsized() {
        let owner: Arc<Named<[u8]>> = named([1, 2]);
        let mut guard = block_on(Owned::lock(owner, |it| &it.value));
        guard[0] = 3;
        assert_eq!(*guard, [3, 2]);
    }

    #[test]
    fn many_read_and_one_writes() {
        let owner = Arc::new(RwLock::new(1));
        let one = block_on(Owned::read(owner.clone(), |it| it));
        let other = Owned::try_read(owner.clone(), |it| it).expect("nobody writes");
        assert!(Owned::try_write(owner.clone(), |it| it).is_err());
        assert_eq!((*one, *other), (1, 1));
        drop((one, other));
        let mut writes = block_on(Owned::write(owner.clone(), |it| it));
        *writes += 1;
        assert!(Owned::try_read(owner.clone(), |it| it).is_err());
        drop(owner);
        assert_eq!(format!("{writes:?}"), "2");
    }
}
