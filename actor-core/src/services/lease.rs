//! Leases: locks that expire unless they are renewed, with fencing tokens: [`Lease`], [`LeaseStore`].
//!
//! The holder counts from the time at which it sent its request, by its clock; the store counts from the arrival,
//! by its own. So the holder's term ends first if it is shorter by the largest drift of the two clocks. No
//! time of one clock is compared with one of another.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use actor_macros::{actor, protocol};

use crate::actor::{Context, Scope};
use crate::insertion_ordered_map::CleanupSchedule;
use crate::journal::{Journal, JournalError};

/// A fencing token: the number of a grant, which is larger than that of every earlier grant of the store.
///
/// No clock protects from a holder that is paused between its last check and its work. So send the fence along
/// with the work, and have whatever is written under the lease keep the largest fence that it has seen, and
/// refuse a smaller one. A read that a later write depends on has to show its fence as well. The default is
/// smaller than every fence that was granted.
///
/// ```
/// use actor_core::services::Fence;
///
/// /// Refuses the work of earlier holders.
/// fn accept(largest: &mut Fence, fence: Fence) -> bool {
///     let is_current = fence >= *largest;
///     *largest = fence.max(*largest);
///     is_current
/// }
/// assert!(accept(&mut Fence::default(), Fence::default()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct Fence(u64);

impl Fence {
    /// Returns the fence of a grant with that number, for stores other than [`LeaseStore`], and for fences that
    /// were kept as numbers.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of the grant, to be stored with what is written.
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The terms of a lease: the time to live at the store, and the drift of clocks that the holder tolerates.
///
/// ```
/// use actor_core::services::LeaseTerms;
/// use std::time::Duration;
///
/// let terms = LeaseTerms::new(Duration::from_secs(10)).drift_ppm(10_000);
/// // The holder's clock may run at 99 percent of the right speed, and the store's at 101.
/// assert_eq!(terms.term(), Duration::from_nanos(9_801_980_197));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeaseTerms {
    time_to_live: Duration,
    drift_ppm: u32,
}

const MILLION: u128 = 1_000_000;

impl LeaseTerms {
    /// Returns terms with a time to live, and a drift of 1 000 parts per million.
    pub const fn new(time_to_live: Duration) -> Self {
        Self {
            time_to_live,
            drift_ppm: 1_000,
        }
    }

    /// Sets the largest deviation of a clock's speed from the right one, in parts per million.
    #[must_use]
    pub const fn drift_ppm(self, drift_ppm: u32) -> Self {
        Self { drift_ppm, ..self }
    }

    /// Returns the time that the store keeps the lease for its holder, by the store's clock.
    pub const fn time_to_live(&self) -> Duration {
        self.time_to_live
    }

    /// Returns the time that the holder has the lease, by the holder's clock, from when it asked for it. That is
    /// shorter than the time to live by the drift of both clocks, and by a nanosecond, since clocks show whole
    /// ones.
    pub fn term(&self) -> Duration {
        let drift = u128::from(self.drift_ppm).min(MILLION);
        let nanoseconds = self.time_to_live.as_nanos() * (MILLION - drift) / (MILLION + drift);
        let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(u64::MAX);
        let term = Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32);
        term.saturating_sub(Duration::from_nanos(1))
    }

    /// Returns the interval at which a holder renews, and at which others ask again.
    pub(super) fn interval(&self) -> Duration {
        self.term() / 3
    }
}

/// The reason why a lease is not granted or not renewed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum LeaseError {
    /// Another holder has the lease, or may have it, since the store has restarted a short while ago.
    Held,
    /// The lease has expired or was released, so it can't be renewed.
    Lost,
    /// The time to live is longer than the longest one of the store.
    TooLong,
    /// The store did not answer in time, or is gone. The lease may have been granted all the same.
    NoAnswer,
}

impl fmt::Display for LeaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "another holder has the lease, or may have it",
            Self::Lost => "the lease has expired or was released",
            Self::TooLong => "the time to live is longer than the longest one of the store",
            Self::NoAnswer => "the store of leases did not answer",
        })
    }
}

impl std::error::Error for LeaseError {}

/// The events of a store of leases: of a [`LeaseStore`], or of an actor of yours in front of etcd, a database or
/// the like. A reference to one is a [`LeasesRef`].
///
/// Whatever offers this grants a lease to one holder at a time, for at least the time to live after the request
/// has arrived, with a fence that is larger than that of each grant before.
#[protocol(crate = crate)]
pub trait Leases {
    /// Grants a lease, or says why not.
    fn acquire(acquire: AcquireLease) -> Result<Fence, LeaseError>;
    /// Keeps a lease for another time to live, if the holder still has it.
    fn renew(renew: RenewLease) -> Result<(), LeaseError>;
    /// Takes a lease back from its holder.
    fn release(release: ReleaseLease);
}

