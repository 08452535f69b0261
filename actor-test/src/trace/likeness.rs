//! Who of a program that was changed is who of the recorded one.
//!
//! An operation is known by its path: who created it, and how many that one had created before. Where a
//! program creates one more than it did, all that come after it have the paths of others. Here the
//! operations of two stories are compared, as one compares the lines of two texts: those that one and the
//! same operation has created, in their order, may have some put in and some left out. Of two that may be
//! the same, the name that was given counts most, then what the fields are at the beginning.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::story::{Operation, Story};
use crate::engine::{Aliases, BODY_KEY};
use crate::hash::mix;

/// How many pairs are compared at most; where there are more, the n-th of a type is the n-th.
const PAIRS_MAX: usize = 1 << 20;

/// How many an operation has created at most for it to be known which one is meant.
const CHILDREN_MAX: u64 = 1 << 16;

/// What makes a path that nobody else has.
const NEW: u64 = 0x6e_65_77;

/// The paths that the operations of the story `now` had when they were recorded; nothing, where each is
/// where it was.
pub(super) fn aliases(recorded: &Story, now: &Story) -> Aliases {
    let mut likening = Likening {
        recorded,
        now,
        paths: BTreeMap::new(),
        called: BTreeMap::new(),
        differ: false,
    };
    likening.paths.insert(0, BODY_KEY);
    likening.compare();
    match likening.differ {
        true => Aliases::new(likening.called),
        false => Aliases::default(),
    }
}

struct Likening<'a> {
    recorded: &'a Story,
    now: &'a Story,
    /// Which path each operation of now is to have.
    paths: BTreeMap<u32, u64>,
    /// The same by the path that it would have else.
    called: BTreeMap<u64, u64>,
    /// Some operation is to have another path than it has.
    differ: bool,
}

impl Likening<'_> {
    /// Pairs those that are the same, from the test body on: whoever they have created follows.
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
            let pairs = match old.len().saturating_mul(new.len()) > PAIRS_MAX {
                true => by_number(self.recorded, self.now, &old, &new),
                false => aligned(self.recorded, self.now, &old, &new),
            };
            // The first have the smaller numbers.
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
        self.called.insert(mix(creator_is, number), wanted);
    }
}

fn path(operation: &Operation) -> Option<u64> {
    u64::from_str_radix(&operation.path, 16).ok()
}

/// What each operation has created, in its order. Where a story says that somebody has created who was
/// there before, nothing is said of it.
fn children(story: &Story) -> BTreeMap<u32, Vec<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, operation) in (0..).zip(&story.operations) {
        if let Some(creator) = operation.creator.filter(|creator| *creator < number) {
            children.entry(creator).or_default().push(number);
        }
    }
    children
}

/// How much speaks for two operations being the same; `None` where they can't be.
fn likeness(was: &Operation, is: &Operation) -> Option<u32> {
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
    let before: BTreeSet<(&str, &str)> = was.fields.iter().map(known).collect();
    let same = is
        .fields
        .iter()
        .filter(|field| before.contains(&known(field)));
    let fields = same.count() * 9;
    Some(10 + name + fields.checked_div(all).unwrap_or(0) as u32)
}

fn known(field: &crate::data::story::Field) -> (&str, &str) {
    (&field.field, &field.value)
}

/// The name, where it was given one: else it has that of its type, perhaps with a number.
fn given_name(operation: &Operation) -> Option<&str> {
    let plain = operation.name.split('#').next().unwrap_or_default();
    let is_of_type = operation
        .of_type
        .as_deref()
        .is_none_or(|of_type| plain.rsplit('/').next() == Some(of_type));
    (!is_of_type).then_some(&operation.name)
}

/// Which of the old each of the new is, by place: as much as can be speaks for it, and of two ways in which
/// as much does, the first are the same.
fn aligned(recorded: &Story, now: &Story, old: &[u32], new: &[u32]) -> BTreeMap<usize, usize> {
    let like = |was: usize, is: usize| {
        let was = &recorded.operations[old[was] as usize];
        likeness(was, &now.operations[new[is] as usize])
    };
    // What speaks for the best way from these places on.
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    for was in (0..old.len()).rev() {
        for is in (0..new.len()).rev() {
            let (below, beside) = (best[(was + 1) * width + is], best[was * width + is + 1]);
            let both = like(was, is).map_or(0, |like| like + best[(was + 1) * width + is + 1]);
            best[was * width + is] = both.max(below).max(beside);
        }
    }
    let mut pairs = BTreeMap::new();
    let (mut was, mut is) = (0, 0);
    while was < old.len() && is < new.len() {
        let here = best[was * width + is];
        let next = best[(was + 1) * width + is + 1];
        if like(was, is).is_some_and(|like| like + next == here) {
            pairs.insert(is, was);
            (was, is) = (was + 1, is + 1);
        } else if best[(was + 1) * width + is] == here {
            was += 1;
        } else {
            is += 1;
        }
    }
    pairs
}

/// The same where there are too many: the n-th of a type is the n-th.
fn by_number(recorded: &Story, now: &Story, old: &[u32], new: &[u32]) -> BTreeMap<usize, usize> {
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
