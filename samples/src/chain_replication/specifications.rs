//! The specifications of chain replication: monitors and predicates.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::prelude::*;

use super::{
    Appended, ChainFormed, Entry, Join, Query, QueryReply, Request, Server, ServerFailed,
    ServerRef, Update, UpdateReply,
};

// ANCHOR: histories
/// The *update propagation invariant*: every history is sorted, and is a prefix of its predecessor's.
#[derive(Debug, Default)]
pub struct Histories {
    chain: Vec<ActorId>,
    /// The servers that have failed, perhaps before they joined.
    failed: BTreeSet<ActorId>,
    histories: BTreeMap<ActorId, Vec<(u64, Request)>>,
}

#[monitor(cold(Watching))]
impl Histories {
    #[on]
    fn join(&mut self, _: &Join, cx: &mut MonitorContext<Self>) {
        let server = cx.target().filter(|it| !self.failed.contains(it));
        self.chain.extend(server);
    }

    #[on]
    fn failed(&mut self, failed: &ServerFailed) {
        self.failed.insert(failed.server);
        self.chain.retain(|server| *server != failed.server);
    }

    #[on]
    fn appended(&mut self, appended: &Appended, cx: &mut MonitorContext<Self>) {
        let Some(server) = cx.sender() else { return };
        let history = self.histories.entry(server).or_default();
        let last = history.last().map_or(0, |(seq, _)| *seq);
        let seq = appended.seq;
        assert!(last < seq, "a history is not sorted: {seq} after {last}");
        history.push((seq, appended.request));
        self.compare_with_predecessor(server);
    }

    fn compare_with_predecessor(&self, server: ActorId) {
        let pair = self.chain.windows(2).find(|pair| pair[1] == server);
        let Some(pred) = pair.map(|pair| pair[0]) else {
            return;
        };
        let history = &self.histories[&server];
        let expected = self.histories.get(&pred).into_iter().flatten();
        let same = history
            .iter()
            .zip(expected)
            .take_while(|(it, other)| it == other);
        let place = same.count() + 1;
        assert!(
            place > history.len(),
            "a history is not the beginning of its predecessor's: they differ in place {place}"
        );
    }
}
// ANCHOR_END: histories

// ANCHOR: in_process
/// The *in-process requests invariant*: an update that the successor lacks is still in `sent`.
pub fn nothing_gets_lost(world: &World<'_>, chain: &[ServerRef]) -> bool {
    let live: Vec<&Server> = chain.iter().filter_map(|it| world.get(it)).collect();
    (1..live.len()).all(|at| {
        let (server, behind) = (live[at - 1], live[at]);
        let missing = &server.history[behind.history.len().min(server.history.len())..];
        let on_its_way = |it: &Entry| server.sent.iter().any(|sent| sent.seq == it.seq);
        missing.iter().all(on_its_way)
    })
}
// ANCHOR_END: in_process

// ANCHOR: currency
/// Linearizability of queries: a query finds the last update that was known when it was sent, or a
/// later one, and the value that this update wrote. A reply or another query makes an update known.
#[derive(Debug, Default)]
pub struct Currency {
    /// The last update that any client knows of.
    known: u64,
    /// The last known update at the time when each query was first sent.
    known_before: BTreeMap<Request, u64>,
    places: BTreeMap<u64, Request>,
    written: BTreeMap<Request, u64>,
}

#[monitor(cold(Watching))]
impl Currency {
    #[on]
    fn update(&mut self, update: &Update) {
        self.written.insert(update.request, update.value);
    }

    #[on]
    fn query(&mut self, query: &Query) {
        self.known_before.entry(query.request).or_insert(self.known);
    }

    #[on(handled)]
    fn updated(&mut self, reply: &UpdateReply) {
        let UpdateReply { request, seq } = *reply;
        let first = *self.places.entry(seq).or_insert(request);
        assert_eq!(first, request, "two updates with the number {seq}");
        self.known = self.known.max(seq);
    }

    #[on(handled)]
    fn answered(&mut self, reply: &QueryReply) {
        let before = self.known_before[&reply.request];
        let seq = reply.seq;
        assert!(
            seq >= before,
            "a query finds update {seq}, but {before} was known"
        );
        if let Some(update) = self.places.get(&seq) {
            let written = self.written.get(update).copied();
            assert_eq!(reply.value, written, "what is found, and what was written");
        }
        self.known = self.known.max(seq);
    }
}
// ANCHOR_END: currency

// ANCHOR: progress
/// A liveness property: every request is answered eventually.
#[derive(Debug, Default)]
pub struct Progress {
    open: BTreeSet<Request>,
    closed: BTreeSet<Request>,
}

#[monitor(hot(Waiting), cold(Answered))]
impl Progress {
    #[on]
    fn update(&mut self, update: &Update, cx: &mut MonitorContext<Self>) {
        self.asked(update.request, cx);
    }

    #[on]
    fn query(&mut self, query: &Query, cx: &mut MonitorContext<Self>) {
        self.asked(query.request, cx);
    }

    #[on]
    fn updated(&mut self, reply: &UpdateReply, cx: &mut MonitorContext<Self>) {
        self.answered(reply.request, cx);
    }

    #[on]
    fn found(&mut self, reply: &QueryReply, cx: &mut MonitorContext<Self>) {
        self.answered(reply.request, cx);
    }

    /// Ignores the copy of a request that was already answered.
    fn asked(&mut self, request: Request, cx: &mut MonitorContext<Self>) {
        if !self.closed.contains(&request) {
            self.open.insert(request);
            cx.goto(ProgressState::Waiting);
        }
    }

    fn answered(&mut self, request: Request, cx: &mut MonitorContext<Self>) {
        self.open.remove(&request);
        self.closed.insert(request);
        if self.open.is_empty() {
            cx.goto(ProgressState::Answered);
        }
    }
}

/// A liveness property: a broken chain is repaired eventually.
#[derive(Debug, Default)]
pub struct Wholeness;

#[monitor(hot(Broken), cold(Whole))]
impl Wholeness {
    #[on]
    fn failed(&mut self, _: &ServerFailed, cx: &mut MonitorContext<Self>) {
        cx.goto(WholenessState::Broken);
    }

    #[on]
    fn formed(&mut self, _: &ChainFormed, cx: &mut MonitorContext<Self>) {
        cx.goto(WholenessState::Whole);
    }
}
// ANCHOR_END: progress
