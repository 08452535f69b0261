//! Monitors in production.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Go, Journal, idle, live};
use actor_core::prelude::*;

#[derive(Debug)]
struct Ping {
    from: Recipient<Pong>,
}
#[derive(Debug)]
struct Pong;
#[derive(Debug)]
struct Count;
#[derive(Debug)]
struct Served(#[expect(dead_code, reason = "printed")] u64);
#[derive(Debug)]
struct Round;

#[derive(Default)]
struct Server {
    journal: Journal,
    served: u64,
}

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping, cx: &mut Context<Self>) {
        self.journal.note("serve");
        self.served += 1;
        ping.from.tell(Pong);
        cx.announce(Round);
    }

    #[on]
    fn count(&mut self, _: Count) -> Served {
        Served(self.served)
    }
}

struct Client {
    server: ActorRef<Server>,
}

#[actor]
impl Client {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.server.tell(Ping {
            from: cx.recipient(),
        });
        let _ = self.server.ask(Count).await;
    }

    #[on]
    fn pong(&mut self, _: Pong) {}
}

/// Records every event that it observes, with sender and target.
struct Witness {
    journal: Journal,
}

impl Witness {
    fn note(&self, what: &str, cx: &MonitorContext<Self>) {
        let name = |id: Option<ActorId>| match id {
            None => "nobody",
            Some(id) if is_even(id) => "even",
            Some(_) => "odd",
        };
        let (sender, target) = (name(cx.sender()), name(cx.target()));
        self.journal.note(format!("{what}: {sender} to {target}"));
    }
}

#[monitor(hot, cold)]
impl Witness {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        self.note("ping sent", cx);
    }

    #[on(handled)]
    fn ping_handled(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        self.note("ping handled", cx);
    }

    #[on(replied)]
    fn served(&mut self, _: &Served, cx: &mut MonitorContext<Self>) {
        self.note("served", cx);
    }

    #[on]
    fn round(&mut self, _: &Round, cx: &mut MonitorContext<Self>) {
        self.note("round", cx);
    }

    #[on]
    fn go(&mut self, _: &Go, cx: &mut MonitorContext<Self>) {
        self.note("go", cx);
    }
}

fn is_even(id: ActorId) -> bool {
    id.as_u64().is_multiple_of(2)
}

/// Spawns a server with an even number and a client with an odd one, whatever numbers other tests have used.
fn server_and_client(sys: &System, journal: &Journal) -> (ActorRef<Server>, ActorRef<Client>) {
    let mut servers = std::iter::repeat_with(|| {
        let journal = journal.clone();
        sys.spawn(Server { journal, served: 0 })
    });
    let server = servers.find(|server| is_even(server.id())).unwrap();
    let mut clients = std::iter::repeat_with(|| {
        let server = server.clone();
        sys.spawn(Client { server })
    });
    let client = clients.find(|client| !is_even(client.id())).unwrap();
    (server, client)
}

#[tokio::test(start_paused = true)]
async fn a_monitor_sees_who_sends_what_to_whom() {
    let sys = System::new();
    let journal = Journal::new();
    sys.monitor_with(Witness {
        journal: journal.clone(),
    });
    let (_server, client) = server_and_client(&sys, &journal);
    client.tell(Go);
    idle().await;
    journal.expect([
        "go: nobody to odd",
        "ping sent: odd to even",
        "ping handled: odd to even",
        "serve",
        "round: even to nobody",
        "served: even to odd",
    ]);
    sys.announce(Round);
    journal.expect(["round: nobody to nobody"]);
}

/// Every ping is answered.
#[derive(Default)]
struct Answered {
    open: u32,
}

#[monitor(hot(Pending), cold(Quiet))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        self.open += 1;
        cx.goto(AnsweredState::Pending);
    }

    #[on]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        assert!(self.open > 0, "a pong that nobody asked for");
        self.open -= 1;
        if self.open == 0 {
            cx.goto(AnsweredState::Quiet);
        }
    }
}

/// Returns a system with a journal of its violations.
fn observed() -> (System, Journal) {
    let (sys, journal) = (System::new(), Journal::new());
    let noted = journal.clone();
    live(&sys).on_violation(move |violation| {
        // The text in brackets depends on numbers and times.
        let line = violation.to_string();
        noted.note(line.split(" (").next().unwrap_or_default());
    });
    (sys, journal)
}

