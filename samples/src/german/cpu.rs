//! A CPU, which reads and writes the cell through its cache.

use actor_core::prelude::*;

use super::{Cache, Completed, HowManyWrites, Read, Write};

/// Reads or writes, one operation after the other.
#[derive(Debug, Hash)]
pub struct Cpu {
    cache: ActorRef<Cache>,
    operations_left: u32,
    writes: u32,
}

#[actor(states(Working(defer(HowManyWrites)), Finished))]
impl Cpu {
    /// Creates a CPU that does this number of operations.
    pub fn new(cache: ActorRef<Cache>, operations: u32) -> Self {
        Self {
            cache,
            operations_left: operations,
            writes: 0,
        }
    }

    #[entry(Working)]
    fn work(&mut self, cx: &mut Context<Self>) {
        if self.operations_left == 0 {
            return cx.goto(CpuState::Finished);
        }
        self.operations_left -= 1;
        let from = cx.me();
        if cx.choose_bool() {
            self.cache.tell(Write { from });
        } else {
            self.cache.tell(Read { from });
        }
    }

    #[on(Working)]
    fn completed(&mut self, completed: Completed, cx: &mut Context<Self>) {
        if let Completed::Written(_) = completed {
            self.writes += 1;
        }
        cx.goto(CpuState::Working);
    }

    #[on(Finished)]
    fn how_many_writes(&mut self, _: HowManyWrites) -> u32 {
        self.writes
    }
}
