//! A debugger session: the executions, the current step and the breakpoints.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::breaks::Breakpoint;
use super::child::{Child, QueryError, Subject};
use super::words;
use crate::Trouble;
use actor_test::Finding;
use actor_test::causes::ContinuationCounts;
use actor_test::report::Recording;
use actor_test::story::{Step, Story};
use actor_test::tool::inquiry::{QueryAnswer, Question, RunResult};
use actor_test::tool::snapshot::Snapshot;
use actor_test::tool::trace::Trace;

/// The maximum number of snapshots kept for an execution.
const KEPT: usize = 64;

#[derive(Debug)]
pub(super) struct DebuggedExecution {
    /// The origin of the execution, in words.
    pub(super) origin: String,
    /// The bug found, if any.
    pub(super) finding: Option<Finding>,
    /// The description of the strategy, for a saved trace.
    pub(super) strategy: String,
    /// The recording without its story, which is in `story`.
    subject: Subject,
    pub(super) story: Story,
    /// The last step of the execution.
    pub(super) last: u64,
    snapshots: RefCell<BTreeMap<u64, Rc<Snapshot>>>,
}

impl DebuggedExecution {
    fn of(origin: String, strategy: String, child: &Child, ran: RunResult) -> Self {
        let mut recording = ran.recording;
        let story = std::mem::take(&mut recording.story);
        Self {
            origin,
            strategy,
            finding: ran.finding,
            subject: child.subject(recording),
            story,
            last: ran.steps,
            snapshots: RefCell::default(),
        }
    }

    pub(super) fn recording(&self) -> Recording {
        let mut recording = self.subject.recording.clone();
        recording.story = self.story.clone();
        recording
    }

    /// Returns the position of the operation that ran next, among the enabled ones in the snapshot.
    pub(super) fn taken(&self, there: &Snapshot) -> Option<usize> {
        if there.step >= self.last {
            return None;
        }
        // A single enabled operation needs no decision.
        match there.enabled.len() {
            1 => Some(0),
            _ => self
                .subject
                .recording
                .decisions
                .get(there.decisions)
                .map(|taken| *taken as usize),
        }
    }

    pub(super) fn step(&self, number: u64) -> Option<&Step> {
        self.story.step(number)
    }
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) trace: Trace,
    child: Child,
    pub(super) executions: Vec<DebuggedExecution>,
    /// The index of the current execution.
    pub(super) current: usize,
    /// The number of steps before the current position.
    pub(super) at: u64,
    pub(super) breaks: Vec<Breakpoint>,
    pub(super) width: usize,
    /// The notes to print at the beginning.
    notes: Vec<String>,
}

impl Session {
    /// Begins before the first step of a recorded execution.
    pub(super) fn begin(trace: Trace, child: Child, width: usize) -> Result<Self, Trouble> {
        let recorded = child.subject(trace.recording());
        let mut notes = Vec::new();
        let strategy = trace.strategy.clone();
        let execution = match child.ask(&recorded, Question::Run) {
            Ok(QueryAnswer::Ran(ran)) => {
                notes.extend(words::beginning(&trace, &ran));
                DebuggedExecution::of(words::recorded(), strategy, &child, *ran)
            }
            Ok(_) => return Err(Trouble(crate::words::wrong_answer())),
            Err(QueryError::Refused(problem)) => return Err(Trouble(problem)),
            // The recorded story is known even if the execution can't be replayed.
            Err(violent) => {
                notes.push(words::violent_beginning(&violent.words()));
                let recording = recorded.recording;
                let steps = recording.story.steps.last().map_or(0, |step| step.number);
                let ran = RunResult {
                    finding: Some(trace.finding.clone()),
                    steps,
                    recording,
                    diverged: None,
                };
                DebuggedExecution::of(words::recorded(), strategy, &child, ran)
            }
        };
        Ok(Self {
            trace,
            child,
            executions: vec![execution],
            current: 0,
            at: 0,
            breaks: Vec::new(),
            width,
            notes,
        })
    }

    /// Returns the lines printed first.
    pub(super) fn head(&self) -> Vec<String> {
        let head = crate::words::trace_head(&self.trace);
        let mut lines = vec![head];
        lines.extend(self.notes.iter().cloned());
        lines.push(words::where_it_begins(self.execution(), self.critical()));
        lines
    }

