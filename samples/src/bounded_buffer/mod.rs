//! A bounded buffer between producers and consumers, after Tom Cargill's "Extreme Programming
//! Challenge Fourteen" and Coyote's sample of it.
//!
//! A producer [`Put`]s items into a [`Buffer`] of limited capacity, a consumer [`Take`]s them. Where
//! that is not possible, the buffer answers [`Answer::Wait`] and parks the client in *one* list for
//! both kinds. After each success it wakes parked clients, and a client that is woken asks again,
//! since somebody else may have been faster.
//!
//! **The bug it teaches.** With [`Bug::WakeOne`], the buffer wakes the first parked client only. It
//! looks like enough, as one success makes room for one other. But the first in the list may be of
//! the wrong kind: a consumer that took the last item wakes another consumer, which finds nothing
//! and waits again, while the producer that could go on sleeps. Then nobody is left to wake anybody:
//! a lost wake-up, and a deadlock. It takes three clients to happen. The tester names who waits for
//! what.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A success wakes the first parked client, not all of them.
    WakeOne,
}

/// Asks the buffer to store an item.
#[derive(Debug)]
pub struct Put {
    /// The item.
    pub item: u64,
    /// Whom to wake where there is no room.
    pub parked: Recipient<Wake>,
}

/// Asks the buffer for the oldest item.
#[derive(Debug)]
pub struct Take {
    /// Whom to wake where there is none.
    pub parked: Recipient<Wake>,
}

/// What the buffer answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer<T> {
    /// It is done.
    Done(T),
    /// Not now: ask again after [`Wake`].
    Wait,
}

/// Tells a parked client to ask again.
#[derive(Debug)]
pub struct Wake;

/// Asks a producer or a consumer to do its work, and answers when it is done.
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
    /// Answers with what it took, in order.
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

/// How many clients there are, and how much they do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many items the buffer has room for.
    pub capacity: usize,
    /// How many producers there are.
    pub producers: u64,
    /// How many items each of them puts.
    pub puts: u64,
    /// How many consumers there are.
    pub consumers: u64,
    /// How many items each of them takes.
    pub takes: u64,
}

/// The clients of a buffer.
#[derive(Debug)]
pub struct Clients {
    /// Those that put.
    pub producers: Vec<ActorRef<Producer>>,
    /// Those that take.
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
/// Has all clients do their work, and returns what was taken, sorted.
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
