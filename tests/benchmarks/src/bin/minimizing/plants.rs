//! The planted bugs of the samples, set up as in their tests.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::settings::Bounds;
use actor_test::{Report, Tester};
use samples::*;

/// A program with a planted bug.
pub(crate) struct Plant {
    pub(crate) name: &'static str,
    /// For a liveness bug, the number of handled messages and fired timers after
    /// which the obligation is lost, according to the authors who published the bug.
    pub(crate) lost_after: Option<u64>,
    tester: Tester,
    program: Program,
}

enum Program {
    Sync(Box<dyn Fn(&System) + Sync>),
    PortCancellation,
    BoundedBuffer,
    StatusReply,
    LiteEvent,
    ChainReplication(chain_replication::Scenario, chain_replication::Bug),
}

impl Plant {
    /// Returns the same program with the default bounds of a test.
    pub(crate) fn with_default_bounds(self) -> Self {
        let tester = self.tester.max_steps(Bounds::default().unfair());
        Self { tester, ..self }
    }

    fn lost_after(self, messages: u64) -> Self {
        Self {
            lost_after: Some(messages),
            ..self
        }
    }

    /// Searches for the bug with a seed, and minimises it with this number of workers.
    pub(crate) fn explore(&self, seed: u64, budget: u64, workers: usize) -> Report {
        let tester = self.tester.clone().seed(seed).minimize(budget);
        let tester = tester.workers(workers);
        match &self.program {
            &Program::ChainReplication(scenario, bug) => tester.run(move |sys| async move {
                chain_replication::set_up_on_nodes(&sys, scenario, Some(bug)).await;
            }),
            Program::Sync(body) => tester.run(|sys| body(&sys)),
            Program::PortCancellation => tester.run(|sys| async move {
                sys.monitor::<port_cancellation::AllOrNone>();
                let bug = Some(port_cancellation::Bug::FlagNotSet);
                let (receiver, canceller) = port_cancellation::set_up(&sys, 2, bug);
                port_cancellation::both_work(&receiver, &canceller).await;
            }),
            Program::BoundedBuffer => tester.run(|sys| async move {
                let load = bounded_buffer::Load {
                    capacity: 1,
                    producers: 1,
                    puts: 10,
                    consumers: 2,
                    takes: 5,
                };
                let bug = Some(bounded_buffer::Bug::WakeOne);
                let clients = bounded_buffer::set_up(&sys, load, bug);
                bounded_buffer::everyone_works(&clients).await;
            }),
            Program::StatusReply => tester.run(|sys| async move {
                let bug = Some(status_reply::Bug::NoStateCheck);
                let observer = status_reply::set_up(&sys, bug);
                let _ = observer.ask(status_reply::WhoIsNext).await;
            }),
            Program::LiteEvent => tester.run(|sys| async move {
                let bug = Some(lite_event::Bug::DisposedByTheFirst);
                lite_event::everyone_waits(&lite_event::set_up(&sys, 2, bug)).await;
            }),
        }
    }
}

fn plant(name: &'static str, steps: u64, program: Program) -> Plant {
    let tester = Tester::new().iterations(3_000).max_steps(steps);
    Plant {
        name,
        lost_after: None,
        tester,
        program,
    }
}

fn sync(name: &'static str, steps: u64, body: impl Fn(&System) + Sync + 'static) -> Plant {
    plant(name, steps, Program::Sync(Box::new(body)))
}

/// Returns a program with patient timers, which fire when nothing else can happen.
fn patient(name: &'static str, body: impl Fn(&System) + Sync + 'static) -> Plant {
    let found = sync(name, 1_000, body);
    Plant {
        tester: found.tester.patient_timers(true),
        ..found
    }
}

