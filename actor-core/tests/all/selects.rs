//! `select!` in production.

use actor_core::select;
use actor_core::sync::mpsc;

/// Counts how often each of three ready branches is taken first.
async fn drawn(times: u32) -> [u32; 3] {
    let mut taken = [0; 3];
    for _ in 0..times {
        let of = |number: usize| async move { number };
        let first = select! {
            first = of(0) => first,
            first = of(1), if true => first,
            first = of(2) => first,
        };
        taken[first] += 1;
    }
    taken
}

#[tokio::test]
async fn each_of_those_that_are_ready_is_the_first_at_times() {
    // The probability that one of them is left out is below 10^-70.
    assert!(drawn(400).await.iter().all(|times| *times > 0));
}

#[tokio::test]
async fn those_that_are_not_ready_are_awaited() {
    let (send, mut receive) = mpsc::channel(1);
    let sender = actor_core::task::spawn(async move {
        for number in 0..3 {
            send.send(number).await.expect("it is received");
        }
    });
    let mut received = Vec::new();
    let mut joined = std::pin::pin!(sender);
    loop {
        select! {
            biased;
            Some(number) = receive.recv() => received.push(number),
            end = &mut joined => break end.expect("it ends"),
        }
    }
    while let Ok(number) = receive.try_recv() {
        received.push(number);
    }
    assert_eq!(received, [0, 1, 2]);
}
