//! A reentrant cache actor: it handles other events while it waits for an answer, and so cannot deadlock.

// ANCHOR: events
use std::collections::BTreeMap;

use actor_core::prelude::*;

#[derive(Debug)]
pub struct Get(pub u32);
#[derive(Debug)]
pub struct Read {
    pub key: u32,
    pub cache: ActorRef<Cache>,
}
#[derive(Debug)]
pub struct Fetched(u32, Result<u32, AskError>);
// ANCHOR_END: events

/// Computes a value by asking the cache for the previous one and adding ten.
#[derive(Debug)]
pub struct Store;

#[actor]
impl Store {
    #[on]
    async fn read(&mut self, read: Read) -> u32 {
        match read.key {
            0 => 10,
            key => read
                .cache
                .ask(Get(key - 1))
                .await
                .map_or(0, |value| value + 10),
        }
    }
}

// ANCHOR: cache
#[derive(Debug)]
pub struct Cache {
    pub store: ActorRef<Store>,
    pub known: BTreeMap<u32, u32>,
    pub waiting: BTreeMap<u32, Vec<Reply<u32>>>,
}

#[actor]
impl Cache {
    #[on]
    fn get(&mut self, get: Get, reply: Reply<u32>, cx: &mut Context<Self>) {
        let key = get.0;
        if let Some(value) = self.known.get(&key) {
            return reply.send(*value);
        }
        let waiting = self.waiting.entry(key).or_default();
        waiting.push(reply);
        if waiting.len() == 1 {
            let cache = cx.me();
            let value = self.store.ask(Read { key, cache });
            cx.pipe_to_self(value, move |value| Fetched(key, value));
        }
    }

    /// Continues after the wait. Other events were handled meanwhile, so check the state again.
    #[on]
    fn fetched(&mut self, fetched: Fetched) {
        let Fetched(key, value) = fetched;
        let waiting = self.waiting.remove(&key).unwrap_or_default();
        if let Ok(value) = value {
            self.known.insert(key, value);
            for reply in waiting {
                reply.send(value);
            }
        }
    }
}
// ANCHOR_END: cache

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    fn cache(sys: &System) -> ActorRef<Cache> {
        sys.spawn(Cache {
            store: sys.spawn(Store),
            known: BTreeMap::from([(0, 10)]),
            waiting: BTreeMap::new(),
        })
    }

    /// The store asks the cache, which waits for the store.
    #[actor_test]
    async fn who_is_asked_may_ask_back(sys: &System) {
        let cache = cache(sys);
        assert_eq!(cache.ask(Get(1)).await, Ok(20));
    }

    #[actor_test]
    async fn a_value_is_fetched_once(sys: &System) {
        let cache = cache(sys);
        sys.always("one fetch at a time", {
            let cache = cache.clone();
            move |w| w.get(&cache).is_none_or(|cache| cache.waiting.len() <= 1)
        });
        let (one, other) = (cache.ask(Get(1)), cache.ask(Get(1)));
        assert_eq!((one.await, other.await), (Ok(20), Ok(20)));
        assert_eq!(cache.ask(Get(1)).await, Ok(20), "it is known");
    }
}
// ANCHOR_END: tests

#[cfg(test)]
mod twin {
    use super::*;
    use actor_test::strategy::StrategySpec;
    use actor_test::{BugKind, Tester};

    /// Explores every order: `askers` actors ask for one value before, during and after its fetch.
    fn executions_of_every_order(askers: usize) -> u64 {
        let tester = Tester::new().iterations(u64::MAX);
        let report = tester.strategy(StrategySpec::Dfs(None)).run(move |sys| {
            let cache = sys.spawn(Cache {
                store: sys.spawn(Store),
                known: BTreeMap::from([(0, 10)]),
                waiting: BTreeMap::new(),
            });
            for _ in 0..askers {
                sys.spawn(Curious(cache.clone()));
            }
        });
        report.assert_clean();
        assert!(report.verdict.is_exhaustive());
        report.executions
    }

    #[test]
    fn the_recipe_holds_in_every_order() {
        let executions = executions_of_every_order(1);
        assert!(executions > 10, "{executions}");
    }

    #[test]
    #[ignore = "ten seconds without optimisation"]
    fn the_recipe_holds_in_every_order_of_two() {
        let executions = executions_of_every_order(2);
        assert!(executions > 1_000, "{executions}");
    }

    struct Curious(ActorRef<Cache>);

    #[actor]
    impl Curious {
        #[start]
        async fn ask(&mut self) {
            assert_eq!(self.0.ask(Get(1)).await, Ok(20));
        }
    }

    #[derive(Debug)]
    struct Ask(ActorRef<Awaiting>);

    /// A variant of the cache that awaits the answer inside its handler.
    struct Awaiting;

    #[actor]
    impl Awaiting {
        #[on]
        async fn get(&mut self, get: Get, cx: &mut Context<Self>) -> u32 {
            let other = cx.spawn(Asking);
            match get.0 {
                0 => 10,
                _ => other.ask(Ask(cx.me())).await.unwrap_or(0),
            }
        }
    }

    struct Asking;

    #[actor]
    impl Asking {
        #[on]
        async fn ask(&mut self, ask: Ask) -> u32 {
            ask.0.ask(Get(0)).await.unwrap_or(0)
        }
    }

    /// The counterexample to the recipe: a handler that awaits the answer deadlocks.
    #[test]
    fn a_handler_that_awaits_is_asked_in_vain() {
        let report = Tester::new().iterations(10).run(async |sys: System| {
            let awaiting = sys.spawn(Awaiting);
            let _ = awaiting.ask(Get(1)).await;
        });
        let kinds: Vec<BugKind> = report.bugs().iter().map(|bug| bug.kind()).collect();
        assert_eq!(kinds, [BugKind::Deadlock]);
    }
}
