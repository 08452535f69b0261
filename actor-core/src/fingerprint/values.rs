//! State fingerprints, with which the tester compares states: [`Fingerprint`] and [`Fingerprinter`].

use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::identity::ActorId;
use crate::supervision::{StopReason, Terminated};
use crate::table::Stateless;

/// A value that the tester can compare between different steps of an execution.
///
/// A lasso proves that nothing will ever change: a state that recurs while an obligation was pending all the
/// time. The tester sees that long before the liveness threshold is reached. For that it takes fingerprints
/// of actors, events and monitors, and finds out by itself how to take them:
///
/// - of a type that implements `Fingerprint`, by that implementation;
/// - of any other type that implements [`Hash`], by hashing;
/// - a type without data, such as `struct Tick;`, needs neither.
///
/// In a generic actor, only the bounds of its `impl` block count. An actor that offers nothing counts as
/// unchanged only as long as it handles nothing.
///
/// # The rule
///
/// Two values with the same fingerprint must behave in the same way from then on. A `Hash` that leaves out
/// relevant data violates this rule. So does state that actors share other than by messages, which is why
/// there is no `Fingerprint` for locks and atomics.
///
/// # Deriving
///
/// Every field is fingerprinted by its own `Fingerprint`, or else by its `Hash`. A number that only names or
/// counts, so that nothing is decided by its size, may be left out; a term or a sequence number that grows
/// for ever would keep every state from recurring. A type parameter that a field mentions must be
/// `Fingerprint`, except for those of an [`ActorRef`](crate::ActorRef), a [`Recipient`](crate::Recipient) or
/// a `PhantomData`.
///
/// ```
/// use std::collections::HashMap;
///
/// use actor_core::{ActorRef, Fingerprint, Fingerprinter};
///
/// #[derive(Clone, Hash)]
/// enum Role {
///     Follower,
///     Candidate { votes: u32 },
/// }
///
/// #[derive(Clone, Fingerprint)]
/// struct Replica {
///     role: Role,
///     /// A map is the same in whatever order it is walked.
///     log: HashMap<u64, String>,
///     /// Compared with other terms, never with a number.
///     #[fingerprint(skip)]
///     term: u64,
/// }
///
/// let before = Replica {
///     role: Role::Follower,
///     log: HashMap::from([(1, "a".into()), (2, "b".into())]),
///     term: 1,
/// };
/// let mut after = before.clone();
/// after.term = 2;
/// assert_eq!(Fingerprinter::of(&before), Fingerprinter::of(&after));
/// after.role = Role::Candidate { votes: 1 };
/// assert_ne!(Fingerprinter::of(&before), Fingerprinter::of(&after));
/// ```
///
/// `#[fingerprint(crate = path)]` on the type gives the path of `actor_core`, if that is not `::actor_core`.
///
/// # Actors that are interchangeable
///
/// Three clients with the same behaviour are three actors; it makes no difference which of them was served.
/// `#[fingerprint(interchangeable)]` on the actor's type declares that (a symmetry). A search of states then
/// treats two states as the same if they differ only in a permutation of the actors of that type. If three
/// clients may come in any order, one order is searched instead of six.
///
/// ```
/// use actor_core::{ActorRef, Fingerprint};
/// # struct Server;
///
/// #[derive(Fingerprint)]
/// #[fingerprint(interchangeable)]
/// struct Client {
///     server: ActorRef<Server>,
///     served: bool,
/// }
/// # #[actor_core::actor] impl Server {}
/// ```
///
/// The attribute is a promise: nothing depends on the identity of an actor of the type, except for sending to
/// it and comparing it for equality. Numbers and names that differ from actor to actor stay part of its
/// state. They are safe, but then no two actors are interchangeable. An order among
/// [identities](crate::ActorId) breaks the promise, for instance an iteration over a `BTreeMap`.
///
/// # By hand
///
/// ```
/// use std::hash::Hash;
///
/// use actor_core::{Fingerprint, Fingerprinter};
///
/// /// Old samples are never read again.
/// struct Window {
///     samples: Vec<u32>,
///     from: usize,
/// }
///
/// impl Fingerprint for Window {
///     fn fingerprint(&self, to: &mut Fingerprinter) {
///         self.samples[self.from..].hash(to);
///     }
/// }
///
/// let window = |samples: &[u32], from| Window { samples: samples.into(), from };
/// assert_eq!(
///     Fingerprinter::of(&window(&[7, 8, 9], 1)),
///     Fingerprinter::of(&window(&[8, 9], 0)),
/// );
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fingerprint",
    label = "it implements neither `Fingerprint` nor `Hash`",
    note = "derive one of them for it, or leave the field out with `#[fingerprint(skip)]`"
)]
pub trait Fingerprint {
    /// Feeds all data that makes this value differ from others of its type.
    fn fingerprint(&self, to: &mut Fingerprinter);
}

