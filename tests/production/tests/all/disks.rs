//! Files and journals in production: real files below a root.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use actor_core::fs::{Disk, OpenOptions};
use actor_core::journal::{Journal, JournalError};
use actor_core::prelude::*;

fn system(root: &Path) -> System {
    let sys = System::new();
    sys.as_live().unwrap().disk_at(root).unwrap();
    sys
}

/// Returns an empty directory, and a disk with that root.
fn empty() -> (tempfile::TempDir, Disk) {
    let root = tempfile::tempdir().unwrap();
    let disk = system(root.path()).disk();
    (root, disk)
}

async fn recovered(disk: &Disk) -> Result<Journal, JournalError> {
    Ok(Journal::recover(disk, "journal").await?.journal)
}

async fn append_and_sync(journal: &Journal, record: &str) -> Result<(), JournalError> {
    journal.append(record)?;
    journal.sync().await
}

#[tokio::test]
async fn a_disk_without_a_root_says_what_to_do() {
    let sys = System::new();
    let error = sys.disk().read_dir(".").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("disk_at"), "{error}");
    assert!(sys.disk().faults().is_none(), "nothing can be made to fail");
}

#[tokio::test]
async fn nothing_leaves_the_root() {
    let root = tempfile::tempdir().unwrap();
    let inside = root.path().join("inside");
    let disk = system(&inside).disk();
    fs::write(root.path().join("secret"), "x").unwrap();
    let secret = root.path().join("secret");
    for path in ["../secret", "a/../../secret", secret.to_str().unwrap()] {
        let read = OpenOptions::new().read(true);
        let error = disk.open(path, read).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains(path), "{error}");
    }
    let error = disk.remove_file("../secret").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(root.path().join("secret").exists());
}

#[tokio::test]
async fn a_file_is_used_as_it_was_opened() {
    let (_root, disk) = empty();
    let file = disk
        .open("log", OpenOptions::new().append(true).create(true))
        .await
        .unwrap();
    assert_eq!(file.append(*b"abc").await.unwrap(), 0);
    assert_eq!(file.append(*b"de").await.unwrap(), 3);
    for error in [
        file.read_at(0, 1).await.unwrap_err(),
        file.write_at(0, *b"x").await.unwrap_err(),
        disk.open("log", OpenOptions::new()).await.unwrap_err(),
        disk.open("log", OpenOptions::new().read(true).truncate(true))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains("`log`"), "{error}");
    }
    let error = disk
        .open("none", OpenOptions::new().read(true))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().starts_with("open `none`: "), "{error}");
}

#[tokio::test]
async fn a_journal_is_recovered_from_its_file() -> Result<(), JournalError> {
    let (root, disk) = empty();
    let journal = recovered(&disk).await?;
    for (record, number) in ["a", "bc", ""].iter().zip(0..) {
        assert_eq!(journal.append(record)?, number);
    }
    journal.sync().await?;
    journal.append("never synced")?;
    drop(journal);

    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.records, [&b"a"[..], b"bc", b""]);
    assert_eq!((recovered.first, recovered.torn_bytes), (0, 0));
    assert_eq!(recovered.snapshot, None);
    recovered.journal.snapshot("abc")?;
    append_and_sync(&recovered.journal, "d").await?;
    drop(recovered.journal);

    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.snapshot.as_deref(), Some(&b"abc"[..]));
    assert_eq!(recovered.records, [b"d"]);
    assert_eq!((recovered.first, recovered.journal.next()), (3, 4));
    let mut files: Vec<_> = { fs::read_dir(root.path()).unwrap() }
        .map(|entry| entry.unwrap().file_name())
        .collect();
    files.sort();
    assert_eq!(files, ["journal", "journal.lock"], "no other file is left");
    Ok(())
}

