//! A lightweight event and its waiters in production.

use crate::lite_event;
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let users = lite_event::set_up(&sys, 100, None);
    lite_event::everyone_waits(&users).await;
    println!("{} waiters went on", users.waiters.len());
    sys.shutdown().await?;
    Ok(())
}
