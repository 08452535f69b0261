//! The actor types of an execution, by number.

use std::any::TypeId;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Index;

use actor_core::generated::{ActorInfo, Disposition};

use crate::engine::world::letter::STOP;
use crate::engine::world::operation::{Operation, OperationRole};
use crate::hash::{mix, text};
use crate::strategy::EventId;

/// An actor type, and the number of its actors in the execution.
#[derive(Clone)]
pub(crate) struct ActorType {
    pub(crate) info: &'static ActorInfo,
    type_id: TypeId,
    /// A hash of the type's name.
    pub(crate) name: u64,
    /// The number of the type's first event among those of all types.
    pub(crate) first_event: u32,
    /// True if the type has one state at most, which handles every event.
    pub(crate) plain: bool,
    /// The number of actors of the type in the execution.
    pub(crate) count: u32,
}

impl ActorType {
    fn new(type_id: TypeId, info: &'static ActorInfo, first_event: u32) -> Self {
        let mut dispositions = info.dispositions.iter();
        Self {
            info,
            type_id,
            name: text(info.name),
            first_event,
            plain: info.states.len() <= 1 && dispositions.all(|does| *does == Disposition::Handle),
            count: 0,
        }
    }

    /// Returns the events of the type as strategies see them.
    fn events(&self) -> impl Iterator<Item = EventId> {
        self.info.events.iter().map(|event| {
            let hash = mix(self.name, text(event.name)) as u32;
            EventId(NonZeroU32::new(hash | 1).expect("an odd number is not zero"))
        })
    }
}

impl fmt::Debug for ActorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}s", self.count, self.info.name)
    }
}

/// The types that this engine has met. A type keeps its number over all executions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    known: Vec<ActorType>,
    /// The events of all types, one type after the other.
    events: Vec<EventId>,
    /// The number of times that plain actors have handled each of `events` in this execution.
    handled: Vec<u64>,
}

impl Types {
    /// Starts an execution, which has no actors yet.
    pub(crate) fn begin(&mut self) {
        for known in &mut self.known {
            known.count = 0;
        }
        self.handled.fill(0);
    }

    /// Returns the number of a type, which is added if it is new.
    pub(crate) fn number(&mut self, type_id: TypeId, info: &'static ActorInfo) -> u32 {
        let known = self.known.iter();
        let number = known.take_while(|known| known.type_id != type_id).count();
        if number == self.known.len() {
            let met = ActorType::new(type_id, info, self.events.len() as u32);
            self.events.extend(met.events());
            self.handled.resize(self.events.len(), 0);
            self.known.push(met);
        }
        number as u32
    }

    pub(crate) fn type_id(&self, number: u32) -> TypeId {
        self.known[number as usize].type_id
    }

    /// Returns the number of a type that was met.
    pub(crate) fn known(&self, type_id: TypeId) -> Option<u32> {
        let number = self.known.iter().position(|known| known.type_id == type_id);
        number.map(|number| number as u32)
    }

    pub(crate) fn event_count(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ActorType> {
        self.known.iter()
    }

    /// Returns an event as strategies see it, of the type whose first event has that number.
    #[inline]
    pub(crate) fn event_id(&self, first_event: u32, event: u16) -> Option<EventId> {
        self.events.get(place_of(first_event, event)).copied()
    }

    /// Counts an event that a plain actor handles.
    #[inline]
    pub(crate) fn count_handled(&mut self, first_event: u32, event: u16) {
        if let Some(count) = self.handled.get_mut(place_of(first_event, event)) {
            *count += 1;
        }
    }

    /// Returns the number of times that the plain actors of each type have handled each event.
    pub(crate) fn handled(&self) -> impl Iterator<Item = &[u64]> {
        self.known.iter().map(|known| {
            let first = known.first_event as usize;
            &self.handled[first..first + known.info.events.len()]
        })
    }

    /// Returns the disposition of an event in the operation's state.
    #[inline]
    pub(crate) fn disposition(&self, operation: &Operation, event: u16) -> Disposition {
        if operation.plain || event == STOP {
            return Disposition::Handle;
        }
        self.disposition_in(operation, event)
    }

    #[inline(never)]
    fn disposition_in(&self, operation: &Operation, event: u16) -> Disposition {
        match operation.kind {
            OperationRole::Actor(of_type) => self[of_type]
                .info
                .disposition(usize::from(operation.state), event),
            _ => Disposition::Unhandled,
        }
    }

    /// Counts one more actor of the type, and returns the type.
    pub(crate) fn count(&mut self, of_type: u32) -> &ActorType {
        let known = &mut self.known[of_type as usize];
        known.count += 1;
        known
    }
}

/// Returns the number of an event among those of all types.
#[inline]
pub(crate) fn place_of(first_event: u32, event: u16) -> usize {
    first_event as usize + usize::from(event)
}

impl Index<u32> for Types {
    type Output = ActorType;

    #[inline]
    fn index(&self, of_type: u32) -> &ActorType {
        &self.known[of_type as usize]
    }
}
