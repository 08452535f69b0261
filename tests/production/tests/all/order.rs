//! The order in which events are handled, and fairness between actors and between branches of `select!`.

use actor_core::prelude::*;
use actor_core::select;

#[derive(Debug)]
struct Number {
    sender: usize,
    value: u64,
}
#[derive(Debug)]
struct Numbers;

#[derive(Default)]
struct Collector {
    numbers: Vec<(usize, u64)>,
}

#[actor]
impl Collector {
    #[on]
    fn number(&mut self, number: Number) {
        self.numbers.push((number.sender, number.value));
    }

    #[on]
    fn numbers(&mut self, _: Numbers) -> Vec<(usize, u64)> {
        std::mem::take(&mut self.numbers)
    }
}

fn values(numbers: &[(usize, u64)], sender: usize) -> Vec<u64> {
    let of_sender = numbers.iter().filter(|number| number.0 == sender);
    of_sender.map(|number| number.1).collect()
}

#[tokio::test]
async fn events_of_one_sender_arrive_in_order() {
    let sys = System::new();
    let collector = sys.spawn(Collector::default());
    for value in 0..1_000 {
        collector.tell(Number { sender: 0, value });
    }
    let numbers = collector.ask(Numbers).await.unwrap();
    assert_eq!(values(&numbers, 0), (0..1_000).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_each_of_many_senders_arrive_in_order() {
    let sys = System::new();
    let collector = sys.spawn(Collector::default());
    let send = |sender| {
        let collector = collector.clone();
        // A thread outside any runtime.
        std::thread::spawn(move || {
            for value in 0..10_000 {
                collector.tell(Number { sender, value });
            }
        })
    };
    for thread in [0, 1, 2].map(send) {
        thread.join().unwrap();
    }
    let numbers = collector.ask(Numbers).await.unwrap();
    for sender in 0..3 {
        assert_eq!(values(&numbers, sender), (0..10_000).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_tell_and_an_ask_keep_their_order() {
    let sys = System::new();
    let collector = sys.spawn(Collector::default());
    let before = collector.ask(Numbers);
    let (sender, value) = (0, 1);
    collector.tell(Number { sender, value });
    let after = collector.ask(Numbers);
    assert_eq!(after.await.unwrap(), [(0, 1)]);
    assert_eq!(before.await.unwrap(), []);
}

#[derive(Debug)]
struct Again;
#[derive(Debug)]
struct AsyncAgain;

/// Always has an event to handle, in a sync handler or in an async one that never waits.
struct Busy;

#[actor]
impl Busy {
    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        cx.me().tell(Again);
    }

    #[on]
    async fn async_again(&mut self, _: AsyncAgain, cx: &mut Context<Self>) {
        cx.me().tell(AsyncAgain);
    }
}

/// Without a budget, the actor would keep the only thread for ever.
#[tokio::test]
async fn a_busy_actor_lets_others_run() {
    let sys = System::new();
    sys.spawn(Busy).tell(Again);
    sys.spawn(Busy).tell(AsyncAgain);
    let collector = sys.spawn(Collector::default());
    for _ in 0..100 {
        collector.ask(Numbers).await.unwrap();
    }
}

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
async fn each_branch_that_is_ready_is_the_first_at_times() {
    // The probability that one of them is left out is below 10^-70.
    assert!(drawn(400).await.iter().all(|times| *times > 0));
}
