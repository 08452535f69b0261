//! The rules of an execution, actor by actor: messages, ends, supervision, services.

mod asks;
mod auto_traits;
mod by_name;
mod corners;
mod decisions;
mod ends;
mod groups_and_pools;
mod mailboxes;
mod names;
mod names_in_values;
mod probes;
mod protocols;
mod receive;
mod ref_counted;
pub mod rules;
mod selects;
mod states;
mod streams;
mod supervision;
mod system;
mod timeouts;

use actor_core::prelude::*;
use behaviour::harness::{Journal, contract};

/// A rule, the events that an actor is told in this order, and its notes if it stops behind them.
type Row<A> = (&'static str, fn(&ActorRef<A>), &'static str);

/// Asserts that an actor follows these rules on both executors.
#[track_caller]
fn follows<A: Actor>(make: fn(Journal) -> A, rows: &[Row<A>]) {
    for (rule, events, notes) in rows.iter().copied() {
        contract(&[&format!("{rule}: {notes}")], move |sys| async move {
            let journal = Journal::default();
            let actor = sys.spawn(make(journal.clone()));
            events(&actor);
            actor.stop().await;
            format!("{rule}: {}", journal.take().join(", "))
        });
    }
}

/// Asserts the number of dead letters in production; the tester counts them in its report.
#[track_caller]
fn assert_lost(sys: &System, expected: u64) {
    let lost = sys.as_live().map(|live| live.dead_letters());
    assert!(lost.is_none_or(|lost| lost == expected), "{lost:?}");
}
