//! The bounded buffer in production.

use crate::bounded_buffer::{self, Load};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let load = Load {
        capacity: 4,
        producers: 4,
        puts: 500,
        consumers: 4,
        takes: 500,
    };
    let clients = bounded_buffer::set_up(&sys, load, None);
    let taken = bounded_buffer::everyone_works(&clients).await;
    println!(
        "{} items went through a buffer of {}",
        taken.len(),
        load.capacity
    );
    sys.shutdown().await?;
    Ok(())
}
