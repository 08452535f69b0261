//! Inbox-DPOR: every behaviour once.
//!
//! An actor learns of others by the events that it takes, and by nothing else. So all that an execution
//! has to decide is in which order events are taken from each inbox, and how choices are answered; two
//! schedules that agree on that are one *behaviour*. The search runs one execution for each.
//!
//! It is one of the family of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022) and
//! Must (Enea, Giannakopoulou, Kokologiannakis, Majumdar, OOPSLA 2024), made for one FIFO inbox an
//! actor: a [graph](graph) says what was done, and is [extended](extending) label by label. Where an
//! actor may take one of several events, or a choice has several answers, the others are noted. Where
//! an event is sent that an actor might have taken before one that it took, that is
//! [noted](reversing) as well, but in one graph only of all that differ in what would be left out for
//! it. What is noted is a work item: it needs no other one, and nothing is found twice.
//!
//! It differs in this: what an operation does is read from [executions](lives), and known wherever it
//! has the same history, so that graphs are extended without running anything. An execution is run
//! where something is not known, and for each graph that no execution has shown yet; what an execution
//! shows is reached by the search sooner or later. So there are as many executions as behaviours.
//!
//! What is not up to an operation and its inbox alone (time, failures, what is shared) is outside of
//! what the search can follow: it [says so](Gap::Outside), and ends.

mod extending;
mod follow;
mod graph;
mod lives;
mod reversing;
mod scheduling;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::extending::Extended;
use self::follow::{Follow, Outside, Seen};
use self::graph::{Edit, Graph};
use self::lives::{Lives, Reading};
use super::Search;
use crate::strategy::{Covered, Ended, Ending, Gap, Reduction};

/// One execution for each behaviour.
#[derive(Debug, Default)]
pub(in crate::strategy) struct Dpor {
    lives: Lives,
    /// What is still to be explored.
    frontier: Vec<(Arc<Graph>, Edit)>,
    /// The graph that is being extended, and what was noted meanwhile.
    current: Option<(Graph, Vec<Edit>)>,
    /// The current graph is complete; the execution that is run shows it.
    is_shown: bool,
    /// Behaviours that were run, and that the search has not reached yet.
    ahead: BTreeSet<u64>,
    /// Who has failed, by path.
    failed: Vec<u64>,
    /// To be run once more.
    again: Option<Follow>,
    begun: bool,
    /// Why it ended early.
    stopped: Option<Gap>,
    /// How many executions asked for a seed.
    seeded: u64,
}

impl Dpor {
    pub(in crate::strategy) fn new() -> Self {
        Self::default()
    }

    fn stop(&mut self, why: Gap) {
        self.stopped.get_or_insert(why);
        self.frontier.clear();
        self.current = None;
    }

    /// The current graph is done with.
    fn finish(&mut self) {
        if let Some((graph, edits)) = self.current.take()
            && !edits.is_empty()
        {
            let graph = Arc::new(graph);
            let noted = edits.into_iter().map(|edit| (graph.clone(), edit));
            self.frontier.extend(noted);
        }
    }

    /// Takes what an execution has shown.
    fn read(&mut self, item: &Follow, ended: &Ended) {
        let reading = match ended.ending {
            Ending::Bug if item.has_failed => Reading::Failed,
            Ending::Complete | Ending::Bug => Reading::Whole,
            Ending::Pruned if item.is_at_rest => Reading::Whole,
            Ending::Bound | Ending::Pruned => Reading::Cut,
        };
        let known = self.lives.len();
        let Ok(class) = self.lives.read(&item.seen, reading) else {
            return self.stop(Gap::Differs);
        };
        if let (Reading::Failed, Some(who)) = (reading, item.last())
            && !self.failed.contains(&who)
        {
            self.failed.push(who);
        }
        let has_learned = self.lives.len() > known;
        if !std::mem::replace(&mut self.begun, true) {
            let Some(Seen::Body { path }) = item.seen.first() else {
                return;
            };
            self.current = Some((Graph::new(*path), Vec::new()));
            self.ahead
                .extend((reading == Reading::Whole).then_some(class));
            return;
        }
        let Some((graph, _)) = &mut self.current else {
            return;
        };
        graph.forget();
        if std::mem::take(&mut self.is_shown) {
            if reading == Reading::Whole && class != graph.class() {
                return self.stop(Gap::Differs);
            }
            self.finish();
            return;
        }
        if reading == Reading::Whole && !item.is_at_rest {
            self.ahead.insert(class);
        }
        if reading == Reading::Cut {
            // What comes after the bound is not known.
            self.finish();
        } else if !has_learned {
            self.stop(Gap::Differs);
        }
    }
}

impl Search for Dpor {
    type Item = Follow;

    fn name(&self) -> String {
        "dpor".into()
    }

    fn round(&mut self) -> Vec<Follow> {
        if let Some(again) = self.again.take() {
            return vec![again];
        }
        if self.stopped.is_some() {
            return Vec::new();
        }
        if !self.begun {
            return vec![Follow::new(Vec::new(), Vec::new(), Vec::new())];
        }
        loop {
            if self.current.is_none() {
                let Some((graph, edit)) = self.frontier.pop() else {
                    return Vec::new();
                };
                self.current = Some((graph.edited(edit), Vec::new()));
            }
            let Some((graph, edits)) = &mut self.current else {
                return Vec::new();
            };
            match graph.extend(&self.lives, edits) {
                Extended::Missing => return vec![graph.follow(&self.failed)],
                Extended::Complete if graph.fails() => self.finish(),
                Extended::Complete if self.ahead.remove(&graph.class()) => self.finish(),
                Extended::Complete => {
                    self.is_shown = true;
                    return vec![graph.follow(&[])];
                }
            }
        }
    }

    fn take(&mut self, item: Follow, ended: &Ended) {
        self.seeded += u64::from(item.is_seeded);
        match &item.outside {
            Some(Outside { who: None, .. }) => self.again = Some(item.with_names()),
            Some(Outside { what, who }) => self.stop(Gap::Outside {
                what: *what,
                who: who.clone(),
            }),
            None if item.is_lost => self.stop(Gap::Differs),
            // What comes after it can't be told from what one operation does.
            None if item.has_bug => self.stop(Gap::Bug),
            None => self.read(&item, ended),
        }
    }

    fn covered(&self) -> Covered {
        let mut gaps = Vec::new();
        gaps.extend(self.stopped.clone());
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        Covered::Systematic {
            reduction: Reduction::Inboxes,
            is_complete: self.begun
                && self.frontier.is_empty()
                && self.current.is_none()
                && self.ahead.is_empty(),
            gaps,
        }
    }
}
