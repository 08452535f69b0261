//! Extension of an execution graph: adds labels until it is complete, and records backtrack points.

use std::sync::Arc;

use super::graph::{ExecutionGraph, Label, LabelAction, LabelId, NO_LABEL, ProcessLabels, Revisit};
use super::transitions::{
    self, NextInput, ON_LINK, ObservedEffect, TransitionEffect, TransitionTable,
};
use super::world::{self, WORLD, WorldAccess};
use crate::strategy::{DeferredEvents, ObserverSet};

/// The result of extending a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extended {
    /// No operation can do anything more.
    Complete,
    /// The next transition of some operation is unknown.
    Missing,
}

/// The next label of an operation.
enum NextLabel {
    Effect(ObservedEffect, u64),
    /// Observers see the operation take its input.
    Observe(ObserverSet),
    Start,
    Resume(LabelId),
    Answer(u32),
    /// The operation accesses the world.
    Touch(WorldAccess),
    /// The world has taken the operation's access.
    Synced(LabelId),
    /// The operation takes an event, if one is available.
    Receive,
    Nothing,
    Unknown,
}

impl ExecutionGraph {
    /// Adds labels until the graph is complete or a transition is unknown, and records the alternatives as
    /// edits.
    pub(super) fn extend(&mut self, table: &TransitionTable, edits: &mut Vec<Revisit>) -> Extended {
        'next: loop {
            // The world comes last: its next step depends on the complete step whose access it took.
            let world = self.process_of(WORLD);
            let others = (0..self.processes.len() as u32).filter(|process| Some(*process) != world);
            for process in others.chain(world) {
                if !self.extend_operation(process, table, edits) {
                    // The caller has to know every operation that fails, so all transitions are looked up.
                    for process in 0..self.processes.len() as u32 {
                        self.look_up(process, table);
                    }
                    return Extended::Missing;
                }
            }
            for process in 0..self.processes.len() as u32 {
                if !matches!(self.next_of(process, table), NextLabel::Receive) {
                    continue;
                }
                let defers = self.defers(process, table);
                let candidates = self.candidates(&self.whole(), process, defers, table);
                if let Some((first, others)) = candidates.split_first() {
                    let at = self.add_receive(process, *first, defers);
                    let others = others
                        .iter()
                        .map(|from| Revisit::Receive { at, from: *from });
                    edits.extend(others);
                    continue 'next;
                }
            }
            // A reply or a spawn may have enabled an operation whose turn in this pass was over.
            let quiet = (0..self.processes.len() as u32).all(|process| {
                matches!(
                    self.next_of(process, table),
                    NextLabel::Receive | NextLabel::Nothing
                )
            });
            if quiet {
                return Extended::Complete;
            }
        }
    }

    /// Adds the labels of an operation up to its next event; returns `false` if a transition is unknown.
    fn extend_operation(
        &mut self,
        process: u32,
        table: &TransitionTable,
        edits: &mut Vec<Revisit>,
    ) -> bool {
        loop {
            match self.next_of(process, table) {
                NextLabel::Receive | NextLabel::Nothing => return true,
                NextLabel::Unknown => return false,
                NextLabel::Effect(done, gift) => self.add_effect(process, done, gift, table, edits),
                NextLabel::Observe(observers) => {
                    let index = self.processes[process as usize].labels.len() as u32 - 1;
                    self.put(LabelId { process, index }, None, observers, table, edits);
                }
                NextLabel::Touch(touch) => {
                    let history = self.processes[process as usize].history();
                    let clock = self.clock_of(process);
                    let access = self.push(process, LabelAction::Access(touch), history, clock);
                    let world = self.process_or_new(WORLD);
                    self.put(access, Some(world), ObserverSet::default(), table, edits);
                }
                NextLabel::Synced(by) => {
                    let history = self.processes[process as usize].history();
                    let history = world::synced(history, self.label(by).history);
                    self.add_input(process, LabelAction::Synced { by }, history, Some(by));
                }
                NextLabel::Start => {
                    let history = self.processes[process as usize].history();
                    self.add_input(
                        process,
                        LabelAction::Start,
                        transitions::started(history),
                        None,
                    );
                }
                NextLabel::Resume(from) => {
                    self.process_mut(process).reply = None;
                    let history = self.processes[process as usize].history();
                    let history = transitions::history_after_input(history, self.gift(from));
                    self.add_input(process, LabelAction::Resume { from }, history, Some(from));
                }
                NextLabel::Answer(of) => {
                    let at = self.add_answer(process, 0);
                    edits.extend((1..of).map(|answer| Revisit::Answer { at, answer }));
                }
            }
        }
    }

    /// Looks up the transition of an operation after its current history, if it is known.
    fn look_up(&mut self, process: u32, table: &TransitionTable) {
        let found = &self.processes[process as usize];
        if found.transition.is_some_and(|id| table.has(id)) {
            return;
        }
        let id = table.find(self.history(process));
        if id != found.transition {
            self.process_mut(process).transition = id;
        }
    }

    /// Returns the events that an operation defers in its current state.
    fn defers(&self, process: u32, table: &TransitionTable) -> DeferredEvents {
        let transition = self.processes[process as usize].last_transition(table);
        transition.map_or_else(DeferredEvents::default, |transition| transition.defers)
    }

    fn next_of(&mut self, process: u32, table: &TransitionTable) -> NextLabel {
        let found = &self.processes[process as usize];
        if !found.is_spawned {
            return NextLabel::Nothing;
        }
        if transitions::is_observer(found.path) {
            return NextLabel::Receive;
        }
        if found.path == WORLD {
            return self.next_of_world(process, table);
        }
        if let Some(Label {
            act: LabelAction::Access(_),
            inbox: Some((world, by)),
            ..
        }) = found.labels.last()
        {
            let (process, index) = (*world, *by);
            return match index {
                NO_LABEL => NextLabel::Nothing,
                index => NextLabel::Synced(LabelId { process, index }),
            };
        }
        self.look_up(process, table);
        let found = &self.processes[process as usize];
        let Some(id) = found.transition else {
            return NextLabel::Unknown;
        };
        let transition = table.after(id);
        let observers = transition.observers;
        if found.done == 0
            && !observers.is_empty()
            && let Some(label) = found.labels.last()
            && label.observer_inboxes.is_empty()
            && label.free_monitors.is_empty()
        {
            return NextLabel::Observe(observers);
        }
        if let Some(effect) = transition.effects.get(found.done) {
            return NextLabel::Effect(
                *effect,
                transitions::effect_payload(found.history(), found.done),
            );
        }
        match transition.need {
            NextInput::Start => NextLabel::Start,
            NextInput::Event | NextInput::UnknownWait => NextLabel::Receive,
            NextInput::Reply => found.reply.map_or(NextLabel::Nothing, NextLabel::Resume),
            NextInput::Answer(of) => NextLabel::Answer(of),
            NextInput::World(touch) => NextLabel::Touch(touch),
            NextInput::Nothing | NextInput::Failure => NextLabel::Nothing,
        }
    }

    /// Returns the next label of the world. The accesses that the world may take depend on its history.
    fn next_of_world(&mut self, world: u32, table: &TransitionTable) -> NextLabel {
        if self.world_fails(world, table) {
            return NextLabel::Nothing;
        }
        self.look_up(world, table);
        let found = &self.processes[world as usize];
        let is_gated = |access: &LabelId| match self.label(*access) {
            Label {
                act: LabelAction::Access(touch),
                inbox: Some((_, NO_LABEL)),
                ..
            } => touch.is_gated(),
            _ => false,
        };
        if found.transition.is_none() && found.sends.iter().any(is_gated) {
            return NextLabel::Unknown;
        }
        NextLabel::Receive
    }

    /// Returns a hash of the payload that a label passes to its receivers and observers.
    pub(super) fn gift(&self, from: LabelId) -> u64 {
        let process = &self.processes[from.process as usize];
        match self.label(from).act {
            act if act.is_input() => {
                return transitions::input_observation(self.label(from).history);
            }
            LabelAction::Access(_) => return world::access_payload(self.label(from).history),
            _ => {}
        }
        let before = process.labels[..from.index as usize].iter().rev();
        let number = before.take_while(|label| !label.act.is_input()).count();
        transitions::effect_payload(self.label(from).history, number)
    }

    fn push(&mut self, process: u32, act: LabelAction, history: u64, clock: Arc<[u32]>) -> LabelId {
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        let labels = &mut self.process_mut(process).labels;
        let index = labels.len() as u32;
        labels.push(Label {
            act,
            stamp,
            history,
            clock,
            inbox: None,
            observer_inboxes: Vec::new(),
            free_monitors: ObserverSet::default(),
        });
        LabelId { process, index }
    }

    /// Returns the vector clock of the next label of a process.
    fn clock_of(&self, process: u32) -> Arc<[u32]> {
        let found = &self.processes[process as usize];
        match (found.labels.last(), found.parent) {
            (Some(last), _) => last.clock.clone(),
            (None, Some(parent)) => self.joined(&[], parent),
            (None, None) => Arc::default(),
        }
    }

    /// Joins a vector clock with that of a label, and includes the label itself.
    fn joined(&self, clock: &[u32], with: LabelId) -> Arc<[u32]> {
        let mut joined = vec![0; self.processes.len()];
        joined[..clock.len()].copy_from_slice(clock);
        self.add_needed(&mut joined, with, 1);
        joined.into()
    }

    fn add_input(
        &mut self,
        process: u32,
        act: LabelAction,
        history: u64,
        from: Option<LabelId>,
    ) -> LabelId {
        let mut clock = self.clock_of(process);
        if let Some(from) = from {
            clock = self.joined(&clock, from);
        }
        let place = self.push(process, act, history, clock);
        let process = self.process_mut(process);
        (process.transition, process.done) = (None, 0);
        place
    }

    pub(super) fn add_answer(&mut self, process: u32, answer: u32) -> LabelId {
        let history = self.processes[process as usize].history();
        let history = transitions::answered(history, answer);
        self.add_input(process, LabelAction::Answer(answer), history, None)
    }

    /// Adds a label by which an operation takes an event.
    pub(super) fn add_receive(
        &mut self,
        process: u32,
        from: LabelId,
        defers: DeferredEvents,
    ) -> LabelId {
        let history = transitions::history_after_input(self.history(process), self.gift(from));
        let nth = self.processes[process as usize].receives.len() as u32;
        let done = self.done_with(process);
        let place = self.add_input(
            process,
            LabelAction::Receive { from, nth },
            history,
            Some(from),
        );
        if let Some(done) = done {
            // A step is atomic: the world takes the next access after the end of the previous step.
            let clock = self.joined(&self.label(place).clock, done);
            self.process_mut(process).labels[place.index as usize].clock = clock;
        }
        self.process_mut(process).note_receive(place.index, defers);
        self.set_taken(from, process, place.index);
        place
    }

    /// Returns the last label of the step whose access the world took last.
    fn done_with(&self, world: u32) -> Option<LabelId> {
        let found = &self.processes[world as usize];
        if found.path != WORLD {
            return None;
        }
        let last = found.receives.len().checked_sub(1)?;
        let LabelId { process, index } = found.taken(last)?;
        let labels = &self.processes[process as usize];
        let (_, to) = labels.step(index, labels.labels.len() as u32);
        let index = to - 1;
        Some(LabelId { process, index })
    }

    fn set_taken(&mut self, what: LabelId, process: u32, by: u32) {
        let label = &mut self.process_mut(what.process).labels[what.index as usize];
        for (_, taken_by) in label.inboxes_mut().filter(|(to, _)| *to == process) {
            *taken_by = by;
        }
    }

    /// Puts a label into an inbox, if it has a receiver, and into the inboxes of its observers.
    fn put(
        &mut self,
        what: LabelId,
        to: Option<u32>,
        observers: ObserverSet,
        table: &TransitionTable,
        edits: &mut Vec<Revisit>,
    ) {
        let free = table.free(observers);
        let seen_in: Vec<u32> = observers
            .but(free)
            .iter()
            .map(|number| self.process_or_new(transitions::observer(number)))
            .collect();
        let label = &mut self.process_mut(what.process).labels[what.index as usize];
        label.inbox = to.map(|to| (to, NO_LABEL)).or(label.inbox);
        label.free_monitors = free;
        label
            .observer_inboxes
            .extend(seen_in.iter().map(|to| (*to, NO_LABEL)));
        // All inboxes get the label first, since its order in one inbox constrains its order in the others.
        for to in to.iter().chain(&seen_in) {
            self.process_mut(*to).sends.push(what);
        }
        for to in to.iter().chain(&seen_in) {
            self.find_revisits(*to, what, table, edits);
        }
    }

    /// Returns the process of an observer or of the world, and creates it if it is missing.
    fn process_or_new(&mut self, path: u64) -> u32 {
        if let Some(process) = self.process_of(path) {
            return process;
        }
        let process = ProcessLabels::new(path, None, transitions::initial_history(path, 0));
        self.processes.push(Arc::new(process));
        self.processes.len() as u32 - 1
    }

    /// Replaces the event that an operation takes at its last label.
    pub(super) fn replace_received(&mut self, at: LabelId, from: LabelId) {
        let found = self.process_mut(at.process);
        found.receives.pop();
        let nth = found.receives.len();
        let defers = found.deferred_at(nth);
        found.deferred.truncate(nth);
        let label = found.labels.pop();
        let Some(Label {
            act,
            stamp,
            observer_inboxes: seen_in,
            ..
        }) = label
        else {
            return;
        };
        for (observer, _) in seen_in {
            let sends = &mut self.process_mut(observer).sends;
            sends.retain(|place| *place != at);
        }
        if let LabelAction::Receive { from: before, .. } = act
            && self.has(before)
        {
            self.set_taken(before, at.process, NO_LABEL);
        }
        let place = self.add_receive(at.process, from, defers);
        self.next_stamp -= 1;
        self.process_mut(place.process).labels[place.index as usize].stamp = stamp;
    }

    fn has(&self, place: LabelId) -> bool {
        let process = &self.processes[place.process as usize];
        (place.index as usize) < process.labels.len()
    }

    fn add_effect(
        &mut self,
        process: u32,
        done: ObservedEffect,
        gift: u64,
        table: &TransitionTable,
        edits: &mut Vec<Revisit>,
    ) {
        let ObservedEffect { effect, observers } = done;
        let history = self.processes[process as usize].history();
        let clock = self.clock_of(process);
        self.process_mut(process).done += 1;
        let mut inbox = None;
        match effect {
            TransitionEffect::Halt => {
                self.push(process, LabelAction::Halt, history, clock);
            }
            TransitionEffect::WakeByWorld => {
                self.push(process, LabelAction::WakeByWorld, history, clock);
            }
            TransitionEffect::Cancel { timer } => {
                let Some(timer) = self.process_of(timer) else {
                    return;
                };
                let at = self.push(process, LabelAction::Cancel { timer }, history, clock);
                self.process_mut(process).cancels.push((at.index, timer));
            }
            // `Graph::is_open` reads this from the transition of the world, without a label.
            TransitionEffect::PermitAccess { .. } => {}
            TransitionEffect::Spawn { child } | TransitionEffect::Arm { timer: child } => {
                let act = match effect {
                    TransitionEffect::Arm { .. } => LabelAction::Arm,
                    _ => LabelAction::Spawn,
                };
                let parent = self.push(process, act, history, clock);
                let spawned = ProcessLabels::new(
                    child,
                    Some(parent),
                    transitions::initial_history(child, gift),
                );
                match self.process_of(child) {
                    Some(known) => self.process_mut(known).revive(spawned),
                    None => self.processes.push(Arc::new(spawned)),
                }
            }
            TransitionEffect::Reply { to } => {
                let Some(to) = self.process_of(to) else {
                    return;
                };
                let from = self.push(process, LabelAction::Reply { to }, history, clock);
                self.process_mut(to).reply = Some(from);
            }
            TransitionEffect::Send { to, message, event } => {
                let is_new = self.process_of(to).is_none();
                let to = self.process_or_new(to);
                if is_new && event != ON_LINK {
                    // A message that is sent by a name may come before the actor.
                    self.process_mut(to).is_spawned = false;
                }
                self.push(
                    process,
                    LabelAction::Send { message, event },
                    history,
                    clock,
                );
                inbox = Some(to);
            }
        }
        if inbox.is_some() || !observers.is_empty() {
            let index = self.processes[process as usize].labels.len() as u32 - 1;
            self.put(LabelId { process, index }, inbox, observers, table, edits);
        }
    }

    pub(super) fn process_of(&self, path: u64) -> Option<u32> {
        let found = self
            .processes
            .iter()
            .position(|process| process.path == path);
        found.map(|process| process as u32)
    }
}
