//! Pinned schedules: the same seed leads to the same schedules, on every machine and in every
//! version with the same tokens. The file has digests of each strategy on three programs.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::Tester;
use actor_test::settings::Search;
use behaviour::closures::{handler, handles};
use behaviour::harness::events::Go;
use behaviour::harness::strategy;
use rand_core::Rng;

/// A hash of all events, in order.
#[derive(Clone, Default)]
struct Digest(Arc<Mutex<u64>>);

impl Digest {
    fn add(&self, what: u64) {
        let mut digest = self.0.lock().unwrap();
        *digest = (*digest ^ what)
            .wrapping_mul(0x0100_0000_01b3)
            .rotate_left(29);
    }
}

#[derive(Debug)]
struct Order(u64);
#[derive(Debug)]
struct Bill(u64);
#[derive(Debug, Clone)]
struct Tick;
#[derive(Debug)]
struct Price(u64);

/// Uses choices, random numbers, waits, asks and timers.
struct Guest {
    number: u64,
    shop: ActorRef<Shop>,
    digest: Digest,
    ticks: u64,
}
#[actor]
impl Guest {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let wait = cx.choose(3) as u64;
        cx.after(Duration::from_millis(wait), Tick);
    }

    #[on]
    async fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        let drawn = cx.rng().next_u64() % 7;
        self.digest.add(drawn);
        let price = self.shop.ask(Price(self.number)).await.unwrap_or(0);
        self.digest.add(price);
        self.shop.tell(Order(self.number * 10 + drawn));
        if self.ticks < 2 && cx.choose_bool() {
            cx.sleep(Duration::from_millis(1 + drawn % 2)).await;
            cx.after(Duration::from_millis(1), Tick);
        }
        self.digest.add(cx.now().as_nanos() as u64);
    }

    #[on]
    fn bill(&mut self, bill: Bill) {
        self.digest.add(self.number << 32 | bill.0);
    }
}

struct Shop {
    digest: Digest,
    sold: u64,
}
#[actor(states(Open, Busy))]
impl Shop {
    #[on]
    fn price(&mut self, price: Price) -> u64 {
        self.sold * 100 + price.0
    }

    #[on]
    fn order(&mut self, order: Order, cx: &mut Context<Self>) {
        self.sold += 1;
        self.digest.add(order.0);
        // Halts while events are still sent to it.
        let digest = self.digest.clone();
        let clerk = cx.spawn(handler(move |bill: Bill, cx: &mut Context<_>| {
            digest.add(!bill.0);
            cx.halt();
        }));
        cx.watch(&clerk);
        clerk.tell(Bill(order.0));
        cx.goto(ShopState::Busy);
        if self.sold.is_multiple_of(2) {
            clerk.tell(Bill(self.sold));
        }
    }

    #[on]
    fn terminated(&mut self, _: Terminated, cx: &mut Context<Self>) {
        self.digest.add(self.sold);
        cx.goto(ShopState::Open);
    }
}

/// A liveness property: every order is billed eventually.
#[derive(Default)]
struct Billed;
#[monitor(hot(Owed), cold(Paid))]
impl Billed {
    #[on]
    fn order(&mut self, _: &Order, cx: &mut MonitorContext<Self>) {
        cx.goto(BilledState::Owed);
    }

    #[on]
    fn bill(&mut self, _: &Bill, cx: &mut MonitorContext<Self>) {
        cx.goto(BilledState::Paid);
    }
}

fn shopping(sys: &System, digest: &Digest) {
    sys.monitor::<Billed>();
    let shop = sys.spawn(Shop {
        digest: digest.clone(),
        sold: 0,
    });
    for number in 0..4 {
        let (shop, digest) = (shop.clone(), digest.clone());
        let guest = sys.spawn(Guest {
            number,
            shop,
            digest,
            ticks: 0,
        });
        guest.tell(Bill(number));
    }
    sys.sometimes("much is sold", |w| {
        w.all::<Shop>().any(|shop| shop.sold > 6)
    });
}

/// A program with far more enabled operations than most.
fn crowd(sys: &System, digest: &Digest) {
    let targets = [(); 3].map(|()| {
        let digest = digest.clone();
        handles(sys, move |hit: u64, _| digest.add(hit))
    });
    for number in 0..70 {
        let targets = targets[..1 + number as usize % 3].to_vec();
        let sender = handles(sys, move |_: Go, _| {
            targets.iter().for_each(|target| target.tell(number));
        });
        sender.tell(Go);
    }
}

/// Three players play for ever, so that the fair suffix begins.
fn for_ever(sys: &System, digest: &Digest) {
    for number in 0..3 {
        let digest = digest.clone();
        let player = handles(sys, move |ball: u64, cx| {
            digest.add(ball);
            cx.me().tell(ball + cx.choose(4) as u64);
        });
        player.tell(number << 16);
    }
}

const STRATEGIES: &str = "
    random weighted weighted:3/2 prob prob:1 pct pct:7 pos pos:local urw surw delay:rr
    delay:prr delay:rtc delay:rr/2 delay:rtc/5 ss:rr ss:prr ss:rtc ss:rr/2 dfs dfs:local
    fair-pct fair-pos fair-surw fair-delay:rr fair-ss:rtc early-fair-pct early-fair-pos
    early-fair-surw early-fair-delay:prr
";

/// Returns the digest of one search of a program.
fn digest(tester: &Tester, program: fn(&System, &Digest)) -> u64 {
    let digest = Digest::default();
    let shared = digest.clone();
    let report = tester.run(move |sys| program(&sys, &shared));
    digest.add(report.executions);
    digest.add(report.steps_total);
    digest.add(report.behaviours.seen);
    digest.add(report.behaviours.at_least);
    for strategy in &report.strategies {
        digest.add(strategy.executions);
        digest.add(strategy.new_behaviours);
        digest.add(strategy.new_chance.to_bits());
    }
    *digest.0.lock().unwrap()
}

#[test]
fn schedules_are_those_of_their_tokens() {
    let tester = Tester::new()
        .iterations(24)
        .seed(11)
        .workers(1)
        .keep_going();
    let crowded = tester.clone().iterations(12);
    let bounded = tester.clone().max_steps(40);
    let mut table = String::new();
    let mut row = |name: &str, pick: &dyn Fn(&Tester) -> Tester| {
        let shopping = digest(&pick(&tester), shopping);
        let crowd = digest(&pick(&crowded), crowd);
        let for_ever = digest(&pick(&bounded), for_ever);
        writeln!(table, "{name} {shopping:016x} {crowd:016x} {for_ever:016x}").unwrap();
    };
    for name in STRATEGIES.split_whitespace() {
        row(name, &|tester| tester.clone().strategy(strategy(name)));
    }
    row("portfolio", &|tester| {
        tester.clone().iterations(150).search(Search::Portfolio)
    });
    assert!(
        table == include_str!("pinned.txt"),
        "The schedules are not what they were. Where a strategy's are meant to be others, raise `SCHEDULES` \
         in actor-test/src/settings/token.rs, so that older tokens are refused (a token of the portfolio \
         names the strategy whose turn it was), and let this be tests/behaviour/tests/all/strategies/pinned.txt:\n{table}"
    );
}
