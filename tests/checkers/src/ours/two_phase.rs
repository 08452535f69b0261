//! Two-phase commit: all participants commit, or all abort.

use actor_core::prelude::*;

#[derive(Clone, Hash, Debug)]
struct Prepare(ActorRef<Coordinator>);
#[derive(Clone, Copy, Hash, Debug)]
struct Vote(bool);
#[derive(Clone, Copy, Hash, Debug)]
struct Decide(bool);
/// A participant has committed, or aborted.
#[derive(Clone, Copy, Hash, Debug)]
struct Ended(bool);

#[derive(Hash)]
struct Coordinator {
    participants: Vec<ActorRef<Participant>>,
    yes: usize,
    decided: Option<bool>,
}

#[actor]
impl Coordinator {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for participant in &self.participants {
            participant.tell(Prepare(cx.me()));
        }
    }

    #[on]
    fn vote(&mut self, vote: Vote) {
        if self.decided.is_some() {
            return;
        }
        self.yes += usize::from(vote.0);
        if !vote.0 || self.yes == self.participants.len() {
            self.decided = Some(vote.0);
            for participant in &self.participants {
                participant.tell(Decide(vote.0));
            }
        }
    }
}

#[derive(Hash)]
struct Participant {
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[actor]
impl Participant {
    #[on]
    fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) {
        let vote = cx.choose_bool();
        if vote {
            self.phase = Phase::Prepared;
        } else {
            self.end(false, cx);
        }
        prepare.0.tell(Vote(vote));
    }

    #[on]
    fn decide(&mut self, decide: Decide, cx: &mut Context<Self>) {
        self.end(decide.0, cx);
    }

    fn end(&mut self, commits: bool, cx: &mut Context<Self>) {
        self.phase = if commits {
            Phase::Committed
        } else {
            Phase::Aborted
        };
        cx.announce(Ended(commits));
    }
}

/// Nobody aborts what another commits.
#[derive(Default, Hash)]
struct Agreement {
    commits: Option<bool>,
}

#[monitor(cold(Watching))]
impl Agreement {
    #[on]
    fn ended(&mut self, ended: &Ended) {
        let commits = *self.commits.get_or_insert(ended.0);
        assert!(commits == ended.0, "one commits, and another aborts");
    }
}

pub(super) fn set_up(sys: &System, participants: u32) {
    sys.monitor::<Agreement>();
    let spawn = |_| {
        sys.spawn(Participant {
            phase: Phase::Working,
        })
    };
    let participants = (0..participants).map(spawn).collect();
    sys.spawn(Coordinator {
        participants,
        yes: 0,
        decided: None,
    });
}