/// Computes a fingerprint of 128 bits.
///
/// The same data gives the same fingerprint in every run of a program. The hash prevents accidental
/// collisions, not attacks: two different values collide with a probability of about 2^-128.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    low: u64,
    high: u64,
    interchangeable: Option<TypeId>,
}

impl Default for Fingerprinter {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprinter {
    /// Returns a fingerprinter that was fed nothing.
    pub const fn new() -> Self {
        Self {
            low: 0x8bb8_4b93_962e_acc9,
            high: 0x2d35_8dcc_aa6c_78a5,
            interchangeable: None,
        }
    }

    /// Declares that an actor of type `A` is fed, and that its identity makes no difference. A derived
    /// fingerprint calls this if the type has `#[fingerprint(interchangeable)]`. See
    /// [`Fingerprint`](trait@Fingerprint#actors-that-are-interchangeable).
    pub fn interchangeable<A: 'static>(&mut self) {
        // The actor is fed before its fields, so the first declaration counts.
        self.interchangeable = self.interchangeable.or(Some(TypeId::of::<A>()));
    }

    /// Returns the actor type that was declared [interchangeable](Self::interchangeable).
    #[doc(hidden)]
    pub fn interchangeable_type(&self) -> Option<TypeId> {
        self.interchangeable
    }

    /// Returns the fingerprint of one value.
    pub fn of<T: Fingerprint + ?Sized>(value: &T) -> u128 {
        let mut to = Self::new();
        value.fingerprint(&mut to);
        to.value()
    }

    /// Returns the fingerprint of everything that was fed.
    pub fn value(&self) -> u128 {
        let (low, high) = (self.low, self.high);
        // Each half depends on both, so that neither is weaker than a hash of 64 bits.
        let low = fold(low ^ 0x4b33_a62e_d433_d4a3, high ^ 0x4d5a_2da5_1de1_aa47);
        let high = fold(
            high ^ 0xa076_1d64_78bd_642f,
            self.low ^ 0xe703_7ed1_a0b4_28db,
        );
        u128::from(high) << 64 | u128::from(low)
    }

    /// Feeds values in no particular order, which may contain duplicates.
    pub(crate) fn unordered<T>(
        &mut self,
        values: impl Iterator<Item = T>,
        mut feed: impl FnMut(T, &mut Self),
    ) {
        let (mut sum, mut count) = (0_u128, 0);
        for value in values {
            let mut one = Self::new();
            feed(value, &mut one);
            sum = sum.wrapping_add(one.value());
            count += 1;
        }
        self.write_usize(count);
        self.write_u128(sum);
    }
}

