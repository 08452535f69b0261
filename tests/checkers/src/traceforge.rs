//! The programs in TraceForge: threads that send messages; each execution is explored once.

use traceforge::thread::{self, ThreadId};
use traceforge::{Config, ConsType, recv_msg_block, send_msg, verify};

use crate::Explored;
use crate::programs::Program;

#[derive(Clone, PartialEq, Debug)]
enum Message {
    Call(ThreadId),
    Reply,
}

/// Explores each execution of the program; returns `None` for a program that is not written down here.
pub(crate) fn explore(program: Program) -> Option<Explored> {
    let (run, actors, messages): (fn(u32, u32), _, _) = match program {
        Program::FanIn(senders, messages) => (fan_in, senders, messages),
        Program::Calls(clients, calls) => (self::calls, clients, calls),
        _ => return None,
    };
    let config = Config::builder().with_cons_type(ConsType::Mailbox);
    let stats = verify(config.build(), move || run(actors, messages));
    Some(Explored {
        count: stats.execs as u64 + stats.block as u64,
        is_proof: true,
    })
}

fn fan_in(senders: u32, messages: u32) {
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

fn calls(clients: u32, calls: u32) {
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
