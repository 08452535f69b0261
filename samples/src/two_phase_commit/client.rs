//! A client, which writes values and reads them back.

use actor_core::prelude::*;

use super::{
    Coordinator, HowManyCommitted, Outcome, ReadRequest, ReadResponse, WriteRequest, WriteResponse,
};
use ClientState as To;

/// Writes to a key of its own, and reads the value that it wrote.
#[derive(Debug, Hash)]
pub struct Client {
    coordinator: ActorRef<Coordinator>,
    key: u32,
    writes_left: u64,
    /// The value of the next write.
    next: u64,
    /// The last committed value.
    value: Option<u64>,
    committed: u64,
}

#[actor(states(
    Writing(defer(HowManyCommitted)),
    Reading(defer(HowManyCommitted)),
    Done,
))]
impl Client {
    /// Creates a client that writes this number of values to a key.
    pub fn new(coordinator: ActorRef<Coordinator>, key: u32, writes: u64) -> Self {
        Self {
            coordinator,
            key,
            writes_left: writes,
            next: 1,
            value: None,
            committed: 0,
        }
    }

    #[entry(Writing)]
    fn write(&mut self, cx: &mut Context<Self>) {
        self.coordinator.tell(WriteRequest {
            key: self.key,
            value: self.next,
            client: cx.me(),
        });
    }

    #[on(Writing)]
    fn written(&mut self, response: WriteResponse, cx: &mut Context<Self>) {
        if response.outcome == Outcome::Committed {
            self.value = Some(self.next);
            self.committed += 1;
        }
        cx.goto(To::Reading);
    }

    #[entry(Reading)]
    fn read(&mut self, cx: &mut Context<Self>) {
        self.coordinator.tell(ReadRequest {
            key: self.key,
            client: cx.me(),
        });
    }

    #[on(Reading)]
    fn read_back(&mut self, response: ReadResponse, cx: &mut Context<Self>) {
        assert_eq!(
            response.value, self.value,
            "what is read, and what was written"
        );
        self.next += 1;
        self.writes_left -= 1;
        cx.goto(if self.writes_left == 0 {
            To::Done
        } else {
            To::Writing
        });
    }

    #[on(Done)]
    fn how_many_committed(&mut self, _: HowManyCommitted) -> u64 {
        self.committed
    }
}
