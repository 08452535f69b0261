//! Two-phase commit in production.

use crate::two_phase_commit::{self, HowManyCommitted, Scenario};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let scenario = Scenario {
        participants: 3,
        clients: 4,
        writes: 250,
        crash: false,
    };
    let mut committed = 0;
    for client in two_phase_commit::set_up(&sys, scenario, None) {
        let writes = client.ask(HowManyCommitted).await;
        committed += writes.expect("every request is answered");
    }
    println!("{committed} of 1000 writes were committed, and the others aborted");
    sys.shutdown().await?;
    Ok(())
}
