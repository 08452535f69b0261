//! Watches: notices of the start or the end of an operation: [`EndWatch`].

use crate::data::constructs::StepConstruct;
use crate::engine::world::effect::Effect;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::owner_lists::ListNode;
use crate::engine::world::state::ExecutionState;

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

impl ExecutionState {
    /// Begins a watch; returns its number.
    pub(crate) fn watch(&mut self, watcher: u32, target: u32) -> u32 {
        let key = self.child_key_of(watcher);
        self.add_watch(watcher, target, key, None, WatchedChange::End)
    }

    /// Begins a watch that answers an ask, for which there is no letter; returns its number.
    pub(crate) fn await_end(&mut self, ask: u32, until: WatchedChange) -> u32 {
        let record = self.ask_for_end(ask);
        let (watcher, target, key) = (record.asker, record.target, record.key);
        self.add_watch(watcher, target, key, Some(ask), until)
    }

    fn add_watch(
        &mut self,
        watcher: u32,
        target: u32,
        key: u64,
        ask: Option<u32>,
        until: WatchedChange,
    ) -> u32 {
        let watches = &mut self.watches;
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
        self.watched_by
            .add(target, watches, watch, |watch| &mut watch.of_target);
        self.watching
            .add(watcher, watches, watch, |watch| &mut watch.of_watcher);
        watch
    }

    /// Begins a watch. A watcher of an operation that has ended, or has started, is notified at once.
    pub(crate) fn begin_watch(&mut self, watch: u32) {
        self.reach.add(StepConstruct::Watch);
        let EndWatch {
            target,
            watcher,
            until,
            ..
        } = self.watches[watch as usize];
        if until == WatchedChange::Start {
            // A later start of the target would have notified the watcher.
            self.interrupt(target, StepConstruct::Watch);
        }
        let found = &self.operations[target as usize];
        if found.stage == OperationStage::Gone {
            self.push(watcher, Effect::Notice { watch });
        } else if until == WatchedChange::Start && found.started {
            self.watches[watch as usize].until = WatchedChange::Started;
            self.push(watcher, Effect::Notice { watch });
        }
    }

    /// Ends the watches of a target whose numbers are below `before`. The time is linear in the number of
    /// watches of the watcher or of the target, whichever is smaller.
    pub(crate) fn unwatch(&mut self, watcher: u32, target: u32, before: u32) {
        self.reach.add(StepConstruct::Watch);
        let (mut of_watcher, mut of_target) =
            (self.watching.first(watcher), self.watched_by.first(target));
        let mut ended = Vec::new();
        while let (Some(mine), Some(its)) = (of_watcher, of_target) {
            let (mine_is, its_is) = (self.watches[mine as usize], self.watches[its as usize]);
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
            self.end_watch(watch);
        }
    }

    /// Ends a watch that is open and answers no ask.
    fn end_watch(&mut self, watch: u32) {
        let found = &mut self.watches[watch as usize];
        if found.ask.is_some() || !std::mem::take(&mut found.is_open) {
            return;
        }
        let (watcher, target) = (found.watcher, found.target);
        let watches = &mut self.watches;
        self.watched_by
            .remove(target, watches, watch, |watch| &mut watch.of_target);
        self.watching
            .remove(watcher, watches, watch, |watch| &mut watch.of_watcher);
    }

    /// Ends all watches of a watcher.
    pub(crate) fn end_watches_of(&mut self, watcher: u32) {
        let mut next = self.watching.first(watcher);
        while let Some(watch) = next {
            let watch = &mut self.watches[watch as usize];
            watch.is_open = false;
            next = watch.of_watcher.after();
        }
        self.watching.forget(watcher);
    }

    /// Returns the open watches and asks between operations on two nodes.
    pub(crate) fn across(&self, one: u32, other: u32) -> (Vec<u32>, Vec<u32>) {
        let is_across = |from: u32, to: u32| {
            let apart = self.nodes.nodes_if_different(from, to);
            apart == Some((one, other)) || apart == Some((other, one))
        };
        let watches = self.watches.iter().zip(0..);
        let watches = watches.filter(|(watch, _)| {
            watch.is_open && is_across(watch.watcher, watch.target) && !self.is_given_up(watch)
        });
        let asks = self.asks.iter().zip(0..);
        let asks = asks.filter(|(ask, _)| {
            ask.is_open() && !ask.is_for_end() && is_across(ask.asker, ask.target)
        });
        (
            watches.map(|(_, watch)| watch).collect(),
            asks.map(|(_, ask)| ask).collect(),
        )
    }

    /// Records that the connection of a watch broke; returns its watcher.
    pub(crate) fn break_watch(&mut self, watch: u32) -> u32 {
        let watch = &mut self.watches[watch as usize];
        watch.is_broken = true;
        watch.watcher
    }

    /// Returns whether nobody awaits the ask any more that the watch answers.
    fn is_given_up(&self, watch: &EndWatch) -> bool {
        watch
            .ask
            .is_some_and(|ask| !self.asks[ask as usize].is_open())
    }

    /// Returns whether an ask waits for the start of an actor.
    pub(crate) fn awaits_start(&self, ask: u32) -> bool {
        let mut watches = self.watches.iter();
        watches.any(|watch| watch.ask == Some(ask) && watch.until == WatchedChange::Start)
    }

    /// Records that an actor has run its start hook, and notifies the waiting watchers, with one effect each.
    pub(crate) fn start_is_over(&mut self, index: u32) {
        self.operations[index as usize].started = true;
        let mut next = self.watched_by.first(index);
        while let Some(watch) = next {
            let found = self.watches[watch as usize];
            let awaits = found.is_open && found.until == WatchedChange::Start;
            if awaits && !self.is_given_up(&found) {
                self.watches[watch as usize].until = WatchedChange::Started;
                self.push(index, Effect::Notice { watch });
                self.refresh(index);
            }
            next = found.of_target.after();
        }
    }

    /// Notifies the watchers of an operation, with one effect each.
    pub(crate) fn notify_watchers(&mut self, index: u32) {
        let mut next = self.watched_by.first(index);
        while let Some(watch) = next {
            let found = self.watches[watch as usize];
            if found.is_open && !self.is_given_up(&found) {
                self.push(index, Effect::Notice { watch });
            }
            next = found.of_target.after();
        }
        self.refresh(index);
    }
}
