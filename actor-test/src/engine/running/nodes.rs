//! Nodes under test: boots, crashes and restarts, and the injection of faults between nodes.

use std::rc::Rc;
use std::time::Duration;

use actor_core::{AskError, StopReason};

use crate::data::constructs::StepConstruct;
use crate::data::problem::Problem;
use crate::engine::panics;
use crate::engine::running::effects::Effects;
use crate::engine::running::effects::network::Network;
use crate::engine::running::executor::Executor;
use crate::engine::seam::shared::CodePhase;
use crate::engine::world::effect::Effect;
use crate::engine::world::nodes::STARTS_MAX;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::records::Record;
use crate::records::node_fault::{DiskAfterRestart, NodeFault};

impl Executor {
    pub(crate) fn boot(&mut self, operation: u32, node: u32) {
        self.ensure_slot(operation);
        let code = self.shared.arena().take_boot(node);
        let Some(mut code) = code else {
            return;
        };
        let booted = panics::catch(&mut code);
        self.shared.arena().keep_boot(node, code);
        self.after_run(
            operation,
            booted.map(|()| actor_core::seam::RunOutcome::Done),
        );
    }

    /// Injects a fault, or repairs one, now. One that is impossible now does nothing.
    pub(crate) fn inject(&mut self, node_fault: &NodeFault) {
        {
            let state = &mut *self.shared.state();
            let count = state.operations.count();
            state.footprint.interrupt_all(count, StepConstruct::Node);
        }
        self.shared.network().record_node_fault(node_fault);
        match node_fault {
            NodeFault::Crash { node } => self.crash(*node),
            NodeFault::Restart { node, disk } => self.restart(*node, *disk),
            NodeFault::Pause { node } => self.shared.state().pause(*node),
            NodeFault::Resume { node } => self.shared.state().resume(*node),
            NodeFault::Cut(links) => {
                for (from, to) in links {
                    let lost = {
                        let state = &mut *self.shared.state();
                        let link = state.nodes.link_between(&mut state.operations, *from, *to);
                        state.change_link(link, |link| link.is_cut = true);
                        state.clear_link(link, true)
                    };
                    self.shared.network().lose_all(lost);
                }
            }
            NodeFault::Heal(links) => {
                let state = &mut *self.shared.state();
                for (from, to) in links {
                    let link = state.nodes.link_between(&mut state.operations, *from, *to);
                    state.change_link(link, |link| link.is_cut = false);
                }
            }
            NodeFault::HealAll => {
                let mut state = self.shared.state();
                for link in 0..state.nodes.links().count() as u32 {
                    if state.nodes.link(link).is_cut {
                        state.change_link(link, |link| link.is_cut = false);
                    }
                }
            }
            NodeFault::Break { one, other } => {
                let network = self.shared.network();
                network.close_connection(*one, *other, false);
                network.notice_break(*one, *other);
                network.notice_break(*other, *one);
            }
            NodeFault::HalfOpen { sees, unaware } => {
                let network = self.shared.network();
                network.close_connection(*unaware, *sees, true);
                network.notice_break(*sees, *unaware);
                self.shared.instrumented.set(true);
            }
            NodeFault::Notice { node, of } => {
                self.shared.state().nodes.reconnects(*node, *of);
                self.shared.network().notice_break(*node, *of);
            }
            NodeFault::Hold { from, to } | NodeFault::Release { from, to } => {
                let link = self.shared.network().link(*from, *to);
                let is_held = matches!(node_fault, NodeFault::Hold { .. });
                let mut state = self.shared.state();
                state.change_link(link, |link| link.is_held = is_held);
            }
            NodeFault::Fill { from, to } => {
                let link = self.shared.network().link(*from, *to);
                let mut state = self.shared.state();
                state.change_link(link, |link| link.is_full = true);
            }
            NodeFault::Drain { from, to } => {
                let network = self.shared.network();
                network.drain(network.link(*from, *to));
            }
            NodeFault::At {
                wish,
                from,
                to,
                place,
            } => {
                let link = self.shared.network().link(*from, *to);
                self.shared.network().grant(*wish, link, *place);
            }
            NodeFault::Next {
                wish,
                from,
                to,
                event,
            } => {
                let link = self.shared.network().link(*from, *to);
                let found = {
                    let state = self.shared.state();
                    state.nodes.link(link).find(&state.operations, *event)
                };
                match found {
                    Some(place) => self.shared.network().grant(*wish, link, place),
                    None => self.shared.state().nodes.link_mut(link).wish(*wish, *event),
                }
            }
            NodeFault::SetAhead { node, by_ns } => {
                self.shared
                    .state()
                    .set_ahead(*node, Duration::from_nanos(*by_ns));
                self.shared.instrumented.set(true);
            }
            NodeFault::SetBack { node, by_ns } => {
                self.shared
                    .state()
                    .nodes
                    .set_back(*node, Duration::from_nanos(*by_ns));
                self.shared.instrumented.set(true);
            }
            NodeFault::Spare { node } => self.shared.state().nodes.spare(*node),
            NodeFault::SpareLink { one, other } => {
                let state = &mut *self.shared.state();
                state.nodes.spare_link(&mut state.operations, *one, *other);
            }
        }
    }

