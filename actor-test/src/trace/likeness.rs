//! Who of a program that was changed is who of the recorded one.
//!
//! An operation is known by its path: who created it, and how many that one had created before. Where a
//! program creates one more than it did, all that come after it have the paths of others. Here the
//! operations of two stories are compared, as one compares the lines of two texts: those that one and the
//! same operation has created, in their order, may have some put in and some left out. Of two that may be
//! the same, the name that was given counts most, then what the fields are at the beginning.
//!
//! Often as much speaks for several ways: of five that are alike, four were there, and nothing that they are
//! tells which one is new. What they do tells it, so whoever follows the recorded steps tries these ways.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::story::{Field, Operation, Story};
use crate::engine::{Aliases, BODY_KEY};
use crate::hash::mix;

/// How many pairs are compared at most; where there are more, the n-th of a type is the n-th.
const PAIRS_MAX: usize = 1 << 20;

/// How many an operation has created at most for it to be known which one is meant.
const CHILDREN_MAX: u64 = 1 << 16;

/// What makes a path that nobody else has.
const NEW: u64 = 0x6e_65_77;

/// How many ways are known at most for the operations that one operation has created.
const WAYS_MAX: usize = 32;

/// Which of the ways is taken, for those creators, by their numbers now, where it is not the first.
pub(super) type Ways = BTreeMap<u32, usize>;

/// Who is who.
pub(super) struct Likened {
    /// The paths that the operations had when they were recorded; nothing, where each is where it was.
    pub(super) aliases: Aliases,
    /// For how many ways as much speaks, for those creators where there are several.
    pub(super) ways: Ways,
}

/// Says of the operations of the story `now` who of the recorded ones they are, in ways of one's choice.
pub(super) fn likened(recorded: &Story, now: &Story, chosen: &Ways) -> Likened {
    let mut likening = Likening {
        recorded,
        now,
        chosen,
        ways: Ways::new(),
        paths: BTreeMap::new(),
        called: BTreeMap::new(),
        differ: false,
    };
    likening.paths.insert(0, BODY_KEY);
    likening.compare();
    Likened {
        aliases: match likening.differ {
            true => Aliases::new(likening.called),
            false => Aliases::default(),
        },
        ways: likening.ways,
    }
}

struct Likening<'a> {
    recorded: &'a Story,
    now: &'a Story,
    chosen: &'a Ways,
    ways: Ways,
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
            let mut ways = match old.len().saturating_mul(new.len()) > PAIRS_MAX {
                true => vec![by_number(self.recorded, self.now, &old, &new)],
                false => Alignment::of(self.recorded, self.now, &old, &new).ways(),
            };
            if ways.len() > 1 {
                self.ways.insert(is, ways.len());
            }
            let chosen = self.chosen.get(&is).copied().unwrap_or_default();
            let pairs = ways.swap_remove(chosen.min(ways.len() - 1));
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
    let before: BTreeSet<(&str, String)> = was.fields.iter().map(known).collect();
    let same = is
        .fields
        .iter()
        .filter(|field| before.contains(&known(field)));
    let fields = same.count() * 9;
    Some(10 + name + fields.checked_div(all).unwrap_or(0) as u32)
}

/// A field and its value. Somebody that it refers to is called by type and number, and the number is what
/// may be another now.
fn known(field: &Field) -> (&str, String) {
    let mut parts = field.value.split('#');
    let first = parts.next().unwrap_or_default().to_owned();
    let value = parts.fold(first, |value, part| {
        value + "#" + part.trim_start_matches(|of: char| of.is_ascii_digit())
    });
    (&field.field, value)
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

/// Which of the new each of the old is, by places: in their order, and so that as much as can be speaks for it.
struct Alignment {
    /// How much speaks for two being the same.
    alike: Vec<Option<u32>>,
    /// What speaks for the best way from these places on.
    best: Vec<u32>,
    old: usize,
    new: usize,
}

/// Which of the old each of the new is, by place.
type Pairs = BTreeMap<usize, usize>;

impl Alignment {
    fn of(recorded: &Story, now: &Story, old: &[u32], new: &[u32]) -> Self {
        let alike = old.iter().flat_map(|was| {
            let was = &recorded.operations[*was as usize];
            new.iter()
                .map(move |is| likeness(was, &now.operations[*is as usize]))
        });
        let mut alignment = Self {
            alike: alike.collect(),
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

    /// What speaks for the best way from here on where these two are the same, if they may be.
    fn both(&self, was: usize, is: usize) -> Option<u32> {
        self.alike[was * self.new + is].map(|alike| alike + self.best(was + 1, is + 1))
    }

    /// The best ways, some of them where there are many: first the one in which the first are the same, and
    /// those that differ from it late; then the one in which the last are the same, and those like it.
    fn ways(&self) -> Vec<Pairs> {
        let mut ways = Vec::new();
        for (first, most) in [(true, WAYS_MAX / 2), (false, WAYS_MAX)] {
            self.go_on(&mut Pairs::new(), (0, 0), first, most, &mut ways);
        }
        ways
    }

    /// All ways from these places on, those first in which the `first` that may be the same are.
    fn go_on(
        &self,
        pairs: &mut Pairs,
        from: (usize, usize),
        first: bool,
        most: usize,
        ways: &mut Vec<Pairs>,
    ) {
        // Whoever is paired next, and those of now that are new before it.
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

/// The same where there are too many: the n-th of a type is the n-th.
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
