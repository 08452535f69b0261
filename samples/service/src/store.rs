//! All shards, and who brings them back: [`Store`].

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Mailbox, Supervision, Unread};

use crate::journal::Journal;
use crate::shard::{Bug, Shard};

/// How large the store is.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Among how many shards the items are divided.
    pub shards: usize,
    /// How many requests wait for a shard at most.
    pub mailbox: usize,
}

/// Where items are found. A shard that is brought back is found where it was.
#[derive(Clone, Debug)]
pub struct Store {
    shards: Vec<ActorRef<Shard>>,
}

impl Store {
    /// The shard of an item, the same in every run.
    #[must_use]
    pub fn shard_of(&self, item: &str) -> &ActorRef<Shard> {
        let hash = item.bytes().fold(0_usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        &self.shards[hash % self.shards.len()]
    }

    /// A shard by its number.
    #[must_use]
    pub fn shard(&self, number: usize) -> Option<&ActorRef<Shard>> {
        self.shards.get(number)
    }
}

/// Asks the keeper for the shards.
#[derive(Debug)]
struct Shards;

/// Supervises the shards.
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
        // A service prefers a shard that comes back for ever to one that stays away.
        cx.supervise(Supervision::one_for_one().intensity(1_000, Duration::from_secs(1)));
        for (number, journal) in self.journals.iter().enumerate() {
            let (journal, bug) = (journal.clone(), self.bug);
            let shard = cx
                .spawner()
                .name(format!("shard-{number}"))
                .mailbox(Mailbox::bounded(self.layout.mailbox))
                // Who waits is told now, and does not wait until the shard is back.
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
/// Where the system is at its end.
///
/// # Panics
///
/// Where there are to be no shards.
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
