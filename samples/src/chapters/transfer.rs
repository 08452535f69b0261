//! Threads that transfer money between accounts, with a deadlock (chapter on tasks and threads).

// ANCHOR: bank
use std::sync::Arc;

use actor_core::sync::blocking::Mutex;
use actor_core::thread;

/// An account that several threads may use.
pub type Account = Arc<Mutex<i64>>;

/// Creates an account with this balance.
pub fn account(balance: i64) -> Account {
    Arc::new(Mutex::new(balance))
}

/// Moves an amount from one account to another, on a thread of its own.
pub fn transfer(from: &Account, to: &Account, amount: i64) -> thread::JoinHandle<()> {
    let (from, to) = (from.clone(), to.clone());
    thread::spawn(move || {
        let mut from = from.lock().expect("nobody panics");
        let mut to = to.lock().expect("nobody panics");
        *from -= amount;
        *to += amount;
    })
}
// ANCHOR_END: bank

/// Does the same, and never holds one lock while it waits for the other.
pub fn careful_transfer(from: &Account, to: &Account, amount: i64) -> thread::JoinHandle<()> {
    let (from, to) = (from.clone(), to.clone());
    // ANCHOR: careful
    thread::spawn(move || {
        *from.lock().expect("nobody panics") -= amount;
        *to.lock().expect("nobody panics") += amount;
    })
    // ANCHOR_END: careful
}

#[cfg(test)]
mod tests {
    use super::*;
    use actor_core::prelude::*;
    use actor_test::actor_test;

    // ANCHOR: test
    #[actor_test(expect_bug = "awaits the Mutex")]
    fn money_is_kept(_: &System) {
        let (one, other) = (account(100), account(100));
        let (there, back) = (transfer(&one, &other, 5), transfer(&other, &one, 7));
        there.join().expect("it ends");
        back.join().expect("it ends");
        assert_eq!(*one.lock().unwrap() + *other.lock().unwrap(), 200);
    }
    // ANCHOR_END: test

    #[actor_test]
    fn money_is_kept_by_the_careful(_: &System) {
        let (one, other) = (account(100), account(100));
        let there = careful_transfer(&one, &other, 5);
        let back = careful_transfer(&other, &one, 7);
        there.join().expect("it ends");
        back.join().expect("it ends");
        assert_eq!(*one.lock().unwrap() + *other.lock().unwrap(), 200);
    }
}
