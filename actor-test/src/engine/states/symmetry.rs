//! Canonical forms of states up to symmetry among interchangeable actors, by colour refinement: [`Symmetry`].
//!
//! For the fingerprint of a state, its interchangeable actors get [other names](with_renaming): each its rank
//! among the actors of its type. The ranks follow from an actor's state and from the parts that mention the
//! actor, refined until no class splits, as in the colour refinement of graphs. If a class still has several
//! actors, all their orders are tried, and the least fingerprint is taken. So the names are one of the
//! possible assignments, and two states with the same fingerprint differ in nothing else.

use std::any::TypeId;
use std::collections::BTreeMap;

use actor_core::Fingerprinter;
use actor_core::seam::with_renaming;

use crate::engine::states::fingerprint::{EngineView, Scratch};
use crate::engine::world::effect::Effect;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;

/// The maximum number of orders that are tried for actors in the same classes.
const ORDERS_MAX: usize = 24;

/// Computes fingerprints of states up to symmetry.
#[derive(Default)]
pub(crate) struct Symmetry {
    /// For each type that was asked, true if its actors are interchangeable.
    types: BTreeMap<TypeId, bool>,
    /// The interchangeable actors, also those that are gone.
    members: Vec<SymmetricActor>,
    names: Vec<Option<u64>>,
    scratch: Scratch,
}

#[derive(Clone, Copy, Debug)]
struct SymmetricActor {
    operation: u32,
    /// The first actor of its type.
    of: u32,
    is_gone: bool,
    color: u64,
}

/// A part of a state: an operation, or everything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StatePart {
    Operation(u32),
    Rest,
}

impl Symmetry {
    /// Returns true if the actor is known to be interchangeable.
    pub(crate) fn has(&self, operation: u32) -> bool {
        let mut members = self.members.iter();
        members.any(|member| member.operation == operation)
    }

    /// Returns the fingerprint of a state up to symmetry; `None` if no actor is interchangeable, or if
    /// something refers to actors by numbers that can't be renamed.
    pub(crate) fn print(&mut self, view: &EngineView<'_>) -> Option<u128> {
        if !self.find_members(view) || !is_plain(&view.shared.state.borrow()) {
            return None;
        }
        if !view.shared.scripts.borrow().is_empty() {
            return None;
        }
        let live = view.shared.state.borrow().operations.count();
        self.scratch.uses_history = false;
        self.scratch.across = true;
        for member in &mut self.members {
            member.color = mix(u64::from(member.of), member.is_gone.into());
        }
        self.name_by_color(live);
        let all = (0..live).map(StatePart::Operation).chain([StatePart::Rest]);
        let (mut others, mut mentioning) = (0_u128, Vec::new());
        for part in all {
            let (print, has_met) = self.fingerprint_part(view, part);
            match has_met {
                true => mentioning.push(part),
                false => others = others.wrapping_add(print),
            }
        }
        self.refine(view, &mentioning);
        let key =
            |member: &SymmetricActor| (member.of, member.is_gone, member.color, member.operation);
        self.members.sort_unstable_by_key(key);
        let print = self.least(view, &mentioning);
        (!self.scratch.uses_history).then(|| {
            let mut to = Fingerprinter::new();
            std::hash::Hasher::write_u128(&mut to, others);
            std::hash::Hasher::write_u128(&mut to, print);
            to.value()
        })
    }

    /// Finds the interchangeable actors; returns `false` if there are none.
    fn find_members(&mut self, view: &EngineView<'_>) -> bool {
        self.members.clear();
        let mut firsts: Vec<(TypeId, u32)> = Vec::new();
        let live = view.shared.state.borrow().operations.count();
        for operation in 0..live {
            let (type_id, is_gone) = {
                let state = view.shared.state.borrow();
                let found = &state.operations[operation];
                let OperationRole::Actor(number) = found.kind else {
                    continue;
                };
                (
                    state.operations.types.type_id(number),
                    found.stage == OperationStage::Gone,
                )
            };
            let known = self.types.get(&type_id).copied();
            let is_member = known.or_else(|| {
                let said = is_interchangeable(view, operation, type_id)?;
                self.types.insert(type_id, said);
                Some(said)
            });
            if is_member != Some(true) {
                continue;
            }
            let first = firsts.iter().find(|(of, _)| *of == type_id);
            let of = first.map_or(operation, |(_, first)| *first);
            if first.is_none() {
                firsts.push((type_id, operation));
            }
            self.members.push(SymmetricActor {
                operation,
                of,
                is_gone,
                color: 0,
            });
        }
        !self.members.is_empty()
    }

