//! Serialisation of references in messages: node, incarnation, number and type.

use std::any::{Any, TypeId, type_name};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::crossing::coded;
use super::protocol::{EventSender, Protocol, ProtocolRef};
use super::{Actor, ActorRef, Recipient, ReplyRecipient, SendFns};
use crate::asking::Reply;
use crate::dispatch::Target;
use crate::event::Event;
use crate::identity::ActorId;
use crate::seam::{self, EncodedActorRef, Query, SendTable};

/// A serialised reference: the actor's address, and the data that the receiver needs to send to it.
#[derive(Serialize, Deserialize)]
struct SerializedRef {
    node: Option<u32>,
    incarnation: u32,
    id: u32,
    /// A hash of the actor's type for an [`ActorRef`], otherwise the number of the registered send table.
    of_type: u64,
}

const OUTSIDE: &str = "a reference to an actor is encoded only on its way from one node to another, in \
                       an execution of a test";

impl SerializedRef {
    fn leave<S: Serializer>(target: &Target, of_type: u64) -> Result<Self, S::Error> {
        let address = target.controlled_address();
        let encoded = address.and_then(|of| seam::try_query(|to| Query::Encode(of, to)));
        let Some(encoded) = encoded else {
            return Err(S::Error::custom(OUTSIDE));
        };
        let EncodedActorRef {
            node,
            incarnation,
            id,
        } = encoded;
        Ok(Self {
            node,
            incarnation,
            id,
            of_type,
        })
    }

    fn arrive<E: serde::de::Error>(&self, expected: &str) -> Result<Target, E> {
        let encoded = EncodedActorRef {
            node: self.node,
            incarnation: self.incarnation,
            id: self.id,
        };
        match seam::try_query(|to| Query::Decode(encoded, to)) {
            Some(address) => Ok(Target::from(address)),
            None if seam::is_controlled() => Err(E::custom(format_args!(
                "a reference to a `{expected}` leads to no actor of this execution"
            ))),
            None => Err(E::custom(OUTSIDE)),
        }
    }
}

/// Encoded as a number, which identifies the actor within one run of a program or one execution of a
/// test, and only there.
impl Serialize for ActorId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_u64().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ActorId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::live)
    }
}

/// Returns a number of the type, valid in this process.
fn mark<T: ?Sized + 'static>() -> u64 {
    let mut number = TypeIdHasher(0xcbf2_9ce4_8422_2325);
    TypeId::of::<T>().hash(&mut number);
    number.0
}

/// A hasher that keeps the number that a [`TypeId`] feeds, which is a hash itself.
struct TypeIdHasher(u64);

impl Hasher for TypeIdHasher {
    fn write(&mut self, bytes: &[u8]) {
        // FNV-1a.
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn foreign<E: serde::de::Error>(expected: &str) -> E {
    E::custom(format_args!(
        "a reference to a `{expected}` was expected, and one of another type came"
    ))
}

/// Encoded on the way to another node as node, incarnation, number and type.
///
/// Encoding in any other place is an error, and so is decoding as another type.
impl<A: Actor> Serialize for ActorRef<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SerializedRef::leave::<S>(self.target(), mark::<A>())?.serialize(serializer)
    }
}

impl<'de, A: Actor> Deserialize<'de> for ActorRef<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let travelling = SerializedRef::deserialize(deserializer)?;
        if travelling.of_type != mark::<A>() {
            return Err(foreign(type_name::<A>()));
        }
        Ok(Self::new(travelling.arrive(type_name::<A>())?))
    }
}

/// Registers the send table that the receiver needs, and returns its number.
fn register_table<S: Serializer>(table: SendTable) -> Result<u64, S::Error> {
    let number = seam::try_query(|to| Query::SendTableNumber(table, to));
    number
        .map(u64::from)
        .ok_or_else(|| S::Error::custom(OUTSIDE))
}

fn table_of<T: Any + Send + Sync, E: serde::de::Error>(
    number: u64,
    expected: &str,
) -> Result<&'static T, E> {
    let number = u32::try_from(number).ok();
    let table = number.and_then(|number| seam::try_query(|to| Query::SendTable(number, to)));
    table
        .and_then(|table| (table as &dyn Any).downcast_ref())
        .ok_or_else(|| foreign(expected))
}

/// Encoded as an [`ActorRef`].
impl<E: Event> Serialize for Recipient<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = register_table::<S>(self.send_fns())?;
        SerializedRef::leave::<S>(self.to(), number)?.serialize(serializer)
    }
}

impl<'de, E: Event> Deserialize<'de> for Recipient<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let travelling = SerializedRef::deserialize(deserializer)?;
        let expected = type_name::<Self>();
        let send_fns: &'static SendFns<E> = table_of(travelling.of_type, expected)?;
        Ok(Self::new(travelling.arrive(expected)?, send_fns))
    }
}

/// Encoded as a [`Recipient`].
impl<E: Event, R: Event> Serialize for ReplyRecipient<E, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = register_table::<S>(self.entry())?;
        SerializedRef::leave::<S>(self.to(), number)?.serialize(serializer)
    }
}

impl<'de, E: Event, R: Event> Deserialize<'de> for ReplyRecipient<E, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let travelling = SerializedRef::deserialize(deserializer)?;
        let expected = type_name::<Self>();
        let entry: &'static EventSender<E, R> = table_of(travelling.of_type, expected)?;
        Ok(Self::new(travelling.arrive(expected)?, entry))
    }
}

/// Encoded as an [`ActorRef`].
impl<P: Protocol + ?Sized> Serialize for ProtocolRef<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = register_table::<S>(self.table())?;
        SerializedRef::leave::<S>(self.to(), number)?.serialize(serializer)
    }
}

impl<'de, P: Protocol + ?Sized> Deserialize<'de> for ProtocolRef<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let travelling = SerializedRef::deserialize(deserializer)?;
        let table: &'static P::Table = table_of(travelling.of_type, P::NAME)?;
        Ok(Self::new(travelling.arrive(P::NAME)?, table))
    }
}

/// Encoded as the number of the `ask`: the reply goes back to the node that asked.
impl<R: Event + Serialize + serde::de::DeserializeOwned> Serialize for Reply<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ask: Option<u32> = match self.is_unasked() {
            true => None,
            false => Some(self.number().ok_or_else(|| S::Error::custom(OUTSIDE))?),
        };
        ask.serialize(serializer)
    }
}

impl<'de, R: Event + Serialize + serde::de::DeserializeOwned> Deserialize<'de> for Reply<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(number) = Option::<u32>::deserialize(deserializer)? else {
            return Ok(Self::nobody());
        };
        let slot = seam::try_query(|to| Query::AskSlot(number, to));
        let slot = slot.ok_or_else(|| D::Error::custom(OUTSIDE))?;
        let slot: Arc<dyn Any + Send + Sync> = slot.into_any();
        Self::travelled(slot, coded).ok_or_else(|| foreign(type_name::<Self>()))
    }
}
