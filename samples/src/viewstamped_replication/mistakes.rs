//! Published bugs of Viewstamped Replication, in the paper and in implementations.
//!
//! Most of them come from these reports:
//! - J. Vanlightly, *Paper: VR Revisited*, an analysis with TLA+ in six parts, 2022 and 2023:
//!   bugs that a model checker finds in the paper, and in the details that the paper leaves open.
//! - J. D. Greef, issues 15 and 16 of the TAPIR project, 2021: a review of its implementation.
//! - The pull requests of TigerBeetle, with the bugs that its simulator has found.

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A replica that has lost its state takes part in a view change before
    /// it has recovered (TAPIR, issue 15). The replica contributes an empty
    /// log, and the resulting majority may have forgotten committed commands.
    RecoveringVotes,
    /// A view begins with the longest log, and not with the log of the replica whose normal view is
    /// the latest. The paper states the rule in passing; Vanlightly's part 3 shows the consequences.
    LongestLog,
    /// A backup that receives `StartView` of its current view takes the log
    /// of that message, even if it has acknowledged more to the primary
    /// since then (Vanlightly, part 3). The paper names no condition.
    LateStartView,
    /// A backup takes over the commit number with which a view begins, even if its own is
    /// higher (Vanlightly, part 4). The backup then executes commands for the second time.
    CommitNumberGoesBack,
    /// A replica that has missed a later view drops its uncommitted commands before
    /// it asks for the rest, as the paper says (Vanlightly, part 3). The replica has
    /// acknowledged some of them to a primary, and lacks them until the answer comes.
    TruncatedAtTransfer,
    /// A replica enters the later view as soon as it hears of it, and not when it has the log
    /// (Vanlightly, part 3). In the next view change, its old log counts as a log of that view.
    EagerView,
    /// A replica accepts a state transfer at any time, even if a view change has given it
    /// the log meanwhile, and it has acknowledged more to the primary (Vanlightly, part 3).
    TransferAtAnyTime,
    /// The client table is updated when a command is taken into the log, and a view change
    /// that drops the command does not correct the table (TAPIR, issue 16). The primary
    /// then waits for a command that no replica has, and the client is never answered.
    TableAtPrepare,
    /// A replica recovers from the primary of any view, and not from the primary of the latest
    /// view that it hears of. Vanlightly, part 5, names this case as the reason for the rule.
    AnyPrimary,
    /// A replica announces that it leaves a view before that is on its disk, and is back in the
    /// old view after a crash. TigerBeetle had two bugs of this kind (pull requests 650 and 861).
    ViewNotWritten,
    /// A backup acknowledges a command before the command is on its disk. After a crash it
    /// does not know what it lost; Vanlightly, part 5, allows late writes only if it does.
    PreparedNotSynced,
}
