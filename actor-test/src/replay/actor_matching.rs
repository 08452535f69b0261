//! Matches the actors of an edited program with those of a recording (tree alignment).
//!
//! An operation is identified by its path: its creator, and the number of operations that the creator made
//! before. If a program creates one more operation than before, all later ones get the paths of others. So
//! the children of each matched pair of operations are aligned as the lines of two texts are in a diff: in
//! order, with insertions and deletions. A given name weighs most in a match, then the initial values of the
//! fields.
//!
//! Often several alignments score equally: if five actors are identical and only four were recorded, their
//! values don't show which one is new. Their behaviour does, so a replay tries these alignments one after the
//! other.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::story::{Field, Operation, Story};
use crate::engine::{Aliases, BODY_KEY};
use crate::hash::mix;

/// The maximum number of pairs compared; beyond it, the n-th of a type matches the n-th.
const PAIRS_MAX: usize = 1 << 20;

/// The maximum number of an operation among its creator's children that can be recovered from its path.
const CHILDREN_MAX: u64 = 1 << 16;

/// A number mixed into a path to make a new, unique one.
const NEW: u64 = 0x6e_65_77;

/// The maximum number of alignments considered for the children of one operation.
const WAYS_MAX: usize = 32;

/// The index of the alignment to use, or the number of alignments, by the creator's current number.
pub(super) type Ways = BTreeMap<u32, usize>;

/// The result of matching the operations of two stories.
pub(super) struct ActorMatching {
    /// The recorded paths of the operations; empty if no path changed.
    pub(super) aliases: Aliases,
    /// The number of equally good alignments, for each creator that has several.
    pub(super) ways: Ways,
}

/// Matches the operations of the story `now` with the recorded ones, with the chosen alignments.
pub(super) fn match_actors(recorded: &Story, now: &Story, chosen: &Ways) -> ActorMatching {
    let mut likening = ActorMatcher {
        recorded,
        now,
        chosen,
        ways: Ways::new(),
        paths: BTreeMap::new(),
        aliases: BTreeMap::new(),
        differ: false,
    };
    likening.paths.insert(0, BODY_KEY);
    likening.compare();
    ActorMatching {
        aliases: match likening.differ {
            true => Aliases::new(likening.aliases),
            false => Aliases::default(),
        },
        ways: likening.ways,
    }
}

struct ActorMatcher<'a> {
    recorded: &'a Story,
    now: &'a Story,
    chosen: &'a Ways,
    ways: Ways,
    /// The new path of each operation in `now`.
    paths: BTreeMap<u32, u64>,
    /// The same paths, by the path that the operation would have otherwise.
    aliases: BTreeMap<u64, u64>,
    /// Set when an operation gets another path than its own.
    differ: bool,
}

impl ActorMatcher<'_> {
    /// Matches operations from the test body on, then the children of each match.
    fn compare(&mut self) {
        let (old, new) = (children(self.recorded), children(self.now));
        let nobody = Vec::new();
        let of = |all: &BTreeMap<u32, Vec<u32>>, creator: Option<u32>| -> Vec<u32> {
            let found = creator.and_then(|creator| all.get(&creator));
            found.unwrap_or(&nobody).clone()
        };
        let mut left = vec![(Some(0), 0)];
        while let Some((was, is)) = left.pop() {
            let (old, new) = (of(&old, was), of(&new, Some(is)));
            let mut ways = match old.len().saturating_mul(new.len()) > PAIRS_MAX {
                true => vec![by_number(self.recorded, self.now, &old, &new)],
                false => Alignment::of(self.recorded, self.now, &old, &new).ways(),
            };
            if ways.len() > 1 {
                self.ways.insert(is, ways.len());
            }
            let chosen = self.chosen.get(&is).copied().unwrap_or_default();
            let pairs = ways.swap_remove(chosen.min(ways.len() - 1));
            // Children are in the order of their numbers.
            let mut from = 1;
            for (place, is_child) in new.into_iter().enumerate() {
                let was_child = pairs.get(&place).map(|place| old[*place]);
                self.settle(was_child, is_child, is, &mut from);
                left.push((was_child, is_child));
            }
        }
    }

    fn settle(&mut self, was: Option<u32>, is: u32, creator: u32, from: &mut u64) {
        let operation = |story: &Story, number: u32| path(&story.operations[number as usize]);
        let Some(own) = operation(self.now, is) else {
            return;
        };
        let creator_was = match creator {
            0 => BODY_KEY,
            creator => operation(self.now, creator).unwrap_or_default(),
        };
        let creator_is = self.paths.get(&creator).copied().unwrap_or(creator_was);
        let number = (*from..=CHILDREN_MAX).find(|number| mix(creator_was, *number) == own);
        let Some(number) = number else {
            return;
        };
        *from = number + 1;
        let wanted = match was.and_then(|was| operation(self.recorded, was)) {
            Some(recorded) => recorded,
            None => mix(own, NEW),
        };
        self.differ |= was.is_some() && wanted != own;
        self.paths.insert(is, wanted);
        self.aliases.insert(mix(creator_is, number), wanted);
    }
}

fn path(operation: &Operation) -> Option<u64> {
    u64::from_str_radix(&operation.path, 16).ok()
}

/// Returns the children of each operation, in order. An entry whose creator would be younger is ignored.
fn children(story: &Story) -> BTreeMap<u32, Vec<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, operation) in (0..).zip(&story.operations) {
        if let Some(creator) = operation.creator.filter(|creator| *creator < number) {
            children.entry(creator).or_default().push(number);
        }
    }
    children
}

