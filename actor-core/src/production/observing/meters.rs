//! Meters of the actors of one type, for the feature `metrics`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use crate::panics::lock;

/// The meters of one actor type in the recorder of the process.
pub(crate) struct Meters {
    pub(crate) handled: Counter,
    pub(crate) seconds: Histogram,
    pub(crate) depth: Histogram,
    pub(crate) restarts: Counter,
    pub(crate) failures: Counter,
    pub(crate) dead_letters: Counter,
    pub(crate) alive: Gauge,
}

impl Meters {
    fn of(actor: &'static str) -> Self {
        Self {
            handled: counter!("actor_messages_handled_total", "actor" => actor),
            seconds: histogram!("actor_handler_seconds", "actor" => actor),
            depth: histogram!("actor_mailbox_depth", "actor" => actor),
            restarts: counter!("actor_restarts_total", "actor" => actor),
            failures: counter!("actor_failures_total", "actor" => actor),
            dead_letters: counter!("actor_dead_letters_total", "actor" => actor),
            alive: gauge!("actor_alive", "actor" => actor),
        }
    }
}

/// The meters of a system, by the names of the actor types.
#[derive(Default)]
pub(crate) struct AllMeters(Mutex<HashMap<&'static str, Arc<Meters>>>);

impl AllMeters {
    pub(crate) fn of(&self, actor: &'static str) -> Arc<Meters> {
        if let Some(known) = lock(&self.0).get(actor) {
            return known.clone();
        }
        // Outside the lock, since the recorder is the user's. Racing threads get the same meters.
        let made = Arc::new(Meters::of(actor));
        lock(&self.0).entry(actor).or_insert(made).clone()
    }
}
