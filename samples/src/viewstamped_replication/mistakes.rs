//! What was got wrong in Viewstamped Replication, by its authors and by those who built it.
//!
//! Most are of these reports:
//! - J. Vanlightly, *Paper: VR Revisited*, an analysis with TLA+ in six parts, 2022 and 2023: what a
//!   model checker finds where one does what the paper says, or what it leaves open.
//! - J. D. Greef, issues 15 and 16 of the TAPIR project, 2021: a review of its implementation.
//! - The pull requests of TigerBeetle, with what its simulator has found.

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica that has lost what it knew takes part in a view change before it has recovered (TAPIR,
    /// issue 15). It brings an empty log, and a majority may come of it that has forgotten what was
    /// committed.
    RecoveringVotes,
    /// A view begins with the longest log, and not with that of the replica that was normal last. The
    /// paper says so in passing; what hangs on it is in Vanlightly's part 3.
    LongestLog,
    /// A backup that hears of the beginning of the view that it is in takes the log of that moment, also
    /// where it has told the primary since then that it has more (Vanlightly, part 3). The paper names
    /// no condition.
    LateStartView,
    /// A backup takes over the commit number with which a view begins, also where its own is higher
    /// (Vanlightly, part 4). Then it executes commands for the second time.
    CommitNumberGoesBack,
    /// A replica that has missed a later view forgets what is not committed before it asks for the rest,
    /// as the paper has it (Vanlightly, part 3). Some of that it has told a primary to have, and until
    /// the answer comes, it is short of it.
    TruncatedAtTransfer,
    /// It is in the later view as soon as it hears of it, and not when it has the log (Vanlightly,
    /// part 3). In the next view change its log counts as one of that view.
    EagerView,
    /// What it has asked for it takes whenever it comes, also when a view change has given it the log in
    /// the meantime, and it has told the primary that it has more (Vanlightly, part 3).
    TransferAtAnyTime,
    /// The client table is written when a command is taken, and a view change that takes the command away
    /// does not mend it (TAPIR, issue 16). The primary waits for what nobody has: nothing is wrong, and
    /// the client is never answered.
    TableAtPrepare,
    /// A replica recovers from whoever leads in some view, and not from the primary of the latest view
    /// that it hears of. Vanlightly, part 5, names it as what the rule is there for.
    AnyPrimary,
    /// A replica says that it leaves a view before that is on its disk, and is back in it after a crash.
    /// TigerBeetle, pull requests 650 and 861, had two of the kind.
    ViewNotWritten,
    /// A backup says that it has a command before that is on its disk. It does not know what it has lost,
    /// which is the condition that Vanlightly, part 5, puts to writing later.
    PreparedNotSynced,
}
