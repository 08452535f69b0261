//! The programs in TraceForge: threads that send messages; each execution is explored once.

use traceforge::thread::{self, ThreadId};
use traceforge::{Config, ConsType, recv_msg_block, send_msg, verify};

use crate::programs::Program;

#[derive(Clone, PartialEq, Debug)]
enum Message {
    Call(ThreadId),
    Reply,
}

/// Returns the number of explored executions.
pub(crate) fn count(program: Program) -> u64 {
    let config = Config::builder().with_cons_type(ConsType::Mailbox);
    let stats = verify(config.build(), move || run(program));
    stats.execs as u64 + stats.block as u64
}

fn run(program: Program) {
    match program {
        Program::FanIn(senders, messages) => {
            let receiver = thread::spawn(move || {
                for _ in 0..senders * messages {
                    let _: Message = recv_msg_block();
                }
            });
            let to = receiver.thread().id();
            for _ in 0..senders {
                thread::spawn(move || {
                    for _ in 0..messages {
                        send_msg(to, Message::Reply);
                    }
                });
            }
        }
        Program::Calls(clients, calls) => {
            let server = thread::spawn(move || {
                for _ in 0..clients * calls {
                    if let Message::Call(from) = recv_msg_block() {
                        send_msg(from, Message::Reply);
                    }
                }
            });
            let to = server.thread().id();
            for _ in 0..clients {
                thread::spawn(move || {
                    for _ in 0..calls {
                        send_msg(to, Message::Call(thread::current().id()));
                        let _: Message = recv_msg_block();
                    }
                });
            }
        }
    }
}
