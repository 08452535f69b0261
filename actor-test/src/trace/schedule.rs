//! The text format of named schedules, which stay valid when the program changes.
//!
//! The text is hexadecimal. First come the sorts of steps: their number, and for each the operation's path,
//! the kind of step and the hash of the sort. Then come the steps: the number of the sort, the message if
//! any, and the choices. A message is written as its identity at its first occurrence, and later as the index
//! of that occurrence. If faults are injected in the step, [`STRIKES`] is added to the number of its choices,
//! and the faults follow. Numbers are encoded in as many bytes as needed, seven bits each (LEB128).
//!
//! A choice consists of its purpose, the number of outcomes, and the outcome chosen. Older texts, which don't
//! begin with [`TAGGED`], have no purposes of choices.

use std::collections::BTreeMap;

use crate::data::faults::FaultKind;
use crate::data::schedule::{NamedChoice, NamedStep, NamedStrike, Schedule, StepName};
use crate::data::step::{MessageId, StepKind};
use crate::data::story::ChoicePurpose;

/// All kinds of steps, by their encoded numbers.
const KINDS: [StepKind; 9] = [
    StepKind::Start,
    StepKind::Handle,
    StepKind::Flush,
    StepKind::Resume,
    StepKind::Timer,
    StepKind::Fault,
    StepKind::Stop,
    StepKind::Deliver,
    StepKind::Access,
];

/// Added to the number of a step's choices if faults are injected in it; no step has so many choices.
const STRIKES: u64 = 1 << 40;

/// The purposes of choices, by their encoded numbers; append new ones at the end.
const ASKED: [ChoicePurpose; 13] = [
    ChoicePurpose::Unknown,
    ChoicePurpose::Choose,
    ChoicePurpose::Bool,
    ChoicePurpose::Rng,
    ChoicePurpose::Jitter,
    ChoicePurpose::Loss,
    ChoicePurpose::Delivery,
    ChoicePurpose::Woken,
    ChoicePurpose::Offset,
    ChoicePurpose::Drift,
    ChoicePurpose::Comparison,
    ChoicePurpose::Passing,
    ChoicePurpose::Branch,
];

/// The first letter of a schedule whose choices have purposes.
const TAGGED: char = 't';

/// Returns true if a text's choices have purposes.
pub(super) fn is_tagged(text: &str) -> bool {
    text.starts_with(TAGGED)
}

