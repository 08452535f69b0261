//! Names: actors are registered and looked up, and what is sent to a name goes to the actor that has it.

use actor_core::seam::{LookupError, NameTaken};
use actor_core::{ActorId, AskError, StopReason};

use crate::data::problem::Problem;
use crate::data::story::NameUsed;
use crate::engine::arena::NameAnswer;
use crate::engine::running::effects::Effects;
use crate::engine::running::executor::Executor;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::{Envelope, LetterOrigin};
use crate::engine::world::names::{FoundName, NameHolder, NameUseRecord};
use crate::engine::world::state::ExecutionState;
use crate::records::Record;

impl Effects<'_> {
    /// Directs an effect on a name to the actor that has the name now. An effect on a name of a node that
    /// boots is kept until the boot is over; the result is `None`.
    #[inline]
    pub(super) fn at_holder(&self, by: u32, effect: Effect) -> Option<Effect> {
        if !self.shared.has_names.get() {
            return Some(effect);
        }
        let to = target_of(&self.shared.state(), by, &effect);
        match to {
            Some(to) => self.at_holder_of(by, to, effect),
            None => Some(effect),
        }
    }

    #[inline(never)]
    fn at_holder_of(&self, by: u32, to: u32, effect: Effect) -> Option<Effect> {
        let mut state = self.shared.state();
        let Some(found) = state.find_named(to) else {
            return Some(effect);
        };
        state.record_name(to, matches!(effect, Effect::Send { .. }), found);
        match found {
            FoundName::Holder(holder) => {
                state.footprint.changes(holder.operation);
                drop(state);
                return Some(self.redirected(to, effect, holder.operation));
            }
            FoundName::Booting => {
                state.names.wait(by, effect);
                self.shared.instrumented.set(true);
                let is_apart = state.nodes.nodes_if_different(by, to).is_some();
                drop(state);
                // An effect that comes over a link was shown when it left.
                if let (Effect::Send { letter, .. }, false) = (effect, is_apart) {
                    self.leaves(to, &letter);
                }
                return None;
            }
            FoundName::Down => state.operations[to].ending = StopReason::Disconnected,
            FoundName::Nobody | FoundName::OtherType(_) => {
                state.operations[to].ending = StopReason::Unregistered;
            }
        }
        if let FoundName::OtherType(of_type) = found {
            let found = LookupError::OtherType(state.operations.types[of_type].info.name);
            let problem = Problem::UnreceivedError {
                who: state.name(to),
                error: found.to_string(),
            };
            drop(state);
            self.shared.find(&problem, None);
        }
        Some(effect)
    }

    /// Returns the effect on a name as one on an actor.
    fn redirected(&self, name: u32, effect: Effect, holder: u32) -> Effect {
        let mut state = self.shared.state();
        match effect {
            Effect::Send { letter, .. } => {
                if let LetterOrigin::Operation(asker) = letter.sender.sender() {
                    let asks = &mut state.requests.asks;
                    asks.retarget(asker, letter.key, holder);
                }
                drop(state);
                Effect::Send {
                    to: holder,
                    letter: self.move_letter(name, letter, holder),
                }
            }
            Effect::Watch { watch } => {
                let state = &mut *state;
                let key = state.operations[holder].key;
                state.relations.watches.retarget(watch, holder, key);
                if let Some(ask) = state.relations.watches[watch].ask {
                    state.requests.asks.add_outcome(ask, key);
                }
                effect
            }
            Effect::RequestCapacity(question) => {
                state.requests.capacity.retarget(question, holder);
                effect
            }
            Effect::Arm { timer, .. } => {
                state.timers.retarget(timer, holder);
                effect
            }
            Effect::Stop { at_once, .. } => Effect::Stop {
                to: holder,
                at_once,
            },
            Effect::Link { .. } => Effect::Link { other: holder },
            Effect::Unlink { .. } => Effect::Unlink { other: holder },
            Effect::Unwatch { before, .. } => Effect::Unwatch {
                target: holder,
                before,
            },
            effect => effect,
        }
    }

    /// Moves the event of a letter from the mail of a name to that of an actor of the same type.
    fn move_letter(&self, name: u32, letter: Envelope, holder: u32) -> Envelope {
        let arena = self.shared.arena();
        let mails = arena.mail(name).cloned().zip(arena.mail(holder).cloned());
        drop(arena);
        match mails {
            Some((from, to)) => Envelope {
                slot: to.move_from(&*from, letter.slot),
                ..letter
            },
            None => letter,
        }
    }

    /// Carries out a use of the registry of names.
    pub(super) fn use_name(&self, by: u32, name_use: u32) {
        let record = self.shared.state().names.name_use(name_use).clone();
        match record {
            NameUseRecord::Register { name, actor, ask } => {
                let outcome = self.register(by, &name, actor, name_use);
                self.answer_registration(by, name_use, ask, outcome);
            }
            NameUseRecord::Unregister { name } => {
                let removed = self.shared.state().set_holder(by, &name, None);
                let removed = removed.ok().flatten();
                let holder = removed.map(|removed| removed.operation);
                self.record_use(NameUsed::Unregisters, &name, holder, None);
                self.drop_entry(removed.map(|removed| removed.entry));
            }
            NameUseRecord::Lookup { ask } => self.look_up(by, name_use, ask),
        }
    }

    fn register(&self, by: u32, name: &str, actor: u32, name_use: u32) -> Result<(), NameTaken> {
        let holder = NameHolder {
            operation: actor,
            entry: name_use,
        };
        let before = self.shared.state().set_holder(by, name, Some(holder));
        match before {
            // The same actor may have had the name before, or one that has stopped.
            Ok(before) => {
                self.record_use(NameUsed::Registers, name, Some(actor), None);
                self.drop_entry(before.map(|before| before.entry));
                Ok(())
            }
            Err(held) => {
                let held = self
                    .shared
                    .arena()
                    .name_entry(held.entry)
                    .map(|held| held.actor);
                let Some(held) = held.map(ActorId::controlled) else {
                    return Ok(());
                };
                let taken = NameTaken::by(name, held, format!("{held:?}"));
                let error = taken.to_string();
                self.record_use(NameUsed::Registers, name, None, Some(error));
                self.drop_entry(Some(name_use));
                Err(taken)
            }
        }
    }

    fn record_use(&self, how: NameUsed, name: &str, holder: Option<u32>, error: Option<String>) {
        self.shared.record(|| Record::NameUsed {
            how,
            name: name.into(),
            holder,
            error,
        });
    }

    /// Answers a registration; without an ask, a failure is a bug.
    fn answer_registration(
        &self,
        by: u32,
        name_use: u32,
        ask: Option<u32>,
        outcome: Result<(), NameTaken>,
    ) {
        let answer = self.shared.arena().take_name_answer(name_use);
        match (answer, ask, outcome) {
            (Some(NameAnswer::Registered(put)), Some(ask), outcome) => {
                {
                    let asks = &mut self.shared.state().requests.asks;
                    asks.add_outcome(ask, outcome.is_ok().into());
                }
                put(outcome);
                self.bring_reply(ask, None);
            }
            (_, None, Err(taken)) => {
                let who = self.shared.state().name(by);
                let error = taken.to_string();
                self.shared
                    .find(&Problem::UnreceivedError { who, error }, None);
            }
            _ => {}
        }
    }

    /// Looks up the name that an ask is about, and answers the ask.
    fn look_up(&self, by: u32, name_use: u32, ask: u32) {
        let name = self.shared.state().requests.asks[ask].target;
        let Some(found) = self.shared.state().find_named(name) else {
            return;
        };
        self.shared.state().footprint.use_name();
        let found = match found {
            FoundName::Booting => {
                let mut state = self.shared.state();
                let with_spawn = false;
                let lookup = Effect::Name {
                    name_use,
                    with_spawn,
                };
                state.names.wait(by, lookup);
                self.shared.instrumented.set(true);
                let full_name = state.name(name);
                drop(state);
                let waits = "its node boots".to_owned();
                self.record_use(NameUsed::LooksUp, &full_name, None, Some(waits));
                return;
            }
            FoundName::Holder(holder) => Ok(holder),
            FoundName::Down => Err(LookupError::Unreachable),
            FoundName::Nobody | FoundName::OtherType(_) => Err(unknown(&self.shared.state(), name)),
        };
        let full_name = self.shared.state().name(name);
        let error = found.as_ref().err().map(LookupError::to_string);
        let holder = found.as_ref().ok().map(|holder| holder.operation);
        {
            let state = &mut *self.shared.state();
            let outcome = holder.map_or(0, |holder| state.operations[holder].key);
            state.requests.asks.add_outcome(ask, outcome);
        }
        self.record_use(NameUsed::LooksUp, &full_name, holder, error);
        let (entry, answer) = {
            let mut arena = self.shared.arena();
            let entry = found.map(|holder| {
                let entry = arena.name_entry(holder.entry)?;
                Some(entry.reference.clone())
            });
            (entry, arena.take_name_answer(name_use))
        };
        if let Some(NameAnswer::Found(put)) = answer {
            put(entry.and_then(|entry| entry.ok_or(LookupError::Unknown)));
        }
        self.bring_answer(ask);
    }

    /// Brings the answer of a look-up to the asker, over the link if the name is on another node.
    fn bring_answer(&self, ask: u32) {
        let (name, apart) = {
            let state = self.shared.state();
            let ask = &state.requests.asks[ask];
            let apart = state.nodes.nodes_if_different(ask.target, ask.asker);
            (ask.target, apart)
        };
        match apart {
            Some(nodes) => self.shared.network().load_reply(name, nodes, ask, None),
            None => self.bring_reply(ask, None),
        }
    }

    /// Drops the entry of a use, whose reference may be the last one to its actor.
    fn drop_entry(&self, name_use: Option<u32>) {
        let entry = name_use.and_then(|name_use| self.shared.arena().take_name_entry(name_use));
        if let Some(entry) = entry {
            self.dropping(AskError::Dropped, || drop(entry));
        }
    }

    /// Drops a use of an operation that has crashed.
    pub(super) fn forget_name_use(&self, name_use: u32) {
        self.drop_entry(Some(name_use));
        let answer = self.shared.arena().take_name_answer(name_use);
        self.dropping(AskError::Dropped, || drop(answer));
    }

    /// Removes the names of a node's last incarnation, which has crashed.
    pub(in crate::engine::running) fn drop_names(&self, node: u32) {
        let holders = {
            let mut state = self.shared.state();
            let life = state.nodes.life(node);
            state.names.end_incarnation(life)
        };
        for holder in holders {
            self.drop_entry(Some(holder.entry));
        }
    }
}

