//! A generic actor.

// ANCHOR: shelf
use actor_core::Event;
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Put<T>(pub T);
#[derive(Debug)]
pub struct Take;

#[derive(Debug)]
pub struct Shelf<T> {
    things: Vec<T>,
}

#[actor]
impl<T: Event> Shelf<T> {
    #[on]
    fn put(&mut self, put: Put<T>) {
        self.things.push(put.0);
    }

    #[on]
    fn take(&mut self, _: Take) -> Option<T> {
        self.things.pop()
    }
}
// ANCHOR_END: shelf

#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn what_was_put_is_taken(sys: &System) {
        let shelf = sys.spawn(Shelf { things: vec![1] });
        shelf.tell(Put(2));
        assert_eq!(shelf.ask(Take).await, Ok(Some(2)));
    }
}
