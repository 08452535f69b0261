//! Chain replication in production: two of three servers fail while the clients are served.

use actor_core::prelude::*;
use samples::chain_replication::{self, HowManyReplies, Scenario};

#[tokio::main]
async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let scenario = Scenario {
        servers: 3,
        clients: 2,
        requests: 1000,
        failures: 2,
        pings: 10,
    };
    let mut replies = 0;
    for client in chain_replication::set_up(&sys, scenario, None).clients {
        let requests = client.ask(HowManyReplies).await;
        replies += requests.expect("every request is answered");
    }
    println!("{replies} of 2000 requests were answered");
    sys.shutdown().await
}
