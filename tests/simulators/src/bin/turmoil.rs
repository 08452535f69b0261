//! The ring under turmoil: UDP between hosts; tick and latency are one millisecond, the minimum.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use simulators::{BALLS, Ball, EACH, EXECUTIONS, HOSTS, ROOM, measure};
use turmoil::net::UdpSocket;

const PORT: u16 = 1738;
const NAMES: [&str; HOSTS] = ["n0", "n1", "n2"];

fn main() {
    measure(|| (0..EXECUTIONS).map(execute).sum());
}

fn execute(seed: u64) -> u64 {
    let tick = Duration::from_millis(1);
    let mut sim = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(3_600))
        .tick_duration(tick)
        .min_message_latency(tick)
        .max_message_latency(tick)
        .udp_capacity(BALLS as usize * HOSTS)
        .rng_seed(seed)
        .build();
    let arrived = Rc::new(Cell::new(0));
    for (host, name) in NAMES.into_iter().enumerate() {
        let next = (NAMES[(host + 1) % HOSTS], PORT);
        let arrived = arrived.clone();
        sim.client(name, async move {
            let socket = UdpSocket::bind(("0.0.0.0", PORT)).await?;
            // All sockets are bound by then.
            tokio::time::sleep(Duration::from_millis(10)).await;
            let mut bytes = [0; ROOM];
            for _ in 0..BALLS {
                let length = Ball::of(host).encode(&mut bytes);
                socket.send_to(&bytes[..length], next).await?;
            }
            for _ in 0..EACH {
                let (length, _) = socket.recv_from(&mut bytes).await?;
                arrived.set(arrived.get() + 1);
                if let Some(ball) = Ball::decode(&bytes[..length]).hand_on() {
                    let length = ball.encode(&mut bytes);
                    socket.send_to(&bytes[..length], next).await?;
                }
            }
            Ok(())
        });
    }
    sim.run().expect("every host is done");
    arrived.get()
}
