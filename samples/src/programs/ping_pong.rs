//! Ping-pong in production: the actors that the tests test.

use std::time::Duration;

use crate::ping_pong::{self, HowMany};
use actor_core::prelude::*;

// ANCHOR: main
#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let (clients, rounds) = (3, 1_000);
    let server = ping_pong::set_up(&sys, clients, rounds, None);
    let mut served = 0;
    while served < 3_000 {
        sys.sleep(Duration::from_millis(1)).await;
        served = server.ask(HowMany).await.expect("the server runs");
    }
    println!("the server answered {served} pings of {clients} clients");
    sys.shutdown().await?;
    Ok(())
}
// ANCHOR_END: main
