//! A lightweight event and its waiters in production.

use actor_core::prelude::*;
use samples::lite_event;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let users = lite_event::set_up(&sys, 100, None);
    lite_event::everyone_waits(&users).await;
    println!("{} waiters went on", users.waiters.len());
    sys.shutdown().await?;
    Ok(())
}
