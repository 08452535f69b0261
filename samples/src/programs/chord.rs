//! The Chord ring in production.

use std::time::Duration;

use crate::chord::{self, WhoIsNext};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let ring = chord::set_up(&sys, 8, None);
    loop {
        let mut next = Vec::new();
        for node in &ring {
            next.push(node.ask(WhoIsNext).await.expect("nodes stay"));
        }
        if chord::is_whole(&next) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    println!(
        "{} nodes are in one ring after {:.1?}",
        ring.len(),
        sys.now()
    );
    sys.shutdown().await?;
    Ok(())
}
