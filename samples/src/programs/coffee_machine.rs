//! The coffee machine and its failover driver in production.

use std::time::Duration;

use crate::coffee_machine::{self, HowDidItEnd, Outcome};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    // ANCHOR: hooks
    let sys = System::new();
    if let Some(live) = sys.as_live() {
        live.on_failure(|failure| eprintln!("{failure}"));
        live.on_dead_letter(|letter| {
            eprintln!("{:?} came too late for {}", letter.event, letter.name)
        });
        live.on_violation(|violation| eprintln!("{violation}"));
        live.hot_limit(Duration::from_secs(60));
    }
    // ANCHOR_END: hooks
    let driver = coffee_machine::set_up(&sys, None);
    let (outcome, machines) = driver
        .ask(HowDidItEnd)
        .await
        .expect("the driver goes on to the end");
    match outcome {
        Outcome::Shots(shots) => println!("machine {machines} made a coffee of {shots} shots"),
        Outcome::RefillRequired => println!("machine {machines} needs a refill"),
        Outcome::DoorIsOpen => println!("machine {machines} has its door open"),
    }
    sys.shutdown_within(Duration::from_secs(10)).await?;
    Ok(())
}
