//! Placement of faults: [`Placement`].

use serde::{Deserialize, Serialize};

/// The rule by which the faults of an execution are placed.
///
/// A fault that was one more enabled operation would be spent in the first steps. So an execution draws
/// beforehand its number of faults, uniformly up to the sum of the budgets, their kinds, and the place of
/// each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Placement {
    /// No fault strikes: most bugs need no fault, and some hide behind one.
    Calm,
    /// Faults strike anywhere: all places of the kind are equally likely, of as many as the pilots had.
    ///
    /// Guarantee: one fault hits one of w places among n with probability w / n.
    Timed,
    /// Faults strike at or just after the k-th occurrence of a moment: an event of some type is sent,
    /// delivered or handled, a timer fires, a call of some name is made, an actor enters a state, a monitor
    /// gets hot, a file or the disk of a node is changed, a message from a node arrives. All moments of the
    /// pilots are equally likely. Half of the time k is 1 with probability 1/2, 2 with 1/4, and so on; else
    /// it is uniform among the n occurrences of the pilots. In three of four cases the fault strikes a node
    /// of the moment, if it can.
    ///
    /// Guarantee: one fault strikes at the k-th of n occurrences of one of t moments with probability (2^-k
    /// + 1 / n) / 2t.
    Aimed,
}

impl Placement {
    /// All placements.
    pub const ALL: [Self; 3] = [Self::Calm, Self::Timed, Self::Aimed];

    /// The prefix of a strategy's name for this placement.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Timed => "timed",
            Self::Aimed => "aimed",
        }
    }
}

impl Placement {
    /// An explanation in two lines, for `-s list`.
    pub(crate) const fn explanation(self) -> &'static str {
        match self {
            Self::Calm => {
                "as NAME; none of the faults that the test asks for (--faults) strikes.\nWithout a \
                 placement, a strategy takes all three in turn."
            }
            Self::Timed => {
                "as NAME; faults strike anywhere in the execution, each place as likely as any other.\n\
                 Good where the window is long."
            }
            Self::Aimed => {
                "as NAME; faults strike at moments that matter: at the k-th event of a type, after the \
                 k-th write to a file.\nGood where the window is a short one that follows from what happens."
            }
        }
    }
}
