//! Fault injection: the kinds of faults, single faults, and the fault budgets of an execution.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub(crate) const KINDS: usize = FaultKind::ALL.len();

/// Generates [`FaultKind`] from the table of faults, and the macro that resolves a fault of `#[actor_test]`.
///
/// A row has the word of a setting, the variant, `within` a step or `between` steps, the noun of reports, its
/// plural, the description, and the reason why a fault of the kind never had a chance to strike.
macro_rules! fault_kinds {
    ($dollar:tt $(
        $word:ident $kind:ident $time:ident $noun:literal $plural:literal $description:literal
        $no_chance:literal
    )+) => {
        /// A kind of fault in a program's environment.
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize
        )]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum FaultKind {
            $(#[doc = $description] $kind,)+
        }

        impl FaultKind {
            /// All kinds, in the order in which reports list them.
            pub const ALL: [Self; [$(Self::$kind),+].len()] = [$(Self::$kind),+];

            /// Returns the word by which a setting asks for the kind.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($word),)+
                }
            }

            /// Returns the noun that reports use for one fault of the kind.
            pub const fn noun(self) -> &'static str {
                match self {
                    $(Self::$kind => $noun,)+
                }
            }

            /// Returns the noun that reports use for several faults of the kind.
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Self::$kind => $plural,)+
                }
            }

            /// Returns a sentence, in Markdown, that describes the fault.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$kind => $description,)+
                }
            }

            /// Returns true if the fault strikes within a step, at an action that it affects; else between
            /// steps.
            pub const fn is_within_a_step(self) -> bool {
                match self {
                    $(Self::$kind => is_within!($time),)+
                }
            }

            /// Returns the reason why faults of the kind never had a chance to strike in an execution.
            pub(crate) const fn no_chance(self) -> &'static str {
                match self {
                    $(Self::$kind => $no_chance,)+
                }
            }
        }

        #[doc(hidden)]
        #[macro_export]
        macro_rules! __fault_kind {
            $(($word) => { $crate::faults::FaultKind::$kind };)+
            ($dollar unknown:ident) => {
                ::core::compile_error!(::core::concat!(
                    "unknown fault `", ::core::stringify!($dollar unknown), "`: accepted are",
                    $(" `", ::core::stringify!($word), "`,",)+ " each with a number"
                ))
            };
        }
    };
}

macro_rules! is_within {
    (within) => {
        true
    };
    (between) => {
        false
    };
}

