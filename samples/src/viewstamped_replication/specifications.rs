//! The specifications of Viewstamped Replication.

use std::collections::BTreeMap;

use actor_core::prelude::*;

use super::replica::primary;
use super::{
    Answered, Asked, Command, DoViewChange, Executed, OpNumber, Prepare, PrepareOk, REPLICAS,
    Recovering, Replica, View, ViewStarted,
};

// ANCHOR: agreement
/// A safety property: all replicas execute the same commands in the same order, each
/// command once. A command that one of them has executed is in the log of every later view.
#[derive(Debug, Default)]
pub struct Agreement {
    /// The first executed command at each position, and its view.
    log: Vec<(View, Command)>,
    /// The number of commands that each incarnation of a replica has executed.
    executed: BTreeMap<ActorId, OpNumber>,
    started: BTreeMap<View, Vec<Command>>,
}

#[monitor(cold(Watching))]
impl Agreement {
    #[on]
    fn executed(&mut self, executed: &Executed, cx: &mut MonitorContext<Self>) {
        let (op_number, command) = (executed.op_number, executed.command);
        let Some(replica) = cx.sender() else { return };
        let last = self.executed.insert(replica, op_number).unwrap_or(0);
        assert!(
            op_number == last + 1,
            "{op_number} is executed after {last} by one replica"
        );
        if op_number > self.log.len() {
            assert!(
                self.log.iter().all(|(_, earlier)| *earlier != command),
                "{command:?} is executed for the second time, as {op_number}"
            );
            self.log.push((executed.view, command));
        }
        let (_, first) = self.log[op_number - 1];
        assert!(
            command == first,
            "{first:?} and {command:?} are both executed as {op_number}"
        );
        for (view, log) in self.started.range(executed.view + 1..) {
            lost(*view, log, op_number, command);
        }
    }

    #[on]
    fn started(&mut self, started: &ViewStarted) {
        for ((view, command), op_number) in self.log.iter().zip(1..) {
            // An old view may begin after all replicas have left it.
            if *view < started.view {
                lost(started.view, &started.log, op_number, *command);
            }
        }
        self.started.insert(started.view, started.log.clone());
    }
}

fn lost(view: View, log: &[Command], op_number: OpNumber, command: Command) {
    assert!(
        log.get(op_number - 1) == Some(&command),
        "view {view} begins without {command:?}, which is executed as {op_number}: {log:?}"
    );
}
// ANCHOR_END: agreement

// ANCHOR: promises
/// A safety property: a replica keeps its promises, also after a crash. The replica has the
/// commands that it has acknowledged, and sends nothing in a view that it has promised to leave.
#[derive(Debug, Default)]
pub struct Promises {
    prepared: BTreeMap<u32, (View, OpNumber)>,
    left: BTreeMap<u32, View>,
    started: BTreeMap<View, Vec<Command>>,
}

#[monitor(cold(Watching))]
impl Promises {
    #[on]
    fn prepare(&mut self, prepare: &Prepare) {
        let primary = primary(prepare.view);
        self.is_in(primary, prepare.view);
        let said = self.prepared.entry(primary).or_default();
        *said = (prepare.view, prepare.op_number).max(*said);
    }

    #[on]
    fn prepare_ok(&mut self, ok: &PrepareOk) {
        let (number, view) = (ok.from.number, ok.view);
        self.is_in(number, view);
        self.has(number, (view, ok.op_number));
        self.prepared.insert(number, (view, ok.op_number));
    }

    #[on]
    fn do_view_change(&mut self, report: &DoViewChange) {
        let (number, view) = (report.from.number, report.normal_view);
        self.has(number, (view, report.log.len()));
        let begin = self.started.get(&view).map_or(&[][..], Vec::as_slice);
        assert!(
            report.log.starts_with(begin),
            "{number} was not in view {view}, which began with {begin:?}: {:?}",
            report.log
        );
        self.left.insert(number, report.view);
    }

    #[on]
    fn started(&mut self, started: &ViewStarted) {
        self.started.insert(started.view, started.log.clone());
    }

