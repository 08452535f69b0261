//! Single-decree Paxos, in which each proposer tries one ballot with a value of its own.

use actor_core::prelude::*;

/// A ballot, and the value proposed in it.
type Proposal = (u32, u32);

#[derive(Clone, Hash, Debug)]
struct Prepare {
    ballot: u32,
    from: ActorRef<Proposer>,
}
#[derive(Clone, Copy, Hash, Debug)]
struct Promise(Option<Proposal>);
#[derive(Clone, Hash, Debug)]
struct Accept {
    proposal: Proposal,
    from: ActorRef<Proposer>,
}
#[derive(Clone, Copy, Hash, Debug)]
struct Accepted;
/// A value is decided.
#[derive(Clone, Copy, Hash, Debug)]
struct Decided(u32);

#[derive(Hash)]
struct Proposer {
    ballot: u32,
    acceptors: Vec<ActorRef<Acceptor>>,
    promises: usize,
    /// The newest proposal that a promise reports, and then the proposer's own.
    proposal: Option<Proposal>,
    accepted: usize,
}

#[actor]
impl Proposer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for acceptor in &self.acceptors {
            let (ballot, from) = (self.ballot, cx.me());
            acceptor.tell(Prepare { ballot, from });
        }
    }

    #[on]
    fn promise(&mut self, promise: Promise, cx: &mut Context<Self>) {
        if self.promises == self.majority() {
            return;
        }
        self.promises += 1;
        self.proposal = self.proposal.max(promise.0);
        if self.promises == self.majority() {
            let value = self.proposal.map_or(self.ballot, |(_, value)| value);
            let proposal = (self.ballot, value);
            self.proposal = Some(proposal);
            for acceptor in &self.acceptors {
                let from = cx.me();
                acceptor.tell(Accept { proposal, from });
            }
        }
    }

    #[on]
    fn accepted(&mut self, _: Accepted, cx: &mut Context<Self>) {
        if self.accepted == self.majority() {
            return;
        }
        self.accepted += 1;
        if let Some((_, value)) = self.proposal
            && self.accepted == self.majority()
        {
            cx.announce(Decided(value));
        }
    }

    fn majority(&self) -> usize {
        self.acceptors.len() / 2 + 1
    }
}

#[derive(Hash)]
struct Acceptor {
    promised: u32,
    accepted: Option<Proposal>,
}

#[actor]
impl Acceptor {
    #[on]
    fn prepare(&mut self, prepare: Prepare) {
        if prepare.ballot > self.promised {
            self.promised = prepare.ballot;
            prepare.from.tell(Promise(self.accepted));
        }
    }

    #[on]
    fn accept(&mut self, accept: Accept) {
        if accept.proposal.0 >= self.promised {
            self.promised = accept.proposal.0;
            self.accepted = Some(accept.proposal);
            accept.from.tell(Accepted);
        }
    }
}

/// At most one value is decided.
#[derive(Default, Hash)]
struct Agreement {
    decided: Option<u32>,
}

#[monitor(cold(Watching))]
impl Agreement {
    #[on]
    fn decided(&mut self, decided: &Decided) {
        let first = *self.decided.get_or_insert(decided.0);
        assert!(
            first == decided.0,
            "both {first} and {} are decided",
            decided.0
        );
    }
}

pub(super) fn set_up(sys: &System, proposers: u32, acceptors: u32) {
    sys.monitor::<Agreement>();
    let spawn = |_| {
        sys.spawn(Acceptor {
            promised: 0,
            accepted: None,
        })
    };
    let acceptors: Vec<_> = (0..acceptors).map(spawn).collect();
    for ballot in 1..=proposers {
        sys.spawn(Proposer {
            ballot,
            acceptors: acceptors.clone(),
            promises: 0,
            proposal: None,
            accepted: 0,
        });
    }
}