fault_kinds! {
    $
    call Call within "failing call" "failing calls"
        "A call by `cx.fallible` or `cx.fallible_async` fails."
        "nothing called `cx.fallible`"
    full Full within "full mailbox" "full mailboxes"
        "A bounded mailbox with free capacity takes nothing: a `try_send` or an `ask` is refused; of a \
         `tell`, the event or the oldest one becomes a dead letter."
        "nothing was sent to a bounded mailbox"
    disk Disk within "failing disk call" "failing disk calls"
        "A call to the disk fails: a write, half of which may be written; a sync, which may drop its data; \
         or a call that changes a name or a length."
        "nothing was written to a disk"
    drop Drop within "dropped message" "dropped messages"
        "A message from one node to another is lost."
        "nothing was sent from one node to another"
    duplicate Duplicate within "duplicated message" "duplicated messages"
        "A message between nodes arrives twice."
        "nothing was sent from one node to another"
    delay Delay within "delayed message" "delayed messages"
        "A message between nodes is overtaken by the one behind it."
        "no two messages were on the way from one node to another"
    partition Partition between "partition" "partitions"
        "Some nodes are cut off from the others, in both directions or in one, and healed later; up to five \
         nodes get any two sides, of more nodes one is cut off. While it lasts, connections between the sides may \
         break, on each side at its own time: who watches or asks is notified."
        "no two nodes were up at a time"
    crash Crash between "crash" "crashes"
        "All that runs on a node ends at once; the node boots again later."
        "there was no node"
    restart Restart between "restart" "restarts"
        "A node crashes and boots again at once, with its disk."
        "there was no node"
    wipe Wipe between "restart without a disk" "restarts without a disk"
        "A node crashes and boots again at once, without its disk."
        "there was no node"
    break Break between "broken connection" "broken connections"
        "The messages on the links between two nodes are lost, and both sides are notified if they watch or \
         ask."
        "no two nodes were up at a time"
    stop Stop between "node that stays down" "nodes that stay down"
        "A node crashes, and stays down."
        "there was no node"
    clock Clock between "clock jump" "clock jumps"
        "The clock of a node jumps ahead, or its date is set back."
        "there was no node"
    wake Wake within "spurious wake-up" "spurious wake-ups"
        "A spurious wake-up: `thread::park`, or a wait for a `Condvar`, ends without a cause, as the \
         standard library allows."
        "no thread parked or waited for a `Condvar`"
    slow Slow between "slow link" "slow links"
        "A link from one node to another delivers nothing for a while; what is sent over it arrives later, \
         in order."
        "no two nodes were up at a time"
    pause Pause between "pause" "pauses"
        "A node stops for a while: nothing on it takes a step and none of its timers fires, while the time goes \
         on; afterwards its timers fire late."
        "there was no node"
    half_open HalfOpen between "half-open connection" "half-open connections"
        "A connection breaks for one of two nodes: the messages on the links are lost, and that side is notified \
         if it watches or asks. The other side notices later, at its next message at the latest, which is lost."
        "no two nodes were up at a time"
    full_link FullLink between "full link" "full links"
        "A link from one node to another takes no events for a while: a `send` waits, a `try_send` or an `ask` is \
         refused, and the event of a `tell` becomes a dead letter."
        "no two nodes were up at a time"
}

impl FaultKind {
    pub(crate) fn of(number: u64) -> Option<Self> {
        let number = usize::try_from(number).ok()?;
        Self::ALL.get(number).copied()
    }

    /// Returns true if the fault lasts until it is undone.
    pub(crate) const fn is_undone(self) -> bool {
        matches!(
            self,
            Self::Partition
                | Self::Crash
                | Self::Slow
                | Self::Pause
                | Self::HalfOpen
                | Self::FullLink
        )
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A fault that may strike or be undone between two steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// True if the fault is being undone: a crashed node boots, a partition is healed, a slow link delivers, a
    /// paused node goes on, the other side of a half-open connection notices, a full link has room.
    pub is_undone: bool,
    /// The affected nodes, one bit for each in the order of declaration: the node that crashes or pauses,
    /// one half of a partition, or the two ends of a connection or of a link.
    pub nodes: u64,
    /// The variant: a partition cuts both directions or one; a slow or full link is that from the first node or back;
    /// a half-open connection is broken for the first node or for the other; a clock jumps ahead or is set back.
    pub way: u8,
    /// A key that identifies the fault in every execution. The key is odd if the fault is being undone.
    pub(crate) key: u64,
}

impl Fault {
    /// The way of a slow link from the node that was declared first to the other one, and of a connection that is
    /// broken for the first one.
    pub(crate) const FORWARD: u8 = 0;

    /// The way of a slow link to the node that was declared first, and of a connection that is broken for the
    /// other one.
    pub(crate) const BACKWARD: u8 = 1;

    /// The key of the step that undoes all faults still in force.
    pub(crate) const LAST: u64 = u64::MAX;

    pub(crate) fn new(kind: FaultKind, nodes: u64, way: u8, hash: u64) -> Self {
        Self {
            kind,
            is_undone: false,
            nodes,
            way,
            key: hash & !1,
        }
    }

    /// Returns true if it strikes those nodes: one of them, their connection, or a partition between them.
    pub(crate) fn concerns(&self, nodes: u64) -> bool {
        let met = (self.nodes & nodes).count_ones();
        match self.kind {
            FaultKind::Partition => self.separates(nodes),
            FaultKind::Break | FaultKind::Slow | FaultKind::HalfOpen | FaultKind::FullLink => {
                met > 0 && met >= nodes.count_ones().min(2)
            }
            _ => met > 0,
        }
    }

