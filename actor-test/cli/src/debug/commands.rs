//! The debugger's commands: moving, breakpoints, inspection, comparison and branching.

use std::collections::BTreeSet;
use std::path::Path;

use super::breaks::Breakpoint;
use super::command::{self, BreakCondition, DebuggerCommand, JumpTarget};
use super::pattern::Pattern;
use super::session::{DebuggedExecution, Session};
use super::{query, words};
use actor_test::story::{Selection, Step};
use actor_test::tool::inquiry::Question;
use actor_test::tool::snapshot::{FactDifference, Snapshot};
use actor_test::tool::trace::Trace;
use actor_test::tool::words::{count, differing, plain, shortened, step_action, step_lines};

/// The output of a command, or an error.
type Said = Result<Vec<String>, String>;

/// The number of steps listed before and after the current one.
const AROUND: u64 = 5;

/// The default number of continuations that `live` tries.
const WALKS: u32 = 100;

/// The maximum number of steps listed.
const LISTED: usize = 200;

impl Session {
    pub(super) fn run(&mut self, command: DebuggerCommand) -> Said {
        match command {
            DebuggerCommand::Step(steps) => self.go(self.at.saturating_add(steps)),
            DebuggerCommand::Back(steps) => self.go(self.at.saturating_sub(steps)),
            DebuggerCommand::Jump(place) => self.jump(place),
            DebuggerCommand::Next(actor) => self.go_to_event(actor.as_deref(), true),
            DebuggerCommand::Previous(actor) => self.go_to_event(actor.as_deref(), false),
            DebuggerCommand::Continue => self.go_to_break(true),
            DebuggerCommand::Reverse => self.go_to_break(false),
            DebuggerCommand::Break(None) => Ok(self.list_breaks()),
            DebuggerCommand::Break(Some(condition)) => self.add_break(condition),
            DebuggerCommand::Delete(number) => self.delete(number),
            DebuggerCommand::Print(actor, field) => self.print(actor.as_deref(), field.as_deref()),
            DebuggerCommand::Enabled => self.enabled(),
            DebuggerCommand::Inbox(actor) => self.inbox(actor.as_deref()),
            DebuggerCommand::Timers => self.timers(),
            DebuggerCommand::Monitors => self.monitors(),
            DebuggerCommand::List(from, to) => self.list(from, to),
            DebuggerCommand::Find(text) => self.find(&text),
            DebuggerCommand::Causes(step) => self.causes(step),
            DebuggerCommand::Diff(one, other) => self.diff(one.as_deref(), other.as_deref()),
            DebuggerCommand::Branch(strategy, seed) => self.branch(strategy, seed),
            DebuggerCommand::Take(number) => self.take(number),
            DebuggerCommand::Live(walks) => self.live(walks.unwrap_or(WALKS)),
            DebuggerCommand::Executions => Ok(self.list_executions()),
            DebuggerCommand::Switch(number) => self.switch(number),
            DebuggerCommand::Save(file) => self.save(&file),
            DebuggerCommand::Help(name) => command::help(name.as_deref()),
            DebuggerCommand::Quit => Ok(Vec::new()),
        }
    }

    /// Moves to a step, or to the last one, and describes it.
    fn go(&mut self, step: u64) -> Said {
        let last = self.execution().last;
        if step > last && self.at == last {
            return Ok(vec![words::at_the_end(self.execution())]);
        }
        if step == 0 && self.at == 0 {
            return Ok(vec!["at the beginning: there is no step before".into()]);
        }
        self.at = step.min(last);
        Ok(self.describe_step())
    }

    /// Describes the step taken last.
    fn describe_step(&self) -> Vec<String> {
        let execution = self.execution();
        if self.at == 0 {
            return vec!["at the beginning, before the first step".into()];
        }
        let mut lines = match execution.step(self.at) {
            Some(_) => step_lines(&execution.story, &BTreeSet::from([self.at]), self.width),
            None => vec![words::not_in_story(&execution.story, self.at)],
        };
        if self.at == execution.last {
            lines.push(words::at_the_end(execution));
        }
        lines
    }

