//! Prints the cost of a durable record: in a raw file with a sync for each record, in a `Journal`
//! with a sync for each, and in a `Journal` with many writers that share syncs (group commit).
//!
//! `journal 500` writes 500 records in each round instead of 1000; `journal 500 DIRECTORY` picks
//! the disk. The variants alternate, since the speed of a disk changes from second to second.

use std::env;
use std::fs::{self, File};
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use actor_core::Scope;
use actor_core::System;
use actor_core::journal::Journal;
use tokio::task::JoinSet;

const RECORD: [u8; 100] = [7; 100];
const ROUNDS: usize = 5;
const WRITERS: [u64; 3] = [1, 16, 256];

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let records = match arguments.next().map(|records| records.parse()) {
        None => 1_000,
        Some(Ok(records)) if records >= WRITERS[2] => records,
        Some(_) => {
            eprintln!("the number of records is at least {}", WRITERS[2]);
            return ExitCode::from(2);
        }
    };
    let root = arguments.next().map_or_else(env::temp_dir, PathBuf::from);
    let root = root.join(format!("journal-{}", std::process::id()));
    match measure(&root, records) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", root.display());
            ExitCode::FAILURE
        }
    }
}

fn measure(root: &Path, records: u64) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let sys = runtime.block_on(async { System::new() });
    sys.as_live().expect("production").disk_at(root)?;
    let mut table: Vec<(String, Vec<f64>)> = Vec::new();
    for round in 0..ROUNDS {
        let mut column = Vec::new();
        column.push((
            "raw file, a sync for each".to_owned(),
            raw(&root.join(format!("raw{round}")), records)?,
        ));
        let name = format!("loop{round}");
        column.push((
            "Journal, a sync for each".to_owned(),
            runtime.block_on(journal(&sys, &name, 1, records))?,
        ));
        for writers in &WRITERS[1..] {
            let name = format!("group{round}-{writers}");
            let rate = runtime.block_on(journal(&sys, &name, *writers, records * writers / 4))?;
            column.push((format!("Journal, {writers} writers"), rate));
        }
        column.push((
            "raw file, one sync for all".to_owned(),
            raw_once(&root.join(format!("once{round}")), records * 64)?,
        ));
        for (row, (name, rate)) in column.into_iter().enumerate() {
            match table.get_mut(row) {
                Some((_, rates)) => rates.push(rate),
                None => table.push((name, vec![rate])),
            }
        }
    }
    fs::remove_dir_all(root)?;
    let median = |rates: &mut Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let first = median(&mut table[0].1);
    println!(
        "{:<28} {:>14} {:>12}",
        "100 bytes each", "records/s", "to the first"
    );
    for (name, rates) in &mut table {
        let rate = median(rates);
        println!("{name:<28} {rate:>14.0} {:>12.2}", rate / first);
    }
    Ok(())
}

/// Returns the records per second with a write and a sync for each.
fn raw(path: &Path, records: u64) -> std::io::Result<f64> {
    let mut file = File::create(path)?;
    let begin = Instant::now();
    for _ in 0..records {
        file.write_all(&RECORD)?;
        file.sync_data()?;
    }
    Ok(records as f64 / begin.elapsed().as_secs_f64())
}

/// Returns the records per second with a write for each, and one sync at the end.
fn raw_once(path: &Path, records: u64) -> std::io::Result<f64> {
    let mut file = File::create(path)?;
    let begin = Instant::now();
    for _ in 0..records {
        file.write_all(&RECORD)?;
    }
    file.sync_data()?;
    Ok(records as f64 / begin.elapsed().as_secs_f64())
}

/// Returns the records per second of several writers, each of which waits for its record to be durable.
fn journal(
    sys: &System,
    name: &str,
    writers: u64,
    records: u64,
) -> impl Future<Output = Result<f64, Box<dyn std::error::Error>>> {
    let (disk, name) = (sys.disk(), name.to_owned());
    async move {
        let journal = Journal::recover(&disk, &name).await?.journal;
        let safe = Arc::new(AtomicU64::new(0));
        let begin = Instant::now();
        let mut running = JoinSet::new();
        for _ in 0..writers {
            let (journal, safe) = (journal.clone(), safe.clone());
            running.spawn(async move {
                for _ in 0..records / writers {
                    journal.append(RECORD)?;
                    journal.sync().await?;
                    safe.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<(), actor_core::journal::JournalError>(())
            });
        }
        while let Some(ended) = running.join_next().await {
            ended??;
        }
        let took = begin.elapsed().as_secs_f64();
        let written = safe.load(Ordering::Relaxed);
        drop(journal);
        let found = Journal::recover(&disk, &name).await?.records.len() as u64;
        assert_eq!(found, written, "what is acknowledged is there");
        Ok(written as f64 / took)
    }
}
