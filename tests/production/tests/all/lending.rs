//! Owned lock guards and scoped threads, in production.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actor_core::sync::Mutex;
use actor_core::thread;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locks_that_are_held_go_to_other_tasks() {
    let count = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let count = count.clone();
            tokio::spawn(async move {
                let mut held = count.lock_owned().await;
                let seen = *held;
                tokio::task::yield_now().await;
                *held = seen + 1;
                // The guard is dropped on another task.
                drop(tokio::spawn(async move { drop(held) }));
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("it ends");
    }
    let held = count.clone().lock_owned().await;
    assert_eq!(*held, 100);
}

#[test]
fn threads_borrow() {
    let words = ["one".to_owned(), "two".to_owned()];
    let count = AtomicU32::new(0);
    let add = || {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let (longest, name) = thread::scope(|s| {
        let longest = s.spawn(|| {
            s.spawn(add);
            words.iter().map(String::len).max()
        });
        s.spawn(add);
        let named = thread::Builder::new().name("named".into());
        let named = named
            .spawn_scoped(s, || std::thread::current().name().map(str::to_owned))
            .expect("there are threads");
        (longest.join().ok(), named.join().ok())
    });
    assert_eq!((longest, name), (Some(Some(3)), Some(Some("named".into()))));
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn panics_are_told() {
    let ended = thread::scope(|s| {
        s.spawn(|| std::panic::resume_unwind(Box::new(7)))
            .join()
            .map(|(): ()| ())
    });
    assert_eq!(ended.expect_err("it panics").downcast_ref(), Some(&7));
    let left = std::panic::catch_unwind(|| {
        thread::scope(|s| drop(s.spawn(|| -> () { std::panic::resume_unwind(Box::new(7)) })));
    });
    let left = left.expect_err("it panics");
    assert_eq!(left.downcast_ref(), Some(&"a scoped thread panicked"));
}
