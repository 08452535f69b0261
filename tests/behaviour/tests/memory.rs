//! Memory of executions: no allocation per step, no leak, and the memory for reading a trace.
#![expect(
    unsafe_code,
    reason = "an allocator that counts can't be written without"
)]

use std::alloc::System as SystemAllocator;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{actor, monitor};
use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use actor_test::tool::trace::Trace;

/// Sends at its start, to a server that may already be gone.
#[derive(Default)]
struct Peer {
    other: Option<ActorRef<Peer>>,
    heard: u64,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Word(ActorRef<Peer>);

#[actor]
impl Peer {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        for node in ["n1", "n2"] {
            if let Ok(other) = cx.lookup::<Self>(format!("{node}/peer")).await {
                other.tell(Word(cx.me()));
                cx.watch(&other);
                self.other = Some(other);
            }
        }
    }

    #[on]
    fn word(&mut self, word: Word, cx: &mut Context<Self>) {
        self.heard += 1;
        if self.heard < 5 {
            word.0.tell(Word(cx.me()));
        }
    }

    #[on]
    fn terminated(&mut self, _: actor_core::Terminated) {}
}

fn crashing(sys: &System) {
    for name in ["n1", "n2"] {
        sys.node(name, |node| {
            node.spawner()
                .name("peer")
                .registered()
                .spawn(Peer::default());
        });
    }
    sys.faults().duplicate_next::<Word>("n1", "n2");
    sys.faults().partition(&["n1"], &["n2"]);
    sys.faults().crash("n1");
    sys.faults().heal();
    sys.faults().restart("n1");
    sys.faults().restart("n2");
}

#[test]
fn crashes_and_restarts_leave_nothing_behind() {
    let _one = ONE_AT_A_TIME.lock();
    let run = |executions| {
        let report = tester(executions).run(|sys| crashing(&sys));
        report.assert_clean();
        drop(report);
        LIVE_BYTES.load(Ordering::Relaxed)
    };
    run(100);
    let before = run(100);
    let after = run(10_000);
    assert!(after - before < 10_000, "{} bytes more", after - before);
}

/// Faults that the tester places, and its learned data over a million executions.
#[test]
#[ignore = "takes minutes: for .ci/long"]
fn a_million_executions_with_crashes_leave_nothing_behind() {
    let _one = ONE_AT_A_TIME.lock();
    let run = |iterations| {
        let faults = "crash=1,restart=1,wipe=1,drop=1,duplicate=1,partition=1";
        let tester = tester(iterations).strategy("pct".parse().expect("a strategy"));
        let report = tester
            .faults(faults.parse().expect("faults"))
            .run(|sys| crashing(&sys));
        report.assert_clean();
        let distinct = report.behaviours.seen;
        drop(report);
        (LIVE_BYTES.load(Ordering::Relaxed), distinct)
    };
    run(100);
    let (before, _) = run(100);
    for executions in [10_000, 100_000, 1_000_000] {
        let (after, distinct) = run(executions);
        let more = after - before;
        println!(
            "{executions} executions, {distinct} behaviours: {more} bytes more are live after them"
        );
        assert!(more < 100_000, "{more} bytes more");
    }
}

/// An allocator that counts allocations and live bytes.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);
/// The peak of the live bytes.
static MOST_BYTES: AtomicI64 = AtomicI64::new(0);
/// The tests of this file measure one after another.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        let size = layout.size() as i64;
        let live = LIVE_BYTES.fetch_add(size, Ordering::Relaxed) + size;
        MOST_BYTES.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn tester(iterations: u64) -> Tester {
    Tester::new()
        .iterations(iterations)
        .check_every(0)
        .keep_going()
        .strategy(StrategySpec::Random)
}

#[derive(Debug)]
struct Ping(Recipient<Pong>);
#[derive(Debug)]
struct Pong;
#[derive(Debug)]
struct HowMany;
#[derive(Debug, Clone)]
struct Tick;

#[derive(Default)]
struct Server(u64);
#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping) {
        self.0 += 1;
        ping.0.tell(Pong);
    }
    #[on]
    fn how_many(&mut self, _: HowMany) -> u64 {
        self.0
    }
}

struct Client {
    server: ActorRef<Server>,
    left: u32,
}
#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Ping(cx.recipient()));
    }
    #[on]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        cx.announce(Tick);
        self.left -= 1;
        if self.left > 0 {
            self.server.tell(Ping(cx.recipient()));
        }
    }
}

#[derive(Default)]
struct Answered(u32);
#[monitor(hot, cold)]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        self.0 += 1;
        cx.goto(AnsweredState::Hot);
    }
    #[on]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        self.0 -= 1;
        if self.0 == 0 {
            cx.goto(AnsweredState::Cold);
        }
    }
    #[on]
    fn tick(&mut self, _: &Tick) {}
}

fn ping_pong(sys: &System, rounds: u32) {
    sys.monitor::<Answered>();
    let server = sys.spawn(Server::default());
    for _ in 0..3 {
        let server = server.clone();
        sys.spawn(Client {
            server,
            left: rounds,
        });
    }
}

/// Returns the allocations of `iterations` executions
/// after a warm-up, with or without detection of lassos.
fn allocations(iterations: u64, lasso: bool, program: impl Fn(&System) + Sync) -> u64 {
    let counted = |iterations| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let report = tester(iterations).lasso(lasso).run(|sys| program(&sys));
        report.assert_clean();
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    counted(1);
    counted(2 * iterations) - counted(iterations)
}

