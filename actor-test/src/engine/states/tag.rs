//! Numbers for the kinds of effects in fingerprints.

use actor_core::StopReason;

/// Distinguishes the kinds of effects. The compiler rejects equal numbers.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Tag {
    Finish = 0,
    Send = 1,
    Start = 2,
    Reply = 3,
    ReplyLost = 4,
    Notice = 5,
    Halt = 6,
    Announce = 7,
    Arm = 8,
    Cancel = 9,
    Watch = 10,
    Stop = 11,
    StopAtOnce = 12,
    Link = 13,
    ShareHalted = 14,
    ShareStopped = 15,
    ShareFailed = 16,
    ShareExhausted = 17,
    ShareLinked = 18,
    ShareAborted = 19,
    ShareOther = 20,
    Unlink = 30,
    Unwatch = 31,
    Disk = 32,
    FailPower = 33,
    TearWrites = 34,
    Decide = 35,
    LetGo = 36,
    Cross = 37,
    NodeFault = 38,
    Ask = 39,
    AskWaiting = 40,
}

impl Tag {
    pub(super) fn of_ask(waits: bool) -> Self {
        if waits { Self::AskWaiting } else { Self::Ask }
    }

    pub(super) fn of_reply(is_lost: bool) -> Self {
        if is_lost {
            Self::ReplyLost
        } else {
            Self::Reply
        }
    }

    pub(super) fn of_stop(at_once: bool) -> Self {
        if at_once {
            Self::StopAtOnce
        } else {
            Self::Stop
        }
    }

    pub(super) fn of_share(reason: StopReason) -> Self {
        match reason {
            StopReason::Halted => Self::ShareHalted,
            StopReason::Stopped => Self::ShareStopped,
            StopReason::Failed => Self::ShareFailed,
            StopReason::Exhausted => Self::ShareExhausted,
            StopReason::Linked => Self::ShareLinked,
            StopReason::Aborted => Self::ShareAborted,
            _ => Self::ShareOther,
        }
    }
}
