//! Full links: a `send` waits, a `tell` makes a dead letter, an `ask` and a `try_send` are refused.

use actor_core::AskError;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::settings::Delivery;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::{
    assert_contains, expect_bug, failure_text, in_production, outcomes, whole,
};
use serde::{Deserialize, Serialize};

use super::{SECOND, boot, booted, patient};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Show;

/// Notes what it gets.
#[derive(Debug, Default)]
struct Clerk(Vec<u32>);

#[actor(remote)]
impl Clerk {
    #[on]
    fn note(&mut self, Note(note): Note) {
        self.0.push(note);
    }

    #[on]
    fn show(&mut self, _: Show) -> Vec<u32> {
        self.0.clone()
    }
}

#[derive(Clone, Copy, Debug)]
enum By {
    Tell,
    Ask,
    Send,
    TrySend,
}

/// An order to send to the clerk.
#[derive(Debug)]
struct Write(By, u32);

/// Sends to the clerk on another node as it is told; it answers whether the clerk's node has got it, as far as it
/// knows.
#[derive(Debug)]
struct Client;

#[actor]
impl Client {
    #[on]
    async fn write(
        &mut self,
        Write(by, note): Write,
        cx: &mut Context<Self>,
    ) -> Result<(), AskError> {
        let clerk = cx.at::<Clerk>("n0/clerk");
        match by {
            By::Tell => clerk.tell(Note(note)),
            By::Ask => clerk.ask(Note(note)).await?,
            By::Send => clerk
                .send(Note(note))
                .await
                .map_err(|_| AskError::Stopped)?,
            By::TrySend => clerk
                .try_send(Note(note))
                .await
                .map_err(|_| AskError::Full)?,
        }
        Ok(())
    }
}

/// Starts the clerk on one node, and the client on another one.
async fn clerk_and_client(sys: &System) -> (ActorRef<Clerk>, ActorRef<Client>) {
    boot(sys, "n0", "clerk", Clerk::default);
    boot(sys, "n1", "client", || Client);
    (
        booted(sys, "n0/clerk").await,
        booted(sys, "n1/client").await,
    )
}

/// Returns whether the event was taken, and not refused because something is full.
async fn is_taken(client: &ActorRef<Client>, by: By, note: u32) -> bool {
    match client.ask(Write(by, note)).await.expect("it is there") {
        Ok(()) => true,
        Err(AskError::Full) => false,
        Err(other) => panic!("{other}"),
    }
}

async fn notes(sys: &System, clerk: &ActorRef<Clerk>) -> Vec<u32> {
    sys.sleep(SECOND).await;
    clerk.ask(Show).await.expect("it is there")
}

#[test]
fn a_full_link_takes_no_event() {
    let scenario = |sys: System| async move {
        let (clerk, client) = clerk_and_client(&sys).await;
        sys.faults().fill("n1", "n0");
        let asked = is_taken(&client, By::Ask, 1).await;
        let tried = is_taken(&client, By::TrySend, 2).await;
        let told = is_taken(&client, By::Tell, 3).await;
        let full = notes(&sys, &clerk).await;
        sys.faults().drain("n1", "n0");
        for (by, note) in [(By::Ask, 4), (By::TrySend, 5), (By::Tell, 6)] {
            assert!(is_taken(&client, by, note).await, "{by:?}");
        }
        ([asked, tried, told], full, notes(&sys, &clerk).await)
    };
    let expected = ([false, false, true], vec![], vec![4, 5, 6]);
    let (report, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [expected]);
    assert!(report.dead_letters > 0);
}

/// A `send` that waits is first when there is room; one that was given up has sent nothing.
#[test]
fn a_send_waits_until_there_is_room() {
    let scenario = |given_up: bool| {
        move |sys: System| async move {
            let (clerk, client) = clerk_and_client(&sys).await;
            sys.faults().fill("n1", "n0");
            client.tell(Write(By::Send, 1));
            client.tell(Write(By::Tell, 2));
            let full = notes(&sys, &clerk).await;
            if given_up {
                client.kill().await;
            }
            sys.faults().drain("n1", "n0");
            (full, notes(&sys, &clerk).await)
        }
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario(false));
    assert_eq!(seen, [(vec![], vec![1, 2])]);
    let (_, seen) = outcomes(&patient(whole("states")), scenario(true));
    assert_eq!(seen, [(vec![], vec![])]);
}

#[test]
fn a_send_that_waits_for_ever_names_the_link() {
    let parts = ["`n1/client` awaits room on the link `n1->n0`"];
    let scenario = |sys: System| async move {
        let (_, client) = clerk_and_client(&sys).await;
        sys.faults().fill("n1", "n0");
        let _ = client.ask(Write(By::Send, 1)).await;
    };
    expect_bug(
        &patient(whole("states")),
        BugKind::Deadlock,
        &parts,
        scenario,
    );
}