impl Executor {
    /// Carries out what has waited for the end of a node's boot, if one is over.
    pub(in crate::engine::running) fn deliver_waiting(&mut self) {
        let is_due = {
            let state = self.shared.state();
            state.names.waiting().iter().any(|(by, effect)| {
                let name = match *effect {
                    Effect::Name { name_use, .. } => {
                        state.names.target_of_lookup(name_use, &state.requests.asks)
                    }
                    effect => target_of(&state, *by, &effect),
                };
                name.and_then(|name| state.find_named(name)) != Some(FoundName::Booting)
            })
        };
        if !is_due {
            return;
        }
        let waiting = self.shared.state().names.take_waiting();
        for (by, effect) in waiting {
            match effect {
                Effect::Send { to, letter } => _ = self.shared.network().arrive(by, to, letter),
                effect => {
                    self.carry_out(by, effect);
                    // A watcher of nobody gets a notice into its outbox.
                    let state = &mut *self.shared.state();
                    state.footprint.changes(by);
                    state.refresh(by);
                }
            }
        }
    }
}

/// Returns the error of a look-up that finds nobody.
fn unknown(state: &ExecutionState, name: u32) -> LookupError {
    let reference = state.names.reference(name);
    match reference.and_then(|reference| reference.unknown_node(&state.nodes)) {
        Some(node) => LookupError::UnknownNode {
            node: node.into(),
            known: state.nodes.names(),
        },
        None => LookupError::Unknown,
    }
}

/// Returns the operation that an effect of `by` is on, if it may be a name whose holder the effect is for.
fn target_of(state: &ExecutionState, by: u32, effect: &Effect) -> Option<u32> {
    match *effect {
        Effect::Send { to, .. } | Effect::Stop { to, .. } => Some(to),
        Effect::Watch { watch } => Some(state.relations.watches[watch].target),
        Effect::Unwatch { target, .. } => Some(target),
        Effect::Arm { timer, .. } => Some(state.timers[timer].owner),
        Effect::Link { other } | Effect::Unlink { other } => Some(other),
        Effect::RequestCapacity(question) => {
            let target = state.requests.capacity[question].target;
            // A message to another node needs no permit.
            let is_apart = state.nodes.nodes_if_different(by, target).is_some();
            (!is_apart).then_some(target)
        }
        _ => None,
    }
}
