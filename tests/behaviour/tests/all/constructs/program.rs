//! A random program, and the results of a search of it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_core::{task, thread};
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};
use behaviour::automata::Dice;

use super::actors::{Player, play};
use super::kit::{Common, Ends, Kit, Row, Seen, Services, Things};
use super::rules::{By, Rule, ScriptedAction, all};

/// A participant.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) by: By,
    pub(crate) actions: Vec<ScriptedAction>,
}

impl Part {
    /// Returns true if the participant uses a public item whose path begins with this.
    pub(crate) fn makes(&self, what: &str) -> bool {
        let mut made = self.actions.iter().flat_map(|action| action.rule.makes);
        made.any(|path| {
            path.strip_prefix(what)
                .is_some_and(|rest| rest.starts_with("::"))
        })
    }
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The name of the rule that this program is for.
    pub(crate) lead: &'static str,
    pub(crate) parts: Vec<Part>,
    /// True if the mailbox of the server has a capacity of one event.
    pub(crate) is_bounded: bool,
    /// True if actors that fail are restarted.
    pub(crate) is_supervised: bool,
    /// True if all sends of a handler take effect in one step.
    pub(crate) is_atomic: bool,
    /// True if calls may fail, and waits may end spuriously.
    pub(crate) has_faults: bool,
}

fn one_of<T: Copy>(dice: &mut Dice, all: &[T]) -> T {
    all[dice.roll(all.len())]
}

fn action(dice: &mut Dice, rule: &'static Rule) -> ScriptedAction {
    let to = dice.roll(4) as u64;
    ScriptedAction { rule, to }
}

/// Groups of topics whose rules may interact.
const RELATED_TOPICS: &[&[&str]] = &[
    &["references", "asks", "kept", "flow", "lives", "children"],
    &["references", "timers", "pipes", "flow"],
    &["references", "asks", "kept", "choices"],
    &["names", "lives", "children"],
    &["ends", "references", "lives", "asks"],
    &["kept", "locks", "notify", "oneshots", "permits"],
    &["barriers", "cells", "locks"],
    &["timers", "lives", "asks"],
    &["time", "selects", "kept", "notify", "asks"],
    &["time", "timers"],
    &[
        "atomics",
        "blocking locks",
        "condvars",
        "once",
        "race cells",
    ],
    &["atomics", "tasks", "task sets", "threads", "locals"],
    &["blocking channels", "threads", "atomics"],
    &["tasks", "notify", "kept", "references"],
    &["condvars", "once", "threads"],
    &["groups", "references", "lives"],
    &["pools", "kept", "lives"],
    &["probes", "kept", "references"],
    &["proxies", "names", "kept"],
    &["watching", "references", "lives", "timers"],
    &["disks", "journals"],
    &["nodes", "links"],
];

/// Returns the rules that may interact with those of a topic.
fn related_rules(room: &str) -> Vec<&'static Rule> {
    let kin = RELATED_TOPICS.iter().filter(|rooms| rooms.contains(&room));
    let rooms: Vec<&str> = kin.flat_map(|rooms| rooms.iter().copied()).collect();
    all()
        .filter(|rule| rule.topic == room || rooms.contains(&rule.topic))
        .collect()
}

impl Program {
    /// Returns the program with that number; successive programs are for successive rules.
    pub(crate) fn random(number: u64) -> Self {
        let mut dice = Dice::salted(number, 0xc0de);
        let rules: Vec<&Rule> = all().collect();
        let lead = rules[number as usize % rules.len()];
        let kin = related_rules(lead.topic);
        let own: Vec<&Rule> = kin
            .iter()
            .filter(|rule| rule.topic == lead.topic)
            .copied()
            .collect();
        let mut parts: Vec<Part> = Vec::new();
        for index in 0..2 + usize::from(dice.roll(4) == 0) {
            let has_body = parts.iter().any(|part| part.by == By::Body);
            let allows = |rule: &&&Rule| index == 0 || !has_body || rule.by != [By::Body];
            let choice = match dice.roll(3) {
                0 => &kin,
                _ => &own,
            };
            let possible: Vec<&Rule> = choice.iter().filter(allows).copied().collect();
            let first = match (index, possible.is_empty()) {
                (0, _) => lead,
                (_, true) => rules[0],
                _ => one_of(&mut dice, &possible),
            };
            let who: Vec<By> = first
                .by
                .iter()
                .filter(|by| **by != By::Body || !has_body)
                .copied()
                .collect();
            let by = one_of(&mut dice, &who);
            let mut actions = vec![action(&mut dice, first)];
            for _ in 0..dice.roll(3) {
                let from = match dice.roll(3) {
                    0 => &kin,
                    _ => &own,
                };
                let rule = one_of(&mut dice, from);
                if rule.by.contains(&by) {
                    let added = action(&mut dice, rule);
                    actions.insert(dice.roll(actions.len() + 1), added);
                }
            }
            parts.push(Part { by, actions });
        }
        // Actors come first, so that their numbers equal those of the participants.
        parts.sort_by_key(|part| part.by);
        Self {
            lead: lead.name,
            parts,
            is_bounded: dice.roll(5) == 0,
            is_supervised: dice.roll(2) == 0,
            is_atomic: dice.roll(12) == 0,
            has_faults: dice.roll(6) == 0,
        }
    }

