//! A lost wake-up in a bounded buffer with producers and consumers, after Tom
//! Cargill's "Extreme Programming Challenge Fourteen" and Coyote's sample of it.
//!
//! A producer [`Put`]s items into a [`Buffer`] of limited capacity, and a consumer
//! [`Take`]s them. If the buffer is full or empty, it answers [`Answer::Wait`] and parks
//! the client in *one* list for both kinds. After each success it wakes the parked
//! clients. A client that is woken asks again, since another client may have been faster.
//!
//! **The bug it teaches.** With [`Bug::WakeOne`], the buffer wakes only the first parked client. That seems
//! enough, as one success lets one other client continue. But the first one in the list may be of the wrong
//! kind. A consumer that took the last item wakes another consumer, which finds nothing and waits again,
//! while the producer that could continue sleeps. Then no client is left to wake another: a lost wake-up,
//! and a deadlock. Three clients are needed. The report names each waiting client and its wait.
//! what.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A success wakes the first parked client instead of all of them.
    WakeOne,
}

/// Asks the buffer to store an item.
#[derive(Debug)]
pub struct Put {
    /// The item.
    pub item: u64,
    /// The client to wake later if the buffer is full.
    pub parked: Recipient<Wake>,
}

/// Asks the buffer for the oldest item.
#[derive(Debug)]
pub struct Take {
    /// The client to wake later if the buffer is empty.
    pub parked: Recipient<Wake>,
}

/// The answer of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer<T> {
    /// The request succeeded.
    Done(T),
    /// The buffer is full or empty: ask again after [`Wake`].
    Wait,
}

/// Wakes a parked client, which asks again.
#[derive(Debug)]
pub struct Wake;

/// Asks a producer or a consumer to do its work; answered when the work is done.
#[derive(Debug)]
pub struct Work;

// ANCHOR: buffer
/// Stores a limited number of items.
#[derive(Debug)]
pub struct Buffer {
    capacity: usize,
    items: VecDeque<u64>,
    parked: VecDeque<Recipient<Wake>>,
    bug: Option<Bug>,
}

#[actor]
impl Buffer {
    #[on]
    fn put(&mut self, put: Put) -> Answer<()> {
        if self.items.len() == self.capacity {
            self.parked.push_back(put.parked);
            return Answer::Wait;
        }
        self.items.push_back(put.item);
        self.wake();
        Answer::Done(())
    }

    #[on]
    fn take(&mut self, take: Take) -> Answer<u64> {
        match self.items.pop_front() {
            None => {
                self.parked.push_back(take.parked);
                Answer::Wait
            }
            Some(item) => {
                self.wake();
                Answer::Done(item)
            }
        }
    }

    fn wake(&mut self) {
        let count = match self.bug {
            Some(Bug::WakeOne) => self.parked.len().min(1),
            None => self.parked.len(),
        };
        for client in self.parked.drain(..count) {
            client.tell(Wake);
        }
    }
}
// ANCHOR_END: buffer

/// Puts items into the buffer.
#[derive(Debug)]
pub struct Producer {
    buffer: ActorRef<Buffer>,
    items: std::ops::Range<u64>,
}

// ANCHOR: producer
#[actor(receive(Wake))]
impl Producer {
    #[on]
    async fn work(&mut self, _: Work, cx: &mut Context<Self>) {
        for item in self.items.clone() {
            loop {
                let parked = cx.recipient();
                match self.buffer.ask(Put { item, parked }).await {
                    Ok(Answer::Done(())) => break,
                    Ok(Answer::Wait) => cx.receive::<Wake>().await,
                    Err(_) => return,
                };
            }
        }
    }
}
// ANCHOR_END: producer

/// Takes items from the buffer.
#[derive(Debug)]
pub struct Consumer {
    buffer: ActorRef<Buffer>,
    wanted: u64,
}

#[actor(receive(Wake))]
impl Consumer {
    /// Returns the items that it took, in order.
    #[on]
    async fn work(&mut self, _: Work, cx: &mut Context<Self>) -> Vec<u64> {
        let mut taken = Vec::new();
        while (taken.len() as u64) < self.wanted {
            let parked = cx.recipient();
            match self.buffer.ask(Take { parked }).await {
                Ok(Answer::Done(item)) => taken.push(item),
                Ok(Answer::Wait) => {
                    cx.receive::<Wake>().await;
                }
                Err(_) => break,
            }
        }
        taken
    }
}

/// The number of clients and the work of each.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The capacity of the buffer.
    pub capacity: usize,
    /// The number of producers.
    pub producers: u64,
    /// The number of items that each producer puts.
    pub puts: u64,
    /// The number of consumers.
    pub consumers: u64,
    /// The number of items that each consumer takes.
    pub takes: u64,
}

/// The clients of a buffer.
#[derive(Debug)]
pub struct Clients {
    /// The clients that put items.
    pub producers: Vec<ActorRef<Producer>>,
    /// The clients that take items.
    pub consumers: Vec<ActorRef<Consumer>>,
}

/// Starts a buffer and its clients, which begin to work when they are asked to.
pub fn set_up(sys: &System, load: Load, bug: Option<Bug>) -> Clients {
    let buffer = sys.spawn(Buffer {
        capacity: load.capacity,
        items: VecDeque::new(),
        parked: VecDeque::new(),
        bug,
    });
    let producer = |number| Producer {
        buffer: buffer.clone(),
        items: number * load.puts..(number + 1) * load.puts,
    };
    let consumer = |_| Consumer {
        buffer: buffer.clone(),
        wanted: load.takes,
    };
    Clients {
        producers: (0..load.producers)
            .map(|number| sys.spawn(producer(number)))
            .collect(),
        consumers: (0..load.consumers)
            .map(|number| sys.spawn(consumer(number)))
            .collect(),
    }
}

// ANCHOR: everyone
/// Makes all clients do their work, and returns the items that were taken, sorted.
pub async fn everyone_works(clients: &Clients) -> Vec<u64> {
    for producer in &clients.producers {
        producer.tell(Work);
    }
    let work = clients.consumers.iter().map(|consumer| consumer.ask(Work));
    let mut taken = Vec::new();
    for consumer in work.collect::<Vec<_>>() {
        taken.extend(consumer.await.expect("consumers do not stop"));
    }
    taken.sort_unstable();
    taken
}
// ANCHOR_END: everyone