    /// Lets nodes notice that the connections on which they have sent were closed.
    pub(crate) fn notice_breaks(&mut self) {
        let noticing = std::mem::take(&mut self.shared.state().nodes.noticing);
        for (node, of) in noticing {
            self.inject(&NodeFault::Notice { node, of });
        }
    }

    /// Ends all operations of a node.
    pub(crate) fn crash(&mut self, node: u32) {
        if !self.shared.state().nodes.is_up(node) {
            return;
        }
        self.shared.state().resume(node);
        let unaware = self.shared.state().nodes.unaware_of(node);
        for other in unaware {
            let (node, of) = (other, node);
            self.inject(&NodeFault::Notice { node, of });
        }
        let members = self.shared.state().nodes.members(node);
        self.shared.state().nodes.set_down(node);
        self.shared.effects().drop_names(node);
        let before = self.shared.current.get();
        let phase = self.shared.phase.replace(CodePhase::Crashing);
        for member in &members {
            self.shared.effects().forget_outbox(*member);
        }
        // The newest tasks go first, since they may borrow from those that have started them.
        for member in members.iter().rev() {
            self.shared.effects().crash_task(*member);
        }
        for member in &members {
            let ends = {
                let state = self.shared.state();
                let found = &state.operations[*member];
                let is_actor = matches!(found.kind, OperationRole::Actor(_));
                is_actor && found.stage != OperationStage::Gone
            };
            if ends {
                self.end(*member, StopReason::Disconnected);
            }
            let mut state = self.shared.state();
            if matches!(state.operations[*member].kind, OperationRole::Boot { .. }) {
                state.leave(*member, OperationStage::Gone);
            }
        }
        for member in &members {
            self.shared.effects().drop_dead_notifications(*member);
        }
        self.shared.phase.set(phase);
        self.shared.current.set(before);
        let has_disk = self.shared.state().disks.all().len() > disk_of(node) as usize;
        if has_disk {
            self.shared.effects().fail_power(disk_of(node));
        }
        self.drain_links(node);
        // An effect that has waited for the boot of the node finds it down.
        self.deliver_waiting();
    }

    /// Drains the full links from and to a node, whose connections are closed.
    fn drain_links(&self, node: u32) {
        let full: Vec<u32> = {
            let state = self.shared.state();
            let links = state.nodes.links().zip(0..);
            let full =
                links.filter(|(link, _)| link.is_full && (link.from == node || link.to == node));
            full.map(|(_, number)| number).collect()
        };
        for link in full {
            self.shared.network().drain(link);
        }
    }

    /// Boots a node; a node that is up crashes first.
    pub(crate) fn restart(&mut self, node: u32, disk: DiskAfterRestart) {
        self.crash(node);
        if disk == DiskAfterRestart::Wipe {
            self.shared.state().disks.wipe(disk_of(node));
        }
        if self.shared.state().nodes.starts(node) >= STARTS_MAX {
            let problem = Problem::StartedOften {
                node: self.shared.state().nodes.name(node).to_owned(),
                starts: STARTS_MAX,
            };
            return self.shared.find(&problem, None);
        }
        let shared = Rc::clone(&self.shared);
        let boot = shared.launch(node);
        self.install_spawned();
        let mut state = self.shared.state();
        state.operations[boot].stage = OperationStage::Starting;
        state.refresh(boot);
    }
}

