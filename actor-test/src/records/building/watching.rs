//! Converts records of monitors and predicates into changes of a step.

use super::StoryBuilder;
use crate::data::story::{InspectedActor, Monitor, MonitorChange, MonitorKind};
use crate::records::Record;

impl StoryBuilder {
    /// Adds the registration or the change of a monitor or a predicate.
    pub(super) fn watched(&mut self, record: &Record) {
        let (monitor, before, after, temperature, heat) = match record {
            Record::Watches {
                name,
                kind,
                state,
                temperature,
            } => {
                let number = self.story.monitors.len() as u32;
                match kind {
                    MonitorKind::Monitor => self.monitors.push(number),
                    _ => self.predicates.push(number),
                }
                let monitor = Monitor {
                    name: self.text(name),
                    kind: *kind,
                    state: self.text(state),
                    temperature: *temperature,
                };
                return self.story.monitors.push(monitor);
            }
            Record::Inspected { who, state, value } => {
                let seen = InspectedActor {
                    who: *who,
                    state: self.state(*state),
                    value: value.as_ref().map(|value| self.text(value)),
                };
                return self.story.inspected.push(seen);
            }
            Record::Remembered { value } => {
                return self.story.remembered = Some(self.text(value));
            }
            Record::Judged {
                predicate,
                holds,
                temperature,
                heat,
            } => {
                let (before, after) = match holds {
                    true => ("false", "true"),
                    false => ("true", "false"),
                };
                let number = self.predicates.get(*predicate as usize).copied();
                (number, before, after, *temperature, *heat)
            }
            Record::MonitorMoved {
                monitor,
                from,
                to,
                heat,
                temperature,
            } => {
                let number = self.monitors.get(*monitor as usize).copied();
                (number, *from, *to, *temperature, *heat)
            }
            _ => return,
        };
        let (before, after) = (self.text(before), self.text(after));
        if let (Some(monitor), Some(step)) = (monitor, self.step()) {
            step.monitors.push(MonitorChange {
                monitor,
                before,
                after,
                temperature,
                heat: (heat > 0).then_some(heat),
            });
        }
    }
}