    pub(super) fn prompt(&self) -> String {
        let branch = match self.current {
            0 => String::new(),
            number => format!("#{number} "),
        };
        format!("({branch}{}/{}) ", self.at, self.execution().last)
    }

    pub(super) fn execution(&self) -> &DebuggedExecution {
        &self.executions[self.current]
    }

    /// Returns the critical step of the recorded execution, from which the bug is unavoidable, if known.
    pub(super) fn critical(&self) -> Option<u64> {
        let known = self.trace.causes().and_then(|causes| causes.critical());
        (self.current == 0)
            .then(|| known.or(self.trace.story().critical))
            .flatten()
    }

    /// Returns the snapshot of the current execution after a step.
    pub(super) fn snapshot(&self, step: u64) -> Result<Rc<Snapshot>, String> {
        self.snapshot_of(self.execution(), step)
    }

    /// Returns the snapshot of any execution after a step.
    pub(super) fn snapshot_of(
        &self,
        at: &DebuggedExecution,
        step: u64,
    ) -> Result<Rc<Snapshot>, String> {
        if let Some(known) = at.snapshots.borrow().get(&step) {
            return Ok(Rc::clone(known));
        }
        let answer = self.child.ask(&at.subject, Question::Snapshot { step });
        match answer.map_err(|silence| words::no_snapshot(step, &silence.words()))? {
            QueryAnswer::Snapshot(snapshot) => {
                let mut snapshot = *snapshot;
                // A snapshot numbers only existing actors of one name; the story numbers all.
                for (standing, known) in snapshot.operations.iter_mut().zip(&at.story.operations) {
                    standing.name = known.name.to_string();
                }
                let snapshot = Rc::new(snapshot);
                let mut kept = at.snapshots.borrow_mut();
                if kept.len() >= KEPT {
                    kept.clear();
                }
                kept.insert(step, Rc::clone(&snapshot));
                Ok(snapshot)
            }
            _ => Err(crate::words::wrong_answer()),
        }
    }

    /// Continues the current execution otherwise, described by `how`, and makes the result the current one.
    pub(super) fn go_on(&mut self, how: &str, question: Question) -> Result<(), String> {
        let answer = self.child.ask(&self.execution().subject, question);
        match answer.map_err(|silence| words::no_branch(&silence.words()))? {
            QueryAnswer::Ran(ran) => {
                self.add(how, *ran);
                Ok(())
            }
            _ => Err(crate::words::wrong_answer()),
        }
    }

    /// Searches for a continuation without the bug; one that is found becomes the current execution.
    pub(super) fn recover(
        &mut self,
        walks: u32,
        finding: Finding,
    ) -> Result<ContinuationCounts, String> {
        let question = Question::Recover {
            from: self.at,
            walks,
            finding,
        };
        let answer = self.child.ask(&self.execution().subject, question);
        match answer.map_err(|silence| words::no_branch(&silence.words()))? {
            QueryAnswer::Recovered(share, ran) => {
                if let Some(ran) = ran {
                    self.add(words::LIVE, *ran);
                }
                Ok(share)
            }
            _ => Err(crate::words::wrong_answer()),
        }
    }

    /// Adds an execution derived from the current one, and makes it the current one.
    fn add(&mut self, how: &str, ran: RunResult) {
        let origin = words::made_of(self.at, self.current, how);
        let strategy = words::strategy(&self.execution().strategy, self.at, how);
        let added = DebuggedExecution::of(origin, strategy, &self.child, ran);
        self.executions.push(added);
        self.current = self.executions.len() - 1;
    }

    pub(super) fn run_other(&self, name: &str, other: &Trace) -> Result<DebuggedExecution, String> {
        if other.test != self.trace.test {
            return Err(words::other_test(name, &other.test, &self.trace.test));
        }
        let recorded = self.child.subject(other.recording());
        match self.child.ask(&recorded, Question::Run) {
            Ok(QueryAnswer::Ran(ran)) => {
                let strategy = other.strategy.clone();
                Ok(DebuggedExecution::of(
                    name.to_owned(),
                    strategy,
                    &self.child,
                    *ran,
                ))
            }
            Ok(_) => Err(crate::words::wrong_answer()),
            Err(silence) => Err(silence.words()),
        }
    }

    /// Returns the names for completion: actors, events, states, monitors.
    pub(super) fn names(&self) -> Vec<String> {
        super::query::names(&self.execution().story)
    }
}
