//! Decisions of a supervisor about failed children, and
//! supervision of the system's own children as a group.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::Supervision;
use actor_core::actor;
use actor_core::prelude::*;
use actor_core::supervision::{Decision, Failure};
use actor_test::BugKind;

use crate::semantics::supervision::{Journal, every, supervised};

#[derive(Debug)]
struct Break(&'static str);
#[derive(Debug)]
struct Refuse;
#[derive(Debug)]
struct Life;
#[derive(Debug)]
struct Looked(Result<u32, AskError>);

struct Child {
    life: u32,
}

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
        self.life
    }
}

fn lives() -> impl FnMut() -> Child + Send + 'static {
    let mut life = 0;
    move || {
        life += 1;
        Child { life }
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
        let child = cx.spawner().name("child").spawn_with(lives());
        sibling(cx, &self.journal);
        match self.cause {
            "refuse" => child.tell(Refuse),
            cause => child.tell(Break(cause)),
        }
        if self.looks {
            cx.me().tell(Life);
        } else {
            cx.pipe_to_self(child.ask(Life), Looked);
        }
        self.child = Some(child);
        if self.cause == "nobody" {
            cx.goto(JudgeState::Quiet);
        }
    }

    #[on]
    async fn look(&mut self, _: Life) {
        if let Some(child) = &self.child {
            let life = child.ask(Life).await;
            self.journal.note(format!("{life:?}"));
        }
    }

    #[on]
    fn looked(&mut self, Looked(life): Looked) {
        self.journal.note(format!("{life:?}"));
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

struct Sibling {
    journal: Journal,
}

#[actor]
impl Sibling {}

impl Drop for Sibling {
    fn drop(&mut self) {
        self.journal.note("sibling drops");
    }
}

fn sibling(cx: &mut Context<Judge>, journal: &Journal) {
    let journal = journal.clone();
    cx.spawn_with(move || Sibling {
        journal: journal.clone(),
    });
}

fn judge(journal: &Journal, cause: &'static str) -> Judge {
    Judge {
        journal: journal.clone(),
        child: None,
        cause,
        looks: false,
    }
}

/// Returns the journals of all schedules, each as an unordered set.
fn judged(cause: &'static str) -> BTreeSet<Vec<String>> {
    let seen = every(|sys, journal| {
        sys.spawn(judge(journal, cause));
    });
    let sorted = |mut noted: Vec<String>| {
        noted.retain(|entry| entry != "sibling drops");
        noted.sort();
        noted
    };
    seen.into_keys().map(sorted).collect()
}

fn set<const N: usize>(noted: [&[&str]; N]) -> BTreeSet<Vec<String>> {
    let owned = |noted: &[&str]| noted.iter().map(|&entry| entry.to_owned()).collect();
    noted.map(owned).into()
}

#[test]
fn a_child_is_brought_back_where_its_supervisor_says_so() {
    let expected = set([&["Ok(2)", "child panicked: ouch"]]);
    assert_eq!(judged("ouch"), expected);
    let refused =
        "child failed: `Child` answered `Refuse` with Err(\"no luck\"), and nobody receives it";
    assert_eq!(judged("refuse"), set([&["Ok(2)", refused]]));
}

#[test]
fn a_child_stays_stopped_where_its_supervisor_says_so() {
    let expected = set([&["Err(Stopped)", "child panicked: stop"]]);
    assert_eq!(judged("stop"), expected);
}

#[test]
fn a_child_is_brought_back_where_its_supervisor_does_not_say() {
    assert_eq!(judged("nobody"), set([&["Ok(2)"]]));
}

/// The supervisor fails, and is restarted with children that
/// fail again, until the system exceeds its restart intensity.
#[test]
fn a_supervisor_that_escalates_fails_with_its_children() {
    let journal = Journal::default();
    let report = supervised().iterations(20).run(|sys| {
        journal.take();
        let journal = journal.clone();
        let judge = move || judge(&journal, "escalate");
        sys.spawner().name("judge").spawn_with(judge);
    });
    let bug = report.bugs().first().expect("it is given up");
    assert_eq!(bug.kind(), BugKind::Exhausted);
    assert_eq!(
        bug.message(),
        "`judge` is given up: restarted 3 times within 5s, it has ended once more; at last, it halted"
    );
    let drops = journal.take();
    let drops = drops.iter().filter(|noted| *noted == "sibling drops");
    assert!(drops.count() >= 3);
    // For a supervisor without a supervisor, the escalation is reported as the bug.
    let report = supervised().iterations(20).run(|sys| {
        sys.spawn(judge(&Journal::default(), "escalate"));
    });
    let bug = report.bugs().first().expect("nobody is left to decide");
    assert_eq!(
        (bug.kind(), bug.message()),
        (
            BugKind::Exhausted,
            "`child` is given up: its supervisor has decided to fail with it; at last, `child` \
             panicked: escalate"
        )
    );
}

/// The request for a decision follows the unread events of the supervisor. If
/// the supervisor awaits the child meanwhile, the two wait for each other.
#[test]
fn a_supervisor_that_awaits_a_child_that_is_down_is_a_deadlock() {
    let report = supervised().run(|sys| {
        sys.spawn(Judge {
            looks: true,
            ..judge(&Journal::default(), "ouch")
        });
    });
    let bug = report.bugs().first().expect("a deadlock");
    assert_eq!(bug.kind(), BugKind::Deadlock);
    assert!(bug.message().contains("`Judge`"), "{}", bug.message());
}

struct Member {
    name: &'static str,
    journal: Journal,
}

#[actor]
impl Member {
    #[start]
    fn start(&mut self) {
        self.journal.note(format!("{} starts", self.name));
    }

    #[on]
    fn break_down(&mut self, cause: Break) {
        panic!("{}", cause.0);
    }
}

fn member(sys: &System, name: &'static str, journal: &Journal) -> ActorRef<Member> {
    let journal = journal.clone();
    sys.spawner().name(name).spawn_with(move || Member {
        name,
        journal: journal.clone(),
    })
}

/// Returns the number of starts of each member of a group of three, the second of which fails.
fn starts(supervision: Supervision) -> BTreeSet<[usize; 3]> {
    let seen = every(|sys, journal| {
        // This member is outside the group, since it is spawned earlier.
        member(sys, "apart", journal);
        sys.supervise(supervision);
        let [_, second, _] = ["a", "b", "c"].map(|name| member(sys, name, journal));
        second.tell(Break("ouch"));
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
    let report = supervised().iterations(20).run(move |sys| {
        sys.supervise(limit);
        for name in ["a", "b"] {
            member(&sys, name, &Journal::default()).tell(Break("ouch"));
        }
    });
    let bug = report.bugs().first().expect("it is given up");
    assert_eq!(bug.kind(), BugKind::Exhausted);
    assert!(
        bug.message()
            .contains("restarted 1 time within 5s, it has ended once more"),
        "{}",
        bug.message()
    );
    // Without a group, each member has its own restart intensity.
    let report = supervised().iterations(20).run(|sys| {
        for name in ["a", "b"] {
            let member = member(&sys, name, &Journal::default());
            (0..3).for_each(|_| member.tell(Break("ouch")));
        }
    });
    report.assert_clean();
}

/// The boot code of a node sets the supervision for each incarnation of the node.
#[test]
fn a_node_has_children_of_its_own() {
    let report = supervised().iterations(20).run(|sys| {
        sys.supervise(Supervision::one_for_one().intensity(0, Duration::from_secs(5)));
        sys.node("n1", |node| {
            member(node, "a", &Journal::default()).tell(Break("ouch"));
        });
    });
    report.assert_clean();
    let report = supervised().iterations(20).run(|sys| {
        sys.node("n1", |node| {
            node.supervise(Supervision::one_for_one().intensity(0, Duration::from_secs(5)));
            member(node, "a", &Journal::default()).tell(Break("ouch"));
        });
    });
    assert_eq!(report.bugs()[0].kind(), BugKind::Exhausted);
}