    fn jump(&mut self, place: JumpTarget) -> Said {
        let last = self.execution().last;
        let step = match place {
            JumpTarget::End => last,
            JumpTarget::Step(step) if step <= last => step,
            JumpTarget::Step(step) => {
                return Err(format!(
                    "there is no step {step}: they count from 1 to {last}"
                ));
            }
            JumpTarget::Critical => self.critical().ok_or(
                "the critical step is not known: minimising searches for it where an obligation is pending",
            )?,
        };
        self.at = step;
        Ok(self.describe_step())
    }

    fn go_to_event(&mut self, actor: Option<&str>, is_forward: bool) -> Said {
        let execution = self.execution();
        let of = match (actor, execution.step(self.at)) {
            (Some(actor), _) => query::actors(&execution.story, actor)?,
            (None, Some(step)) => BTreeSet::from([step.who]),
            (None, None) => {
                return Err("whose event? here no step was taken: name an actor".into());
            }
        };
        let is_one = |step: &Step| of.contains(&step.who) && query::runs(step);
        match self.find_step(is_forward, is_one) {
            Some(step) => self.go(step),
            None => {
                let names: Vec<String> = of
                    .iter()
                    .map(|who| plain(execution.story.name(*who)))
                    .collect();
                let names = names.join(", ");
                Ok(vec![match is_forward {
                    true => format!("{names}: no event is handled after this"),
                    false => format!("{names}: no event is handled before this"),
                }])
            }
        }
    }

    /// Returns the nearest later or earlier step for which `is_one` holds.
    fn find_step(&self, is_forward: bool, is_one: impl Fn(&Step) -> bool) -> Option<u64> {
        let steps = &self.execution().story.steps;
        let found = match is_forward {
            true => {
                let from = steps.partition_point(|step| step.number <= self.at);
                steps[from..].iter().find(|step| is_one(step))
            }
            false => {
                let to = steps.partition_point(|step| step.number < self.at);
                steps[..to].iter().rev().find(|step| is_one(step))
            }
        };
        found.map(|step| step.number)
    }

    fn go_to_break(&mut self, is_forward: bool) -> Said {
        let execution = self.execution();
        let stops = |step: &Step| {
            self.breaks
                .iter()
                .any(|known| known.stops(&execution.story, step))
        };
        let last = execution.last;
        match self.find_step(is_forward, stops) {
            Some(found) => {
                self.at = found;
                let mut lines = self.broke();
                lines.extend(self.describe_step());
                Ok(lines)
            }
            None if is_forward => self.go(last.max(self.at + 1)),
            None => self.go(0),
        }
    }

    /// Describes the breakpoints at the current step.
    fn broke(&self) -> Vec<String> {
        let execution = self.execution();
        let Some(step) = execution.step(self.at) else {
            return Vec::new();
        };
        let known = (1..).zip(&self.breaks);
        let here = known.filter(|(_, known)| known.stops(&execution.story, step));
        here.map(|(number, known)| format!("break {number}: {}", words::condition(&known.0)))
            .collect()
    }

    fn list_breaks(&self) -> Vec<String> {
        if self.breaks.is_empty() {
            return vec!["there is nothing to stop at".into()];
        }
        let known = (1..).zip(&self.breaks);
        known
            .map(|(number, known)| format!("break {number}: {}", words::condition(&known.0)))
            .collect()
    }

    fn add_break(&mut self, condition: BreakCondition) -> Said {
        let known = Breakpoint::new(&self.execution().story, condition)?;
        self.breaks.push(known.clone());
        let number = self.breaks.len();
        Ok(vec![format!(
            "break {number}: {}",
            words::condition(&known.0)
        )])
    }

    fn delete(&mut self, number: Option<usize>) -> Said {
        match number {
            None => self.breaks.clear(),
            Some(number) if (1..=self.breaks.len()).contains(&number) => {
                self.breaks.remove(number - 1);
            }
            Some(number) => return Err(format!("there is no break {number}")),
        }
        Ok(self.list_breaks())
    }

    fn print(&self, actor: Option<&str>, field: Option<&str>) -> Said {
        let snapshot = self.snapshot(self.at)?;
        let Some(actor) = actor else {
            let all = snapshot.operations.iter();
            let lines = all
                .filter(|standing| standing.is_actor)
                .map(words::standing);
            let lines: Vec<String> = lines.collect();
            return Ok(match lines.is_empty() {
                true => vec!["there are no actors yet".into()],
                false => lines,
            });
        };
        let mut lines = Vec::new();
        for who in query::actors(&self.execution().story, actor)? {
            lines.extend(one(&snapshot, who, field)?);
        }
        Ok(lines)
    }

