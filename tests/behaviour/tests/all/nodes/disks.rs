//! Disks under test: the number of possible states after a crash, and calls compared with real files.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

use actor_core::Scope;
use actor_core::System;
use actor_core::fs::{Disk, OpenOptions};
use actor_test::Tester;
use behaviour::harness::{outcomes, whole};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const NEW: OpenOptions = OpenOptions::new().read(true).write(true).create(true);
const OLD: OpenOptions = OpenOptions::new().read(true).write(true);

/// Runs every execution of `before` and a power failure; returns the number
/// of executions, and the number of distinct disk contents afterwards.
fn survivors<F, Fut>(block: u32, before: F) -> (u64, usize)
where
    F: Fn(Disk) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = io::Result<()>> + 'static,
{
    let before = Arc::new(before);
    let (report, found) = outcomes(&whole("dfs"), |sys| {
        let before = before.clone();
        async move {
            let disk = sys.disk();
            let faults = disk.faults().expect("under test");
            faults.tear_writes(block);
            before(disk.clone()).await.expect("no call fails");
            faults.fail_power();
            look(&disk, ".").await.expect("what is left can be read")
        }
    });
    (report.executions, found.len())
}

/// Returns everything below a directory, as text.
async fn look(disk: &Disk, path: &str) -> io::Result<String> {
    let mut text = String::new();
    for entry in disk.read_dir(path).await? {
        let path = format!("{path}/{}", entry.name);
        if entry.is_dir {
            let inside = Box::pin(look(disk, &path)).await?;
            text += &format!("{path}({inside}) ");
        } else {
            let file = disk.open(&path, OLD).await?;
            let content = file.read_at(0, 1 << 20).await?;
            text += &format!("{path}={content:?} ");
        }
    }
    Ok(text)
}

/// Creates a file whose name survives a power failure.
async fn named(disk: &Disk) -> io::Result<actor_core::fs::File> {
    let file = disk.open("file", NEW).await?;
    disk.sync_dir(".").await?;
    Ok(file)
}

/// Runs `n` writes of three bytes each to a named file, at the place that `place` says.
fn writes(n: u64, place: fn(u64) -> u64) -> (u64, usize) {
    survivors(0, move |disk| async move {
        let file = named(&disk).await?;
        for write in 0..n {
            file.write_at(place(write), vec![write as u8 + 1; 3])
                .await?;
        }
        Ok(())
    })
}

#[test]
fn n_writes_to_different_places_leave_two_to_the_n_files() {
    for n in 1..=6 {
        let counted = writes(n, |write| write * 3);
        assert_eq!(counted, (1 << n, 1 << n), "{n} writes");
    }
}

#[test]
fn n_appends_leave_two_to_the_n_files() {
    for n in 1..=6_u64 {
        let counted = survivors(0, move |disk| async move {
            let append = OpenOptions::new().append(true).create(true);
            let file = disk.open("file", append).await?;
            disk.sync_dir(".").await?;
            for write in 0..n {
                file.append(vec![write as u8 + 1; 3]).await?;
            }
            Ok(())
        });
        assert_eq!(counted, (1 << n, 1 << n), "{n} appends");
    }
}

#[test]
fn n_writes_to_one_place_leave_one_of_n_plus_one_files() {
    for n in 1..=6 {
        // The file contains the last write that survives, or nothing.
        assert_eq!(writes(n, |_| 0), (1 << n, n as usize + 1), "{n} writes");
    }
}

#[test]
fn n_torn_writes_of_k_blocks_leave_two_to_the_n_times_k_files() {
    for (n, k) in [
        (1_u64, 1_u64),
        (1, 2),
        (1, 5),
        (2, 2),
        (2, 3),
        (3, 2),
        (6, 1),
    ] {
        let counted = survivors(4, move |disk| async move {
            let file = named(&disk).await?;
            for write in 0..n {
                let bytes = vec![write as u8 + 1; k as usize * 4];
                file.write_at(write * k * 4, bytes).await?;
            }
            Ok(())
        });
        let parts = 1 << (n * k);
        assert_eq!(counted, (parts as u64, parts), "{n} writes of {k} blocks");
    }
    // An unaligned write covers one more block than its length suggests.
    let counted = survivors(4, |disk| async move {
        named(&disk).await?.write_at(3, vec![1; 8]).await
    });
    assert_eq!(counted, (8, 8));
}

#[test]
fn n_names_leave_two_to_the_n_directories() {
    for n in 1..=6_u64 {
        let counted = survivors(0, move |disk| async move {
            for name in 0..n {
                disk.open(&format!("file{name}"), NEW).await?;
            }
            Ok(())
        });
        assert_eq!(counted, (1 << n, 1 << n), "{n} names");
    }
}

