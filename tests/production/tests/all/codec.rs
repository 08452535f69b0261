//! Encoding of events: round trips, and every kind of invalid bytes.

use std::collections::BTreeMap;

use actor_core::codec::{EVENT_BYTES_MAX, decode, encode};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Event {
    Unit,
    Named { text: String, numbers: Vec<u64> },
    Nested(BTreeMap<String, Option<Box<Event>>>),
}

fn samples() -> Vec<Event> {
    let named = Event::Named {
        text: "déjà vu".into(),
        numbers: vec![0, 250, 251, u64::MAX],
    };
    let inner = BTreeMap::from([
        ("none".into(), None),
        ("some".into(), Some(Box::new(named.clone()))),
    ]);
    vec![Event::Unit, named, Event::Nested(inner)]
}

#[test]
fn what_was_encoded_is_decoded() {
    for event in samples() {
        let bytes = encode(&event).expect("these events can be encoded");
        assert_eq!(decode::<Event>(&bytes), Ok(event));
    }
}

#[test]
fn truncated_bytes_are_an_error_at_every_length() {
    for event in samples() {
        let bytes = encode(&event).expect("these events can be encoded");
        for length in 0..bytes.len() {
            assert!(
                decode::<Event>(&bytes[..length]).is_err(),
                "{event:?} cut to {length}"
            );
        }
    }
}

#[test]
fn bytes_left_over_are_an_error() {
    let mut bytes = encode(&7_u32).expect("a number can be encoded");
    bytes.push(0);
    let error = decode::<u32>(&bytes).expect_err("a byte is left over");
    assert!(
        error.to_string().contains("1 bytes are left over"),
        "{error}"
    );
}

#[test]
fn bytes_of_another_type_are_an_error() {
    let bytes = encode(&99_u8).expect("a number can be encoded");
    assert!(decode::<Event>(&bytes).is_err());
}

#[test]
fn a_length_beyond_all_bounds_takes_no_memory() {
    // 0xfd announces a length of eight bytes.
    let mut bytes = vec![0xfd];
    bytes.extend_from_slice(&u64::MAX.to_le_bytes());
    assert!(decode::<Vec<u64>>(&bytes).is_err());
    assert!(decode::<String>(&bytes).is_err());
}

#[test]
fn both_sides_of_the_size_limit() {
    // A length above 2^16 takes five bytes.
    let fits = "x".repeat(EVENT_BYTES_MAX - 5);
    let bytes = encode(&fits).expect("it fits");
    assert_eq!(bytes.len(), EVENT_BYTES_MAX);
    assert!(decode::<String>(&bytes).expect("it fits") == fits);
    assert!(encode(&"x".repeat(EVENT_BYTES_MAX - 4)).is_err());
    let mut longer = bytes;
    longer.push(0);
    let error = decode::<String>(&longer).expect_err("one byte too many");
    assert!(error.to_string().contains("more than"), "{error}");
}
