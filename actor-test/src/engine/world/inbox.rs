//! The inbox of an actor: its queue of unread letters: [`Inbox`].

use std::collections::BTreeMap;

use actor_core::generated::Disposition;

use crate::engine::world::letter::{Envelope, LetterOrigin, STOP};
use crate::engine::world::queue::FlatQueue;

/// The position that means "nothing to handle".
const NOTHING: u32 = u32::MAX;

/// The event number of a gap, which a letter leaves that was taken out of turn. No type has so many events.
const GAP: u16 = STOP - 1;

/// The number of gaps from which on they are worth closing.
const GAPS_MIN: u32 = 16;

/// Letters in the order of their arrival.
///
/// Most letters are taken from the front. A letter that is taken out of turn leaves a gap, and gaps are
/// closed once they outnumber the letters. A search for one sort of letters, for example those that a state
/// does not defer, resumes where the last search for that sort stopped. So each letter is examined once for
/// each sort.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    /// The letters and gaps; the first entry is no gap.
    letters: FlatQueue<Envelope>,
    /// The sequence number of the first entry in `letters`.
    first: u64,
    gaps: u32,
    /// Invariant: the position of the first letter that is not deferred, or `NOTHING`.
    next: u32,
    /// The results of earlier searches.
    searched: Option<Box<Searched>>,
}

#[derive(Clone, Debug, Default)]
struct Searched {
    /// For each sort of letters, a sequence number below which there is none.
    none_below: Vec<u64>,
    /// The sequence numbers of timers' letters, by slot and generation.
    timed: BTreeMap<(u32, u32), u64>,
}

/// A sort of letters to search for.
#[derive(Clone, Copy)]
enum Sort {
    /// The letters that this state does not defer.
    HandledIn(u16),
    /// The letters of this event.
    Event(u16),
    /// The letters that take a place in a bounded mailbox.
    Counting,
}

impl Sort {
    fn index(self) -> usize {
        match self {
            Self::Counting => 0,
            Self::HandledIn(state) => 1 + 2 * usize::from(state),
            Self::Event(event) => 2 + 2 * usize::from(event),
        }
    }
}

