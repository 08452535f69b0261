//! Replicas in production, whose primary crashes after a short time.

use crate::status_reply::{self, WhoIsNext};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let observer = status_reply::set_up(&sys, None);
    let next = observer.ask(WhoIsNext).await;
    let (ballot, decrees) = next.expect("the observer does not stop");
    println!(
        "after {:.1?} replica {} is the primary, in round {}, and knows {decrees} decrees",
        sys.now(),
        ballot.replica,
        ballot.round
    );
    sys.shutdown().await?;
    Ok(())
}
