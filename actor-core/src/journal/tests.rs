//! The journal format against damage: files cut at every byte and flipped at every bit.

use super::format::{CONTENT, Header, Marks, frame, parse, push_record, seal};

/// Builds a file of a snapshot, sealed records, and later frames, with the ends of its parts and its records.
fn file(sealed: &[&[&str]], later: &[&[&str]], snapshot: Option<&str>) -> File {
    let mut bytes = Header::new(10, 7, snapshot.map(str::as_bytes)).encode();
    bytes.extend(snapshot.unwrap_or_default().as_bytes());
    let mut records: Vec<String> = Vec::new();
    let mut ends = Vec::new();
    let mut sealed_to = bytes.len();
    for (number, batch) in sealed.iter().chain(later).enumerate() {
        let mut body = Vec::new();
        for record in *batch {
            push_record(&mut body, record.as_bytes());
        }
        let first = 10 + records.len() as u64;
        bytes.extend(frame(first, batch.len() as u32, &body, 7));
        records.extend(batch.iter().map(|record| (*record).to_owned()));
        ends.push((bytes.len(), records.len()));
        if number < sealed.len() {
            sealed_to = bytes.len();
        }
    }
    seal(&mut bytes, sealed_to as u64);
    File {
        bytes,
        records,
        ends,
        synced: sealed_to,
        snapshot: snapshot.map(str::to_owned),
    }
}

struct File {
    bytes: Vec<u8>,
    records: Vec<String>,
    /// The end of each frame, and the number of records up to there.
    ends: Vec<(usize, usize)>,
    /// The offset up to which the file is known to be synced.
    synced: usize,
    snapshot: Option<String>,
}

impl File {
    /// Adds a mark for each of the first `frames` later frames.
    fn marked(mut self, frames: usize) -> Self {
        let mut marks = Marks::default();
        for (end, _) in &self.ends[..frames] {
            let mark = marks.advance(*end as u64, 7);
            let at = mark.at as usize;
            self.bytes[at..at + mark.bytes.len()].copy_from_slice(&mark.bytes);
            self.synced = self.synced.max(*end);
        }
        self
    }

    /// Returns the number of records that damaged bytes yield; `None` if the bytes are refused. Asserts that
    /// the records are a prefix, and that the snapshot is complete.
    fn recovered(&self, bytes: &[u8]) -> Option<usize> {
        let parsed = parse(bytes).ok()?;
        let snapshot = parsed.snapshot.map(|range| bytes[range].to_vec());
        assert_eq!(snapshot, self.snapshot.clone().map(String::into_bytes));
        assert_eq!(parsed.first, 10);
        let records: Vec<&[u8]> = parsed
            .records
            .into_iter()
            .map(|range| &bytes[range])
            .collect();
        let expected = self.records.iter().map(String::as_bytes);
        assert!(
            expected.take(records.len()).eq(records.iter().copied()),
            "a prefix"
        );
        Some(records.len())
    }
}

fn files() -> Vec<File> {
    vec![
        file(
            &[&["a", "bc"], &["def"]],
            &[&["g"], &["", "hij"], &["k"]],
            Some("state"),
        ),
        file(&[], &[&["a"], &["b"], &["c"]], None),
        file(&[], &[&["a"], &["b"], &["c"]], None).marked(2),
        file(&[&["a"]], &[&["b"], &["c"]], Some("state")).marked(3),
        file(&[&["a"]], &[], None),
        file(&[], &[], Some("")),
        file(&[], &[], None),
    ]
}

#[test]
fn whole_files_are_recovered_whole() {
    for file in files() {
        assert_eq!(file.recovered(&file.bytes), Some(file.records.len()));
    }
}