#[tokio::test]
async fn a_torn_tail_is_cut_and_damage_is_named() -> Result<(), JournalError> {
    let (root, disk) = empty();
    let path = root.path().join("journal");
    let journal = recovered(&disk).await?;
    let mut ends = Vec::new();
    let mut contents = Vec::new();
    for record in ["first", "second", "third"] {
        append_and_sync(&journal, record).await?;
        ends.push(fs::metadata(&path).unwrap().len());
        contents.push(fs::read(&path).unwrap());
    }
    drop(journal);
    let whole = contents.pop().unwrap();

    // The third record, whose sync was never complete.
    let mut torn = contents.pop().unwrap();
    torn.extend(&whole[ends[1] as usize..ends[2] as usize - 1]);
    fs::write(&path, &torn).unwrap();
    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.records, [&b"first"[..], b"second"]);
    assert_eq!(recovered.torn_bytes, ends[2] - 1 - ends[1]);
    drop(recovered);
    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.torn_bytes, 0, "it was cut off");
    drop(recovered);

    // The second record, damaged.
    let mut damaged = whole;
    damaged[ends[1] as usize - 1] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let error = Journal::recover(&disk, "journal").await.unwrap_err();
    let is_second = matches!(
        &error,
        JournalError::Damaged { file, offset, record: 1, .. } if file == "journal" && *offset == ends[0]
    );
    assert!(is_second, "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged, "it is left as it is");
    Ok(())
}

/// The causes in practice: an incomplete copy, or a file system check.
#[tokio::test]
async fn what_was_synced_and_is_gone_is_an_error() -> Result<(), JournalError> {
    let (root, disk) = empty();
    let path = root.path().join("journal");
    let journal = recovered(&disk).await?;
    let mut ends = vec![fs::metadata(&path).unwrap().len()];
    for number in 0..5_u8 {
        journal.append([number; 100])?;
        journal.sync().await?;
        ends.push(fs::metadata(&path).unwrap().len());
    }
    drop(journal);
    let whole = fs::read(&path).unwrap();
    for (number, frame) in ends.windows(2).enumerate() {
        // The file ends before the frame, or in it.
        for len in [frame[0], frame[0] + 1, frame[1] - 1] {
            fs::write(&path, &whole[..len as usize]).unwrap();
            let error = Journal::recover(&disk, "journal").await.unwrap_err();
            let JournalError::Damaged { offset, record, .. } = error else {
                panic!("{error}");
            };
            assert_eq!((offset, record), (frame[0], number as u64));
        }
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(Journal::recover(&disk, "journal").await?.records.len(), 5);
    Ok(())
}

/// A full disk refuses writes; the test simulates one by making it impossible to create the new file.
#[tokio::test]
async fn what_is_known_to_be_synced_is_recovered_without_a_write() -> Result<(), JournalError> {
    let (root, disk) = empty();
    let path = root.path().join("journal");
    let journal = recovered(&disk).await?;
    append_and_sync(&journal, "one").await?;
    let safe = fs::read(&path).unwrap();
    append_and_sync(&journal, "two").await?;
    drop(journal);
    let whole = fs::read(&path).unwrap();
    fs::create_dir(root.path().join("journal.new")).unwrap();
    assert_eq!(Journal::recover(&disk, "journal").await?.records.len(), 2);
    assert_eq!(fs::read(&path).unwrap(), whole);
    // Without the last mark it is unknown if the second record was synced: the file is rewritten.
    let marks = 512..3 * 512;
    let unmarked = [&safe[..marks.end], &whole[marks.end..]].concat();
    fs::write(&path, &unmarked).unwrap();
    let error = Journal::recover(&disk, "journal").await.unwrap_err();
    assert!(matches!(error, JournalError::Disk { .. }), "{error}");
    fs::remove_dir(root.path().join("journal.new")).unwrap();
    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.records, [b"one", b"two"]);
    append_and_sync(&recovered.journal, "three").await?;
    drop(recovered);
    let recovered = Journal::recover(&disk, "journal").await?;
    assert_eq!(recovered.records, [&b"one"[..], b"two", b"three"]);
    Ok(())
}