/// Returns all planted bugs.
pub(crate) fn all() -> Vec<Plant> {
    let mut all = vec![
        sync("ping_pong OneAsker", 10_000, |sys| {
            ping_pong::set_up(sys, 3, 5, Some(ping_pong::Bug::OneAsker));
        }),
        sync("ab_fairness DropStop", 100, |sys| {
            ab_fairness::set_up(sys, Some(ab_fairness::Bug::DropStop));
        }),
        sync("boot_spin HaltReturnsIfAny", 100, |sys| {
            sys.monitor::<boot_spin::Boots>();
            boot_spin::set_up(sys, 1, Some(boot_spin::Bug::HaltReturnsIfAny));
        })
        .lost_after(3),
        plant("bounded_buffer WakeOne", 10_000, Program::BoundedBuffer),
        plant(
            "port_cancellation FlagNotSet",
            10_000,
            Program::PortCancellation,
        ),
        plant("lite_event DisposedByTheFirst", 10_000, Program::LiteEvent),
        plant("status_reply NoStateCheck", 10_000, Program::StatusReply),
        sync("chord PredecessorOnly", 300, |sys| {
            let ring = chord::set_up(sys, 2, Some(chord::Bug::PredecessorOnly));
            sys.eventually("all nodes are in one ring", move |w| {
                let next = ring
                    .iter()
                    .map(|node| w.get(node).and_then(|node| node.next()));
                chord::is_whole(&next.collect::<Vec<_>>())
            });
        })
        .lost_after(5),
        sync("mace_transport NoConnectionId", 300, |sys| {
            _ = mace_transport::set_up(sys, 2, Some(mace_transport::Bug::NoConnectionId));
        })
        .lost_after(8),
        sync("mps_ballots MixedOrder", 300, |sys| {
            _ = mps_ballots::set_up(sys, Some(mps_ballots::Bug::MixedOrder));
        })
        .lost_after(15),
        sync("load_balance Sticky", 300, |sys| {
            load_balance::set_up(sys, 1_000, Some(load_balance::Bug::Sticky));
        }),
    ];
    all.extend(coffee_machine());
    all.extend(failure_detector());
    all.extend(german());
    all.extend(two_phase_commit());
    all.extend(paxos());
    all.extend(multi_paxos());
    all.extend(chain_replication());
    all
}

fn coffee_machine() -> Vec<Plant> {
    use coffee_machine::{Bug, set_up};
    let of = |name, bug| sync(name, 1_000, move |sys| _ = set_up(sys, Some(bug)));
    vec![
        of("coffee_machine HopperEqZero", Bug::HopperEqZero),
        of("coffee_machine NoHaltHandshake", Bug::NoHaltHandshake),
        of("coffee_machine RefillSilent", Bug::RefillSilent),
    ]
}

fn failure_detector() -> Vec<Plant> {
    use failure_detector::{Accuracy, Backlog, Bug, Timing, set_up};
    let hurry = || Timing {
        pause: Duration::from_millis(50),
        ..Timing::default()
    };
    vec![
        patient("failure_detector CountPings", move |sys| {
            sys.monitor::<Backlog>();
            set_up(sys, 2, hurry(), Some(Bug::CountPings));
        }),
        sync("failure_detector LateRegister", 1_000, move |sys| {
            set_up(sys, 2, hurry(), Some(Bug::LateRegister));
        }),
        patient("failure_detector EarlyVerdict", |sys| {
            sys.monitor::<Accuracy>();
            set_up(sys, 2, Timing::default(), Some(Bug::EarlyVerdict));
        }),
    ]
}

fn german() -> Vec<Plant> {
    use german::{Bug, set_up};
    let of = |name, bug| sync(name, 10_000, move |sys| _ = set_up(sys, 2, 2, Some(bug)));
    vec![
        of("german ClearOnSend", Bug::ClearOnSend),
        of("german CountAcks", Bug::CountAcks),
        of("german OneWaitingState", Bug::OneWaitingState),
        of("german DropRequests", Bug::DropRequests),
    ]
}