    fn enabled(&self) -> Said {
        let execution = self.execution();
        if let Some(finding) = &execution.finding
            && self.at == execution.last
        {
            return Ok(vec![words::nothing_after(finding)]);
        }
        let snapshot = self.snapshot(self.at)?;
        if snapshot.enabled.is_empty() {
            return Ok(vec!["nothing can run".into()]);
        }
        let taken = self.execution().taken(&snapshot);
        let lines = (0..).zip(&snapshot.enabled).map(|(number, could)| {
            let mark = if Some(number) == taken { "*" } else { " " };
            format!("{mark} {}  {}", number + 1, words::could(&snapshot, could))
        });
        Ok(lines.collect())
    }

    fn inbox(&self, actor: Option<&str>) -> Said {
        let snapshot = self.snapshot(self.at)?;
        let wanted = match actor {
            Some(actor) => query::actors(&self.execution().story, actor)?,
            None => (0..snapshot.operations.len() as u32).collect(),
        };
        let mut lines = Vec::new();
        for who in wanted {
            let Some(standing) = snapshot.operations.get(who as usize) else {
                continue;
            };
            for waiting in &standing.inbox {
                lines.push(format!(
                    "{}: {}",
                    plain(&standing.name),
                    words::waiting(&snapshot, waiting)
                ));
            }
        }
        Ok(match lines.is_empty() {
            true => vec!["no event waits".into()],
            false => lines,
        })
    }

    fn timers(&self) -> Said {
        let snapshot = self.snapshot(self.at)?;
        let mut timers: Vec<_> = snapshot.timers.iter().collect();
        timers.sort_by_key(|timer| timer.due_ns);
        let lines: Vec<String> = timers
            .into_iter()
            .map(|timer| words::timer(&snapshot, timer))
            .collect();
        Ok(match lines.is_empty() {
            true => vec!["no timer runs".into()],
            false => lines,
        })
    }

    fn monitors(&self) -> Said {
        let snapshot = self.snapshot(self.at)?;
        let lines: Vec<String> = snapshot.specifications.iter().map(words::heat).collect();
        Ok(match lines.is_empty() {
            true => vec!["no monitor or predicate is registered yet".into()],
            false => lines,
        })
    }

    fn list(&self, from: Option<u64>, to: Option<u64>) -> Said {
        let execution = self.execution();
        let from_step = from.unwrap_or(self.at.saturating_sub(AROUND)).max(1);
        let to_step = to.unwrap_or(match from {
            Some(from) => from.saturating_add(2 * AROUND),
            None => self.at.saturating_add(AROUND),
        });
        if from_step > to_step {
            return Err(format!("{from_step} is behind {to_step}"));
        }
        if from_step > execution.last {
            let last = execution.last;
            return Err(format!(
                "there is no step {from_step}: they count from 1 to {last}"
            ));
        }
        let steps = execution.story.steps.iter().map(|step| step.number);
        Ok(self.listed(steps.filter(|step| (from_step..=to_step).contains(step))))
    }

    /// Lists steps, in one or more lines each; the current one is marked.
    fn listed(&self, steps: impl Iterator<Item = u64>) -> Vec<String> {
        let wanted: BTreeSet<u64> = steps.collect();
        let shown: BTreeSet<u64> = wanted.iter().copied().take(LISTED).collect();
        let story = &self.execution().story;
        let mut lines = step_lines(story, &shown, self.width.saturating_sub(2));
        let here = self.at.to_string();
        for line in &mut lines {
            let is_here =
                line.split_whitespace().next() == Some(&*here) && !line.starts_with("   ");
            *line = format!("{} {line}", if is_here { ">" } else { " " });
        }
        if wanted.is_empty() {
            lines.push("no step".into());
        }
        if shown.len() < wanted.len() {
            let more = (wanted.len() - shown.len()) as u64;
            lines.push(format!("and {}", count(more, "more step")));
        }
        lines
    }

    fn find(&self, text: &str) -> Said {
        let pattern = Pattern::new(text)?;
        let story = &self.execution().story;
        let found = story.steps.iter().filter(|step| pattern.is_in(story, step));
        Ok(self.listed(found.map(|step| step.number)))
    }