#[tokio::test]
async fn a_second_handle_is_refused_as_long_as_the_first_is_there() -> Result<(), JournalError> {
    let root = tempfile::tempdir().unwrap();
    let systems = [system(root.path()), system(root.path())];
    let [disk, other] = systems.each_ref().map(|sys| sys.disk());
    let first = recovered(&disk).await?;
    let clone = first.clone();
    for disk in [&disk, &other] {
        let refused = Journal::recover(disk, "journal").await.unwrap_err();
        let file = "journal".to_owned();
        assert_eq!(refused, JournalError::InUse { file });
    }
    // Another journal is independent.
    Journal::recover(&disk, "another").await?;
    first.append("one")?;
    drop(first);
    clone.sync().await?;
    assert!(Journal::recover(&other, "journal").await.is_err());
    drop(clone);
    let second = Journal::recover(&other, "journal").await?;
    assert_eq!(second.records, [b"one"]);
    Ok(())
}

/// The test's own lock looks like that of another process to the operating system.
#[tokio::test]
async fn the_lock_is_the_operating_systems() {
    let (root, disk) = empty();
    let lock = fs::File::create(root.path().join("journal.lock")).unwrap();
    lock.lock().unwrap();
    let refused = Journal::recover(&disk, "journal").await.unwrap_err();
    assert!(matches!(refused, JournalError::InUse { .. }), "{refused}");
    lock.unlock().unwrap();
    let journal = Journal::recover(&disk, "journal").await.unwrap().journal;
    assert!(lock.try_lock().is_err());
    drop(journal);
    lock.try_lock().unwrap();
}

/// A future that was piped to an actor is dropped some time after the actor is restarted.
#[tokio::test]
async fn a_sync_that_is_left_over_does_not_keep_a_journal() -> Result<(), JournalError> {
    let (_root, disk) = empty();
    let first = recovered(&disk).await?;
    first.append("one")?;
    let sync = first.sync();
    let left_over = first.sync();
    drop(first);
    sync.await?;
    let second = Journal::recover(&disk, "journal").await?;
    assert_eq!(second.records, [b"one"]);
    left_over.await?; // nothing is left to do
    drop(second);
    let third = recovered(&disk).await?;
    third.append("two")?;
    let left_over = third.sync();
    drop(third);
    let fourth = Journal::recover(&disk, "journal").await?;
    let error = left_over.await.unwrap_err();
    assert!(error.to_string().contains("opened anew"), "{error}");
    assert_eq!(fourth.records, [b"one"]);
    fourth.journal.append("three")?;
    fourth.journal.sync().await
}

#[derive(Debug)]
struct Put(u8);
#[derive(Debug)]
struct Kept;
#[derive(Debug)]
struct Synced(u8, Reply<()>, Result<(), JournalError>);

/// Keeps values, continues while it syncs, and panics at an odd value once its sync is in progress.
struct Store {
    kept: Vec<u8>,
    journal: Option<Journal>,
}

#[actor]
impl Store {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), JournalError> {
        let recovered = Journal::recover(&cx.disk(), "store").await?;
        self.kept = recovered.records.concat();
        self.journal = Some(recovered.journal);
        Ok(())
    }

    #[on]
    fn put(&mut self, put: Put, reply: Reply<()>, cx: &mut Context<Self>) {
        let journal = self.journal.as_ref().expect("started");
        journal.append([put.0]).unwrap();
        let synced = journal.sync();
        cx.pipe_to_self(synced, move |result| Synced(put.0, reply, result));
        assert_eq!(put.0 % 2, 0, "odd");
    }

    #[on]
    fn synced(&mut self, synced: Synced) {
        let Synced(value, reply, result) = synced;
        result.unwrap();
        self.kept.push(value);
        reply.send(());
    }

    #[on]
    fn kept(&mut self, _: Kept) -> Vec<u8> {
        self.kept.clone()
    }
}

