//! Converts records into the effects of a step: sends, replies, timers and faults.

use super::StoryBuilder;
use crate::data::story::{DiskAction, Effect, MessageFate};
use crate::records;
use crate::records::{MessageSource, Record};

impl StoryBuilder {
    pub(super) fn action(&mut self, action: &records::DiskRecord) -> DiskAction {
        DiskAction {
            call: action.call,
            path: self.text(&action.path),
            to: action.to.as_ref().map(|to| self.text(to)),
            at: action.at,
            bytes: action.bytes,
        }
    }

    /// Converts a record into an effect of the step, if it is one.
    pub(super) fn effect_of(&mut self, record: &Record) -> Option<Effect> {
        Some(match record {
            Record::Sent { .. } => return self.sent(record),
            Record::Arrived { .. } => return self.arrived(record),
            Record::Spawned { who } => Effect::Spawned { who: *who },
            Record::Clock {
                node,
                ahead_ns,
                drift_ppb,
            } => Effect::Clock {
                node: self.text(node),
                ahead_ns: *ahead_ns,
                drift_ppb: *drift_ppb,
            },
            Record::NodeFault {
                what,
                node,
                links,
                by_ns,
            } => Effect::Fault {
                fault: self.text(what),
                node: node.as_ref().map(|node| self.text(node)),
                links: links
                    .iter()
                    .map(|(from, to)| (self.text(from), self.text(to)))
                    .collect(),
                by_ns: *by_ns,
            },
            Record::Passed { by_ns } => Effect::Passed { by_ns: *by_ns },
            Record::LostOnLink { message } => Effect::LostOnLink {
                message: message.and_then(|message| self.messages.get(&message).copied()),
            },
            Record::ArrivedReply { to } => Effect::ReplyArrived { to: *to },
            Record::NameUsed {
                how,
                name,
                holder,
                error,
            } => Effect::NameUsed {
                how: *how,
                name: self.text(name),
                holder: *holder,
                error: error.as_ref().map(|error| self.text(error)),
            },
            Record::Replied {
                to, asked, reply, ..
            } => {
                let lost = reply
                    .as_ref()
                    .err()
                    .map(|error| self.text(&error.to_string()));
                Effect::Replied {
                    to: *to,
                    asked: self.messages.get(asked).copied(),
                    reply: reply.as_ref().ok().map(|reply| self.text(reply)),
                    lost,
                }
            }
            Record::CapacityRequested { of, answer, .. } => Effect::AskedForRoom {
                of: *of,
                answer: *answer,
            },
            Record::Disk { what, error, .. } => Effect::Disk {
                action: self.action(what),
                error: error.as_ref().map(|error| self.text(error)),
            },
            Record::Announced { event, .. } => Effect::Announced {
                event: self.text(event),
            },
            Record::Chose {
                asked, of, answer, ..
            } => Effect::Chose {
                asked: *asked,
                of: Some(*of),
                answer: *answer,
            },
            Record::CallFailed { call, is_made, .. } => Effect::CallFailed {
                call: self.text(call),
                is_made: *is_made,
            },
            Record::MailboxRefuses { of, .. } => Effect::MailboxRefuses { of: *of },
            Record::WokenSpuriously { .. } => Effect::WokenSpuriously,
            Record::Armed {
                owner,
                timer,
                delay_ns,
                periodic,
                purpose,
                event,
            } => {
                let number = self.timer(*timer, *owner);
                let event = event.as_ref().map(|event| self.text(event));
                let armed = &mut self.story.timers[number as usize];
                armed.delay_ns = *delay_ns;
                armed.periodic = *periodic;
                armed.purpose = *purpose;
                armed.event = event;
                armed.armed = Some(self.number);
                Effect::Armed { timer: number }
            }
            Record::Cancelled { owner, timer } => {
                let number = self.timer((*timer)?, *owner);
                self.story.timers[number as usize].ended = Some(self.number);
                Effect::Cancelled { timer: number }
            }
            Record::Reentered { .. } => Effect::Reentered,
            Record::Accessed {
                what,
                object,
                place,
                ..
            } => Effect::Accessed {
                what: self.text(what),
                object: self.texts.object(*object),
                place: self.text(place),
            },
            Record::Received {
                who,
                message,
                from,
                event,
            } => {
                let message = self.handled(*message, *from, *who, event);
                Effect::Received { message }
            }
            Record::Woke { whom } => Effect::Woke { whom: whom.clone() },
            Record::Over { .. } => Effect::Over,
            Record::Logged {
                level,
                target,
                text,
            } => Effect::Logged {
                level: self.text(level),
                target: self.text(target),
                text: self.text(text),
            },
            Record::Failed {
                who,
                panicked,
                message,
            } => Effect::Failed {
                who: *who,
                panicked: *panicked,
                message: self.text(message),
            },
            Record::Stopped { who, at_once } => Effect::Stopped {
                who: *who,
                at_once: *at_once,
            },
            Record::Linked { who } => Effect::Linked { who: *who },
            Record::ValueDropped { who } => Effect::Fell { who: *who },
            Record::Restarted { who } => Effect::Revived { who: *who },
            Record::GivenUp { who, limit } => Effect::GivenUp {
                who: *who,
                limit: self.text(limit),
            },
            Record::Halted {
                who,
                reason,
                unread,
            } => Effect::Halted {
                who: *who,
                reason: self.text(&format!("{reason:?}")),
                unread: *unread,
            },
            Record::Step { .. }
            | Record::Created { .. }
            | Record::Handled { .. }
            | Record::Ran { .. }
            | Record::InitialFields { .. }
            | Record::Changed { .. }
            | Record::Watches { .. }
            | Record::Judged { .. }
            | Record::MonitorMoved { .. }
            | Record::Inspected { .. }
            | Record::Remembered { .. }
            | Record::Object { .. }
            | Record::PowerFailed { .. } => return None,
        })
    }

