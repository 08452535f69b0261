//! Ping-pong under shuttle, as threads and as futures.

use shuttle::sync::mpsc;
use shuttle::{future, thread};

/// A program with a number of clients and of round trips for each.
/// The result is the order in which the server served the clients.
pub type Program = fn(usize, usize) -> Vec<usize>;

/// The programs, by the kind of concurrency that they use.
pub const PROGRAMS: [(&str, Program); 2] = [("threads", threads), ("futures", futures)];

/// Runs one server thread, and client threads with this number of round trips each.
pub fn threads(clients: usize, rounds: usize) -> Vec<usize> {
    let (to_server, pings) = mpsc::channel::<(usize, mpsc::Sender<()>)>();
    let server = thread::spawn(move || {
        let mut served = Vec::with_capacity(clients * rounds);
        while let Ok((number, client)) = pings.recv() {
            served.push(number);
            client.send(()).expect("a client waits for its pong");
        }
        served
    });
    let clients: Vec<_> = (0..clients)
        .map(|number| {
            let to_server = to_server.clone();
            thread::spawn(move || {
                let (to_me, pongs) = mpsc::channel();
                for _ in 0..rounds {
                    let ping = (number, to_me.clone());
                    to_server.send(ping).expect("the server runs");
                    pongs.recv().expect("the server answers");
                }
            })
        })
        .collect();
    drop(to_server);
    let expected = clients.len() * rounds;
    for client in clients {
        client.join().expect("a client ends");
    }
    let served = server.join().expect("the server ends");
    assert_eq!(served.len(), expected);
    served
}

/// Runs the same as futures, over the unbounded channel of the `futures` crate. Each
/// message has one yield, since that channel is no scheduling point of shuttle's.
pub fn futures(clients: usize, rounds: usize) -> Vec<usize> {
    use futures_channel::mpsc::{UnboundedSender, unbounded};
    use futures_util::StreamExt;

    future::block_on(async move {
        let (to_server, mut pings) = unbounded::<(usize, UnboundedSender<()>)>();
        let server = future::spawn(async move {
            let mut served = Vec::with_capacity(clients * rounds);
            while let Some((number, client)) = pings.next().await {
                served.push(number);
                future::yield_now().await;
                client
                    .unbounded_send(())
                    .expect("a client waits for its pong");
            }
            served
        });
        let clients: Vec<_> = (0..clients)
            .map(|number| {
                let to_server = to_server.clone();
                future::spawn(async move {
                    let (to_me, mut pongs) = unbounded();
                    for _ in 0..rounds {
                        future::yield_now().await;
                        to_server
                            .unbounded_send((number, to_me.clone()))
                            .expect("the server runs");
                        pongs.next().await.expect("the server answers");
                    }
                })
            })
            .collect();
        drop(to_server);
        let expected = clients.len() * rounds;
        for client in clients {
            client.await.expect("a client ends");
        }
        let served = server.await.expect("the server ends");
        assert_eq!(served.len(), expected);
        served
    })
}
