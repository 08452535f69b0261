//! Adding labels to a graph, until nothing more can be done.

use std::sync::Arc;

use super::graph::{Act, Edit, Graph, Label, Lane, NOWHERE, Place};
use super::lives::{self, Deed, Done, Lives, Need};
use super::world::{self, Touch, WORLD};
use crate::strategy::{Deferred, Onlookers};

/// What came of extending a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extended {
    /// Nothing more can be done.
    Complete,
    /// What an operation does next is not known.
    Missing,
}

/// What an operation may do next.
enum Next {
    Deed(Done, u64),
    /// Onlookers have seen it take what it was given.
    Shown(Onlookers),
    Start,
    Resume(Place),
    Answer(u32),
    /// It accesses the world.
    Touch(Touch),
    /// The world has taken its access.
    Synced(Place),
    /// It takes an event, where there is one.
    Receive,
    Nothing,
    Unknown,
}

impl Graph {
    /// Adds what operations do, one event after another, and notes in which other ways that might have
    /// gone.
    pub(super) fn extend(&mut self, lives: &Lives, edits: &mut Vec<Edit>) -> Extended {
        'next: loop {
            // What the world does next is up to the whole of the step whose access it has taken.
            let world = self.lane_of(WORLD);
            let others = (0..self.lanes.len() as u32).filter(|lane| Some(*lane) != world);
            for lane in others.chain(world) {
                if !self.go_on(lane, lives, edits) {
                    // Who fails is to be known of all.
                    for lane in 0..self.lanes.len() as u32 {
                        self.look_up(lane, lives);
                    }
                    return Extended::Missing;
                }
            }
            for lane in 0..self.lanes.len() as u32 {
                if !matches!(self.next_of(lane, lives), Next::Receive) {
                    continue;
                }
                let defers = self.defers(lane, lives);
                let candidates = self.candidates(&self.whole(), lane, defers, lives);
                if let Some((first, others)) = candidates.split_first() {
                    let at = self.add_receive(lane, *first, defers);
                    let others = others.iter().map(|from| Edit::Receive { at, from: *from });
                    edits.extend(others);
                    continue 'next;
                }
            }
            // Who was replied to, or created, after its turn has one now.
            let quiet = (0..self.lanes.len() as u32)
                .all(|lane| matches!(self.next_of(lane, lives), Next::Receive | Next::Nothing));
            if quiet {
                return Extended::Complete;
            }
        }
    }

    /// Adds what an operation does before it needs an event; `false` where that is not known.
    fn go_on(&mut self, lane: u32, lives: &Lives, edits: &mut Vec<Edit>) -> bool {
        loop {
            match self.next_of(lane, lives) {
                Next::Receive | Next::Nothing => return true,
                Next::Unknown => return false,
                Next::Deed(done, gift) => self.add_deed(lane, done, gift, lives, edits),
                Next::Shown(onlookers) => {
                    let index = self.lanes[lane as usize].labels.len() as u32 - 1;
                    self.put(Place { lane, index }, None, onlookers, lives, edits);
                }
                Next::Touch(touch) => {
                    let history = self.lanes[lane as usize].history();
                    let clock = self.clock_of(lane);
                    let access = self.push(lane, Act::Access(touch), history, clock);
                    let world = self.lane_or_new(WORLD);
                    self.put(access, Some(world), Onlookers::default(), lives, edits);
                }
                Next::Synced(by) => {
                    let history = self.lanes[lane as usize].history();
                    let history = world::synced(history, self.label(by).history);
                    self.add_input(lane, Act::Synced { by }, history, Some(by));
                }
                Next::Start => {
                    let history = self.lanes[lane as usize].history();
                    self.add_input(lane, Act::Start, lives::started(history), None);
                }
                Next::Resume(from) => {
                    self.lane_mut(lane).reply = None;
                    let history = self.lanes[lane as usize].history();
                    let history = lives::given(history, self.gift(from));
                    self.add_input(lane, Act::Resume { from }, history, Some(from));
                }
                Next::Answer(of) => {
                    let at = self.add_answer(lane, 0);
                    edits.extend((1..of).map(|answer| Edit::Answer { at, answer }));
                }
            }
        }
    }

    /// Finds what an operation does next, where that is known.
    fn look_up(&mut self, lane: u32, lives: &Lives) {
        let found = &self.lanes[lane as usize];
        if found.stretch.is_some_and(|id| lives.has(id)) {
            return;
        }
        let id = lives.find(self.history(lane));
        if id != found.stretch {
            self.lane_mut(lane).stretch = id;
        }
    }

    /// Which events it puts off now.
    fn defers(&self, lane: u32, lives: &Lives) -> Deferred {
        let stretch = self.lanes[lane as usize].stretch(lives);
        stretch.map_or_else(Deferred::default, |stretch| stretch.defers)
    }

    fn next_of(&mut self, lane: u32, lives: &Lives) -> Next {
        let found = &self.lanes[lane as usize];
        if !found.is_born {
            return Next::Nothing;
        }
        if lives::is_onlooker(found.path) {
            return Next::Receive;
        }
        if found.path == WORLD {
            return self.next_of_world(lane, lives);
        }
        if let Some(Label {
            act: Act::Access(_),
            inbox: Some((world, by)),
            ..
        }) = found.labels.last()
        {
            let (lane, index) = (*world, *by);
            return match index {
                NOWHERE => Next::Nothing,
                index => Next::Synced(Place { lane, index }),
            };
        }
        self.look_up(lane, lives);
        let found = &self.lanes[lane as usize];
        let Some(id) = found.stretch else {
            return Next::Unknown;
        };
        let stretch = lives.after(id);
        let onlookers = stretch.onlookers;
        if found.done == 0
            && !onlookers.is_empty()
            && let Some(label) = found.labels.last()
            && label.seen_in.is_empty()
            && label.noted.is_empty()
        {
            return Next::Shown(onlookers);
        }
        if let Some(deed) = stretch.deeds.get(found.done) {
            return Next::Deed(*deed, lives::gift(found.history(), found.done));
        }
        match stretch.need {
            Need::Start => Next::Start,
            Need::Event | Need::Rest => Next::Receive,
            Need::Reply => found.reply.map_or(Next::Nothing, Next::Resume),
            Need::Answer(of) => Next::Answer(of),
            Need::World(touch) => Next::Touch(touch),
            Need::Nothing | Need::Failure => Next::Nothing,
        }
    }

    /// What the world does next. Whose access it takes depends on what it was told.
    fn next_of_world(&mut self, world: u32, lives: &Lives) -> Next {
        if self.world_fails(world, lives) {
            return Next::Nothing;
        }
        self.look_up(world, lives);
        let found = &self.lanes[world as usize];
        let is_gated = |access: &Place| match self.label(*access) {
            Label {
                act: Act::Access(touch),
                inbox: Some((_, NOWHERE)),
                ..
            } => touch.is_gated(),
            _ => false,
        };
        if found.stretch.is_none() && found.sends.iter().any(is_gated) {
            return Next::Unknown;
        }
        Next::Receive
    }

    /// What a label gives to others.
    pub(super) fn gift(&self, from: Place) -> u64 {
        let lane = &self.lanes[from.lane as usize];
        match self.label(from).act {
            act if act.is_input() => return lives::shown(self.label(from).history),
            Act::Access(_) => return world::told(self.label(from).history),
            _ => {}
        }
        let before = lane.labels[..from.index as usize].iter().rev();
        let number = before.take_while(|label| !label.act.is_input()).count();
        lives::gift(self.label(from).history, number)
    }

    fn push(&mut self, lane: u32, act: Act, history: u64, clock: Arc<[u32]>) -> Place {
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        let labels = &mut self.lane_mut(lane).labels;
        let index = labels.len() as u32;
        labels.push(Label {
            act,
            stamp,
            history,
            clock,
            inbox: None,
            seen_in: Vec::new(),
            noted: Onlookers::default(),
        });
        Place { lane, index }
    }

    /// What comes before the next label of a lane.
    fn clock_of(&self, lane: u32) -> Arc<[u32]> {
        let found = &self.lanes[lane as usize];
        match (found.labels.last(), found.parent) {
            (Some(last), _) => last.clock.clone(),
            (None, Some(parent)) => self.joined(&[], parent),
            (None, None) => Arc::default(),
        }
    }

    /// A clock, and what a label needs, with that label.
    fn joined(&self, clock: &[u32], with: Place) -> Arc<[u32]> {
        let mut joined = vec![0; self.lanes.len()];
        joined[..clock.len()].copy_from_slice(clock);
        self.add_needed(&mut joined, with, 1);
        joined.into()
    }

    fn add_input(&mut self, lane: u32, act: Act, history: u64, from: Option<Place>) -> Place {
        let mut clock = self.clock_of(lane);
        if let Some(from) = from {
            clock = self.joined(&clock, from);
        }
        let place = self.push(lane, act, history, clock);
        let lane = self.lane_mut(lane);
        (lane.stretch, lane.done) = (None, 0);
        place
    }

    pub(super) fn add_answer(&mut self, lane: u32, answer: u32) -> Place {
        let history = self.lanes[lane as usize].history();
        let history = lives::answered(history, answer);
        self.add_input(lane, Act::Answer(answer), history, None)
    }

    /// Has an operation take an event.
    pub(super) fn add_receive(&mut self, lane: u32, from: Place, defers: Deferred) -> Place {
        let history = lives::given(self.history(lane), self.gift(from));
        let nth = self.lanes[lane as usize].receives.len() as u32;
        let done = self.done_with(lane);
        let place = self.add_input(lane, Act::Receive { from, nth }, history, Some(from));
        if let Some(done) = done {
            // A step is taken as a whole: the world takes the next access when that is over.
            let clock = self.joined(&self.label(place).clock, done);
            self.lane_mut(lane).labels[place.index as usize].clock = clock;
        }
        self.lane_mut(lane).note_receive(place.index, defers);
        self.set_taken(from, lane, place.index);
        place
    }

    /// With what the step ends whose access the world has taken last.
    fn done_with(&self, world: u32) -> Option<Place> {
        let found = &self.lanes[world as usize];
        if found.path != WORLD {
            return None;
        }
        let last = found.receives.len().checked_sub(1)?;
        let Place { lane, index } = found.taken(last)?;
        let labels = &self.lanes[lane as usize];
        let (_, to) = labels.step(index, labels.labels.len() as u32);
        let index = to - 1;
        Some(Place { lane, index })
    }

    fn set_taken(&mut self, what: Place, lane: u32, by: u32) {
        let label = &mut self.lane_mut(what.lane).labels[what.index as usize];
        for (_, taken_by) in label.inboxes_mut().filter(|(to, _)| *to == lane) {
            *taken_by = by;
        }
    }

    /// Something goes into an inbox, or none, and onlookers see it.
    fn put(
        &mut self,
        what: Place,
        to: Option<u32>,
        onlookers: Onlookers,
        lives: &Lives,
        edits: &mut Vec<Edit>,
    ) {
        let free = lives.free(onlookers);
        let seen_in: Vec<u32> = onlookers
            .but(free)
            .iter()
            .map(|number| self.lane_or_new(lives::onlooker(number)))
            .collect();
        let label = &mut self.lane_mut(what.lane).labels[what.index as usize];
        label.inbox = to.map(|to| (to, NOWHERE)).or(label.inbox);
        label.noted = free;
        label
            .seen_in
            .extend(seen_in.iter().map(|to| (*to, NOWHERE)));
        // What comes before it in one of them counts for the others.
        for to in to.iter().chain(&seen_in) {
            self.lane_mut(*to).sends.push(what);
        }
        for to in to.iter().chain(&seen_in) {
            self.find_revisits(*to, what, lives, edits);
        }
    }

    /// The lane of an onlooker, or of the world.
    fn lane_or_new(&mut self, path: u64) -> u32 {
        if let Some(lane) = self.lane_of(path) {
            return lane;
        }
        let lane = Lane::new(path, None, lives::born(path, 0));
        self.lanes.push(Arc::new(lane));
        self.lanes.len() as u32 - 1
    }

    /// Has an operation take another event at its last label.
    pub(super) fn retake(&mut self, at: Place, from: Place) {
        let found = self.lane_mut(at.lane);
        found.receives.pop();
        let nth = found.receives.len();
        let defers = found.deferred_at(nth);
        found.deferred.truncate(nth);
        let label = found.labels.pop();
        let Some(Label {
            act,
            stamp,
            seen_in,
            ..
        }) = label
        else {
            return;
        };
        for (onlooker, _) in seen_in {
            let sends = &mut self.lane_mut(onlooker).sends;
            sends.retain(|place| *place != at);
        }
        if let Act::Receive { from: before, .. } = act
            && self.has(before)
        {
            self.set_taken(before, at.lane, NOWHERE);
        }
        let place = self.add_receive(at.lane, from, defers);
        self.next_stamp -= 1;
        self.lane_mut(place.lane).labels[place.index as usize].stamp = stamp;
    }

    fn has(&self, place: Place) -> bool {
        let lane = &self.lanes[place.lane as usize];
        (place.index as usize) < lane.labels.len()
    }

    fn add_deed(&mut self, lane: u32, done: Done, gift: u64, lives: &Lives, edits: &mut Vec<Edit>) {
        let Done { deed, onlookers } = done;
        let history = self.lanes[lane as usize].history();
        let clock = self.clock_of(lane);
        self.lane_mut(lane).done += 1;
        let mut inbox = None;
        match deed {
            Deed::Halt => {
                self.push(lane, Act::Halt, history, clock);
            }
            Deed::Tell => {
                self.push(lane, Act::Tell, history, clock);
            }
            Deed::Cancel { timer } => {
                let Some(timer) = self.lane_of(timer) else {
                    return;
                };
                let at = self.push(lane, Act::Cancel { timer }, history, clock);
                self.lane_mut(lane).cancels.push((at.index, timer));
            }
            // The world says so itself.
            Deed::Open { .. } => {}
            Deed::Spawn { child } | Deed::Arm { timer: child } => {
                let act = match deed {
                    Deed::Arm { .. } => Act::Arm,
                    _ => Act::Spawn,
                };
                let parent = self.push(lane, act, history, clock);
                let born = Lane::new(child, Some(parent), lives::born(child, gift));
                match self.lane_of(child) {
                    Some(known) => self.lane_mut(known).revive(born),
                    None => self.lanes.push(Arc::new(born)),
                }
            }
            Deed::Reply { to } => {
                let Some(to) = self.lane_of(to) else { return };
                let from = self.push(lane, Act::Reply { to }, history, clock);
                self.lane_mut(to).reply = Some(from);
            }
            Deed::Send { to, message, event } => {
                let Some(to) = self.lane_of(to) else { return };
                self.push(lane, Act::Send { message, event }, history, clock);
                inbox = Some(to);
            }
        }
        if inbox.is_some() || !onlookers.is_empty() {
            let index = self.lanes[lane as usize].labels.len() as u32 - 1;
            self.put(Place { lane, index }, inbox, onlookers, lives, edits);
        }
    }

    /// The lane of an operation.
    pub(super) fn lane_of(&self, path: u64) -> Option<u32> {
        let found = self.lanes.iter().position(|lane| lane.path == path);
        found.map(|lane| lane as u32)
    }
}