fn two_phase_commit() -> Vec<Plant> {
    use two_phase_commit::{Bug, Scenario, set_up};
    let of = |name, crash, bug| {
        let scenario = Scenario {
            participants: 2,
            clients: 4,
            writes: 2,
            crash,
        };
        sync(name, 1_000, move |sys| _ = set_up(sys, scenario, Some(bug)))
    };
    vec![
        of("two_phase_commit StaleVote", false, Bug::StaleVote),
        of("two_phase_commit TimerRace", false, Bug::TimerRace),
        of(
            "two_phase_commit UnilateralAbort",
            false,
            Bug::UnilateralAbort,
        ),
        of("two_phase_commit DecideUnlogged", true, Bug::DecideUnlogged),
    ]
}

fn paxos() -> Vec<Plant> {
    use paxos::{Bug, Group, set_up};
    let duel = Group {
        proposers: 2,
        acceptors: 3,
        ballots: Some(1),
        copies: 0,
    };
    let of = |name, group, bug| sync(name, 10_000, move |sys| _ = set_up(sys, group, Some(bug)));
    vec![
        of("paxos NoPromiseCheck", duel, Bug::NoPromiseCheck),
        of("paxos OwnValue", duel, Bug::OwnValue),
        of("paxos SameBallot", duel, Bug::SameBallot),
        of("paxos HalfQuorum", duel, Bug::HalfQuorum),
        of("paxos DupCount", Group { copies: 2, ..duel }, Bug::DupCount),
    ]
}

fn multi_paxos() -> Vec<Plant> {
    use multi_paxos::{Bug, Group, set_up};
    let rivals = Group {
        nodes: 3,
        clients: 2,
        commands: 2,
        patience: Duration::from_millis(100),
        retries: 0,
        lossy: false,
    };
    let of = |name, bug| sync(name, 10_000, move |sys| _ = set_up(sys, rivals, Some(bug)));
    vec![
        of("multi_paxos SlotReuse", Bug::SlotReuse),
        of("multi_paxos PromisePerSlot", Bug::PromisePerSlot),
    ]
}

fn chain_replication() -> Vec<Plant> {
    use chain_replication::{Bug, Scenario, set_up};
    let calm = Scenario {
        servers: 3,
        clients: 2,
        requests: 4,
        pings: 0,
        failures: 0,
    };
    let failure = Scenario {
        failures: 1,
        ..calm
    };
    let of = |name, scenario: Scenario, bug| {
        if scenario.failures == 0 {
            return sync(name, 1_000, move |sys| _ = set_up(sys, scenario, Some(bug)));
        }
        let found = plant(name, 1_000, Program::ChainReplication(scenario, bug));
        let faults = format!("stop={}", scenario.failures);
        let tester = found.tester.faults(faults.parse().expect("a fault"));
        Plant { tester, ..found }
    };
    let alone = Scenario {
        clients: 1,
        ..failure
    };
    let crowd = Scenario { clients: 4, ..calm };
    let suspicion = Scenario { pings: 2, ..calm };
    let double = Scenario {
        servers: 4,
        clients: 1,
        requests: 2,
        pings: 0,
        failures: 2,
    };
    vec![
        of(
            "chain_replication ResendNoDedup",
            failure,
            Bug::ResendNoDedup,
        ),
        of("chain_replication LoseInflight", alone, Bug::LoseInflight),
        of(
            "chain_replication NewTailSilent",
            failure,
            Bug::NewTailSilent,
        ),
        of("chain_replication HeadSeqReset", failure, Bug::HeadSeqReset),
        of("chain_replication QueryAny", crowd, Bug::QueryAny),
        of("chain_replication StaleHead", calm, Bug::StaleHead),
        of("chain_replication EarlyReply", calm, Bug::EarlyReply),
        of("chain_replication WrongHandler", failure, Bug::WrongHandler),
        of(
            "chain_replication EmptyHistNoInfo",
            failure,
            Bug::EmptyHistNoInfo,
        ),
        of(
            "chain_replication FalseSuspicion",
            suspicion,
            Bug::FalseSuspicion,
        ),
        of(
            "chain_replication OneFailureAtATime",
            double,
            Bug::OneFailureAtATime,
        ),
    ]
}
