//! A service with a database: the database behind a protocol, and a model of it in the test.

// ANCHOR: protocol
use actor_core::prelude::*;

/// The amount of an item, and the number of its changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    pub left: u32,
    pub version: u32,
}

#[derive(Debug)]
pub struct Load;

/// Writes a row, unless another writer has changed it since `version`.
#[derive(Debug)]
pub struct Store {
    pub left: u32,
    pub version: u32,
}

#[derive(Debug, PartialEq)]
pub enum StoreError {
    /// Another writer has changed the row.
    Changed,
    /// No answer came. The row may have been written, or not.
    ConnectionLost,
}

#[protocol]
pub trait Database {
    fn load(load: Load) -> Row;
    fn store(store: Store) -> Result<(), StoreError>;
}
// ANCHOR_END: protocol

// ANCHOR: service
/// Takes one item, and returns true if there was one.
#[derive(Debug)]
pub struct Take;

#[derive(Debug)]
pub struct Seller {
    database: DatabaseRef,
}

#[actor]
impl Seller {
    #[on]
    async fn take(&mut self, _: Take) -> bool {
        loop {
            let Ok(row) = self.database.ask(Load).await else {
                return false;
            };
            if row.left == 0 {
                return false;
            }
            let (left, version) = (row.left - 1, row.version);
            match self.database.ask(Store { left, version }).await {
                Ok(Ok(())) => return true,
                Ok(Err(_)) => {}
                Err(_) => return false,
            }
        }
    }
}
// ANCHOR_END: service

// ANCHOR: model
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    /// Behaves as badly as a real database may.
    #[derive(Debug)]
    struct Model {
        row: Row,
        /// The number of connections that may still be lost.
        losses: u32,
    }

    #[actor]
    impl Model {
        #[on]
        fn load(&mut self, _: Load) -> Row {
            self.row
        }

        #[on]
        fn store(&mut self, store: Store, cx: &mut Context<Self>) -> Result<(), StoreError> {
            let is_lost = self.losses > 0 && cx.choose_bool();
            if is_lost {
                self.losses -= 1;
                if cx.choose_bool() {
                    return Err(StoreError::ConnectionLost);
                }
            }
            if store.version != self.row.version {
                return Err(StoreError::Changed);
            }
            let version = store.version + 1;
            self.row = Row {
                left: store.left,
                version,
            };
            if is_lost {
                return Err(StoreError::ConnectionLost);
            }
            Ok(())
        }
    }
    // ANCHOR_END: model

    // ANCHOR: tests
    async fn sell(sys: &System, losses: u32) {
        let row = Row {
            left: 3,
            version: 0,
        };
        let database = sys.spawn(Model { row, losses });
        let seller = || {
            let database = database.clone().into();
            sys.spawn(Seller { database })
        };
        let (first, second) = (seller(), seller());
        let (one, two) = (first.ask(Take), second.ask(Take));
        let sold = [one.await, two.await];
        assert_eq!(sold, [Ok(true), Ok(true)]);
        let row = database.ask(Load).await.expect("the database lives");
        assert_eq!(row.left, 1, "two of three were taken");
    }

    #[actor_test]
    async fn two_sellers_take_two(sys: &System) {
        sell(sys, 0).await;
    }

    #[actor_test(expect_bug = "two of three were taken")]
    async fn two_sellers_take_two_over_a_bad_line(sys: &System) {
        sell(sys, 1).await;
    }
}
// ANCHOR_END: tests
