//! The programs: clients that call a server, and senders that fill an inbox.

/// A program, the same for each checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Program {
    /// A number of senders, each of which sends a number of messages to one receiver.
    FanIn(u32, u32),
    /// A number of clients, each of which calls a server a number of times, one call after another.
    Calls(u32, u32),
}

/// Returns all measured programs.
pub(crate) fn all() -> impl Iterator<Item = Program> {
    [
        Program::FanIn(3, 4),
        Program::Calls(3, 2),
        Program::Calls(3, 50),
        Program::Calls(4, 20),
    ]
    .into_iter()
}

impl Program {
    pub(crate) fn named(name: &str) -> Option<Self> {
        all().find(|program| program.name() == name)
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::FanIn(senders, messages) => format!("fan-in-{senders}x{messages}"),
            Self::Calls(clients, calls) => format!("calls-{clients}x{calls}"),
        }
    }
}
