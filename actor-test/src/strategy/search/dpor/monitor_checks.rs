//! Checks of monitors on a complete graph, in every order in which they may observe it.

use std::collections::VecDeque;

use super::Dpor;
use super::graph::LabelId;
use super::graph_run::GraphRun;
use super::lattice::{LatticeProgress, LatticeWalk, MonitorView};
use super::transitions::{self, ExecutionEnd, ExecutionSummary};
use super::world::WorldDependencies;
use crate::hash::mix;
use crate::strategy::search::budget::LABEL;
use crate::strategy::{Ended, Ending, ObserverSet};

/// The remaining walks of monitors through the current graph.
#[derive(Debug)]
pub(super) struct MonitorChecks {
    /// The walks, the one in progress first.
    walks: VecDeque<LatticeWalk>,
    /// The possible ends of the monitor in progress, each with an order of observations that leads there.
    ends: Option<Vec<(u64, Vec<LabelId>)>>,
    /// The number of elements of `ends` that were checked.
    ended: usize,
    /// The key of the monitor transition that the execution in progress has to show.
    expected: Option<u64>,
}

/// Returns a hash of a monitor's final state.
fn end(monitor: u32, state: u64) -> u64 {
    mix(mix(transitions::observer(monitor), state), 0xe2d)
}

impl Dpor {
    /// Begins to check the monitors on the current graph, after everything else was judged.
    pub(super) fn watch(&mut self) {
        let Some((graph, _)) = &self.current else {
            return;
        };
        let sights = graph.sights(&self.transitions);
        if sights.is_empty() {
            return self.finish();
        }
        self.watched = true;
        let numbered = graph.numbered();
        let is_same = numbered.is_some_and(|numbered| self.shown.number(&numbered));
        if !is_same {
            // Monitors identify actors by their numbers, which depend on the order of steps here.
            let monitors = sights
                .iter()
                .map(|sight| ObserverSet::monitor(sight.monitor));
            let monitors = monitors.fold(ObserverSet::default(), ObserverSet::and);
            return self.tie(monitors);
        }
        let is_new = |sight: &MonitorView| !self.shown.has_walked(sight.shape);
        self.watch = Some(MonitorChecks {
            walks: sights
                .into_iter()
                .filter(is_new)
                .map(LatticeWalk::new)
                .collect(),
            ends: None,
            ended: 0,
            expected: None,
        });
    }

    /// Restarts the search such that the orders of these monitors' observations are part of behaviours.
    fn tie(&mut self, monitors: ObserverSet) {
        self.begin_anew(&WorldDependencies {
            observers: monitors,
            ..WorldDependencies::default()
        });
    }

    /// Returns an execution that shows an unknown transition or end of a monitor; `None` if the current graph
    /// has no more of them.
    pub(super) fn next_shown(&mut self) -> Option<GraphRun> {
        let (watch, (graph, _)) = (self.watch.as_mut()?, self.current.as_ref()?);
        let run = |monitor, order: &[LabelId]| {
            let (held, ties) = (&self.failed, self.ties.clone());
            graph.follow_in_order(&self.transitions, held, ties, Some((monitor, order)))
        };
        loop {
            let walk = watch.walks.front_mut()?;
            let monitor = walk.monitor();
            let Some(ends) = &watch.ends else {
                if let LatticeProgress::Unknown(what, order) =
                    walk.go_on(|what| self.shown.after(what))
                {
                    watch.expected = Some(what);
                    return Some(run(monitor, &order));
                }
                self.cut_off += u64::from(walk.is_cut_off);
                self.nodes += walk.len() as u64;
                let ends = walk.ends();
                let ends = ends.map(|(state, order)| (end(monitor, state), order));
                // An operation that fails ends the execution before the monitors' ends.
                let is_whole = !graph.fails(&self.transitions);
                watch.ends = Some(ends.filter(|_| is_whole).collect());
                watch.ended = 0;
                continue;
            };
            if let Some((end, order)) = ends.get(watch.ended) {
                watch.ended += 1;
                match self.shown.has_end(*end) {
                    true => continue,
                    false => return Some(run(monitor, order)),
                }
            }
            // Another bug at the end hides the check of the monitor's obligations, so all ends have to be
            // shown.
            if !ends.is_empty() && ends.iter().all(|(end, _)| self.shown.has_end(*end)) {
                self.shown.enter_walked(walk.shape());
            }
            watch.ends = None;
            watch.walks.pop_front();
        }
    }

    /// Finishes the current graph after all monitors were checked.
    pub(super) fn finish_watch(&mut self) {
        self.watch = None;
        let nodes = std::mem::take(&mut self.nodes);
        self.finish();
        self.spend(LABEL * nodes);
    }

    /// Learns the transitions and ends of monitors from an execution; returns `false` if the search restarts.
    pub(super) fn read_monitors(&mut self, shows: &ExecutionSummary, ended: &Ended) -> bool {
        for (monitor, what, to) in &shows.moves {
            if self.shown.learn(*what, *to).is_err() {
                self.tie(ObserverSet::monitor(*monitor));
                return false;
            }
        }
        if ended.ending == Ending::Complete {
            for (monitor, state) in &shows.monitors {
                self.shown.enter_end(end(*monitor, *state));
            }
        }
        true
    }

    /// Handles an execution that was run for a monitor; returns `false` if it was run for something else.
    pub(super) fn read_watched(
        &mut self,
        class: u64,
        reading: ExecutionEnd,
        is_at_rest: bool,
    ) -> bool {
        let Some(watch) = &mut self.watch else {
            return false;
        };
        let expected = watch.expected.take();
        let is_known = expected.is_none_or(|what| self.shown.after(what).is_some());
        let graph = self.current.as_ref().map(|(graph, _)| graph.class());
        let is_same = reading != ExecutionEnd::Whole || is_at_rest || graph == Some(class);
        if reading == ExecutionEnd::Cut {
            // The continuation after the step bound is unknown.
            self.watch = None;
            self.finish();
        } else if !is_known || !is_same {
            self.give_up_watch();
        }
        true
    }

    /// Ties the monitor in progress, since the current graph can't be shown to it in the wanted order;
    /// returns `false` if no monitor was in progress. Each order becomes a behaviour, which also reveals a
    /// program that is not deterministic.
    pub(super) fn give_up_watch(&mut self) -> bool {
        let watch = self.watch.as_ref();
        let Some(walk) = watch.and_then(|watch| watch.walks.front()) else {
            return false;
        };
        self.tie(ObserverSet::monitor(walk.monitor()));
        true
    }
}
