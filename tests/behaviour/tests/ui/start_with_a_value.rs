use actor_core::prelude::*;

#[derive(Debug)]
struct Full;

struct Server;

#[actor]
impl Server {
    #[start]
    fn start(&mut self) -> u64 {
        1
    }
}

struct Store;

#[actor(states(Open))]
impl Store {
    #[start]
    #[entry(Open)]
    fn start(&mut self) -> Result<(), Full> {
        Err(Full)
    }
}

struct Silent;

struct Disk;

#[actor]
impl Disk {
    #[start]
    async fn start(&mut self) -> Result<(), Silent> {
        Err(Silent)
    }
}

fn main() {}
