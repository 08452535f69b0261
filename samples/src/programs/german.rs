//! Coherent caches in production: CPUs count together.

use crate::german::{self, HowManyWrites};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let (caches, operations) = (4, 1_000);
    let cpus = german::set_up(&sys, caches, operations, None);
    let mut writes = 0;
    for cpu in &cpus {
        writes += cpu.ask(HowManyWrites).await.expect("CPUs do not stop");
    }
    println!("{caches} CPUs read and wrote {operations} times each, {writes} of it writes");
    sys.shutdown().await?;
    Ok(())
}
