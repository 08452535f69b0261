//! Programs on nodes under `dpor`: the orders of messages at their receivers, and before which steps faults strike.

use std::collections::BTreeSet;

use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::faults::{FaultBudgets, FaultKind};
use behaviour::harness::{Journal, exhaust, journals, whole};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Count;

/// Notes what it gets.
struct Clerk(Journal);

#[actor(remote)]
impl Clerk {
    #[on]
    fn note(&mut self, note: Note) {
        self.0.note(note.0.to_string());
    }

    #[on]
    fn count(&mut self, _: Count) -> u32 {
        self.0.note("?");
        7
    }
}

/// Sends its notes to the clerk on another node.
struct Feeder(Vec<u32>);

#[actor]
impl Feeder {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let clerk = cx.at::<Clerk>("n0/clerk");
        for note in &self.0 {
            clerk.tell(Note(*note));
        }
    }
}

/// Asks the clerk on another node, and then sends a note.
struct Asker;

#[actor]
impl Asker {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let clerk = cx.at::<Clerk>("n0/clerk");
        assert_eq!(clerk.ask(Count).await, Ok(7));
        clerk.tell(Note(9));
    }
}

fn clerk_on(sys: &System, node: &str, journal: &Journal) {
    let journal = journal.clone();
    sys.node(node, move |node| {
        let clerk = Clerk(journal.clone());
        node.spawner().name("clerk").registered().spawn(clerk);
    });
}

/// So many feeders on nodes of their own, with so many notes each.
fn feeders(sys: &System, journal: &Journal, nodes: u32, notes: u32) {
    for node in 1..=nodes {
        sys.node(&format!("n{node}"), move |sys| {
            sys.spawn(Feeder((0..notes).map(|note| 10 * node + note).collect()));
        });
    }
    clerk_on(sys, "n0", journal);
}

fn factorial(n: u32) -> u64 {
    (1..=u64::from(n)).product()
}

/// There are (n · k)! / (k!)ⁿ orders in which n feeders' k notes each may come.
#[test]
fn feeders_on_nodes_have_as_many_behaviours_as_orders() {
    for (nodes, notes) in [
        (1, 1),
        (1, 4),
        (2, 1),
        (3, 1),
        (4, 1),
        (2, 2),
        (2, 3),
        (3, 2),
    ] {
        let report = exhaust(&whole("dpor"), |sys| {
            feeders(&sys, &Journal::default(), nodes, notes);
        });
        let orders = factorial(nodes * notes) / factorial(notes).pow(nodes);
        let found = report.verdict.behaviours();
        assert_eq!(
            found,
            Some(orders),
            "{nodes} with {notes}: {:?}",
            report.verdict
        );
    }
}

/// The question precedes the note of the asker, and the notes of the others come anywhere.
#[test]
fn a_question_and_its_answer_cross_links() {
    let orders = |search: &str, nodes: u32| {
        let seen = journals(&whole(search), |sys, journal| {
            feeders(sys, journal, nodes, 1);
            sys.node("n9", |node| {
                node.spawn(Asker);
            });
        });
        let ended = seen
            .into_keys()
            .filter(|notes| notes.len() as u32 == nodes + 2);
        ended.map(|notes| notes.concat()).collect::<Vec<_>>()
    };
    assert_eq!(orders("dpor", 1), ["10?9", "?109", "?910"]);
    assert_eq!(orders("states", 1), ["10?9", "?109", "?910"]);
    assert_eq!(orders("dpor", 2).len(), 12);
}

#[test]
fn an_order_that_fails_is_found() {
    let report = whole("dpor").run(|sys| {
        feeders(&sys, &Journal::default(), 3, 1);
        sys.spawn(Judge).tell(Note(0));
    });
    report.assert_clean();
    let report = whole("dpor").run(|sys| {
        sys.node("n0", |node| {
            node.spawner().name("clerk").registered().spawn(Judge);
        });
        for note in 1..=3 {
            sys.node(&format!("n{note}"), move |node| {
                node.spawn(Teller(note));
            });
        }
    });
    report.assert_bug("the last one comes first");
}

