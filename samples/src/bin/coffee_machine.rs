//! The coffee machine and its failover driver in production.

use actor_core::prelude::*;
use samples::coffee_machine::{self, HowDidItEnd, Outcome};

#[tokio::main]
async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
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
    sys.shutdown().await
}