    /// Returns the program in which two participants, or the body alone, act by the rules of these names.
    pub(crate) fn of(names: &'static str) -> Self {
        let rule = |name| all().find(|rule| rule.name == name);
        let rules: Vec<&Rule> = names.split(' ').filter_map(rule).collect();
        assert_eq!(rules.len(), names.split(' ').count(), "{names}");
        let by = rules[0].by[0];
        let part = |to| Part {
            by,
            actions: rules
                .iter()
                .map(|rule| ScriptedAction { rule, to })
                .collect(),
        };
        let count = if by == By::Body { 1 } else { 2 };
        Self {
            lead: names,
            parts: (0..count).map(part).collect(),
            is_bounded: false,
            is_supervised: false,
            is_atomic: false,
            has_faults: false,
        }
    }

    /// Returns the rules of all actions.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let actions = self.parts.iter().flat_map(|part| &part.actions);
        actions.map(|action| action.rule)
    }

    /// Returns true if the program uses one or two nodes.
    pub(crate) fn is_on_nodes(&self) -> bool {
        self.rules()
            .any(|rule| matches!(rule.topic, "nodes" | "links"))
    }

    /// Returns true if all participants are on nodes.
    fn is_on_nodes_alone(&self) -> bool {
        self.rules()
            .all(|rule| matches!(rule.topic, "nodes" | "links"))
    }

    /// Returns the program with one action less, or a simpler one; `None` if it can't be shortened.
    pub(crate) fn shorter(&self) -> Option<Self> {
        let mut shorter = self.clone();
        let parts = &mut shorter.parts;
        let longest = parts
            .iter_mut()
            .rev()
            .max_by_key(|part| part.actions.len())?;
        if longest.actions.len() > 1 {
            let is_other = |action: &ScriptedAction| action.rule.name != self.lead;
            let at = longest.actions.iter().rposition(is_other).unwrap_or(0);
            longest.actions.remove(at);
            return Some(shorter);
        }
        let is_other = |part: &Part| part.actions[0].rule.name != self.lead;
        let at = parts.iter().rposition(is_other).unwrap_or(parts.len() - 1);
        let tell = all().next().expect("there are rules");
        match parts.len() {
            1 => return None,
            2 if parts[at].actions[0].rule.name != tell.name => {
                let actions = vec![ScriptedAction { rule: tell, to: 0 }];
                parts[at] = Part {
                    by: By::Actor,
                    actions,
                };
                parts.sort_by_key(|part| part.by);
            }
            _ => drop(parts.remove(at)),
        }
        Some(shorter)
    }

    /// The test body of the program.
    pub(crate) async fn run(self, sys: System, seen: Arc<Mutex<Seen>>) {
        let count = self.parts.len();
        let mailbox = match self.is_bounded {
            true => Mailbox::bounded(1),
            false => Mailbox::default(),
        };
        let server = (!self.is_on_nodes_alone()).then(|| {
            let server = Player::new(Kit::new(Row::new(count, &seen), None), Vec::new(), 0);
            sys.spawner().mailbox(mailbox).spawn(server)
        });
        let common = Arc::new(Common {
            sys: sys.clone(),
            server,
            players: std::sync::OnceLock::new(),
            things: Things::new(),
            services: Services::new(&self, &sys, &seen),
        });
        let mut players = Vec::new();
        let mut others = Vec::new();
        let ends = Ends::deal(&self);
        for (number, (part, ends)) in self.parts.iter().zip(ends).enumerate() {
            let fresh = {
                let (common, seen) = (common.clone(), seen.clone());
                move || Kit::new(Row::new(number, &seen), Some(common.clone()))
            };
            let kit = Kit { ends, ..fresh() };
            let actions = part.actions.clone();
            if part.by != By::Actor {
                others.push((part.by, actions, kit));
            } else if self.is_supervised {
                let (mut first, mut lives) = (Some((kit, actions)), 0..);
                players.push(sys.spawn_with(move || {
                    let (kit, actions) = first.take().unwrap_or_else(|| (fresh(), Vec::new()));
                    Player::new(kit, actions, lives.next().unwrap_or_default())
                }));
            } else {
                players.push(sys.spawn(Player::new(kit, actions, 0)));
            }
        }
        _ = common.players.set(players);
        let mut own = None;
        for (by, actions, kit) in others {
            match by {
                By::Thread => drop(thread::spawn(move || task::block_on(play(actions, kit)))),
                By::Body => own = Some((actions, kit)),
                _ => drop(task::spawn(play(actions, kit))),
            }
        }
        if let Some((actions, kit)) = own {
            play(actions, kit).await;
        }
    }

    /// Explores the program with a search.
    pub(crate) fn explore(&self, strategy: &StrategySpec, executions: u64) -> (Found, Report) {
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let tester = self.tester(executions).strategy(strategy.clone());
        let report = tester.run(|sys| self.clone().run(sys, seen.clone()));
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panics here"));
        let bugs = report.bugs().iter().map(|bug| bug.kind()).collect();
        (Found { seen, bugs }, report)
    }

    /// Returns a tester with the settings of the program.
    pub(crate) fn tester(&self, executions: u64) -> Tester {
        let mut faults = FaultBudgets::none();
        if self.has_faults {
            faults = faults.with(FaultKind::Call, 1);
            faults = faults.with(FaultKind::Wake, 1).with(FaultKind::Disk, 1);
        }
        Tester::new()
            .iterations(executions)
            .check_every(0)
            .keep_going()
            .supervised(self.is_supervised)
            // Programs on nodes have many schedules, so their handlers are atomic.
            .atomic_handlers(self.is_atomic || self.is_on_nodes())
            .faults(faults)
    }
}

/// The results of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) seen: Seen,
    pub(crate) bugs: BTreeSet<BugKind>,
}