    /// Returns true if these nodes are on both sides of the partition.
    pub(crate) fn separates(&self, nodes: u64) -> bool {
        nodes & self.nodes > 0 && nodes & !self.nodes > 0
    }

    /// Returns true if all that runs on its nodes ends, stops for a while, or goes on.
    pub(crate) fn interrupts_nodes(&self) -> bool {
        matches!(
            self.kind,
            FaultKind::Crash
                | FaultKind::Restart
                | FaultKind::Wipe
                | FaultKind::Stop
                | FaultKind::Pause
        )
    }

    /// Returns true if it changes links between nodes, and nothing else.
    pub(crate) fn is_of_links(&self) -> bool {
        matches!(
            self.kind,
            FaultKind::Partition | FaultKind::Slow | FaultKind::FullLink
        )
    }

    /// Returns the bits of the nodes from which and to which a slow link leads, or of those for which a connection
    /// is broken and is not yet.
    pub(crate) fn link_ends(&self) -> (u64, u64) {
        let first = self.nodes & self.nodes.wrapping_neg();
        match self.way {
            Self::FORWARD => (first, self.nodes & !first),
            _ => (self.nodes & !first, first),
        }
    }

    /// Returns the step that undoes this fault.
    pub(crate) fn undone(self) -> Self {
        Self {
            is_undone: true,
            key: self.key | 1,
            ..self
        }
    }
}

/// A critical moment that a step has led to, at which the fault injector may aim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    /// A key that identifies the moment in every execution.
    pub(crate) what: u64,
    /// The nodes concerned, one bit for each, as in [`Fault::nodes`].
    pub(crate) nodes: u64,
}

/// The fault budgets: the largest number of faults of each kind in an execution. Default: none.
///
/// ```
/// use actor_test::faults::{FaultKind, FaultBudgets};
///
/// let faults: FaultBudgets = "call=2, full=1".parse()?;
/// assert_eq!(faults, FaultBudgets::none().with(FaultKind::Call, 2).with(FaultKind::Full, 1));
/// assert_eq!(faults.to_string(), "call=2,full=1");
/// assert_eq!("none".parse(), Ok(FaultBudgets::none()));
/// assert!("calls=2".parse::<FaultBudgets>().unwrap_err().to_string().contains("`call`"));
/// # Ok::<(), actor_test::faults::FaultBudgetsError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FaultBudgets {
    budgets: [u16; KINDS],
}

impl FaultBudgets {
    /// Creates budgets without any faults.
    pub const fn none() -> Self {
        Self {
            budgets: [0; KINDS],
        }
    }

    /// Sets the largest number of faults of a kind.
    #[must_use]
    pub const fn with(mut self, kind: FaultKind, most: u16) -> Self {
        self.budgets[kind as usize] = most;
        self
    }

    /// Returns the largest number of faults of a kind.
    pub const fn budget(&self, kind: FaultKind) -> u16 {
        self.budgets[kind as usize]
    }

    /// Returns true if no fault may strike.
    pub fn is_none(&self) -> bool {
        *self == Self::none()
    }

    /// Returns the kinds with a budget, each with the largest number of its faults.
    pub fn iter(&self) -> impl Iterator<Item = (FaultKind, u16)> + use<> {
        let budgets = self.budgets;
        let all = FaultKind::ALL.into_iter().zip(budgets);
        all.filter(|(_, most)| *most > 0)
    }

    /// Takes one fault of a kind off its budget, which stops at zero.
    pub(crate) fn spend(&mut self, kind: FaultKind) {
        let left = &mut self.budgets[kind as usize];
        *left = left.saturating_sub(1);
    }
}

impl fmt::Display for FaultBudgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        for (number, (kind, most)) in self.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(f, "{comma}{kind}={most}")?;
        }
        Ok(())
    }
}

/// The budgets of several kinds; of a kind without a budget, no fault may strike.
impl FromIterator<(FaultKind, u16)> for FaultBudgets {
    fn from_iter<I: IntoIterator<Item = (FaultKind, u16)>>(budgets: I) -> Self {
        let budgets = budgets.into_iter();
        budgets.fold(Self::none(), |faults, (kind, most)| faults.with(kind, most))
    }
}