    fn arrived(&mut self, record: &Record) -> Option<Effect> {
        let Record::Arrived {
            message,
            from,
            to,
            event,
            arrival,
        } = record
        else {
            return None;
        };
        let number = self.message(*message, *from, *to, event);
        self.story.messages[number as usize].delivered = Some(self.number);
        let (arrival, replaced) = self.arrival(*from, *to, arrival);
        Some(Effect::Sent {
            message: number,
            arrival,
            replaced,
        })
    }

    fn arrival(
        &mut self,
        from: MessageSource,
        to: u32,
        arrival: &records::DeliveryRecord,
    ) -> (MessageFate, Option<u32>) {
        match arrival {
            records::DeliveryRecord::Arrived => (MessageFate::Arrived, None),
            records::DeliveryRecord::Deferred => (MessageFate::Deferred, None),
            records::DeliveryRecord::Leaves => (MessageFate::Leaves, None),
            records::DeliveryRecord::Lost => (MessageFate::Lost, None),
            records::DeliveryRecord::Dead => (MessageFate::Dead, None),
            records::DeliveryRecord::Unclaimed => (MessageFate::Unclaimed, None),
            records::DeliveryRecord::Refused => (MessageFate::Refused, None),
            records::DeliveryRecord::LinkFull => (MessageFate::LinkFull, None),
            records::DeliveryRecord::Replaced { message, event } => {
                let replaced = self.message(*message, from, to, event);
                (MessageFate::Replaced, Some(replaced))
            }
        }
    }

    fn sent(&mut self, record: &Record) -> Option<Effect> {
        let Record::Sent {
            message,
            from,
            to,
            event,
            arrival,
            cause,
        } = record
        else {
            return None;
        };
        let number = self.message(*message, *from, *to, event);
        let cause = cause.and_then(|cause| self.messages.get(&cause).copied());
        let sent = &mut self.story.messages[number as usize];
        sent.sent = Some(self.number);
        sent.cause = cause;
        let (arrival, replaced) = self.arrival(*from, *to, arrival);
        Some(Effect::Sent {
            message: number,
            arrival,
            replaced,
        })
    }
}
