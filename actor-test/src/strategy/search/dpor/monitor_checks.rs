//! Showing a graph to monitors, in every order in which they may see it.

use std::collections::VecDeque;

use super::Dpor;
use super::LABEL;
use super::graph::LabelId;
use super::graph_run::GraphRun;
use super::lattice::{LatticeProgress, LatticeWalk, MonitorView};
use super::transitions::{self, ExecutionEnd, ExecutionSummary};
use super::world::WorldDependencies;
use crate::hash::mix;
use crate::strategy::{Ended, Ending, ObserverSet};

/// What is left of showing the current graph to monitors.
#[derive(Debug)]
pub(super) struct MonitorChecks {
    /// Those of monitors through the graph, the first of which is in progress.
    walks: VecDeque<LatticeWalk>,
    /// Ways in which that monitor may end, with what it sees then.
    ends: Option<Vec<(u64, Vec<LabelId>)>>,
    /// How many of these were looked at.
    ended: usize,
    /// What the execution in progress is to show.
    expected: Option<u64>,
}

/// A monitor has ended in a state.
fn end(monitor: u32, state: u64) -> u64 {
    mix(mix(transitions::onlooker(monitor), state), 0xe2d)
}

impl Dpor {
    /// All was judged of the current graph but what monitors may see of it.
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
            // What monitors are told of actors is their numbers.
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

    /// The orders in which these monitors see something are parts of behaviours, from the start.
    fn tie(&mut self, monitors: ObserverSet) {
        self.begin_anew(&WorldDependencies {
            onlookers: monitors,
            ..WorldDependencies::default()
        });
    }

    /// An execution in which a monitor comes to something that is not known of it, or that was not run;
    /// `None` where there is no more of that in the current graph.
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
                // Who fails ends the execution before that.
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
            // Where something else was found at the end, that hides what the monitor owes there.
            if !ends.is_empty() && ends.iter().all(|(end, _)| self.shown.has_end(*end)) {
                self.shown.enter_walked(walk.shape());
            }
            watch.ends = None;
            watch.walks.pop_front();
        }
    }

    /// All monitors have seen the current graph.
    pub(super) fn finish_watch(&mut self) {
        self.watch = None;
        let nodes = std::mem::take(&mut self.nodes);
        self.finish();
        self.spend(LABEL * nodes);
    }

    /// Takes what an execution has shown of monitors; `false` where the search does not go on as it was.
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

    /// Takes that an execution was run for a monitor; `false` where it was not.
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
            // What comes after the bound is not known.
            self.watch = None;
            self.finish();
        } else if !is_known || !is_same {
            self.give_up_watch();
        }
        true
    }

    /// The current graph can't be shown to a monitor in an order in which it should; `false` where that was
    /// not tried. Each order is a behaviour from there on: where it is the program that differs, that is
    /// noticed so as well.
    pub(super) fn give_up_watch(&mut self) -> bool {
        let watch = self.watch.as_ref();
        let Some(walk) = watch.and_then(|watch| watch.walks.front()) else {
            return false;
        };
        self.tie(ObserverSet::monitor(walk.monitor()));
        true
    }
}
