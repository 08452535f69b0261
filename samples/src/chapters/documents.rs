//! Reference-counted documents: each is open while somebody holds a reference, and is saved afterwards.

use actor_core::WeakRef;
use actor_core::lifecycle::Stopped;
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Load;
#[derive(Debug)]
pub struct Save(u32);

/// The storage of documents. There is a single document here, and its content is a number.
#[derive(Default)]
pub struct Shelf {
    saved: u32,
}

#[actor]
impl Shelf {
    #[on]
    fn load(&mut self, _: Load) -> u32 {
        self.saved
    }

    #[on]
    fn save(&mut self, save: Save) {
        self.saved = save.0;
    }
}

// ANCHOR: document
#[derive(Debug)]
pub struct Add(pub u32);

/// An open document.
pub struct Document {
    shelf: ActorRef<Shelf>,
    text: u32,
}

#[actor]
impl Document {
    #[start]
    async fn start(&mut self) {
        self.text = self.shelf.ask(Load).await.unwrap_or_default();
    }

    #[on]
    fn add(&mut self, add: Add) {
        self.text += add.0;
    }

    #[stop]
    fn stop(&mut self) {
        self.shelf.tell(Save(self.text));
    }
}
// ANCHOR_END: document

// ANCHOR: desk
#[derive(Debug)]
pub struct Open;

/// Returns the open document, or opens it.
pub struct Desk {
    shelf: ActorRef<Shelf>,
    open: Option<(WeakRef<Document>, Stopped)>,
    waits: bool,
}

#[actor]
impl Desk {
    #[on]
    async fn open(&mut self, _: Open, cx: &mut Context<Self>) -> ActorRef<Document> {
        if let Some((document, end)) = self.open.take() {
            if let Some(open) = document.upgrade() {
                self.open = Some((document, end));
                return open;
            }
            if self.waits {
                end.await; // The old document is saved now.
            }
        }
        let shelf = self.shelf.clone();
        let document = cx
            .spawner()
            .ref_counted()
            .spawn(Document { shelf, text: 0 });
        self.open = Some((document.downgrade(), document.stopped()));
        document
    }
}
// ANCHOR_END: desk

/// Adds to the document, and drops its reference.
pub struct Writer {
    desk: ActorRef<Desk>,
}

#[actor]
impl Writer {
    #[start]
    async fn start(&mut self) {
        if let Ok(document) = self.desk.ask(Open).await {
            document.tell(Add(1));
        }
    }
}

/// Starts two writers; returns the shelf that stores their document.
pub fn two_writers(sys: &System, waits: bool) -> ActorRef<Shelf> {
    let shelf = sys.spawn(Shelf::default());
    let desk = sys.spawn(Desk {
        shelf: shelf.clone(),
        open: None,
        waits,
    });
    for _ in 0..2 {
        sys.spawn(Writer { desk: desk.clone() });
    }
    shelf
}

#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    fn both_are_kept(sys: &System, waits: bool) {
        let shelf = two_writers(sys, waits);
        sys.eventually("both additions are saved", move |w| {
            w.get(&shelf).is_some_and(|shelf| shelf.saved == 2)
        });
    }

    // ANCHOR: test
    #[actor_test(expect_bug = "both additions are saved")]
    fn who_opens_it_too_soon_reads_what_is_not_saved(sys: &System) {
        both_are_kept(sys, false);
    }

    #[actor_test]
    fn who_waits_for_its_end_loses_nothing(sys: &System) {
        both_are_kept(sys, true);
    }
    // ANCHOR_END: test
}
