//! Runs the service until ctrl-c: `cargo run [ADDRESS]`; the default address is 127.0.0.1:8080.

use std::io;

use service::{Layout, web};
use tokio::net::TcpListener;
use tokio::signal::ctrl_c;

#[tokio::main]
async fn main() -> io::Result<()> {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:8080");
    let listener = TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let layout = Layout {
        shards: 8,
        mailbox: 256,
    };
    let end = async {
        if let Err(error) = ctrl_c().await {
            eprintln!("ctrl-c can't be heard: {error}");
        }
    };
    web::serve(listener, layout, end).await
}
