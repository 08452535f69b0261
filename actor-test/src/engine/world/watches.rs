//! Watches: notices of the start or the end of an operation: [`Watches`].

use std::ops::Index;

use crate::data::constructs::StepConstruct;
use crate::engine::world::asks::Asks;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::operations::Operations;
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;

/// The change of the target that a watch waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WatchedChange {
    /// The end of the target.
    End,
    /// The start of the target, or its end if that comes first.
    Start,
    /// The start of the target, which has come already.
    Started,
}

/// A watch: the watcher is notified when the target starts or stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndWatch {
    pub(crate) watcher: u32,
    pub(crate) target: u32,
    /// True if the watcher is still to be notified.
    pub(crate) is_open: bool,
    /// True once the connection that would carry the notice broke.
    pub(crate) is_broken: bool,
    /// The stable key of the notice, for hashes of the behaviour.
    pub(crate) key: u64,
    /// The ask of the watcher that the notice answers, instead of an event.
    pub(crate) ask: Option<u32>,
    pub(crate) until: WatchedChange,
    /// The neighbours in the list of the target's watches.
    of_target: ListNode,
    /// The neighbours in the list of the watcher's watches.
    of_watcher: ListNode,
}

/// All watches of an execution, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watches {
    all: Vec<EndWatch>,
    /// The watches of each target, in their order.
    of_target: OwnerLists,
    /// The watches of each watcher.
    of_watcher: OwnerLists,
}

impl EndWatch {
    /// Returns whether nobody awaits the ask any more that the watch answers.
    fn is_given_up(&self, asks: &Asks) -> bool {
        self.ask.is_some_and(|ask| !asks[ask].is_open())
    }
}

