//! The store: all shards of the service, and the supervisor that restarts them.

use std::time::Duration;

use actor_core::Supervision;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::supervision::Unread;

use crate::journal::Journal;
use crate::shard::{Bug, Shard};

/// The size of the store.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The number of shards that the items are divided among.
    pub shards: usize,
    /// The capacity of a shard's mailbox.
    pub mailbox: usize,
}

/// Finds the shard of an item. A restarted shard keeps its address.
#[derive(Clone, Debug)]
pub struct Store {
    shards: Vec<ActorRef<Shard>>,
}

impl Store {
    /// Returns the shard of an item, which is the same in every run.
    #[must_use]
    pub fn shard_of(&self, item: &str) -> &ActorRef<Shard> {
        let hash = item.bytes().fold(0_usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        &self.shards[hash % self.shards.len()]
    }

    /// Returns the shard with this number.
    #[must_use]
    pub fn shard(&self, number: usize) -> Option<&ActorRef<Shard>> {
        self.shards.get(number)
    }
}

/// Asks the supervisor for the shards.
#[derive(Debug)]
struct Shards;

/// The supervisor of the shards.
struct Keeper {
    layout: Layout,
    journals: Vec<ActorRef<Journal>>,
    bug: Option<Bug>,
    shards: Vec<ActorRef<Shard>>,
}

#[actor]
impl Keeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        // A high intensity: the service restarts a shard again and again, and never gives it up.
        cx.supervise(Supervision::one_for_one().intensity(1_000, Duration::from_secs(1)));
        for (number, journal) in self.journals.iter().enumerate() {
            let (journal, bug) = (journal.clone(), self.bug);
            let shard = cx
                .spawner()
                .name(format!("shard-{number}"))
                .mailbox(Mailbox::bounded(self.layout.mailbox))
                // Requests that wait in the mailbox fail now, and do not wait for the restart.
                .on_restart(Unread::Drop)
                .spawn_with(move || Shard::new(journal.clone(), bug));
            self.shards.push(shard);
        }
    }

    #[on]
    fn shards(&mut self, _: Shards) -> Vec<ActorRef<Shard>> {
        self.shards.clone()
    }
}

/// Starts the shards and their journals.
///
/// # Errors
///
/// Returns an error if the system is shutting down.
///
/// # Panics
///
/// Panics if the number of shards is zero.
pub async fn set_up(sys: &System, layout: Layout, bug: Option<Bug>) -> Result<Store, AskError> {
    assert!(layout.shards > 0, "a store has one shard at least");
    let journal = |number| sys.spawn_named(&format!("journal-{number}"), Journal::default());
    let keeper = sys.spawn(Keeper {
        layout,
        journals: (0..layout.shards).map(journal).collect(),
        bug,
        shards: Vec::new(),
    });
    let shards = keeper.ask(Shards).await?;
    Ok(Store { shards })
}