/// Encodes a schedule as text.
pub(crate) fn write(schedule: &Schedule) -> String {
    let mut sorts: BTreeMap<(u64, StepKind, u64), u64> = BTreeMap::new();
    let mut listed = Vec::new();
    let mut messages: BTreeMap<u64, u64> = BTreeMap::new();
    let mut steps = Vec::new();
    let mut choices_of = schedule.iter().flat_map(|step| &step.choices);
    let tagged = choices_of.any(|choice| choice.asked != ChoicePurpose::Unknown);
    for NamedStep {
        name,
        sort,
        choices,
        strikes,
    } in schedule
    {
        let next = sorts.len() as u64;
        let number = *sorts
            .entry((name.who, name.kind, *sort))
            .or_insert_with(|| {
                fixed(&mut listed, name.who);
                listed.push(name.kind as u8);
                fixed(&mut listed, *sort);
                next
            });
        put(&mut steps, number);
        match name.message {
            None => put(&mut steps, 0),
            Some(message) => {
                let met = messages.len() as u64;
                match messages.get(&message.number()) {
                    Some(known) => put(&mut steps, 2 + known),
                    None => {
                        put(&mut steps, 1);
                        fixed(&mut steps, message.number());
                        messages.insert(message.number(), met);
                    }
                }
            }
        }
        let marked = if strikes.is_empty() { 0 } else { STRIKES };
        put(&mut steps, choices.len() as u64 + marked);
        for choice in choices {
            if tagged {
                let number = ASKED.iter().position(|asked| *asked == choice.asked);
                put(&mut steps, number.unwrap_or_default() as u64);
            }
            put(&mut steps, choice.of);
            put(&mut steps, u64::from(choice.answer));
        }
        if !strikes.is_empty() {
            put(&mut steps, strikes.len() as u64);
        }
        for strike in strikes {
            put(&mut steps, strike.kind as u64);
            put(&mut steps, u64::from(strike.place));
            put(&mut steps, u64::from(strike.way));
        }
    }
    let mut bytes = Vec::new();
    put(&mut bytes, sorts.len() as u64);
    bytes.extend(listed);
    bytes.extend(steps);
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    let mark = tagged.then(|| TAGGED.to_string());
    mark.into_iter().chain(digits).collect()
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn fixed(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

/// Decodes a schedule, which takes at most a few times the memory of its text.
pub(crate) fn read(text: &str) -> Result<Schedule, String> {
    let untagged = text.strip_prefix(TAGGED);
    let mut reader = ScheduleDecoder::new(untagged.unwrap_or(text))?;
    let tagged = untagged.is_some();
    let mut schedule = Schedule::new();
    if reader.is_at_end() {
        return Ok(schedule);
    }
    let mut sorts = Vec::new();
    for _ in 0..reader.number()? {
        let who = reader.fixed()?;
        let kind = usize::from(reader.byte()?);
        let kind = *KINDS.get(kind).ok_or("there is no such kind of step")?;
        sorts.push((who, kind, reader.fixed()?));
    }
    let mut messages = Vec::new();
    let mut turns: BTreeMap<(u64, StepKind), u32> = BTreeMap::new();
    while !reader.is_at_end() {
        let (who, kind, sort) = *reader.of(&sorts, "sort")?;
        let message = match reader.number()? {
            0 => None,
            1 => {
                let message = MessageId::new(reader.fixed()?);
                messages.push(message);
                Some(message)
            }
            known => {
                let known = usize::try_from(known - 2).ok();
                let known = known.and_then(|known| messages.get(known));
                Some(*known.ok_or("there is no such message")?)
            }
        };
        let turn = match message {
            Some(_) => 0,
            None => {
                let turns = turns.entry((who, kind)).or_default();
                *turns += 1;
                *turns - 1
            }
        };
        let mut choices = Vec::new();
        let count = reader.number()?;
        for _ in 0..count % STRIKES {
            let asked = match tagged {
                true => *reader.of(&ASKED, "purpose of a choice")?,
                false => ChoicePurpose::Unknown,
            };
            let of = reader.number()?;
            let answer = u32::try_from(reader.number()?).ok();
            let answer = answer.filter(|answer| u64::from(*answer) < of);
            let answer = answer.ok_or("there is no such answer to a choice")?;
            choices.push(NamedChoice { asked, of, answer });
        }
        let mut strikes = Vec::new();
        if count >= STRIKES {
            for _ in 0..reader.number()? {
                let kind = FaultKind::of(reader.number()?).ok_or("there is no such fault")?;
                let place = u32::try_from(reader.number()?);
                let way = u32::try_from(reader.number()?);
                let (place, way) = place
                    .and_then(|place| Ok((place, way?)))
                    .map_err(|_| "a number is too large")?;
                strikes.push(NamedStrike { kind, place, way });
            }
        }
        schedule.push(NamedStep {
            name: StepName {
                who,
                kind,
                message,
                turn,
            },
            sort,
            choices,
            strikes,
        });
    }
    Ok(schedule)
}

/// A reader of bytes that checks for the end.
struct ScheduleDecoder {
    bytes: Vec<u8>,
    at: usize,
}

impl ScheduleDecoder {
    fn new(text: &str) -> Result<Self, String> {
        let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs
            .iter()
            .map(|[high, low]| Some(value(*high)? << 4 | value(*low)?))
            .collect();
        match bytes.filter(|_| rest.is_empty()) {
            Some(bytes) => Ok(Self { bytes, at: 0 }),
            None => Err("it is not hexadecimal".into()),
        }
    }

    fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn byte(&mut self) -> Result<u8, String> {
        let byte = self.bytes.get(self.at).ok_or("it ends too soon")?;
        self.at += 1;
        Ok(*byte)
    }

    fn number(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for place in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << place >> place != part {
                break;
            }
            number |= part << place;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number is too large".into())
    }

    fn fixed(&mut self) -> Result<u64, String> {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = self.byte()?;
        }
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads an index and returns that element of `all`.
    fn of<'a, T>(&mut self, all: &'a [T], what: &str) -> Result<&'a T, String> {
        let number = usize::try_from(self.number()?).ok();
        let found = number.and_then(|number| all.get(number));
        found.ok_or_else(|| format!("there is no such {what}"))
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;
    use crate::strategy::{below, generator};

    fn random(rng: &mut impl Rng) -> Schedule {
        let purposes = if below(rng, 3) == 0 { 1 } else { 11 };
        let mut turns: BTreeMap<(u64, StepKind), u32> = BTreeMap::new();
        let step = |_| {
            let kind = KINDS[below(rng, 7) as usize];
            let who = below(rng, 3) * (u64::MAX / 2);
            let message = (below(rng, 2) == 0).then(|| MessageId::new(below(rng, 9) << 59));
            let turns = turns.entry((who, kind)).or_default();
            *turns += u32::from(message.is_none());
            let choices = (0..below(rng, 3)).map(|_| {
                let of = 1 + below(rng, 1 << 32);
                NamedChoice {
                    asked: ASKED[below(rng, purposes) as usize],
                    of,
                    answer: below(rng, of) as u32,
                }
            });
            let choices: Vec<NamedChoice> = choices.collect();
            let strikes = (0..below(rng, 3)).map(|_| NamedStrike {
                kind: FaultKind::ALL[below(rng, FaultKind::ALL.len() as u64) as usize],
                place: below(rng, 300) as u32,
                way: 1 + below(rng, 3) as u32,
            });
            NamedStep {
                strikes: strikes.collect(),
                choices,
                name: StepName {
                    who,
                    kind,
                    message,
                    turn: match message {
                        Some(_) => 0,
                        None => *turns - 1,
                    },
                },
                sort: below(rng, 3),
            }
        };
        (0..40).map(step).collect()
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read(&write(&Vec::new())), Ok(Vec::new()));
        for seed in 0..200 {
            let schedule = random(&mut generator(seed));
            let text = write(&schedule);
            let mut choices = schedule.iter().flat_map(|step| &step.choices);
            let is_known = choices.any(|choice| choice.asked != ChoicePurpose::Unknown);
            assert_eq!(is_tagged(&text), is_known);
            assert_eq!(read(&text), Ok(schedule));
        }
    }

    /// Any text decodes to an error or to a schedule no larger than the text allows.
    #[test]
    fn nothing_that_is_read_does_harm() {
        for seed in 0..2_000 {
            let rng = &mut generator(seed);
            let mut text = write(&random(rng)).into_bytes();
            text.truncate(below(rng, text.len() as u64 + 1) as usize);
            for _ in 0..below(rng, 6) {
                let letters = b"0123456789abcdeffffftt\xc3G";
                let letter = letters[below(rng, letters.len() as u64) as usize];
                if let Some(at) = text.len().checked_sub(1) {
                    text[below(rng, at as u64 + 1) as usize] = letter;
                }
            }
            let text = String::from_utf8_lossy(&text).into_owned();
            if let Ok(schedule) = read(&text) {
                assert!(schedule.len() <= text.len());
            }
        }
        for (text, why) in [
            ("0", "it is not hexadecimal"),
            ("zz", "it is not hexadecimal"),
            ("01", "it ends too soon"),
            ("ffffffffffffffffff7f", "a number is too large"),
            ("ffffffffffffffff7f", "it ends too soon"),
            ("0000", "there is no such sort"),
            ("tt00", "it is not hexadecimal"),
            (
                "t010000000000000000000000000000000000000001ff",
                "it ends too soon",
            ),
            (
                "t0100000000000000000000000000000000000000010d",
                "there is no such purpose of a choice",
            ),
        ] {
            assert_eq!(read(text), Err(why.into()), "{text}");
        }
    }
}
