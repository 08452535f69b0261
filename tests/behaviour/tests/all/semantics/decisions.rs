//! Decisions of a supervisor about failed children, and
//! supervision of the system's own children as a group.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Decision, Failure};
use actor_test::{BugKind, Tester};
use behaviour::harness::{self, Journal, contract, expect_bug, first_bug, journals, whole};

use crate::semantics::supervision;

/// A tester of some schedules.
fn some() -> Tester {
    Tester::new().supervised(true).iterations(20)
}

#[derive(Debug)]
struct Break(&'static str);
#[derive(Debug)]
struct Refuse;
#[derive(Debug)]
struct Life;
/// Asks the supervisor for its child.
#[derive(Debug)]
struct TheChild;

/// Knows the number of its incarnation.
struct Child(u32);

#[actor]
impl Child {
    #[on]
    fn break_down(&mut self, cause: Break) {
        panic!("{}", cause.0);
    }

    #[on]
    fn refuse(&mut self, _: Refuse) -> Result<(), String> {
        Err("no luck".into())
    }

    #[on]
    fn life(&mut self, _: Life) -> u32 {
        self.0
    }
}

/// Decides by the message of the failure.
struct Judge {
    journal: Journal,
    child: Option<ActorRef<Child>>,
    cause: &'static str,
    /// True if the supervisor awaits its child meanwhile.
    looks: bool,
}

#[actor(states(Judging, Quiet(ignore(Failure))))]
impl Judge {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.decide_failures();
        let mut lives = 0;
        let child = cx.spawner().name("child").spawn_with(move || {
            lives += 1;
            Child(lives)
        });
        let journal = self.journal.clone();
        cx.spawn_with(move || Sibling(journal.clone()));
        match self.cause {
            "refuse" => child.tell(Refuse),
            cause => child.tell(Break(cause)),
        }
        if self.looks {
            cx.me().tell(Life);
        }
        self.child = Some(child);
        if self.cause == "nobody" {
            cx.goto(JudgeState::Quiet);
        }
    }

    #[on]
    async fn look(&mut self, _: Life) {
        if let Some(child) = &self.child {
            let _ = child.ask(Life).await;
        }
    }

    #[on]
    fn child(&mut self, _: TheChild) -> ActorRef<Child> {
        self.child.clone().expect("it has started")
    }

    #[on(Judging)]
    fn failed(&mut self, failure: Failure) -> Decision {
        self.journal.note(failure.to_string());
        match &*failure.message {
            "stop" => Decision::Stop,
            "escalate" => Decision::Escalate,
            _ => Decision::Restart,
        }
    }
}

struct Sibling(Journal);

#[actor]
impl Sibling {}

impl Drop for Sibling {
    fn drop(&mut self) {
        self.0.note("sibling drops");
    }
}

fn judge(journal: &Journal, cause: &'static str) -> Judge {
    Judge {
        journal: journal.clone(),
        child: None,
        cause,
        looks: false,
    }
}

#[test]
fn a_child_is_brought_back_or_not_as_its_supervisor_says() {
    let refused =
        "child failed: `Child` answered `Refuse` with Err(\"no luck\"), and nobody receives it";
    for (cause, life, noted) in [
        ("ouch", "Ok(2)", "child panicked: ouch"),
        ("refuse", "Ok(2)", refused),
        ("stop", "Err(Stopped)", "child panicked: stop"),
        // The supervisor ignores the failure.
        ("nobody", "Ok(2)", ""),
    ] {
        contract(&[&format!("{life}: {noted}")], move |sys| async move {
            let journal = Journal::default();
            let judge = sys.spawn(judge(&journal, cause));
            let child = judge.ask(TheChild).await.expect("it has one");
            let life = child.ask(Life).await;
            format!("{life:?}: {}", journal.take().join(", "))
        });
    }
}