impl Watches {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.of_target.clear();
        self.of_watcher.clear();
    }

    /// Returns the number of watches so far, which is the number of the next one.
    pub(crate) fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// Returns the watches that are open, in the order of their notices.
    pub(crate) fn open(&self) -> impl Iterator<Item = &EndWatch> {
        self.all.iter().filter(|watch| watch.is_open)
    }

    /// Closes a watch whose notice is to be delivered, and returns it; `None` if it is over.
    pub(crate) fn take_open(&mut self, watch: u32) -> Option<EndWatch> {
        let found = &mut self.all[watch as usize];
        std::mem::take(&mut found.is_open).then_some(*found)
    }

    fn add(
        &mut self,
        watcher: u32,
        target: u32,
        key: u64,
        ask: Option<u32>,
        until: WatchedChange,
    ) -> u32 {
        let watches = &mut self.all;
        watches.push(EndWatch {
            watcher,
            target,
            is_open: true,
            is_broken: false,
            key,
            ask,
            until,
            of_target: ListNode::default(),
            of_watcher: ListNode::default(),
        });
        let watch = watches.len() as u32 - 1;
        self.of_target
            .add(target, watches, watch, |watch| &mut watch.of_target);
        self.of_watcher
            .add(watcher, watches, watch, |watch| &mut watch.of_watcher);
        watch
    }

    /// Begins a watch; returns its number.
    pub(crate) fn watch(&mut self, operations: &mut Operations, watcher: u32, target: u32) -> u32 {
        let key = operations.child_key_of(watcher);
        self.add(watcher, target, key, None, WatchedChange::End)
    }

    /// Begins a watch that answers an ask, for which there is no letter; returns its number.
    pub(crate) fn await_end(&mut self, asks: &mut Asks, ask: u32, until: WatchedChange) -> u32 {
        let record = asks.ask_for_end(ask);
        let (watcher, target, key) = (record.asker, record.target, record.key);
        self.add(watcher, target, key, Some(ask), until)
    }

    /// Makes a watch of a name one of the actor that has the name, whose key is given.
    pub(crate) fn retarget(&mut self, watch: u32, to: u32, key: u64) {
        let watches = &mut self.all;
        let found = &mut watches[watch as usize];
        found.key = mix(found.key, key);
        let from = std::mem::replace(&mut found.target, to);
        self.of_target
            .remove(from, watches, watch, |watch| &mut watch.of_target);
        self.of_target
            .add(to, watches, watch, |watch| &mut watch.of_target);
    }

    /// Begins a watch. A watcher of an operation that has ended, or has started, is notified at once.
    pub(crate) fn begin(
        &mut self,
        footprint: &mut StepFootprint,
        operations: &mut Operations,
        watch: u32,
    ) {
        let EndWatch {
            target,
            watcher,
            until,
            ..
        } = self.all[watch as usize];
        footprint.add(StepConstruct::Watch);
        if until == WatchedChange::Start {
            // A later start of the target would have notified the watcher.
            footprint.interrupt(target, StepConstruct::Watch);
        }
        let found = &operations[target];
        if found.stage == OperationStage::Gone {
            operations.push(watcher, Effect::Notice { watch });
        } else if until == WatchedChange::Start && found.started {
            self.all[watch as usize].until = WatchedChange::Started;
            operations.push(watcher, Effect::Notice { watch });
        }
    }

    /// Ends the watches of a target whose numbers are below `before`. The time is linear in the number of
    /// watches of the watcher or of the target, whichever is smaller.
    pub(crate) fn end(
        &mut self,
        footprint: &mut StepFootprint,
        watcher: u32,
        target: u32,
        before: u32,
    ) {
        footprint.add(StepConstruct::Watch);
        let (mut of_watcher, mut of_target) =
            (self.of_watcher.first(watcher), self.of_target.first(target));
        let mut ended = Vec::new();
        while let (Some(mine), Some(its)) = (of_watcher, of_target) {
            let (mine_is, its_is) = (self.all[mine as usize], self.all[its as usize]);
            if mine_is.target == target {
                ended.push(mine);
            }
            if its_is.watcher == watcher {
                ended.push(its);
            }
            (of_watcher, of_target) = (mine_is.of_watcher.after(), its_is.of_target.after());
        }
        ended.retain(|watch| *watch < before);
        for watch in ended {
            self.end_one(watch);
        }
    }

    /// Returns the open watches and asks between operations on two nodes.
    pub(crate) fn across(
        &self,
        nodes: &Nodes,
        asks: &Asks,
        node: u32,
        of: u32,
    ) -> (impl Iterator<Item = u32>, impl Iterator<Item = u32>) {
        let is_across =
            move |from: u32, to: u32| nodes.nodes_if_different(from, to) == Some((node, of));
        let watches = self.all.iter().zip(0..);
        let watches = watches.filter(move |(watch, _)| {
            watch.is_open && is_across(watch.watcher, watch.target) && !watch.is_given_up(asks)
        });
        let asks = asks.iter().zip(0..);
        let asks = asks.filter(move |(ask, _)| {
            let is_notified = ask.is_for_end() && !nodes.is_name(ask.target);
            ask.is_open() && !is_notified && is_across(ask.asker, ask.target)
        });
        (watches.map(|(_, watch)| watch), asks.map(|(_, ask)| ask))
    }

    /// Ends a watch that is open and answers no ask.
    fn end_one(&mut self, watch: u32) {
        let found = &mut self.all[watch as usize];
        if found.ask.is_some() || !std::mem::take(&mut found.is_open) {
            return;
        }
        let (watcher, target) = (found.watcher, found.target);
        let watches = &mut self.all;
        self.of_target
            .remove(target, watches, watch, |watch| &mut watch.of_target);
        self.of_watcher
            .remove(watcher, watches, watch, |watch| &mut watch.of_watcher);
    }

    /// Ends all watches of a watcher.
    pub(super) fn end_all_of(&mut self, watcher: u32) {
        let mut next = self.of_watcher.first(watcher);
        while let Some(watch) = next {
            let watch = &mut self.all[watch as usize];
            watch.is_open = false;
            next = watch.of_watcher.after();
        }
        self.of_watcher.forget(watcher);
    }

    /// Records that the connection of a watch broke; returns its watcher.
    pub(crate) fn break_connection(&mut self, watch: u32) -> u32 {
        let watch = &mut self.all[watch as usize];
        watch.is_broken = true;
        watch.watcher
    }

    /// Returns whether an ask waits for the start of an actor.
    pub(crate) fn await_start(&self, ask: u32) -> bool {
        let mut watches = self.all.iter();
        watches.any(|watch| watch.ask == Some(ask) && watch.until == WatchedChange::Start)
    }
}

impl Index<u32> for Watches {
    type Output = EndWatch;

    fn index(&self, watch: u32) -> &EndWatch {
        &self.all[watch as usize]
    }
}

impl ExecutionState {
    /// Records that an actor has run its start hook, and notifies the waiting watchers, with one effect each.
    pub(crate) fn start_is_over(&mut self, index: u32) {
        self.operations[index].started = true;
        let mut next = self.relations.watches.of_target.first(index);
        while let Some(watch) = next {
            let found = self.relations.watches[watch];
            let awaits = found.is_open && found.until == WatchedChange::Start;
            if awaits && !found.is_given_up(&self.requests.asks) {
                self.relations.watches.all[watch as usize].until = WatchedChange::Started;
                self.operations.push(index, Effect::Notice { watch });
                self.refresh(index);
            }
            next = found.of_target.after();
        }
    }

    /// Notifies the watchers of an operation, with one effect each.
    pub(crate) fn notify_watchers(&mut self, index: u32) {
        let mut next = self.relations.watches.of_target.first(index);
        while let Some(watch) = next {
            let found = self.relations.watches[watch];
            if found.is_open && !found.is_given_up(&self.requests.asks) {
                self.operations.push(index, Effect::Notice { watch });
            }
            next = found.of_target.after();
        }
        self.refresh(index);
    }
}
