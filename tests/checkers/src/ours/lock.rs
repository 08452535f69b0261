//! A lock server, whose clients wait in a queue.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[derive(Clone, Hash, Debug)]
struct Acquire(ActorRef<Client>);
#[derive(Clone, Copy, Hash, Debug)]
struct Granted;
#[derive(Clone, Copy, Hash, Debug)]
struct Finish;
#[derive(Clone, Copy, Hash, Debug)]
struct Release;
/// A client has the lock from now on, or until now.
#[derive(Clone, Copy, Hash, Debug)]
struct Holds(bool);

#[derive(Hash)]
struct Server {
    is_held: bool,
    waiting: VecDeque<ActorRef<Client>>,
}

#[actor]
impl Server {
    #[on]
    fn acquire(&mut self, acquire: Acquire) {
        if self.is_held {
            self.waiting.push_back(acquire.0);
        } else {
            self.is_held = true;
            acquire.0.tell(Granted);
        }
    }

    #[on]
    fn release(&mut self, _: Release) {
        match self.waiting.pop_front() {
            Some(next) => next.tell(Granted),
            None => self.is_held = false,
        }
    }
}

#[derive(Hash)]
struct Client {
    server: ActorRef<Server>,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Waiting,
    Holding,
    Done,
}

#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Acquire(cx.me()));
    }

    #[on]
    fn granted(&mut self, _: Granted, cx: &mut Context<Self>) {
        self.phase = Phase::Holding;
        cx.announce(Holds(true));
        cx.me().tell(Finish);
    }

    #[on]
    fn finish(&mut self, _: Finish, cx: &mut Context<Self>) {
        self.phase = Phase::Done;
        cx.announce(Holds(false));
        self.server.tell(Release);
    }
}

/// At most one client has the lock.
#[derive(Default, Hash)]
struct Exclusion {
    is_held: bool,
}

#[monitor(cold(Watching))]
impl Exclusion {
    #[on]
    fn holds(&mut self, holds: &Holds) {
        assert!(self.is_held != holds.0, "two clients have the lock");
        self.is_held = holds.0;
    }
}

pub(super) fn set_up(sys: &System, clients: u32) {
    sys.monitor::<Exclusion>();
    let server = sys.spawn(Server {
        is_held: false,
        waiting: VecDeque::new(),
    });
    for _ in 0..clients {
        sys.spawn(Client {
            server: server.clone(),
            phase: Phase::Waiting,
        });
    }
}