/// Returns the score of a match between two operations, or `None` if they can't match.
fn match_score(was: &Operation, is: &Operation) -> Option<u32> {
    if was.kind != is.kind || was.of_type != is.of_type {
        return None;
    }
    let (named_was, named_is) = (given_name(was), given_name(is));
    let name = match named_was == named_is {
        true if named_was.is_some() => 20,
        true => 2,
        false => 0,
    };
    let all = was.fields.len().max(is.fields.len());
    let before: BTreeSet<(&str, String)> = was.fields.iter().map(known).collect();
    let same = is
        .fields
        .iter()
        .filter(|field| before.contains(&known(field)));
    let fields = same.count() * 9;
    Some(10 + name + fields.checked_div(all).unwrap_or(0) as u32)
}

/// Returns a field and its value, without the numbers of actors in it, which may have changed.
fn known(field: &Field) -> (&str, String) {
    let mut parts = field.value.split('#');
    let first = parts.next().unwrap_or_default().to_owned();
    let value = parts.fold(first, |value, part| {
        value + "#" + part.trim_start_matches(|of: char| of.is_ascii_digit())
    });
    (&field.field, value)
}

/// Returns the operation's name, unless it is the default one: its type, perhaps with a number.
fn given_name(operation: &Operation) -> Option<&str> {
    let plain = operation.name.split('#').next().unwrap_or_default();
    let is_of_type = operation
        .of_type
        .as_deref()
        .is_none_or(|of_type| plain.rsplit('/').next() == Some(of_type));
    (!is_of_type).then_some(&operation.name)
}

/// An order-preserving alignment of old and new children with a maximum total score.
struct Alignment {
    /// The score of each pair.
    scores: Vec<Option<u32>>,
    /// The best total score for the suffixes that begin at each pair of places.
    best: Vec<u32>,
    old: usize,
    new: usize,
}

/// The place of the matching old child, by the place of the new child.
type Pairs = BTreeMap<usize, usize>;

impl Alignment {
    fn of(recorded: &Story, now: &Story, old: &[u32], new: &[u32]) -> Self {
        let scores = old.iter().flat_map(|was| {
            let was = &recorded.operations[*was as usize];
            new.iter()
                .map(move |is| match_score(was, &now.operations[*is as usize]))
        });
        let mut alignment = Self {
            scores: scores.collect(),
            best: vec![0; (old.len() + 1) * (new.len() + 1)],
            old: old.len(),
            new: new.len(),
        };
        for was in (0..old.len()).rev() {
            for is in (0..new.len()).rev() {
                let (below, beside) = (alignment.best(was + 1, is), alignment.best(was, is + 1));
                let both = alignment.both(was, is).unwrap_or_default();
                alignment.best[was * (new.len() + 1) + is] = both.max(below).max(beside);
            }
        }
        alignment
    }

    fn best(&self, was: usize, is: usize) -> u32 {
        self.best[was * (self.new + 1) + is]
    }

    /// Returns the best total score from here on if these two match, or `None` if they can't.
    fn both(&self, was: usize, is: usize) -> Option<u32> {
        self.scores[was * self.new + is].map(|score| score + self.best(was + 1, is + 1))
    }

    /// Returns the best alignments, or some of them if there are many. First come the alignment with the
    /// earliest matches and similar ones, then the one with the latest matches and similar ones.
    fn ways(&self) -> Vec<Pairs> {
        let mut ways = Vec::new();
        for (first, most) in [(true, WAYS_MAX / 2), (false, WAYS_MAX)] {
            self.go_on(&mut Pairs::new(), (0, 0), first, most, &mut ways);
        }
        ways
    }

    /// Adds the best alignments from these places on: earliest matches first if `first`, else the latest.
    fn go_on(
        &self,
        pairs: &mut Pairs,
        from: (usize, usize),
        first: bool,
        most: usize,
        ways: &mut Vec<Pairs>,
    ) {
        // The possible next matches, with the children skipped before each.
        let mut next = Vec::new();
        for was in from.0..self.old {
            if self.best(was, from.1) < self.best(from.0, from.1) {
                break;
            }
            for is in from.1..self.new {
                if self.best(was, is) < self.best(from.0, from.1) {
                    break;
                }
                if self.both(was, is) == Some(self.best(was, is)) {
                    next.push((was, is));
                }
            }
        }
        if next.is_empty() && !ways.contains(pairs) {
            ways.push(pairs.clone());
        }
        if !first {
            next.reverse();
        }
        for (was, is) in next {
            if ways.len() >= most {
                return;
            }
            pairs.insert(is, was);
            self.go_on(pairs, (was + 1, is + 1), first, most, ways);
            pairs.remove(&is);
        }
    }
}

/// Matches the n-th old child of each type with the n-th new one, for too many pairs.
fn by_number(recorded: &Story, now: &Story, old: &[u32], new: &[u32]) -> Pairs {
    let mut left: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (place, number) in old.iter().enumerate().rev() {
        let of_type = recorded.operations[*number as usize].of_type.as_deref();
        left.entry(of_type).or_default().push(place);
    }
    let numbered = new.iter().enumerate();
    let pairs = numbered.filter_map(|(place, number)| {
        let of_type = now.operations[*number as usize].of_type.as_deref();
        Some((place, left.get_mut(&of_type)?.pop()?))
    });
    pairs.collect()
}
