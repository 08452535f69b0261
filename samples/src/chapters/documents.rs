//! Documents that are open as long as somebody has them, and are saved when nobody does any more.

use actor_core::prelude::*;
use actor_core::{Stopped, WeakRef};

#[derive(Debug)]
pub struct Load;
#[derive(Debug)]
pub struct Save(u32);

/// Where documents are kept; here it is one, and a document is a number.
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

/// A document that is open.
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

/// Opens the document, where nobody has it open.
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
                end.await; // it has been saved
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

/// Somebody who adds to the document, and is done with it.
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

/// Two writers; tells who keeps what they write.
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