/// Does not expect the last note first.
struct Judge;

#[actor(remote)]
impl Judge {
    #[on]
    fn note(&mut self, Note(note): Note, cx: &mut Context<Self>) {
        assert_ne!(note, 3, "the last one comes first");
        cx.halt();
    }
}

/// Sends one note.
struct Teller(u32);

#[actor]
impl Teller {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.at::<Judge>("n0/clerk").tell(Note(self.0));
    }
}

/// Holds what a program notes, up to each note, against what it notes by the search of states, which cuts executions
/// off where they come to a known state; returns how many executions each has taken.
#[track_caller]
fn assert_notes_as_by_states(
    with: impl Fn(Tester) -> Tester,
    program: impl Fn(&System, &Journal) + Sync,
) -> [u64; 2] {
    let [dpor, states] = ["dpor", "states"].map(|search| {
        let seen = journals(&with(whole(search)), &program);
        let executions = seen.values().map(|executions| u64::from(*executions));
        let executions = executions.sum();
        let notes = seen.into_keys().flat_map(|notes| {
            let up_to = 0..=notes.len();
            up_to.map(move |end| notes[..end].to_vec())
        });
        (executions, notes.collect::<BTreeSet<_>>())
    });
    assert_eq!(dpor.1, states.1);
    [dpor.0, states.0]
}

/// A name that changes hands after the boot depends on other steps, and so does a fault of a script.
#[test]
fn other_uses_of_names_and_faults_of_scripts_are_as_by_states() {
    assert_notes_as_by_states(std::convert::identity, |sys, journal| {
        feeders(sys, journal, 1, 1);
        let journal = journal.clone();
        sys.node("n9", move |node| {
            node.spawn(Registrar(journal.clone()));
        });
    });
    assert_notes_as_by_states(std::convert::identity, |sys, journal| {
        feeders(sys, journal, 1, 1);
        sys.faults().crash("n0");
    });
}

/// A fault between two steps may come before every step, and at the end.
#[test]
fn faults_of_each_budget_are_as_by_states() {
    let between = FaultKind::ALL.into_iter();
    for kind in between.filter(|kind| !kind.is_within_a_step()) {
        let faults = FaultBudgets::none().with(kind, 1);
        let program = |sys: &System, journal: &Journal| {
            sys.node("n1", |node| {
                node.spawn(Feeder(vec![1, 2]));
            });
            let journal = journal.clone();
            sys.node("n0", move |node| {
                journal.note("boots");
                let clerk = Clerk(journal.clone());
                node.spawner().name("clerk").registered().spawn(clerk);
            });
        };
        let [dpor, states] = assert_notes_as_by_states(|tester| tester.faults(faults), program);
        assert!(dpor > 100, "{kind}: {dpor} of {states}");
    }
}

/// Sends a note to each of two clerks, on different nodes.
struct Divider;

#[actor]
impl Divider {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.at::<Clerk>("n0/clerk").tell(Note(1));
        cx.at::<Clerk>("n2/clerk").tell(Note(2));
    }
}

/// The first note may be lost on its link, while the second one, which left later, has arrived.
#[test]
fn a_partition_comes_between_deliveries_over_different_links() {
    let faults = FaultBudgets::none().with(FaultKind::Partition, 1);
    let seen = journals(&whole("dpor").faults(faults), |sys, journal| {
        sys.node("n1", |node| {
            node.spawn(Divider);
        });
        clerk_on(sys, "n0", journal);
        clerk_on(sys, "n2", journal);
        sys.faults().spare_link("n0", "n2");
    });
    let seen: Vec<_> = seen.into_keys().map(|notes| notes.concat()).collect();
    assert_eq!(seen, ["1", "12", "2", "21"]);
}

/// Registers an actor after the boot of its node.
struct Registrar(Journal);

#[actor]
impl Registrar {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let spawner = cx.spawner().name("clerk").registered();
        spawner.spawn(Clerk(self.0.clone()));
    }
}