#[test]
fn a_file_without_its_name_is_gone_with_all_that_is_in_it() {
    for n in 1..=6_u64 {
        let counted = survivors(0, move |disk| async move {
            let file = disk.open("file", NEW).await?;
            for write in 0..n {
                file.write_at(write, vec![write as u8 + 1]).await?;
            }
            Ok(())
        });
        assert_eq!(counted, (1 + (1 << n), 1 + (1 << n)), "{n} writes");
    }
}

#[test]
fn what_is_synced_stays() {
    let counted = survivors(1, |disk| async move {
        let file = named(&disk).await?;
        file.write_at(0, *b"synced").await?;
        file.sync_data().await?;
        disk.create_dir("directory").await?;
        disk.rename("file", "directory/file").await?;
        disk.sync_dir("directory").await
    });
    // The rename is synced, but the directory's own name belongs to its parent, which is not.
    assert_eq!(counted, (2, 2), "the directory has a name, or not");
}

#[test]
fn a_rename_is_kept_or_lost_as_a_whole() {
    let counted = survivors(0, |disk| async move {
        let file = named(&disk).await?;
        file.write_at(0, *b"old").await?;
        file.sync_all().await?;
        let new = disk.open("new", NEW).await?;
        new.write_at(0, *b"new").await?;
        new.sync_all().await?;
        disk.sync_dir(".").await?;
        disk.rename("new", "file").await
    });
    assert_eq!(counted, (2, 2));
}

/// Makes random calls; returns the result of each, or the kind of its error.
async fn random_calls(disk: Disk, seed: u64) -> Vec<String> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    let paths = ["a", "b", "d", "d/a", "d/e", "d/e/a", "a/x"];
    let modes = [
        OpenOptions::new().read(true),
        NEW,
        OLD.truncate(true),
        OpenOptions::new().append(true).create(true),
        OpenOptions::new().write(true).create_new(true),
        OpenOptions::new().read(true).append(true),
    ];
    let mut files = Vec::new();
    let mut came = Vec::new();
    for number in 0..60 {
        let path = paths[below(paths.len())];
        let other = paths[below(paths.len())];
        let file = files.get(below(files.len().max(1)));
        let what = below(12);
        let done = |()| String::new();
        let result = match (what, file) {
            (0 | 1, _) => {
                let mode = modes[below(modes.len())];
                let opened = disk.open(path, mode).await;
                opened.map(|file| files.push(file)).map(done)
            }
            (2, _) => disk.rename(path, other).await.map(done),
            (3, _) => disk.remove_file(path).await.map(done),
            (4, _) => disk.create_dir(path).await.map(done),
            (5, _) => disk.remove_dir(path).await.map(done),
            (6, _) => {
                let path = [".", "d", "d/e", "a"][below(4)];
                match disk.sync_dir(path).await {
                    Ok(()) => disk.read_dir(path).await.map(|all| format!("{all:?}")),
                    Err(error) => Err(error),
                }
            }
            (7, Some(file)) => {
                let (at, len) = (below(12) as u64, below(5));
                file.write_at(at, vec![number; len]).await.map(done)
            }
            (8, Some(file)) => {
                let appended = file.append(vec![number; below(5)]).await;
                appended.map(|at| at.to_string())
            }
            (9, Some(file)) => file.set_len(below(9) as u64).await.map(done),
            (10, Some(file)) => match file.sync_all().await {
                Ok(()) => file.len().await.map(|len| len.to_string()),
                Err(error) => Err(error),
            },
            (_, Some(file)) => {
                let read = file.read_at(below(8) as u64, below(20)).await;
                read.map(|bytes| format!("{bytes:?}"))
            }
            (_, None) => continue,
        };
        let result = result.map_err(|error| error.kind());
        came.push(format!("{number}: {what} {path} {other} {result:?}"));
    }
    came
}

#[test]
fn calls_do_what_they_do_to_real_files() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let kinds = Arc::new(Mutex::new(BTreeSet::new()));
    for seed in 0..40 {
        let root = tempfile::tempdir().unwrap();
        let real = runtime.block_on(async {
            let sys = System::new();
            sys.as_live().unwrap().disk_at(root.path()).unwrap();
            random_calls(sys.disk(), seed).await
        });
        let seen = kinds.clone();
        let report = Tester::new().iterations(1).run(move |sys| {
            let (seen, real) = (seen.clone(), real.clone());
            async move {
                let modelled = random_calls(sys.disk(), seed).await;
                for (modelled, real) in modelled.iter().zip(&real) {
                    assert_eq!(modelled, real, "seed {seed}");
                }
                let errors = modelled.iter().filter_map(|line| line.split("Err(").nth(1));
                seen.lock().unwrap().extend(errors.map(str::to_owned));
            }
        });
        report.assert_clean();
    }
    let kinds = kinds.lock().unwrap();
    assert!(kinds.len() >= 6, "few kinds of errors: {kinds:?}");
}