/// Multiplies, and xors the two halves of the product, as in wyhash.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Hasher for Fingerprinter {
    /// Returns the lower half; [`value`](Fingerprinter::value) returns all.
    fn finish(&self) -> u64 {
        self.value() as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length is fed as well, so that trailing zeros count.
        self.write_u64(u64::from_le_bytes(last));
        self.write_u64(bytes.len() as u64);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    // A word that makes the factor of one half zero erases that half; the other half keeps the data.
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.low = fold(
            self.low ^ 0x9e37_79b9_7f4a_7c15,
            number ^ 0xe703_7ed1_a0b4_28db,
        );
        self.high = fold(
            self.high ^ 0x8ebc_6af0_9c88_c6e3,
            number ^ 0x5899_65cc_7537_4cc3,
        )
        .wrapping_add(number);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_i8(&mut self, number: i8) {
        self.write_u64(number as u64);
    }

    fn write_i16(&mut self, number: i16) {
        self.write_u64(number as u64);
    }

    fn write_i32(&mut self, number: i32) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn write_i128(&mut self, number: i128) {
        self.write_u128(number as u128);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

macro_rules! as_hashed {
    ($($ty:ty)*) => {$(
        impl Fingerprint for $ty {
            fn fingerprint(&self, to: &mut Fingerprinter) {
                self.hash(to);
            }
        }
    )*};
}

as_hashed! {
    () bool char str String Duration
    u8 u16 u32 u64 u128 usize
    i8 i16 i32 i64 i128 isize
    ActorId Terminated StopReason Stateless
}

impl Fingerprint for f32 {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u32(self.to_bits());
    }
}

impl Fingerprint for f64 {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u64(self.to_bits());
    }
}

impl<T: ?Sized> Fingerprint for PhantomData<T> {
    fn fingerprint(&self, _: &mut Fingerprinter) {}
}

macro_rules! as_referent {
    ($($ty:ty)*) => {$(
        impl<T: Fingerprint + ?Sized> Fingerprint for $ty {
            fn fingerprint(&self, to: &mut Fingerprinter) {
                (**self).fingerprint(to);
            }
        }
    )*};
}

as_referent! { &T Box<T> Arc<T> }

impl<T: Fingerprint + Copy> Fingerprint for Cell<T> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        self.get().fingerprint(to);
    }
}

impl<T: Fingerprint + ?Sized> Fingerprint for RefCell<T> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        self.borrow().fingerprint(to);
    }
}

impl<T: Fingerprint> Fingerprint for Option<T> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u8(self.is_some().into());
        if let Some(value) = self {
            value.fingerprint(to);
        }
    }
}

impl<T: Fingerprint, E: Fingerprint> Fingerprint for Result<T, E> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write_u8(self.is_ok().into());
        match self {
            Ok(value) => value.fingerprint(to),
            Err(error) => error.fingerprint(to),
        }
    }
}

fn sequence<T: Fingerprint>(values: impl ExactSizeIterator<Item = T>, to: &mut Fingerprinter) {
    to.write_usize(values.len());
    for value in values {
        value.fingerprint(to);
    }
}

impl<T: Fingerprint> Fingerprint for [T] {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        sequence(self.iter(), to);
    }
}

impl<T: Fingerprint, const N: usize> Fingerprint for [T; N] {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        sequence(self.iter(), to);
    }
}

macro_rules! as_sequence {
    ($($ty:ident)*) => {$(
        impl<T: Fingerprint> Fingerprint for $ty<T> {
            fn fingerprint(&self, to: &mut Fingerprinter) {
                sequence(self.iter(), to);
            }
        }
    )*};
}

// A heap is fed in the order of its memory, which decides the order among elements of equal rank.
as_sequence! { Vec VecDeque BTreeSet BinaryHeap }

impl<K: Fingerprint, V: Fingerprint> Fingerprint for BTreeMap<K, V> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        sequence(self.iter(), to);
    }
}

/// Independent of the iteration order.
impl<T: Hash, S> Fingerprint for HashSet<T, S> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.unordered(self.iter(), Hash::hash);
    }
}

/// Independent of the iteration order.
impl<K: Hash, V: Fingerprint, S> Fingerprint for HashMap<K, V, S> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.unordered(self.iter(), |(key, value), to| {
            key.hash(to);
            value.fingerprint(to);
        });
    }
}

macro_rules! as_tuple {
    ($($name:ident)*) => {
        impl<$($name: Fingerprint),*> Fingerprint for ($($name,)*) {
            fn fingerprint(&self, to: &mut Fingerprinter) {
                #[expect(non_snake_case, reason = "each value is called after its type")]
                let ($($name,)*) = self;
                $($name.fingerprint(to);)*
            }
        }
    };
}

as_tuple! { A }
as_tuple! { A B }
as_tuple! { A B C }
as_tuple! { A B C D }
as_tuple! { A B C D E }
as_tuple! { A B C D E F }