impl Network<'_> {
    pub(super) fn record_node_fault(&self, node_fault: &NodeFault) {
        self.shared.record(|| {
            let state = self.shared.state.borrow();
            let name = |node: u32| state.nodes.name(node).to_owned();
            let links = node_fault.links().into_iter();
            Record::NodeFault {
                what: node_fault.name(),
                node: node_fault.node().map(name),
                links: links.map(|(from, to)| (name(from), name(to))).collect(),
                by_ns: node_fault.by_ns(),
            }
        });
    }

    /// Returns the link from one node to another, which is created if there is none.
    fn link(&self, from: u32, to: u32) -> u32 {
        let state = &mut *self.shared.state();
        state.nodes.link_between(&mut state.operations, from, to)
    }

    /// Drops everything on the links between two nodes. The first one does not notice if its link is stale then.
    fn close_connection(&self, one: u32, other: u32, is_stale: bool) {
        for (from, to, is_stale) in [(one, other, is_stale), (other, one, false)] {
            let link = self.link(from, to);
            let lost = {
                let mut state = self.shared.state();
                state.nodes.link_mut(link).is_stale = is_stale;
                state.clear_link(link, false)
            };
            self.lose_all(lost);
            self.drain(link);
        }
    }

    /// Lets a link take events again, and grants the requests that wait for room on it.
    fn drain(&self, link: u32) {
        self.shared.state().drain_link(link);
        self.shared.wake_due();
    }

    /// Notifies the watchers and askers on a node that its connection to another node is broken.
    fn notice_break(&self, node: u32, of: u32) {
        let (watches, asks) = {
            let state = self.shared.state();
            let asks = &state.requests.asks;
            let watches = &state.relations.watches;
            let (watches, asks) = watches.across(&state.nodes, asks, node, of);
            (watches.collect::<Vec<_>>(), asks.collect::<Vec<_>>())
        };
        for watch in watches {
            let mut state = self.shared.state();
            let watcher = state.relations.watches.break_connection(watch);
            state.operations.push(watcher, Effect::Notice { watch });
            state.footprint.changes(watcher);
            state.refresh(watcher);
        }
        for ask in asks {
            let slot = self.shared.arena().reply(ask).cloned();
            if let Some(slot) = &slot {
                slot.sever();
            }
            let mut state = self.shared.state();
            state.names.give_up(ask);
            let asker = state.requests.asks[ask].asker;
            let lost = Some(AskError::Disconnected);
            state.operations.push(asker, Effect::Reply { ask, lost });
            state.footprint.changes(asker);
            state.refresh(asker);
        }
    }
}

impl Effects<'_> {
    fn take_outbox(&self, operation: u32) -> Vec<Effect> {
        let mut state = self.shared.state();
        let outbox = &mut state.operations[operation].outbox;
        let effects = outbox.as_slice().to_vec();
        outbox.clear();
        effects
    }

    /// Discards the effects that an operation has not carried out. The replies among them are lost.
    fn forget_outbox(&self, operation: u32) {
        for effect in self.take_outbox(operation) {
            self.forget(operation, effect);
        }
        self.shared.state().refresh(operation);
    }

    /// Discards the notifications of a crashed operation for others that have crashed.
    fn drop_dead_notifications(&self, operation: u32) {
        for effect in self.take_outbox(operation) {
            let is_for_the_dead = {
                let state = self.shared.state();
                let to = effect.facts(operation, &state).travels_to;
                to.is_none_or(|to| {
                    state.nodes.is_over(to) || state.operations[to].stage == OperationStage::Gone
                })
            };
            match effect {
                Effect::Reply { ask, lost } if is_for_the_dead => self.bring_reply(ask, lost),
                Effect::Notice { .. } | Effect::Share { .. } if is_for_the_dead => {}
                effect => self.shared.state().operations.push(operation, effect),
            }
        }
        self.shared.state().refresh(operation);
    }
}

/// Returns the disk of a node. The first disk belongs to everything that is on no node.
pub(crate) const fn disk_of(node: u32) -> u32 {
    node + 1
}