impl Inbox {
    pub(crate) const fn new() -> Self {
        Self {
            letters: FlatQueue::new(),
            first: 0,
            gaps: 0,
            next: NOTHING,
            searched: None,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.letters.clear();
        self.first = 0;
        self.gaps = 0;
        self.next = NOTHING;
        if let Some(searched) = &mut self.searched {
            searched.none_below.clear();
            searched.timed.clear();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.letters.len() - self.gaps as usize
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Envelope> {
        self.letters
            .as_slice()
            .iter()
            .filter(|letter| letter.event != GAP)
    }

    pub(crate) fn first(&self) -> Option<&Envelope> {
        self.letters.first()
    }

    pub(crate) fn last(&self) -> Option<&Envelope> {
        self.letters.last()
    }

    /// Returns the next letter to handle.
    #[inline]
    pub(crate) fn next(&self) -> Option<&Envelope> {
        self.letters.get(self.next as usize)
    }

    /// Appends a letter; `disposition` is that of its event in the current state.
    #[inline(always)]
    pub(crate) fn append(&mut self, letter: &Envelope, disposition: Disposition) {
        if self.next == NOTHING && disposition != Disposition::Defer {
            self.next = self.letters.len() as u32;
        }
        self.letters.push(*letter);
    }

    /// Indexes the letter that was appended last, if a timer has sent it.
    pub(crate) fn note_timed(&mut self) {
        let number = self.first + self.letters.len() as u64 - 1;
        let sender = self.letters.last().map(|letter| letter.sender.sender());
        if let Some(LetterOrigin::Timer(index, generation)) = sender {
            let searched = self.searched.get_or_insert_default();
            searched.timed.insert((index, generation), number);
        }
    }

    /// Takes the next letter if it is the first, is an event, and no results of searches are kept.
    #[inline]
    pub(crate) fn take_first_event(&mut self) -> Option<Envelope> {
        if self.next | self.gaps != 0 || self.searched.is_some() {
            return None;
        }
        let letter = *self.letters.first()?;
        if letter.event == STOP {
            return None;
        }
        self.letters.pop_first();
        self.first += 1;
        if self.letters.is_empty() {
            self.next = NOTHING;
        }
        Some(letter)
    }

    /// Takes the next letter; [`find_next`](Self::find_next) must follow if some state `defers`.
    #[inline]
    pub(crate) fn take_next(&mut self, defers: bool) -> Option<Envelope> {
        if self.next | self.gaps != 0 {
            return self.take_behind(defers);
        }
        let letter = *self.letters.first()?;
        self.letters.pop_first();
        self.first += 1;
        if self.searched.is_some() {
            self.note_taken(&letter);
        }
        if defers || self.letters.is_empty() {
            self.next = NOTHING;
        }
        Some(letter)
    }

    /// Takes the next letter if there are gaps, or other letters before it.
    #[inline(never)]
    fn take_behind(&mut self, defers: bool) -> Option<Envelope> {
        if self.next == NOTHING {
            return None;
        }
        let letter = self.cut(self.next as usize);
        if defers || self.letters.is_empty() {
            self.next = NOTHING;
        }
        Some(letter)
    }

    fn note_taken(&mut self, letter: &Envelope) {
        if let Some(searched) = &mut self.searched
            && let LetterOrigin::Timer(index, generation) = letter.sender.sender()
        {
            searched.timed.remove(&(index, generation));
        }
    }

    /// Finds the next letter for a state; without a state, no letter is deferred.
    pub(crate) fn find_next(
        &mut self,
        state: Option<u16>,
        disposition: impl Fn(u16) -> Disposition,
    ) {
        let next = match state {
            None => (!self.letters.is_empty()).then_some(0),
            Some(state) => self.find(Sort::HandledIn(state), |letter| {
                disposition(letter.event) != Disposition::Defer
            }),
        };
        self.next = next.map_or(NOTHING, |next| next as u32);
    }

    /// Returns whether the inbox has such an event.
    pub(crate) fn has(&mut self, event: u16) -> bool {
        self.find(Sort::Event(event), |letter| letter.event == event)
            .is_some()
    }

    /// Takes the first such event; [`find_next`](Self::find_next) must follow.
    pub(crate) fn take_event(&mut self, event: u16) -> Option<Envelope> {
        let at = self.find(Sort::Event(event), |letter| letter.event == event)?;
        Some(self.cut(at))
    }

    /// Takes the first letter that `counts`; [`find_next`](Self::find_next) must follow.
    pub(crate) fn take_counting(&mut self, counts: impl Fn(&Envelope) -> bool) -> Option<Envelope> {
        let at = self.find(Sort::Counting, counts)?;
        Some(self.cut(at))
    }

    /// Takes the unread letter of a timer, if any; [`find_next`](Self::find_next) must follow.
    pub(crate) fn take_timed(&mut self, index: u32, generation: u32) -> Option<Envelope> {
        let number = self.number_of_timed(index, generation)?;
        Some(self.cut((number - self.first) as usize))
    }

    /// Takes all letters of timers; [`find_next`](Self::find_next) must follow.
    pub(crate) fn take_all_timed(&mut self) -> Vec<Envelope> {
        let mut taken = Vec::new();
        let Some(searched) = &self.searched else {
            return taken;
        };
        let timed = searched.timed.iter();
        let mut timed: Vec<_> = timed.map(|(timer, number)| (*number, *timer)).collect();
        timed.sort_unstable();
        for (_, (index, generation)) in timed {
            taken.extend(self.take_timed(index, generation));
        }
        taken
    }

    pub(crate) fn has_timed(&self, index: u32, generation: u32) -> bool {
        self.number_of_timed(index, generation).is_some()
    }

    /// Returns the number of letters before the unread letter of a timer.
    pub(crate) fn rank_of_timed(&self, index: u32, generation: u32) -> Option<usize> {
        let number = self.number_of_timed(index, generation)?;
        let before = &self.letters.as_slice()[..(number - self.first) as usize];
        Some(before.iter().filter(|letter| letter.event != GAP).count())
    }

    fn number_of_timed(&self, index: u32, generation: u32) -> Option<u64> {
        let searched = self.searched.as_ref()?;
        searched.timed.get(&(index, generation)).copied()
    }

    /// Removes and returns all letters for which `remove` is true; [`find_next`](Self::find_next) must follow.
    pub(crate) fn remove_letters(&mut self, remove: impl Fn(&Envelope) -> bool) -> Vec<Envelope> {
        let mut removed = Vec::new();
        self.letters.retain(|letter| {
            let goes = letter.event != GAP && remove(letter);
            if goes {
                removed.push(*letter);
            }
            !goes
        });
        self.close_gaps();
        removed
    }

    /// Returns the position of the first letter of some sort.
    fn find(&mut self, sort: Sort, is_it: impl Fn(&Envelope) -> bool) -> Option<usize> {
        if self.letters.is_empty() {
            return None;
        }
        let none_below = &mut self.searched.get_or_insert_default().none_below;
        let sort = sort.index();
        if none_below.len() <= sort {
            none_below.resize(sort + 1, 0);
        }
        let from = none_below[sort].saturating_sub(self.first) as usize;
        let found = self.letters[from.min(self.letters.len())..]
            .iter()
            .position(|letter| letter.event != GAP && is_it(letter));
        let position = found.map_or(self.letters.len(), |found| from + found);
        none_below[sort] = self.first + position as u64;
        found.map(|_| position)
    }

    /// Takes the letter at a position, and leaves a gap.
    fn cut(&mut self, at: usize) -> Envelope {
        let letter = self.letters[at];
        self.note_taken(&letter);
        self.letters[at].event = GAP;
        self.gaps += 1;
        let is_gap = |letter: Option<&Envelope>| letter.is_some_and(|letter| letter.event == GAP);
        while is_gap(self.letters.first()) {
            self.letters.pop_first();
            self.first += 1;
            self.gaps -= 1;
        }
        if self.gaps >= GAPS_MIN && self.gaps as usize * 2 > self.letters.len() {
            self.close_gaps();
        }
        letter
    }

    fn close_gaps(&mut self) {
        self.letters.retain(|letter| letter.event != GAP);
        self.gaps = 0;
        let Some(searched) = &mut self.searched else {
            return;
        };
        // The sequence numbers have changed, so every search starts again.
        searched.none_below.clear();
        searched.timed.clear();
        for (at, letter) in self.letters.as_slice().iter().enumerate() {
            if let LetterOrigin::Timer(index, generation) = letter.sender.sender() {
                let number = self.first + at as u64;
                searched.timed.insert((index, generation), number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actor_core::generated::Disposition;

    use super::Inbox;
    use crate::engine::world::letter::{Envelope, LetterOrigin, PackedSender};

    const EVENTS: u64 = 4;

    /// Each state defers the events above its own number, except the last event.
    fn disposition(state: u16, event: u16) -> Disposition {
        if event > state && u64::from(event) < EVENTS - 1 {
            Disposition::Defer
        } else {
            Disposition::Handle
        }
    }

    fn counts(letter: &Envelope) -> bool {
        matches!(letter.sender.sender(), LetterOrigin::Operation(_))
    }

    /// Compares the inbox with a plain list, over random programs of all methods.
    #[test]
    fn letters_are_found_where_a_search_of_all_finds_them() {
        let mut random = 1_u64;
        let mut below = move |bound: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % bound
        };
        for _ in 0..300 {
            let (mut inbox, mut list) = (Inbox::new(), Vec::<Envelope>::new());
            let (mut state, mut timer) = (0_u16, 0_u32);
            for key in 0..400 {
                let event = below(EVENTS) as u16;
                let first = |list: &[Envelope], is_it: &dyn Fn(&Envelope) -> bool| {
                    list.iter().position(is_it)
                };
                let cut =
                    |list: &mut Vec<Envelope>, at: Option<usize>| at.map(|at| list.remove(at));
                let handled =
                    |letter: &Envelope| disposition(state, letter.event) != Disposition::Defer;
                match below(16) {
                    0..7 => {
                        let timed = below(4) == 0;
                        timer += u32::from(timed);
                        let sender = if timed {
                            PackedSender::timer(timer % 5, timer)
                        } else {
                            PackedSender::operation(0)
                        };
                        let letter = Envelope {
                            slot: 0,
                            event,
                            event_id: None,
                            sender,
                            key,
                            placed: false,
                            is_refused: false,
                        };
                        inbox.append(&letter, disposition(state, event));
                        if timed {
                            inbox.note_timed();
                        }
                        list.push(letter);
                    }
                    7..10 => {
                        let expected = first(&list, &handled);
                        assert_eq!(inbox.take_next(true), cut(&mut list, expected));
                    }
                    10 => {
                        let expected = first(&list, &|letter| letter.event == event);
                        assert_eq!(inbox.has(event), expected.is_some());
                        assert_eq!(inbox.take_event(event), cut(&mut list, expected));
                    }
                    11 => {
                        let expected = first(&list, &counts);
                        assert_eq!(inbox.take_counting(counts), cut(&mut list, expected));
                    }
                    12 => {
                        let number = timer.saturating_sub(below(6) as u32);
                        let from = PackedSender::timer(number % 5, number);
                        let expected = first(&list, &|letter| letter.sender == from);
                        assert_eq!(inbox.rank_of_timed(number % 5, number), expected);
                        assert_eq!(
                            inbox.take_timed(number % 5, number),
                            cut(&mut list, expected)
                        );
                    }
                    13 if below(8) == 0 => {
                        let timed: Vec<Envelope> = list
                            .iter()
                            .copied()
                            .filter(|letter| !counts(letter))
                            .collect();
                        list.retain(counts);
                        assert_eq!(inbox.take_all_timed(), timed);
                    }
                    14 if below(8) == 0 => {
                        let of = |letter: &Envelope| letter.event == event;
                        let removed: Vec<Envelope> = list.iter().copied().filter(of).collect();
                        list.retain(|letter| !of(letter));
                        assert_eq!(inbox.remove_letters(of), removed);
                    }
                    _ => state = below(EVENTS) as u16,
                }
                inbox.find_next(Some(state), |event| disposition(state, event));
                let next = list
                    .iter()
                    .find(|letter| disposition(state, letter.event) != Disposition::Defer);
                assert_eq!(inbox.next(), next);
                assert_eq!(inbox.len(), list.len());
                assert_eq!(inbox.first(), list.first());
                assert!(inbox.iter().eq(&list));
            }
        }
    }

    /// Gaps do not accumulate.
    #[test]
    fn gaps_are_closed() {
        let mut inbox = Inbox::new();
        let letter = |event: u16| Envelope {
            slot: 0,
            event,
            event_id: None,
            sender: PackedSender::operation(0),
            key: 0,
            placed: false,
            is_refused: false,
        };
        inbox.append(&letter(1), Disposition::Defer);
        for _ in 0..10_000 {
            inbox.append(&letter(0), Disposition::Handle);
            inbox.find_next(Some(0), |event| disposition(0, event));
            assert_eq!(inbox.take_next(true).map(|letter| letter.event), Some(0));
            inbox.find_next(Some(0), |event| disposition(0, event));
        }
        assert_eq!(inbox.len(), 1);
        assert!(inbox.letters.len() < 64, "{}", inbox.letters.len());
    }
}