    fn causes(&self, step: Option<u64>) -> Said {
        let step = step.unwrap_or(self.at);
        let mut selection = Selection::default();
        selection.causes_of = Some(step);
        let execution = self.execution();
        if execution.step(step).is_none() {
            let last = execution.last;
            return Err(format!(
                "the story has no step {step}; steps count from 1 to {last}"
            ));
        }
        let led = selection.of(&execution.story)?;
        Ok(self.listed(led.steps.iter().map(|step| step.number)))
    }

    fn diff(&self, one: Option<&str>, other: Option<&str>) -> Said {
        let one = one.unwrap_or_default();
        let other_step = match other {
            None => self.at,
            Some(text) => self.step_named(text)?,
        };
        if let Ok(step) = one.parse::<u64>() {
            let step = self.step_named(&step.to_string())?;
            let (before, after) = match other {
                None => (self.snapshot(step)?, self.snapshot(self.at)?),
                Some(_) => (self.snapshot(step)?, self.snapshot(other_step)?),
            };
            return Ok(differences(&before, &after));
        }
        if let Some(number) = one.strip_prefix('#') {
            let number: usize = number.parse().map_err(|_| no_execution(one))?;
            let other = self
                .executions
                .get(number)
                .ok_or_else(|| no_execution(one))?;
            return self.compare(one, other, other_step);
        }
        let trace = Trace::read(Path::new(one)).map_err(|error| error.to_string())?;
        let other = self.run_other(one, &trace)?;
        self.compare(one, &other, other_step)
    }

    fn step_named(&self, text: &str) -> Result<u64, String> {
        let last = self.execution().last;
        let step = text.parse::<u64>().ok().filter(|step| *step <= last);
        step.ok_or_else(|| format!("there is no step `{text}`: they count from 1 to {last}"))
    }

    /// Compares this execution with another: the first different step, and the states after `step`.
    fn compare(&self, name: &str, other: &DebuggedExecution, step: u64) -> Said {
        let own = self.execution();
        let mut lines = Vec::new();
        let pairs = own.story.steps.iter().zip(&other.story.steps);
        let same = |(one, two): &(&Step, &Step)| {
            one.who == two.who
                && one.kind == two.kind
                && step_action(&own.story, one) == step_action(&other.story, two)
        };
        let parting = pairs.take_while(same).count();
        let (here, there) = (own.story.steps.get(parting), other.story.steps.get(parting));
        if here.is_none() && there.is_none() {
            lines.push(format!("the same steps as {name}"));
        } else {
            let describe = |execution: &DebuggedExecution, step: Option<&Step>| match step {
                Some(step) => {
                    let who = plain(execution.story.name(step.who));
                    format!(
                        "{}  {who} {}",
                        step.number,
                        step_action(&execution.story, step)
                    )
                }
                None => words::at_the_end(execution),
            };
            lines.push(format!(
                "they part after {}:",
                count(parting as u64, "step")
            ));
            lines.push(format!("  here   {}", describe(own, here)));
            lines.push(format!("  there  {}", describe(other, there)));
        }
        if step > other.last {
            lines.push(format!(
                "{name} has no step {step}; its last is {}",
                other.last
            ));
            return Ok(lines);
        }
        let (mine, theirs) = (self.snapshot(step)?, self.snapshot_of(other, step)?);
        lines.push(format!("after step {step}, here → there:"));
        lines.extend(differences(&mine, &theirs));
        Ok(lines)
    }

    fn branch(&mut self, strategy: String, seed: Option<u64>) -> Said {
        let number = self.executions.len();
        let seed = seed.unwrap_or(number as u64);
        let how = format!("under {strategy}, seed {seed}");
        let question = Question::Branch {
            from: self.at,
            strategy,
            seed,
        };
        self.go_on(&how, question)?;
        Ok(vec![words::execution(number, self.execution(), true)])
    }

    fn take(&mut self, position: usize) -> Said {
        let snapshot = self.snapshot(self.at)?;
        let enabled = &snapshot.enabled;
        let index = position
            .checked_sub(1)
            .filter(|index| *index < enabled.len());
        let Some(index) = index else {
            let many = enabled.len();
            return Err(format!(
                "`enabled` lists {many} here: there is no {position}"
            ));
        };
        let number = self.executions.len();
        let how = format!("where {}", words::could(&snapshot, &enabled[index]));
        let question = Question::Take {
            from: self.at,
            position: index,
        };
        self.go_on(&how, question)?;
        Ok(vec![words::execution(number, self.execution(), true)])
    }