/// The supervisor fails, and is restarted with children that
/// fail again, until the system exceeds its restart intensity.
#[test]
fn a_supervisor_that_escalates_fails_with_its_children() {
    let journal = Journal::default();
    let report = some().run(|sys| {
        journal.take();
        let journal = journal.clone();
        let judge = move || judge(&journal, "escalate");
        sys.spawner().name("judge").spawn_with(judge);
    });
    let message = "`judge` is given up: restarted 3 times within 5s, it has ended once more; at \
                   last, it halted";
    assert_eq!(first_bug(&report), (BugKind::Exhausted, message));
    let drops = journal.take();
    let drops = drops.iter().filter(|noted| *noted == "sibling drops");
    assert!(drops.count() >= 3);
    // For a supervisor without a supervisor, the escalation is reported as the bug.
    let report = some().run(|sys| {
        sys.spawn(judge(&Journal::default(), "escalate"));
    });
    let message = "`child` is given up: its supervisor has decided to fail with it; at last, \
                   `child` panicked: escalate";
    assert_eq!(first_bug(&report), (BugKind::Exhausted, message));
}

/// The request for a decision follows the unread events of the supervisor. If
/// the supervisor awaits the child meanwhile, the two wait for each other.
#[test]
fn a_supervisor_that_awaits_a_child_that_is_down_is_a_deadlock() {
    let tester = Tester::new().supervised(true);
    expect_bug(&tester, BugKind::Deadlock, &["`Judge`"], |sys| {
        sys.spawn(Judge {
            looks: true,
            ..judge(&Journal::default(), "ouch")
        });
    });
}

/// Spawns a child of the system that notes its starts.
fn member(sys: &System, name: &'static str, journal: &Journal) -> ActorRef<supervision::Child> {
    sys.spawner()
        .name(name)
        .spawn_with(supervision::factory(name, journal))
}

/// Returns the number of starts of each member of a group of three, the second of which fails.
fn starts(supervision: Supervision) -> BTreeSet<[usize; 3]> {
    let seen = journals(&whole("dfs").supervised(true), |sys, journal| {
        // This member is outside the group, since it is spawned earlier.
        member(sys, "apart", journal);
        sys.supervise(supervision);
        let [_, second, _] = ["a", "b", "c"].map(|name| member(sys, name, journal));
        second.tell(harness::events::Break);
    });
    let count = |noted: &Vec<String>, entry| noted.iter().filter(|noted| *noted == entry).count();
    seen.keys()
        .map(|noted| {
            assert_eq!(count(noted, "apart starts"), 1);
            ["a starts", "b starts", "c starts"].map(|entry| count(noted, entry))
        })
        .collect()
}

/// A member that is stopped before its start hook starts once.
#[test]
fn children_of_the_system_are_a_group_where_that_is_said() {
    let alone = starts(Supervision::one_for_one());
    assert_eq!(alone, BTreeSet::from([[1, 2, 1]]));
    let all = starts(Supervision::one_for_all());
    assert!(all.contains(&[2, 2, 2]), "{all:?}");
    assert!(all.iter().all(|[_, b, _]| *b == 2), "{all:?}");
    let rest = starts(Supervision::rest_for_one());
    assert!(rest.contains(&[1, 2, 2]), "{rest:?}");
    assert!(rest.iter().all(|[a, ..]| *a == 1), "{rest:?}");
}

#[test]
fn a_group_of_the_system_has_one_limit() {
    let limit = Supervision::one_for_one().intensity(1, Duration::from_secs(5));
    let exhausted = "restarted 1 time within 5s, it has ended once more";
    expect_bug(&some(), BugKind::Exhausted, &[exhausted], move |sys| {
        sys.supervise(limit);
        for name in ["a", "b"] {
            member(&sys, name, &Journal::default()).tell(harness::events::Break);
        }
    });
    // Without a group, each member has its own restart intensity.
    let report = some().run(|sys| {
        for name in ["a", "b"] {
            let member = member(&sys, name, &Journal::default());
            (0..3).for_each(|_| member.tell(harness::events::Break));
        }
    });
    report.assert_clean();
}

/// The boot code of a node sets the supervision for each incarnation of the node.
#[test]
fn a_node_has_children_of_its_own() {
    let never = Supervision::one_for_one().intensity(0, Duration::from_secs(5));
    let fails = |node: &System| {
        member(node, "a", &Journal::default()).tell(harness::events::Break);
    };
    let report = some().run(|sys| {
        sys.supervise(never);
        sys.node("n1", fails);
    });
    report.assert_clean();
    let report = some().run(|sys| {
        sys.node("n1", move |node| {
            node.supervise(never);
            fails(node);
        });
    });
    assert_eq!(first_bug(&report).0, BugKind::Exhausted);
}
