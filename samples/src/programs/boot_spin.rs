//! The booting processor in production.

use crate::boot_spin::{self, Boots, Interrupts};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    sys.monitor::<Boots>();
    let boot = boot_spin::set_up(&sys, 10, None);
    let interrupts = boot.ask(Interrupts).await.expect("the processor boots");
    println!("the processor has booted, after {interrupts} interrupts");
    sys.shutdown().await?;
    Ok(())
}