impl From<FaultBudgets> for String {
    fn from(faults: FaultBudgets) -> Self {
        faults.to_string()
    }
}

impl TryFrom<String> for FaultBudgets {
    type Error = FaultBudgetsError;

    fn try_from(text: String) -> Result<Self, FaultBudgetsError> {
        text.parse()
    }
}

/// The faults that struck in an execution, and the opportunities for them, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FaultCounts {
    /// The number of faults that struck.
    pub(crate) struck: [u32; KINDS],
    /// The number of times that a fault could have struck.
    pub(crate) offered: [u32; KINDS],
}

/// The reason why a text does not describe fault budgets.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultBudgetsError {
    /// The text names a kind that does not exist.
    #[error("there is no fault `{name}`; there are {}", kinds())]
    Unknown {
        /// The name in the text.
        name: String,
    },
    /// The text gives no count for a kind, or one that is not a number.
    #[error(
        "`{text}` does not say how many; the form is KIND=COUNT with commas between, `{example}` for \
         instance, with counts from 0 to 65535 and the kinds {}; or `none`",
        kinds()
    )]
    Malformed {
        /// The malformed part of the text.
        text: String,
        /// An example of a right one.
        example: String,
    },
    /// The text names a kind twice.
    #[error("`{kind}` is given twice; give it once, with how many there may be in all")]
    Twice {
        /// The kind.
        kind: FaultKind,
    },
}

fn kinds() -> String {
    let words = FaultKind::ALL.map(|kind| format!("`{kind}`"));
    words.join(", ")
}

impl FromStr for FaultBudgets {
    type Err = FaultBudgetsError;

    fn from_str(text: &str) -> Result<Self, FaultBudgetsError> {
        let mut faults = Self::none();
        if text.trim() == "none" {
            return Ok(faults);
        }
        let mut given = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, count) = match part.split_once('=') {
                Some((name, count)) => (name.trim(), Some(count.trim())),
                None => (part, None),
            };
            let found = FaultKind::ALL.into_iter().find(|kind| kind.word() == name);
            let malformed = |example: String| FaultBudgetsError::Malformed {
                text: part.into(),
                example,
            };
            let Some(kind) = found else {
                return Err(match name {
                    "" => malformed("call=2".into()),
                    _ => FaultBudgetsError::Unknown { name: name.into() },
                });
            };
            let count = count.and_then(|count| count.parse().ok());
            let count = count.ok_or_else(|| malformed(format!("{kind}=2")))?;
            if given.contains(&kind) {
                return Err(FaultBudgetsError::Twice { kind });
            }
            given.push(kind);
            faults = faults.with(kind, count);
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for calls in [0, 1, 65_535] {
            for full in [0, 3] {
                let faults = FaultBudgets::none()
                    .with(FaultKind::Call, calls)
                    .with(FaultKind::Full, full);
                assert_eq!(faults.to_string().parse(), Ok(faults));
            }
        }
    }

    #[test]
    fn every_kind_has_a_place_of_its_own() {
        for (place, kind) in FaultKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            let faults = FaultBudgets::none().with(kind, 7);
            assert_eq!(faults.iter().collect::<Vec<_>>(), [(kind, 7)]);
            assert_eq!(format!("{kind}=7").parse(), Ok(faults));
        }
    }

    #[test]
    fn an_error_says_what_would_be_right() {
        let error = |text: &str| text.parse::<FaultBudgets>().expect_err(text).to_string();
        assert!(
            error("calls=1").starts_with("there is no fault `calls`; there are `call`, `full`")
        );
        for text in [
            "call",
            "call=",
            "call=x",
            "call=-1",
            "call=65536",
            "call=1,",
            "",
        ] {
            let error = error(text);
            assert!(error.contains("KIND=COUNT"), "{text}: {error}");
        }
        assert!(error("call=1,call=1").starts_with("`call` is given twice"));
    }
}