/// A lease that was granted: a lock with a name, which expires unless it is renewed.
///
/// The holder has it [until](Lease::until) its term is over. If it neither renews nor releases it, the store
/// grants it to another one later. A lease that is dropped just expires: release it when nothing goes on under
/// it any more.
///
/// [`is_held`](Lease::is_held) says that nobody else has the lease *now*. A message that is sent after that
/// check may arrive after the end, and a process may be paused in between: only the [fence](Lease::fence)
/// protects from that.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::services::{Lease, LeaseError, LeaseStore, LeaseTerms, LeasesRef};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let data = std::env::temp_dir().join(format!("actor-core-lease-{}", std::process::id()));
/// let sys = System::new();
/// sys.as_live().unwrap().disk_at(&data)?;
/// let store = LeasesRef::from(sys.spawn(LeaseStore::new(Duration::from_secs(60))));
///
/// let terms = LeaseTerms::new(Duration::from_secs(10));
/// let lease = Lease::acquire(&sys, &store, "leader", terms).await?;
/// assert!(lease.is_held(&sys));
/// let other = Lease::acquire(&sys, &store, "leader", terms).await;
/// assert_eq!(other.unwrap_err(), LeaseError::Held);
///
/// let lease = lease.renew(&sys).await?;
/// let fence = lease.fence();
/// lease.release();
/// let next = Lease::acquire(&sys, &store, "leader", terms).await?;
/// assert!(next.fence() > fence);
/// # sys.shutdown().await?;
/// # std::fs::remove_dir_all(&data)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Lease {
    store: LeasesRef,
    name: Box<str>,
    terms: LeaseTerms,
    fence: Fence,
    until: Duration,
}

impl Lease {
    /// Asks a store for the lease of that name. `scope` is the context of the actor that will hold it, or the
    /// system: its clock is that of the holder.
    ///
    /// # Errors
    ///
    /// If another holder has the lease, the time to live is too long, or the store does not answer within the
    /// term. After [`LeaseError::NoAnswer`] the lease may be held by nobody until it expires.
    pub fn acquire<S: Scope>(
        scope: &S,
        store: &LeasesRef,
        name: &str,
        terms: LeaseTerms,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send + use<S> {
        let until = scope.now().saturating_add(terms.term());
        let asked = store.ask(AcquireLease {
            name: name.into(),
            time_to_live: terms.time_to_live,
        });
        let asked = asked.timeout(terms.term());
        let (store, name) = (store.clone(), name.into());
        async move {
            let fence = asked.await.unwrap_or(Err(LeaseError::NoAnswer))?;
            Ok(Self {
                store,
                name,
                terms,
                fence,
                until,
            })
        }
    }

    /// Asks the store to keep the lease for another time to live. Returns the renewed lease, with the same
    /// fence; this one stays as it is.
    ///
    /// # Errors
    ///
    /// If the lease is lost, or the store does not answer within the term. Until this lease ends, it holds in any
    /// case.
    pub fn renew<S: Scope>(
        &self,
        scope: &S,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send + use<S> {
        let until = scope.now().saturating_add(self.terms.term());
        let renewed = Self {
            until,
            ..self.clone()
        };
        let asked = self.store.ask(RenewLease {
            name: self.name.clone(),
            fence: self.fence,
            time_to_live: self.terms.time_to_live,
        });
        let asked = asked.timeout(self.terms.term());
        async move {
            let answer = asked.await.unwrap_or(Err(LeaseError::NoAnswer));
            answer.map(|()| renewed)
        }
    }

    /// Gives the lease back, so that the store may grant it at once. Call this when nothing goes on under the
    /// lease any more.
    pub fn release(self) {
        let Self { name, fence, .. } = self;
        self.store.tell(ReleaseLease { name, fence });
    }

    /// Returns the fencing token, to be sent along with the work under the lease.
    pub fn fence(&self) -> Fence {
        self.fence
    }

    /// Returns the time at which the holder has the lease no more, by the holder's clock.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// Returns the time until then; zero if it is over.
    pub fn left(&self, scope: &impl Scope) -> Duration {
        self.until.saturating_sub(scope.now())
    }

    /// Returns whether the holder has the lease now.
    pub fn is_held(&self, scope: &impl Scope) -> bool {
        scope.now() < self.until
    }
}

/// A store of leases: an actor that grants each to one holder at a time.
///
/// The number of its starts is kept in a [`Journal`], so that fences grow over restarts. After a restart it does
/// not know who has a lease, and grants none for the longest time to live. While it is down or cut off, leases
/// are neither granted nor renewed, so holders lose theirs; nobody else gets one.
///
/// One store is not replicated: it is as available as its node. Other nodes reach it
/// [by its name](crate::Scope::at), which survives a restart of that node.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::services::{LeaseStore, LeasesRef};
/// use std::time::Duration;
///
/// fn set_up(sys: &System) {
///     sys.node("store", |node| {
///         let store = LeaseStore::new(Duration::from_secs(60));
///         node.spawner().name("leases").registered().spawn(store);
///     });
///     sys.node("n1", |node| {
///         let store = LeasesRef::from(node.at::<LeaseStore>("store/leases"));
///         # let _ = store;
///     });
/// }
/// # let _ = set_up;
/// ```
pub struct LeaseStore {
    longest: Duration,
    starts: u64,
    grants: u64,
    /// The time from which leases are granted.
    opens: Duration,
    journal: Option<Journal>,
    leases: BTreeMap<Box<str>, Grant>,
    sweep: CleanupSchedule,
}

/// A lease that was granted, and the last moment at which it is its holder's.
#[derive(Debug)]
struct Grant {
    fence: Fence,
    until: Duration,
}

/// The number of grants for which the fences of one start suffice, as a power of two.
const GRANT_BITS: u32 = 40;

/// The file of the journal.
const JOURNAL: &str = "leases";

impl LeaseStore {
    /// Returns a store that grants leases for at most that time.
    pub fn new(longest: Duration) -> Self {
        Self {
            longest,
            starts: 0,
            grants: 0,
            opens: Duration::ZERO,
            journal: None,
            leases: BTreeMap::new(),
            sweep: CleanupSchedule::default(),
        }
    }

    /// Returns the grant of that name and fence, if it has not expired.
    fn current(&mut self, name: &str, fence: Fence, now: Duration) -> Option<&mut Grant> {
        let grant = self.leases.get_mut(name)?;
        (grant.fence == fence && now <= grant.until).then_some(grant)
    }
}

impl fmt::Debug for LeaseStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseStore")
            .field("leases", &self.leases)
            .finish_non_exhaustive()
    }
}

