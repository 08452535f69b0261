//! Chain replication in production: two of three nodes crash while the clients are served.

use std::time::Duration;

use crate::chain_replication::{self, HowManyReplies, Scenario};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let scenario = Scenario {
        servers: 3,
        clients: 2,
        requests: 3000,
        pings: 10,
        failures: 2,
    };
    let chain = chain_replication::set_up_on_nodes(&sys, scenario, None).await;
    for node in ["n2", "n1"] {
        tokio::time::sleep(Duration::from_millis(20)).await;
        sys.faults().crash(node);
    }
    let mut replies = 0;
    for client in &chain.clients {
        let requests = client.ask(HowManyReplies).await;
        replies += requests.expect("every request is answered");
    }
    println!("{replies} requests were answered, and 1 of 3 servers is left");
    sys.shutdown().await?;
    Ok(())
}
