//! `remote` asks it of events and of replies.

use actor_core::prelude::*;

#[derive(Debug)]
struct Put(u64);

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Get;

#[derive(Debug)]
struct Value(u64);

struct Store(u64);

#[actor(remote)]
impl Store {
    #[on]
    fn put(&mut self, put: Put) {
        self.0 = put.0;
    }

    #[on]
    fn get(&mut self, _: Get) -> Value {
        Value(self.0)
    }
}

#[actor(remote(Get, Delete))]
impl Value {
    #[on]
    fn get(&mut self, _: Get) {}
}

fn main() {}