#[tokio::test(start_paused = true)]
async fn a_violation_is_reported_once_and_the_actors_go_on() {
    let (sys, journal) = observed();
    sys.monitor::<Answered>();
    let (server, client) = server_and_client(&sys, &Journal::new());
    client.tell(Pong);
    client.tell(Pong);
    client.tell(Go);
    idle().await;
    journal.expect(["safety: monitor Answered in state Quiet: a pong that nobody asked for"]);
    assert!(server.ask(Count).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_monitor_that_stays_hot_is_reported_once() {
    let (sys, journal) = observed();
    live(&sys).hot_limit(Duration::from_secs(5));
    sys.monitor::<Answered>();
    sys.sleep(Duration::from_secs(100)).await;
    journal.expect::<&str>([]);

    let silent = sys.spawn(Silent);
    ping(&silent);
    sys.sleep(Duration::from_secs(4)).await;
    ping(&silent); // a change from hot to hot does not restart the hot period
    journal.expect::<&str>([]);
    sys.sleep(Duration::from_secs(2)).await;
    journal.expect([HOT]);
    sys.sleep(Duration::from_secs(100)).await;
    journal.expect::<&str>([]);

    silent.tell(Pong);
    silent.tell(Pong);
    ping(&silent);
    sys.sleep(Duration::from_secs(6)).await;
    journal.expect([HOT]);
}

const HOT: &str = "liveness: monitor Answered in state Pending: hot for longer than 5s";

/// Pings that actor in its own name.
fn ping(silent: &ActorRef<Silent>) {
    let from = silent.recipient();
    silent.tell(Ping { from });
}

struct Silent;

#[actor]
impl Silent {
    #[on]
    fn ping(&mut self, ping: Ping) {
        drop(ping.from);
    }

    #[on]
    fn pong(&mut self, _: Pong) {}
}

#[tokio::test(start_paused = true)]
async fn a_second_monitor_of_a_type_changes_nothing() {
    let (sys, journal) = observed();
    sys.monitor_with(Answered { open: 1 });
    sys.monitor_with(Answered { open: 0 });
    sys.spawn(Silent).tell(Pong);
    idle().await;
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn a_monitor_type_may_have_a_limit_of_its_own() {
    let (sys, journal) = observed();
    sys.monitor_with(Answered { open: 0 });
    live(&sys).hot_limit(Duration::from_secs(50));
    live(&sys).hot_limit_of::<Answered>(Duration::from_secs(5));
    let silent = sys.spawn(Silent);
    ping(&silent);
    sys.sleep(Duration::from_secs(6)).await;
    journal.expect([HOT]);
    sys.sleep(Duration::from_secs(100)).await;
    journal.expect::<&str>([]);
}

#[tokio::test(start_paused = true)]
async fn a_violation_tells_what_is_known_of_it() {
    let sys = System::new();
    let violations = Arc::new(Mutex::new(Vec::new()));
    let noted = violations.clone();
    live(&sys).on_violation(move |violation| noted.lock().unwrap().push(violation.clone()));
    sys.monitor::<Answered>();
    let silent = sys.spawn_named("silent", Silent);
    sys.sleep(Duration::from_secs(1)).await;
    ping(&silent);
    sys.sleep(Duration::from_secs(1)).await;
    let bold = sys.spawn_named("bold", Bold(silent.clone()));
    bold.tell(Count);
    idle().await;
    let violation = violations.lock().unwrap().pop().unwrap();
    assert_eq!(violation.state, Some("Quiet"));
    assert_eq!(violation.event.as_deref(), Some("Pong"));
    assert_eq!(violation.sender, Some(bold.id()));
    assert_eq!(violation.target_name.as_deref(), Some("silent"));
    let trace: Vec<_> = violation.trace.iter().map(|step| step.state).collect();
    assert_eq!(trace, ["Pending", "Quiet"]);
    let place = violation.place.clone().unwrap_or_default();
    assert!(place.contains("monitors.rs:"), "{place}");
    let line = violation.to_string();
    let expected = "safety: monitor Answered in state Quiet: a pong that nobody asked for (Pong \
                    from bold to silent, 2s after the start; by way of Pending at Ping, Quiet at \
                    Pong; ";
    assert!(line.starts_with(expected), "{line}");
}

/// Sends unsolicited events.
struct Bold(ActorRef<Silent>);

#[actor]
impl Bold {
    #[on]
    fn count(&mut self, _: Count) {
        self.0.tell(Pong);
        self.0.tell(Pong);
    }
}

#[derive(Default)]
struct Hasty;

#[monitor(hot, cold)]
impl Hasty {
    #[on]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        cx.goto(HastyState::Hot);
        panic!("no pong is right");
    }

    #[on]
    fn round(&mut self, _: &Round) {}
}

#[derive(Default)]
struct Never;

#[monitor]
impl Never {
    #[on]
    fn pong(&mut self, _: &Pong) {
        panic!("never");
    }
}

#[tokio::test(start_paused = true)]
async fn a_monitor_may_go_on_after_a_violation() {
    let (sys, journal) = observed();
    live(&sys).go_on_after_violations(true);
    sys.monitor::<Hasty>();
    sys.monitor::<Never>();
    // A state change from before a panic is discarded.
    let violated = [
        "safety: monitor Hasty in state Cold: no pong is right",
        "safety: monitor Never: never",
    ];
    for _ in 0..2 {
        sys.announce(Pong);
        sys.announce(Round);
        journal.expect(violated);
    }
    live(&sys).go_on_after_violations(false);
    sys.announce(Pong);
    sys.announce(Pong);
    journal.expect(violated);
}