#[test]
fn a_file_cut_at_any_byte_is_recovered_up_to_there_or_refused() {
    for file in files() {
        for len in 0..file.bytes.len() {
            let whole = file.ends.iter().rfind(|(end, _)| *end <= len);
            let expected = match len < file.synced {
                true => None,
                false => Some(whole.map_or(0, |(_, records)| *records)),
            };
            assert_eq!(file.recovered(&file.bytes[..len]), expected, "cut at {len}");
        }
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_recovered_up_to_there_or_refused() {
    for file in files() {
        for bit in 0..file.bytes.len() * 8 {
            let mut bytes = file.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let begins = file.ends.iter().rfind(|(end, _)| *end <= bit / 8);
            let last_frame = match file.ends.as_slice() {
                [.., (before, _), _] => *before,
                _ => file.synced,
            };
            let expected = match bit / 8 {
                // The bit destroys a mark, or changes nothing.
                48..CONTENT => Some(file.records.len()),
                // Data was synced if a mark says so, or if a later frame follows it.
                at if at < file.synced.max(last_frame) => None,
                _ => Some(begins.map_or(0, |(_, records)| *records)),
            };
            assert_eq!(file.recovered(&bytes), expected, "bit {bit}");
        }
    }
}

#[test]
fn a_damaged_place_is_named() {
    let file = file(&[&["a"]], &[&["b"], &["c"]], None);
    let [(first, _), (second, _), _] = file.ends[..] else {
        unreachable!("three frames");
    };
    let mut bytes = file.bytes.clone();
    bytes[second - 1] ^= 1;
    let damage = parse(&bytes).unwrap_err();
    assert_eq!((damage.offset, damage.record), (first, 11));
    assert_eq!(damage.why, "the records of a frame are damaged");
}

#[test]
fn what_is_missing_is_named() {
    let file = file(&[], &[&["a"], &["b", "c"], &["d"]], None).marked(3);
    let [_, (second, _), (third, _)] = file.ends[..] else {
        unreachable!("three frames");
    };
    for (len, why) in [
        (third - 1, "the file ends within a frame of records"),
        (
            second,
            "the file ends before the place up to which it was synced",
        ),
    ] {
        let damage = parse(&file.bytes[..len]).unwrap_err();
        assert_eq!((damage.offset, damage.record), (second, 13));
        assert_eq!(damage.why, why);
    }
}

#[test]
fn a_mark_that_is_torn_leaves_the_one_before() {
    let file = file(&[], &[&["a"], &["b"], &["c"]], None).marked(2);
    assert!(!parse(&file.bytes).unwrap().is_synced);
    let all = file.marked(3);
    assert!(parse(&all.bytes).unwrap().is_synced);
    let [_, (second, _), _] = all.ends[..] else {
        unreachable!("three frames");
    };
    // The third mark is in the place of the first.
    let mut torn = all.bytes.clone();
    torn[512] ^= 1;
    assert!(!parse(&torn).unwrap().is_synced);
    assert_eq!(all.recovered(&torn[..second]), Some(2));
    assert_eq!(all.recovered(&torn[..second - 1]), None);
}

#[test]
fn what_is_written_behind_the_end_is_no_part_of_it() {
    let file = file(&[&["a"]], &[&["b"]], None);
    for garbage in [
        &[0; 100][..],
        b"anything else that is long enough to be a header",
        &[255; 7],
    ] {
        let bytes = [&file.bytes[..], garbage].concat();
        assert_eq!(file.recovered(&bytes), Some(2));
    }
}

#[test]
fn a_frame_of_another_file_in_a_torn_record_is_no_evidence() {
    // The foreign frame has a higher number and is complete, but another salt.
    let mut foreign = Vec::new();
    push_record(&mut foreign, b"x");
    let foreign = frame(900, 1, &foreign, 8);
    let mut body = Vec::new();
    push_record(&mut body, &foreign);
    let mut file = file(&[&["a"]], &[], None);
    let torn = frame(11, 1, &body, 7);
    file.bytes.extend(&torn[..3]);
    file.bytes.extend([0; 21]);
    file.bytes.extend(&torn[24..]);
    assert_eq!(file.recovered(&file.bytes), Some(1));
}

#[test]
fn missing_records_are_damage() {
    let mut bytes = file(&[&["a"]], &[], None).bytes;
    let mut body = Vec::new();
    push_record(&mut body, b"c");
    bytes.extend(frame(12, 1, &body, 7));
    assert_eq!(
        parse(&bytes).unwrap_err().why,
        "records are missing before this place"
    );
}