    /// Refines the partition of interchangeable actors until no class splits (colour refinement).
    fn refine(&mut self, view: &EngineView<'_>, mentioning: &[StatePart]) {
        let mut classes = self.classes();
        for _ in 0..self.members.len() {
            let colors: Vec<u64> = (0..self.members.len())
                .map(|at| {
                    let SymmetricActor {
                        operation, color, ..
                    } = self.members[at];
                    self.names[operation as usize] = Some(mix(color, SELF));
                    let sum = self.sum(view, mentioning);
                    self.names[operation as usize] = Some(color);
                    mix(mix(color, sum as u64), (sum >> 64) as u64)
                })
                .collect();
            for (member, color) in self.members.iter_mut().zip(colors) {
                member.color = color;
            }
            let live = self.names.len() as u32;
            self.name_by_color(live);
            let now = self.classes();
            if now == classes {
                return;
            }
            classes = now;
        }
    }

    fn classes(&self) -> usize {
        let mut colors: Vec<u64> = self.members.iter().map(|member| member.color).collect();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }

    fn name_by_color(&mut self, live: u32) {
        self.names.clear();
        self.names.resize(live as usize, None);
        for member in &self.members {
            self.names[member.operation as usize] = Some(member.color);
        }
    }

    /// Returns the least fingerprint over all orders within the classes; over one, if there are too many.
    fn least(&mut self, view: &EngineView<'_>, mentioning: &[StatePart]) -> u128 {
        let are_tied = |one: &SymmetricActor, other: &SymmetricActor| {
            (one.of, one.is_gone, one.color) == (other.of, other.is_gone, other.color)
        };
        let ties: Vec<usize> = self.members.chunk_by(are_tied).map(<[_]>::len).collect();
        let orders = ties.iter().try_fold(1_usize, |orders, tie| {
            let all = (2..=*tie).try_fold(1_usize, |all, next| all.checked_mul(next))?;
            orders.checked_mul(all)
        });
        let orders = orders.filter(|orders| *orders <= ORDERS_MAX).unwrap_or(1);
        let mut least = u128::MAX;
        for order in 0..orders {
            self.name_by_rank(&ties, order);
            least = least.min(self.sum(view, mentioning));
        }
        least
    }

    /// Names each actor by its rank; `order` numbers the orders within the classes.
    fn name_by_rank(&mut self, ties: &[usize], mut order: usize) {
        let mut from = 0;
        for tie in ties {
            let mut left: Vec<SymmetricActor> = self.members[from..from + tie].to_vec();
            for rank in from..from + tie {
                let member = left.remove(order % left.len());
                order /= left.len() + 1;
                let name = mix(mix(u64::from(member.of), RANK), rank as u64);
                self.names[member.operation as usize] = Some(name);
            }
            from += tie;
        }
    }

    fn sum(&mut self, view: &EngineView<'_>, parts: &[StatePart]) -> u128 {
        parts.iter().fold(0, |sum: u128, part| {
            sum.wrapping_add(self.fingerprint_part(view, *part).0)
        })
    }

    /// Returns the fingerprint of a part under the current names, and true if the part mentions one of them.
    fn fingerprint_part(&mut self, view: &EngineView<'_>, part: StatePart) -> (u128, bool) {
        let blind = self.scratch.uses_history;
        let scratch = &mut self.scratch;
        let seen = with_renaming(&self.names, || match part {
            StatePart::Operation(operation) => view.operation(operation, scratch),
            StatePart::Rest => {
                let (timers, others) = view.rest(scratch);
                timers.wrapping_mul(3).wrapping_add(others)
            }
        });
        self.scratch.uses_history |= blind;
        seen
    }
}

/// Marks of the actor whose colour is computed, and of ranks, among names.
const SELF: u64 = 0x5e1f_0000_0000_0001;
const RANK: u64 = 0x4a9c_0000_0000_0001;

/// Returns true if the type of an actor declares so; `None` while it can't be asked.
fn is_interchangeable(view: &EngineView<'_>, operation: u32, type_id: TypeId) -> Option<bool> {
    let parts = view.bodies.get(operation as usize)?.as_ref()?;
    let mut to = Fingerprinter::new();
    let valued = view.guarded(|| parts.body.fingerprint(&mut to))??;
    valued.then(|| to.interchangeable_type() == Some(type_id))
}

/// Returns true if all references to actors by number can be renamed.
fn is_plain(state: &ExecutionState) -> bool {
    state.relations.watches.open().next().is_none()
        && state.relations.links().pairs().next().is_none()
        // The system's own families count, too.
        && state.relations.families.iter().len() == 0
        && state.nodes.is_empty()
        && state.disks.all().is_empty()
        && state.objects.is_unused()
        && state.faults.budgets().is_none()
        && state.requests.capacity.are_free()
        && state.requests.asks.are_closed()
        && !state.timers.are_lent()
        && (0..state.operations.count()).all(|operation| is_plainly(state, operation))
}

fn is_plainly(state: &ExecutionState, index: u32) -> bool {
    let operation = &state.operations[index];
    let is_plain = |effect: &Effect| effect.facts(index, state).is_symmetric;
    operation.failure_source.is_none()
        && operation.trap.is_none()
        && operation.outbox.as_slice().iter().all(is_plain)
}