    fn live(&mut self, walks: u32) -> Said {
        let Some(finding) = self.execution().finding.clone() else {
            return Err("this execution has no bug to recover from".into());
        };
        let share = self.recover(walks, finding)?;
        let mut lines = vec![words::lived(&share)];
        if share.escaped > 0 {
            lines.push(words::execution(self.current, self.execution(), true));
        }
        Ok(lines)
    }

    fn list_executions(&self) -> Vec<String> {
        let numbered = (0..).zip(&self.executions);
        numbered
            .map(|(number, known)| words::execution(number, known, number == self.current))
            .collect()
    }

    fn switch(&mut self, number: usize) -> Said {
        let Some(found) = self.executions.get(number) else {
            return Err(no_execution(&format!("#{number}")));
        };
        self.at = self.at.min(found.last);
        self.current = number;
        Ok(vec![words::execution(number, self.execution(), true)])
    }

    fn save(&self, file: &str) -> Said {
        let execution = self.execution();
        let Some(finding) = &execution.finding else {
            return Err("a trace is of a bug, and this execution has none".into());
        };
        let trace = self
            .trace
            .branch(&execution.strategy, finding.clone(), execution.recording());
        let path = Path::new(file);
        let written = trace.rewrite(path);
        written.map_err(|error| format!("can't write {file}: {error}"))?;
        Ok(vec![format!("wrote {file}")])
    }
}

fn no_execution(name: &str) -> String {
    format!("there is no execution {name}; `executions` lists them")
}

/// Describes an actor field by field, or one field of it.
fn one(snapshot: &Snapshot, who: u32, field: Option<&str>) -> Said {
    let Some(standing) = snapshot.operations.get(who as usize) else {
        return Ok(vec!["it is not created yet".into()]);
    };
    let fields = standing.fields();
    if let Some(wanted) = field {
        let found = fields
            .iter()
            .filter(|(name, _)| query::is_part(name, wanted));
        let found: Vec<String> = found
            .map(|(name, value)| format!("{name}: {}", plain(value)))
            .collect();
        if found.is_empty() {
            let names = fields.iter().map(|(name, _)| &**name);
            let names: Vec<&str> = names.filter(|name| !name.is_empty()).take(12).collect();
            return Err(format!(
                "{} has no field `{wanted}` now; it has {}",
                standing.name,
                names.join(", ")
            ));
        }
        return Ok(found);
    }
    let mut head = standing.clone();
    if !fields.is_empty() {
        head.value = None;
        head.is_actor = false;
    }
    let mut lines = vec![words::standing(&head)];
    // A value that is only the actor's type name would repeat the line above.
    let own = standing.name.split('#').next().unwrap_or_default();
    let named = fields
        .iter()
        .filter(|(name, value)| !name.is_empty() || value != own);
    for (name, value) in named {
        lines.push(match name.is_empty() {
            true => format!("  {}", shortened(value)),
            false => format!("  {}: {}", plain(name), shortened(value)),
        });
    }
    for waiting in &standing.inbox {
        lines.push(format!("  inbox: {}", words::waiting(snapshot, waiting)));
    }
    for does in &standing.outbox {
        lines.push(format!("  outbox: {}", words::outgoing(snapshot, does)));
    }
    Ok(lines)
}

fn differences(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let all = before.differences(after);
    if all.is_empty() {
        return vec!["no difference".into()];
    }
    let mut lines = Vec::new();
    let mut of = None;
    for difference in &all {
        if of != Some(&difference.of) {
            of = Some(&difference.of);
            lines.push(plain(&difference.of));
        }
        lines.push(format!("  {}", in_words(difference)));
    }
    lines
}

fn in_words(difference: &FactDifference) -> String {
    let what = match &*difference.what {
        "" => "value".into(),
        what => plain(what),
    };
    let or_nothing = |text: String| match text.is_empty() {
        true => "nothing".to_owned(),
        false => text,
    };
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => {
            let (before, after) = differing(before, after);
            format!("{what}: {} → {}", or_nothing(before), or_nothing(after))
        }
        (None, Some(after)) => format!("{what}: + {}", or_nothing(shortened(after))),
        (Some(before), None) => format!("{what}: − {}", or_nothing(shortened(before))),
        (None, None) => what,
    }
}
