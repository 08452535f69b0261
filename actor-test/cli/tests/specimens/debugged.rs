//! Specimens for the debugger: two sellers and one book, crashes, and liveness bugs.

use std::sync::atomic::{AtomicU32, Ordering};

use actor_core::prelude::*;
use actor_test::actor_test;

#[derive(Debug)]
struct HowMany;
#[derive(Debug)]
struct Take;
#[derive(Debug)]
struct Sell;

#[derive(Debug)]
struct Stock {
    left: i32,
}

#[actor]
impl Stock {
    #[on]
    fn how_many(&mut self, _: HowMany) -> i32 {
        self.left
    }

    #[on]
    fn take(&mut self, _: Take) {
        self.left -= 1;
    }
}

#[derive(Debug)]
struct Seller {
    stock: ActorRef<Stock>,
    sold: u32,
}

// ANCHOR: seller
#[actor]
impl Seller {
    #[on]
    async fn sell(&mut self, _: Sell) {
        if self.stock.ask(HowMany).await.is_ok_and(|left| left > 0) {
            self.stock.tell(Take);
            self.sold += 1;
        }
    }
}
// ANCHOR_END: seller

fn shop(sys: &System, left: i32) -> ActorRef<Stock> {
    let stock = sys.spawn(Stock { left });
    for _ in 0..2 {
        let seller = Seller {
            stock: stock.clone(),
            sold: 0,
        };
        sys.spawn(seller).tell(Sell);
    }
    stock
}

#[actor_test]
fn no_book_is_sold_twice(sys: &System) {
    let stock = shop(sys, 1);
    sys.always("no book is sold twice", move |w| {
        w.get(&stock).is_none_or(|stock| stock.left >= 0)
    });
}

#[derive(Debug)]
struct Ping;

/// An actor that crashes its process at the third ping.
#[derive(Debug, Default)]
struct Fragile {
    pings: u32,
}

#[actor]
impl Fragile {
    #[on]
    fn ping(&mut self, _: Ping) {
        self.pings += 1;
        if self.pings == 3 {
            std::process::abort();
        }
    }
}

#[actor_test(iterations = 1)]
fn three_pings(sys: &System) {
    let fragile = sys.spawn(Fragile::default());
    for _ in 0..3 {
        fragile.tell(Ping);
    }
}

/// An actor that never becomes idle: thousands of steps with a pending obligation.
#[derive(Debug, Default)]
struct Restless {
    turns: u64,
}

#[actor]
impl Restless {
    #[on]
    fn ping(&mut self, _: Ping, cx: &mut Context<Self>) {
        self.turns += 1;
        cx.me().tell(Ping);
    }
}

#[actor_test(iterations = 1, max_steps = 2000, minimize = 0)]
fn it_rests(sys: &System) {
    let restless = sys.spawn(Restless::default());
    restless.tell(Ping);
    sys.eventually("it rests", |_| false);
}

/// The number of executions begun in this process.
static BEGUN: AtomicU32 = AtomicU32::new(0);

/// A test with many sellers, which takes several executions to minimise. The execution with the number in
/// `DIES_IN` crashes its process.
#[actor_test(iterations = 50)]
fn a_book_and_many_sellers(sys: &System) {
    let begun = BEGUN.fetch_add(1, Ordering::Relaxed);
    if std::env::var("DIES_IN").is_ok_and(|number| number == begun.to_string()) {
        std::process::abort();
    }
    let stock = sys.spawn(Stock { left: 3 });
    for _ in 0..12 {
        let seller = Seller {
            stock: stock.clone(),
            sold: 0,
        };
        sys.spawn(seller).tell(Sell);
    }
    sys.always("no book is sold twice", move |w| {
        w.get(&stock).is_none_or(|stock| stock.left >= 0)
    });
}

#[derive(Clone, Copy, Hash, Debug)]
struct Token;
#[derive(Clone, Hash, Debug)]
struct Next(ActorRef<Member>);

/// An actor that passes a token on to the member two places further.
#[derive(Hash, Debug)]
struct Member {
    next: Option<ActorRef<Member>>,
    seen: bool,
}

#[actor]
impl Member {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn token(&mut self, _: Token) {
        self.seen = true;
        if let Some(next) = &self.next {
            next.tell(Token);
        }
    }
}

/// The token never reaches every other one of the four members.
#[actor_test(strategy = "states", iterations = 50_000, max_steps = 10_000)]
fn the_second_has_the_token(sys: &System) {
    let member = |_| {
        sys.spawn(Member {
            next: None,
            seen: false,
        })
    };
    let all: Vec<ActorRef<Member>> = (0..4).map(member).collect();
    for (number, member) in all.iter().enumerate() {
        member.tell(Next(all[(number + 2) % 4].clone()));
    }
    all[0].tell(Token);
    let second = all[1].clone();
    sys.eventually("the second has the token", move |w| {
        w.get(&second).is_some_and(|member| member.seen)
    });
}