/// The room on the link is none in a bounded mailbox behind it, however messages are delivered.
#[test]
fn room_on_the_link_is_no_room_in_the_mailbox() {
    for delivery in [Delivery::PerPair, Delivery::Bag, Delivery::Mailbox] {
        let tester = patient(whole("states").delivery(delivery));
        let scenario = |sys: System| async move {
            sys.node("n0", |node| {
                let spawner = node.spawner().mailbox(Mailbox::bounded(1));
                spawner.name("clerk").registered().spawn(Clerk::default());
            });
            boot(&sys, "n1", "client", || Client);
            let client: ActorRef<Client> = booted(&sys, "n1/client").await;
            let clerk: ActorRef<Clerk> = booted(&sys, "n0/clerk").await;
            for note in 1..=3 {
                assert!(is_taken(&client, By::Send, note).await);
                sys.sleep(SECOND).await;
            }
            notes(&sys, &clerk).await
        };
        let (_, seen) = outcomes(&tester, scenario);
        assert_eq!(seen, [vec![1, 2, 3]], "{delivery:?}");
    }
}

/// Messages on the link arrive, and replies go over a link that is full.
#[test]
fn what_is_under_way_arrives() {
    let scenario = |sys: System| async move {
        let (clerk, client) = clerk_and_client(&sys).await;
        sys.faults().hold("n1", "n0");
        assert!(is_taken(&client, By::Tell, 1).await);
        sys.faults().fill("n1", "n0");
        sys.faults().fill("n0", "n1");
        sys.faults().release("n1", "n0");
        let under_way = notes(&sys, &clerk).await;
        sys.faults().drain("n1", "n0");
        (under_way, is_taken(&client, By::Ask, 2).await)
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [(vec![1], true)]);
}

/// With the connection gone, nothing waits for it, and the new one has room.
#[test]
fn a_new_connection_has_room() {
    let scenario = |breaks: fn(&System)| {
        move |sys: System| async move {
            let (_, client) = clerk_and_client(&sys).await;
            sys.faults().fill("n1", "n0");
            let waiting = client.ask(Write(By::Send, 1));
            sys.sleep(SECOND).await;
            breaks(&sys);
            let waited = waiting.await == Ok(Ok(()));
            sys.sleep(SECOND).await;
            (waited, is_taken(&client, By::Ask, 2).await)
        }
    };
    let breaks: [fn(&System); 3] = [
        |sys| sys.faults().restart("n0"),
        |sys| sys.faults().break_connection("n0", "n1"),
        |sys| sys.faults().half_open("n0", "n1"),
    ];
    for (number, breaks) in breaks.into_iter().enumerate() {
        let (_, seen) = outcomes(&patient(whole("states")), scenario(breaks));
        assert_eq!(seen, [(true, true)], "{number}");
    }
}

/// Places an order at the clerk's, again if it is not told that the clerk has it.
struct Shop {
    /// True if an order that a full link has not taken counts as refused.
    gives_up: bool,
}

#[actor]
impl Shop {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let clerk = cx.at::<Clerk>("n0/clerk");
        loop {
            match clerk.ask(Note(1)).timeout(SECOND).await {
                Ok(()) => return,
                Err(AskError::Full) if self.gives_up => return,
                Err(_) => cx.sleep(SECOND).await,
            }
        }
    }
}

fn ordered(fault: FaultKind, gives_up: bool) -> Report {
    let tester = patient(Tester::new().iterations(1_000));
    let faults = FaultBudgets::none().with(fault, 1);
    tester.faults(faults).run(|sys| {
        boot(&sys, "n0", "clerk", Clerk::default);
        boot(&sys, "n1", "shop", move || Shop { gives_up });
        sys.eventually("the order is placed", |w| {
            w.all::<Clerk>().any(|clerk| !clerk.0.is_empty())
        });
    })
}

#[test]
fn an_order_that_a_full_link_refuses_is_forgotten() {
    let report = ordered(FaultKind::FullLink, true);
    assert_contains(&failure_text(&report), &["FAULT", "full: n1->n0"]);
    for other in [
        FaultKind::Drop,
        FaultKind::Break,
        FaultKind::Partition,
        FaultKind::Slow,
    ] {
        ordered(other, true).assert_clean();
    }
    ordered(FaultKind::FullLink, false).assert_clean();
}

/// In production the fault has no effect.
#[test]
fn in_production_no_link_is_full() {
    let seen = in_production(|sys| async move {
        let (clerk, client) = clerk_and_client(&sys).await;
        sys.faults().fill("n1", "n0");
        assert_eq!(client.ask(Write(By::Ask, 1)).await, Ok(Ok(())));
        notes(&sys, &clerk).await
    });
    assert_eq!(seen, [1]);
}