    /// A replica that knows that it has lost state does not know which view
    /// it left. Other replicas have the commands that it had acknowledged.
    #[on]
    fn recovering(&mut self, recovering: &Recovering) {
        self.left.remove(&recovering.from.number);
    }

    fn is_in(&self, number: u32, view: View) {
        let left = self.left.get(&number).copied().unwrap_or(0);
        assert!(view >= left, "{number} has left view {view} for {left}");
    }

    fn has(&self, number: u32, now: (View, OpNumber)) {
        let before = self.prepared.get(&number).copied().unwrap_or_default();
        assert!(
            now >= before,
            "{number} had {} in view {}, and has {} in view {}",
            before.1,
            before.0,
            now.1,
            now.0
        );
    }
}
// ANCHOR_END: promises

/// Linearizability: the answers are those of one account that executes
/// one command at a time, each at some moment between request and answer.
#[derive(Debug, Default)]
pub struct Linearizable {
    /// The position of each executed command, and the balance then.
    executed: BTreeMap<(u32, u32), (OpNumber, u64)>,
    /// The last answered position at the time of each request.
    asked: BTreeMap<(u32, u32), OpNumber>,
    answered: OpNumber,
}

#[monitor(cold(Watching))]
impl Linearizable {
    #[on]
    fn asked(&mut self, asked: &Asked) {
        let key = (asked.0.client, asked.0.number);
        self.asked.insert(key, self.answered);
    }

    #[on]
    fn executed(&mut self, executed: &Executed) {
        let key = (executed.command.client, executed.command.number);
        let place = (executed.op_number, executed.balance);
        self.executed.entry(key).or_insert(place);
    }

    #[on]
    fn answered(&mut self, answered: &Answered) {
        let key = (answered.client, answered.number);
        let (op_number, balance) = self.executed[&key];
        let before = self.asked[&key];
        assert!(
            answered.balance == balance,
            "client {} hears {}, and it was {balance}",
            answered.client,
            answered.balance
        );
        assert!(
            op_number > before,
            "{op_number} was asked for after the answer to {before}"
        );
        self.answered = self.answered.max(op_number);
    }
}

// ANCHOR: served
/// A liveness property: every request is answered eventually, unless
/// more replicas than a minority have lost their state at the same time.
#[derive(Debug, Default)]
pub struct Served {
    open: usize,
    recovering: BTreeMap<u32, bool>,
}

#[monitor(hot(Waiting), cold(Idle, Lost))]
impl Served {
    #[on]
    fn asked(&mut self, _: &Asked, cx: &mut MonitorContext<Self>) {
        self.open += 1;
        if cx.state() == ServedState::Idle {
            cx.goto(ServedState::Waiting);
        }
    }

    #[on]
    fn answered(&mut self, _: &Answered, cx: &mut MonitorContext<Self>) {
        self.open -= 1;
        if self.open == 0 && cx.state() == ServedState::Waiting {
            cx.goto(ServedState::Idle);
        }
    }

    #[on]
    fn recovering(&mut self, recovering: &Recovering, cx: &mut MonitorContext<Self>) {
        let number = recovering.from.number;
        self.recovering.insert(number, !recovering.is_over);
        let lost = self.recovering.values().filter(|lost| **lost).count();
        if lost > REPLICAS.len() / 2 {
            cx.goto(ServedState::Lost);
        }
    }
}
// ANCHOR_END: served

// ANCHOR: kept
/// Checks that committed commands stay in the logs of a majority: at most a minority
/// lacks them, not counting replicas that are down or know that they have lost state.
pub fn is_kept(world: &World<'_>) -> Result<(), String> {
    for one in world.all::<Replica>() {
        for (command, position) in one.committed().iter().zip(0..) {
            let members = world.all::<Replica>().filter(|other| other.is_member());
            let without = members.filter(|other| other.log().get(position) != Some(command));
            let without = without.count();
            if without > REPLICAS.len() / 2 {
                return Err(format!("{without} replicas are without {command:?}"));
            }
        }
    }
    Ok(())
}
// ANCHOR_END: kept
