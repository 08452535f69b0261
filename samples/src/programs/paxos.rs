//! Paxos in production: three proposers compete for one decision of five acceptors.

use crate::paxos::{self, Group, WhatIsDecided};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let group = Group {
        proposers: 3,
        acceptors: 5,
        ballots: None,
        copies: 3,
    };
    let learner = paxos::set_up(&sys, group, None);
    let value = learner
        .ask(WhatIsDecided)
        .await
        .expect("the learner lives as long as the system");
    println!("{value} is decided, after {:.1?}", sys.now());
    sys.shutdown().await?;
    Ok(())
}
