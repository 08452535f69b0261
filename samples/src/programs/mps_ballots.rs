//! The election of a primary in production.

use crate::mps_ballots::{self, LastDecree};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let candidate = mps_ballots::set_up(&sys, None);
    let decree = candidate.ask(LastDecree).await;
    let decree = decree.expect("the candidate becomes primary in the end");
    println!(
        "a primary that knows of decree {decree} after {:.1?}",
        sys.now()
    );
    sys.shutdown().await?;
    Ok(())
}