/// The sync of the previous incarnation may be in progress, and is no obstacle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_actor_that_panics_recovers_its_journal_in_its_next_life() {
    let root = tempfile::tempdir().unwrap();
    let sys = system(root.path());
    let failures = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = failures.clone();
    sys.as_live().unwrap().on_failure(move |failure| {
        assert!(failure.message.contains("odd"), "{failure}");
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    sys.supervise(actor_core::Supervision::one_for_one().intensity(20, Duration::from_secs(60)));
    let store = sys.spawn_with(|| Store {
        kept: Vec::new(),
        journal: None,
    });
    for round in 0..10 {
        store.ask(Put(2 * round)).await.unwrap();
        store.ask(Put(2 * round + 1)).await.unwrap_err();
    }
    let kept = store.ask(Kept).await.unwrap();
    let safe = kept.iter().filter(|value| **value % 2 == 0);
    assert!(safe.copied().eq((0..10).map(|round| 2 * round)), "{kept:?}");
    assert!(kept.is_sorted(), "{kept:?}");
    assert_eq!(failures.load(std::sync::atomic::Ordering::Relaxed), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_share_syncs_and_nobody_is_lost() -> Result<(), JournalError> {
    let (_root, disk) = empty();
    let journal = recovered(&disk).await?;
    let writers: Vec<_> = (0..64_u8)
        .map(|writer| {
            let journal = journal.clone();
            tokio::spawn(async move {
                for number in 0..4 {
                    journal.append([writer, number])?;
                    let synced = journal.sync();
                    // Some of the callers that write for others are dropped in the middle of it.
                    if (writer + number).is_multiple_of(5) {
                        let short = std::time::Duration::from_micros(u64::from(writer));
                        let _ = tokio::time::timeout(short, synced).await;
                    } else {
                        synced.await?;
                    }
                }
                Ok::<(), JournalError>(())
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap()?;
    }
    journal.sync().await?;
    drop(journal);
    let recovered = Journal::recover(&disk, "journal").await?;
    let mut records = recovered.records;
    assert_eq!(records.len(), 64 * 4);
    // The records of each writer are in order.
    records.sort_by_key(|record| record[0]);
    let expected = (0..64).flat_map(|writer| (0..4).map(move |number| [writer, number]));
    assert_eq!(records, expected.collect::<Vec<_>>());
    Ok(())
}

#[cfg(feature = "codec")]
#[tokio::test]
async fn values_are_recovered_as_values() -> Result<(), JournalError> {
    let (_root, disk) = empty();
    let journal = recovered(&disk).await?;
    journal.snapshot_value(&vec![1_u32, 2])?;
    journal.append_value(&("three", 3_u64))?;
    journal.sync().await?;
    drop(journal);
    let recovered = Journal::recover(&disk, "journal").await?;
    let (snapshot, records) = recovered.decode::<Vec<u32>, (String, u64)>()?;
    assert_eq!(snapshot, Some(vec![1, 2]));
    assert_eq!(records, [("three".to_owned(), 3)]);
    let error = recovered.decode::<Vec<u32>, u8>().unwrap_err();
    let is_first = matches!(
        error,
        JournalError::Codec {
            record: Some(0),
            ..
        }
    );
    assert!(is_first, "{error}");
    Ok(())
}

#[cfg(feature = "futures")]
#[test]
fn a_thread_pool_has_a_disk_too() {
    use futures_executor::{ThreadPool, block_on};

    let root = tempfile::tempdir().unwrap();
    let sys = System::on_pool(ThreadPool::new().unwrap());
    sys.as_live().unwrap().disk_at(root.path()).unwrap();
    block_on(async {
        let journal = Journal::recover(&sys.disk(), "journal").await?.journal;
        journal.append("a")?;
        journal.sync().await
    })
    .unwrap();
    assert!(root.path().join("journal").exists());
}