/// A request for a lease: the event of [`Lease::acquire`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct AcquireLease {
    /// The name of the lease.
    pub name: Box<str>,
    /// The time from the grant on, by the clock of the store.
    pub time_to_live: Duration,
}

/// A request to keep a lease: the event of [`Lease::renew`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct RenewLease {
    /// The name of the lease.
    pub name: Box<str>,
    /// The fence of the grant.
    pub fence: Fence,
    /// The time from the renewal on, by the clock of the store.
    pub time_to_live: Duration,
}

/// The end of a lease before its time: the event of [`Lease::release`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "codec", derive(serde::Serialize, serde::Deserialize))]
pub struct ReleaseLease {
    /// The name of the lease.
    pub name: Box<str>,
    /// The fence of the grant.
    pub fence: Fence,
}

#[actor(crate = crate)]
impl LeaseStore {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), JournalError> {
        let recovered = Journal::recover(&cx.disk(), JOURNAL).await?;
        let before = recovered.records.len() as u64;
        recovered.journal.append([0])?;
        recovered.journal.sync().await?;
        self.journal = Some(recovered.journal);
        self.starts = before + 1;
        if before > 0 {
            self.opens = cx.now().saturating_add(self.longest);
        }
        Ok(())
    }

    #[on]
    fn acquire(
        &mut self,
        acquire: AcquireLease,
        cx: &mut Context<Self>,
    ) -> Result<Fence, LeaseError> {
        let AcquireLease { name, time_to_live } = acquire;
        if time_to_live > self.longest {
            return Err(LeaseError::TooLong);
        }
        let now = cx.now();
        let is_held = self
            .leases
            .get(&name)
            .is_some_and(|grant| now <= grant.until);
        if is_held || now < self.opens {
            return Err(LeaseError::Held);
        }
        if self.sweep.is_due(self.leases.len()) {
            self.leases.retain(|_, grant| now <= grant.until);
            self.sweep.record_cleanup(self.leases.len());
        }
        self.grants += 1;
        let fence = Fence(self.starts << GRANT_BITS | self.grants);
        let until = now.saturating_add(time_to_live);
        self.leases.insert(name, Grant { fence, until });
        Ok(fence)
    }

    /// A renewal never shortens a lease, since an earlier one may have arrived late.
    #[on]
    fn renew(&mut self, renew: RenewLease, cx: &mut Context<Self>) -> Result<(), LeaseError> {
        let RenewLease {
            name,
            fence,
            time_to_live,
        } = renew;
        if time_to_live > self.longest {
            return Err(LeaseError::TooLong);
        }
        let now = cx.now();
        let grant = self.current(&name, fence, now).ok_or(LeaseError::Lost)?;
        grant.until = grant.until.max(now.saturating_add(time_to_live));
        Ok(())
    }

    #[on]
    fn release(&mut self, release: ReleaseLease, cx: &mut Context<Self>) {
        let ReleaseLease { name, fence } = release;
        if self.current(&name, fence, cx.now()).is_some() {
            self.leases.remove(&name);
        }
    }
}
