//! Announced events, which go from their sender to the monitors only.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use super::{Announce, AnySlab};
use crate::event::Event;
use crate::panics::drop_each;
use crate::slab::{Slab, Slot};

pub(crate) struct Announcing<E>(pub(crate) Option<E>);

struct Announcements<E>(RefCell<Slab<E>>);

impl<E: Event> Announce for Announcing<E> {
    fn event_type(&self) -> TypeId {
        TypeId::of::<E>()
    }

    fn inspect(&self, show: &mut dyn FnMut(&dyn Event)) {
        if let Some(event) = &self.0 {
            show(event);
        }
    }

    fn store(&mut self, slab: &dyn AnySlab) -> u32 {
        let slab = (slab as &dyn Any)
            .downcast_ref::<Announcements<E>>()
            .expect("announcements are kept by their type");
        let event = self.0.take().expect("an event is announced once");
        slab.0.borrow_mut().insert(&mut Slot::Full(event))
    }

    fn slab(&self) -> Rc<dyn AnySlab> {
        Rc::new(Announcements::<E>(RefCell::new(Slab::new())))
    }
}

impl<E: Event> AnySlab for Announcements<E> {
    fn inspect(&self, slot: u32, f: &mut dyn FnMut(&dyn Event)) {
        if let Some(event) = self.0.borrow().get(slot) {
            f(event);
        }
    }

    fn discard(&self, slot: u32) {
        let event = self.0.borrow_mut().remove(slot);
        drop(event);
    }

    fn clear(&self) {
        let held = self.0.replace(Slab::new());
        drop_each(held.into_values());
    }
}
