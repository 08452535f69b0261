//! The effects of an operation that are still to be carried out.

use crate::engine::world::operation::Effect;

/// Effects in the order of the calls that caused them.
///
/// An operation takes no other step before its outbox is empty, so what has been carried out is
/// forgotten all at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    effects: Vec<Effect>,
    /// How many of `effects` have been carried out; fewer than there are, or none.
    done: usize,
}

impl Outbox {
    /// The effects that are still to be carried out.
    #[inline]
    pub(crate) fn effects(&self) -> &[Effect] {
        &self.effects[self.done..]
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&Effect> {
        self.effects.get(self.done)
    }

    #[inline]
    pub(crate) fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<Effect> {
        let first = self.first().copied();
        self.pass();
        first
    }

    /// The first effect has been carried out.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.done += 1;
        if self.done >= self.effects.len() {
            self.clear();
        }
    }

    /// Takes back an effect that is still to be carried out.
    pub(crate) fn remove(&mut self, effect: &Effect) {
        if let Some(at) = self.effects().iter().position(|other| other == effect) {
            self.effects.remove(self.done + at);
            if self.done >= self.effects.len() {
                self.clear();
            }
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.effects.clear();
        self.done = 0;
    }
}