#[test]
fn a_step_allocates_nothing() {
    let _one = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let allocations = |lasso, rounds| allocations(200, lasso, |sys| ping_pong(sys, rounds));
    let (short, long) = (allocations(false, 10), allocations(false, 500));
    // Longer queues may grow once; the 400 000 additional messages allocate nothing.
    assert!(
        long < short + 400,
        "{short} for short executions, {long} for long ones"
    );
    // The detection of lassos takes memory: the monitor is hot nearly all the time.
    let long = allocations(true, 500);
    assert!(long < short + 120_000, "{long} with a look-out for lassos");
}

struct Asks(ActorRef<Server>);
#[derive(Debug)]
struct Ask(u32);
#[actor]
impl Asks {
    #[on]
    async fn ask(&mut self, ask: Ask, _: &mut Context<Self>) {
        for _ in 0..ask.0 {
            assert_eq!(self.0.ask(HowMany).await, Ok(0));
        }
    }
}

#[test]
fn an_ask_allocates_once() {
    let _one = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let asks = |asks: u32| {
        move |sys: &System| {
            let server = sys.spawn(Server::default());
            sys.spawn(Asks(server)).tell(Ask(asks));
        }
    };
    let few = allocations(100, true, asks(10));
    let many = allocations(100, true, asks(110));
    // 100 additional asks in each of 100 executions; the slack is for queues that grow once.
    assert!(
        many <= few + 100 * 100 + 100,
        "{few} for 10 asks, {many} for 110"
    );
}

struct Mortal(u32);
#[actor]
impl Mortal {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1), Tick);
        cx.every(Duration::from_secs(1), Tick);
        cx.sleep(Duration::from_secs(self.0.into())).await;
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        match cx.choose(3) {
            0 => cx.halt(),
            1 => panic!("found, and found again"),
            _ => {}
        }
    }
}

#[test]
fn live_memory_is_what_it_was() {
    let _one = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let live = |iterations| {
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        let report = tester(iterations).run(|sys| {
            for seconds in 0..3 {
                sys.spawn(Mortal(seconds));
            }
        });
        assert!(!report.is_clean(), "panics are part of the story");
        drop(report);
        LIVE_BYTES.load(Ordering::Relaxed) - before
    };
    live(100);
    let few = live(1_000);
    let many = live(20_000);
    assert!(
        many <= few + 4_096,
        "{few} bytes after 1 000 executions, {many} after 20 000"
    );
}

/// A trace of two megabytes in which one element repeats.
fn crowded(before: &str, again: &str, after: &str) -> Vec<u8> {
    let head = r#"{"format":"actor-test trace","version":3,"actor_test":"0.1.0","test":"t","strategy":"s",
        "seed":0,"iteration":1,"token":"","finding":{"kind":"panic","message":"","location":null,"step":1},
        "bounds":{"unfair":1,"fair":1,"temperature":1},
        "semantics":{"patient_timers":false,"atomic_handlers":false,"clock_error":{"secs":0,"nanos":0}},
        "fair_from":null,"digest":"","#;
    let mut text = format!("{head}{before}{again}");
    while text.len() < 2 << 20 {
        text.push(',');
        text += again;
    }
    (text + after).into_bytes()
}

/// For every content. A generic JSON tree would take a hundred times the length.
#[test]
fn reading_a_trace_takes_a_few_times_its_length() {
    let _guard = ONE_AT_A_TIME.lock();
    let lists = r#""decisions":[],"checks":[],"schedule":"","#;
    let in_story = |field: &str, again: &str| {
        let before = format!("{lists}\"story\":{{\"steps\":[],\"{field}\":[");
        crowded(&before, again, "]}}")
    };
    let step = r#"{"number":1,"time_ns":0,"who":0,"kind":"start"}"#;
    let story = |step: &str| {
        let before = format!("{lists}\"story\":{{\"texts\":[\"\"],\"steps\":[");
        crowded(&before, step, "]}}")
    };
    let traces = [
        crowded(
            r#""story":{"steps":[]},"schedule":"","checks":[],"decisions":["#,
            "0",
            "]}",
        ),
        crowded(&format!("{lists}\"story\":["), r#"{"":0}"#, "]}"),
        crowded(
            &format!("{lists}\"story\":{{\"steps\":[]}},\"else\":["),
            r#"{"":0}"#,
            "]}",
        ),
        in_story("texts", r#""""#),
        in_story("else", r#"{"":0}"#),
        story(step),
        story(&step.replace('}', r#","effects":[{"effect":"awaits"}]}"#)),
        story(&step.replace('}', r#","changes":[{"field":0}]}"#)),
        story(&step.replace(
            '}',
            r#","effects":[{"effect":"awaits","":[{"":0},{"":0}]}]}"#,
        )),
    ];
    for trace in traces {
        MOST_BYTES.store(LIVE_BYTES.load(Ordering::Relaxed), Ordering::Relaxed);
        let before = MOST_BYTES.load(Ordering::Relaxed);
        let refused = Trace::parse("trace.json", &trace).expect_err("its digest is wrong");
        let most = MOST_BYTES.load(Ordering::Relaxed) - before;
        let beginning = String::from_utf8_lossy(&trace[600..700]);
        assert!(
            most < 24 * trace.len() as i64,
            "{most} bytes for {}: {beginning}",
            trace.len()
        );
        // The whole trace was read, or this error would not occur.
        assert!(
            refused.to_string().contains("was edited"),
            "{refused}: {beginning}"
        );
    }
}
