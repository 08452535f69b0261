//! The client of the replicated database: puts values and survives a change of the master.

use actor_core::prelude::*;

use super::{Done, HowMany, NewMaster, Put, Replica};
use ClientState as To;

/// Puts one value after the other.
#[derive(Debug)]
pub struct Client {
    puts: u32,
    done: u64,
    term: u64,
    master: Option<ActorRef<Replica>>,
}

#[actor(states(Putting(defer(HowMany)), Finished(ignore(NewMaster, Done))))]
impl Client {
    /// Creates a client that puts this number of values.
    pub fn new(puts: u32) -> Self {
        Self {
            puts,
            done: 0,
            term: 0,
            master: None,
        }
    }

    /// Puts the last value again: the old master may have lost the request.
    #[on(Putting)]
    fn new_master(&mut self, new: NewMaster, cx: &mut Context<Self>) {
        if new.term > self.term {
            self.term = new.term;
            self.master = Some(new.master);
            self.put(cx);
        }
    }

    /// A value that was put twice may be confirmed twice.
    #[on(Putting)]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        if done.0 != self.done + 1 {
            return;
        }
        self.done += 1;
        match self.done < u64::from(self.puts) {
            true => self.put(cx),
            false => cx.goto(To::Finished),
        }
    }

    #[on(Finished)]
    fn how_many(&mut self, _: HowMany) -> u64 {
        self.done
    }

    fn put(&self, cx: &Context<Self>) {
        if let Some(master) = &self.master {
            master.tell(Put {
                number: self.done + 1,
                client: cx.recipient(),
            });
        }
    }
}
