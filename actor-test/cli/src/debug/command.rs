//! The command language of the debugger: parsing lines, help and suggestions.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum DebuggerCommand {
    Step(u64),
    Back(u64),
    Jump(JumpTarget),
    Next(Option<String>),
    Previous(Option<String>),
    Continue,
    Reverse,
    Break(Option<BreakCondition>),
    Delete(Option<usize>),
    Print(Option<String>, Option<String>),
    Enabled,
    Inbox(Option<String>),
    Timers,
    Monitors,
    List(Option<u64>, Option<u64>),
    Find(String),
    Causes(Option<u64>),
    Diff(Option<String>, Option<String>),
    Branch(String, Option<u64>),
    Take(usize),
    Live(Option<u32>),
    Executions,
    Switch(usize),
    Save(String),
    Help(Option<String>),
    Quit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JumpTarget {
    Step(u64),
    End,
    Critical,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BreakCondition {
    /// An event is sent, handled or fired, by or to the actor if given.
    Event(String, Option<String>),
    State(String, String),
    /// A field of an actor changes, to the value if given.
    Field(String, String, Option<String>),
    /// A monitor changes its state, or a predicate its truth, to the value if given.
    Monitor(String, Option<String>),
}

/// The description and the parser of a command.
struct CommandSpec {
    name: &'static str,
    short: &'static str,
    arguments: &'static str,
    text: &'static str,
    parse: fn(&[&str]) -> Option<DebuggerCommand>,
}

const TABLE: &[CommandSpec] = &[
    CommandSpec {
        name: "step",
        short: "s",
        arguments: "[N]",
        text: "one step forward, or N",
        parse: |words| Some(DebuggerCommand::Step(one_number(words, 1)?)),
    },
    CommandSpec {
        name: "back",
        short: "b",
        arguments: "[N]",
        text: "one step back, or N",
        parse: |words| Some(DebuggerCommand::Back(one_number(words, 1)?)),
    },
    CommandSpec {
        name: "jump",
        short: "j",
        arguments: "N | end | critical",
        text: "to step N, to the last one, or to the one from which there was no way back",
        parse: |words| match words {
            ["end"] => Some(DebuggerCommand::Jump(JumpTarget::End)),
            ["critical"] => Some(DebuggerCommand::Jump(JumpTarget::Critical)),
            [number] => Some(DebuggerCommand::Jump(JumpTarget::Step(
                number.parse().ok()?,
            ))),
            _ => None,
        },
    },
    CommandSpec {
        name: "next",
        short: "n",
        arguments: "[ACTOR]",
        text: "to the next event that an actor handles; without a name, the one of this step",
        parse: |words| Some(DebuggerCommand::Next(one_text(words)?)),
    },
    CommandSpec {
        name: "previous",
        short: "pr",
        arguments: "[ACTOR]",
        text: "to the event that it handled before",
        parse: |words| Some(DebuggerCommand::Previous(one_text(words)?)),
    },
    CommandSpec {
        name: "continue",
        short: "c",
        arguments: "",
        text: "to the next break, or to the end",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Continue),
    },
    CommandSpec {
        name: "reverse",
        short: "r",
        arguments: "",
        text: "to the break before, or to the beginning",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Reverse),
    },
    CommandSpec {
        name: "break",
        short: "br",
        arguments: "[event E [ACTOR] | state ACTOR S | field ACTOR F [VALUE] | monitor M [S]]",
        text: "stop where an event is sent, handled or fired, a state is entered, a field changes, or a \
               monitor or predicate does; alone, what there is to stop at",
        parse: |words| match words {
            [] => Some(DebuggerCommand::Break(None)),
            ["event", event] => condition(BreakCondition::Event(text(event), None)),
            ["event", event, actor] => {
                condition(BreakCondition::Event(text(event), Some(text(actor))))
            }
            ["state", actor, state] => condition(BreakCondition::State(text(actor), text(state))),
            ["field", actor, field] => {
                condition(BreakCondition::Field(text(actor), text(field), None))
            }
            ["field", actor, field, value] => condition(BreakCondition::Field(
                text(actor),
                text(field),
                Some(text(value)),
            )),
            ["monitor" | "predicate", name] => condition(BreakCondition::Monitor(text(name), None)),
            ["monitor" | "predicate", name, state] => {
                condition(BreakCondition::Monitor(text(name), Some(text(state))))
            }
            _ => None,
        },
    },
    CommandSpec {
        name: "delete",
        short: "d",
        arguments: "[K]",
        text: "the K-th break goes, or all",
        parse: |words| match words {
            [] => Some(DebuggerCommand::Delete(None)),
            [number] => Some(DebuggerCommand::Delete(Some(number.parse().ok()?))),
            _ => None,
        },
    },
    CommandSpec {
        name: "print",
        short: "p",
        arguments: "[ACTOR [FIELD]]",
        text: "the state of everybody, of an actor, or a field",
        parse: |words| match words {
            [] => Some(DebuggerCommand::Print(None, None)),
            [actor] => Some(DebuggerCommand::Print(Some(text(actor)), None)),
            [actor, field] => Some(DebuggerCommand::Print(Some(text(actor)), Some(text(field)))),
            _ => None,
        },
    },
    CommandSpec {
        name: "enabled",
        short: "e",
        arguments: "",
        text: "what could run next; what does is marked",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Enabled),
    },
    CommandSpec {
        name: "inbox",
        short: "i",
        arguments: "[ACTOR]",
        text: "the events that wait, in the order in which they came",
        parse: |words| Some(DebuggerCommand::Inbox(one_text(words)?)),
    },
    CommandSpec {
        name: "timers",
        short: "t",
        arguments: "",
        text: "the timers that run, the first to fire first",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Timers),
    },
    CommandSpec {
        name: "monitors",
        short: "m",
        arguments: "",
        text: "monitors and predicates, with their temperatures",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Monitors),
    },
    CommandSpec {
        name: "list",
        short: "l",
        arguments: "[FROM [TO]]",
        text: "the steps around this one, or those from FROM to TO",
        parse: |words| match words {
            [] => Some(DebuggerCommand::List(None, None)),
            [from] => Some(DebuggerCommand::List(Some(from.parse().ok()?), None)),
            [from, to] => Some(DebuggerCommand::List(
                Some(from.parse().ok()?),
                Some(to.parse().ok()?),
            )),
            _ => None,
        },
    },
    CommandSpec {
        name: "find",
        short: "f",
        arguments: "TEXT | /REGEX/",
        text: "the steps in whose words that is found: an event, an actor, a field and what it becomes; \
               between slashes it is a regular expression",
        parse: |words| (!words.is_empty()).then(|| DebuggerCommand::Find(words.join(" "))),
    },
    CommandSpec {
        name: "causes",
        short: "ca",
        arguments: "[N]",
        text: "the steps that led to this one, or to step N",
        parse: |words| match words {
            [] => Some(DebuggerCommand::Causes(None)),
            [number] => Some(DebuggerCommand::Causes(Some(number.parse().ok()?))),
            _ => None,
        },
    },
    CommandSpec {
        name: "diff",
        short: "di",
        arguments: "N [M] | #K [N] | FILE [N]",
        text: "the states after step N and after this one, or after N and M; or where this execution \
               parts from another one of the session, or of a trace, and how their states differ after \
               step N",
        parse: |words| match words {
            [one] => Some(DebuggerCommand::Diff(Some(text(one)), None)),
            [one, other] => Some(DebuggerCommand::Diff(Some(text(one)), Some(text(other)))),
            _ => None,
        },
    },
    CommandSpec {
        name: "branch",
        short: "ba",
        arguments: "STRATEGY [SEED]",
        text: "goes on from here under another strategy, to the end, as an execution of its own",
        parse: |words| match words {
            [strategy] => Some(DebuggerCommand::Branch(text(strategy), None)),
            [strategy, seed] => Some(DebuggerCommand::Branch(
                text(strategy),
                Some(seed.parse().ok()?),
            )),
            _ => None,
        },
    },
    CommandSpec {
        name: "take",
        short: "ta",
        arguments: "K",
        text: "goes on from here with the K-th of what `enabled` lists, and then as before as far as that \
               can be, as an execution of its own",
        parse: |words| match words {
            [number] => Some(DebuggerCommand::Take(number.parse().ok()?)),
            _ => None,
        },
    },
    CommandSpec {
        name: "live",
        short: "li",
        arguments: "[WALKS]",
        text: "goes on from here fairly until it recovers, or ends without the bug; tries it WALKS times, 100 \
               by default",
        parse: |words| match words {
            [] => Some(DebuggerCommand::Live(None)),
            [walks] => Some(DebuggerCommand::Live(Some(
                walks.parse().ok().filter(|walks| *walks > 0)?,
            ))),
            _ => None,
        },
    },
    CommandSpec {
        name: "executions",
        short: "x",
        arguments: "",
        text: "the executions of this session",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Executions),
    },
    CommandSpec {
        name: "switch",
        short: "sw",
        arguments: "K",
        text: "to the K-th execution; #0 is the recorded one",
        parse: |words| match words {
            [number] => Some(DebuggerCommand::Switch(
                number.trim_start_matches('#').parse().ok()?,
            )),
            _ => None,
        },
    },
    CommandSpec {
        name: "save",
        short: "sa",
        arguments: "FILE",
        text: "writes this execution as a trace, if it has a bug",
        parse: |words| match words {
            [file] => Some(DebuggerCommand::Save(text(file))),
            _ => None,
        },
    },
    CommandSpec {
        name: "help",
        short: "h",
        arguments: "[COMMAND]",
        text: "this list, or what one of it does",
        parse: |words| Some(DebuggerCommand::Help(one_text(words)?)),
    },
    CommandSpec {
        name: "quit",
        short: "q",
        arguments: "",
        text: "ends the session",
        parse: |words| words.is_empty().then_some(DebuggerCommand::Quit),
    },
];

fn text(word: &&str) -> String {
    (*word).to_owned()
}

fn condition(condition: BreakCondition) -> Option<DebuggerCommand> {
    Some(DebuggerCommand::Break(Some(condition)))
}

fn one_number(words: &[&str], otherwise: u64) -> Option<u64> {
    match words {
        [] => Some(otherwise),
        [number] => number.parse().ok(),
        _ => None,
    }
}

fn one_text(words: &[&str]) -> Option<Option<String>> {
    match words {
        [] => Some(None),
        [one] => Some(Some(text(one))),
        _ => None,
    }
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|entry| entry.name)
}

/// Parses a line; `None` for an empty line or a comment.
pub(super) fn parse(line: &str) -> Result<Option<DebuggerCommand>, String> {
    let words = split(line)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else {
        return Ok(None);
    };
    let entry = entry(name)?;
    let command = (entry.parse)(rest);
    let command = command.ok_or_else(|| format!("usage: {}", form(entry)))?;
    Ok(Some(command))
}

/// Returns the help text of one command, or of all.
pub(super) fn help(name: Option<&str>) -> Result<Vec<String>, String> {
    let entries: Vec<&CommandSpec> = match name {
        Some(name) => vec![entry(name)?],
        None => TABLE.iter().collect(),
    };
    let lines = entries.iter().map(|entry| {
        let head = format!("{} {}", entry.name, entry.arguments);
        format!(
            "{:>2}  {}\n      {}",
            entry.short,
            head.trim_end(),
            entry.text
        )
    });
    Ok(lines.collect())
}

fn form(entry: &CommandSpec) -> String {
    format!("{} {}", entry.name, entry.arguments)
}

fn entry(name: &str) -> Result<&'static CommandSpec, String> {
    let found = TABLE
        .iter()
        .find(|entry| entry.name == name || entry.short == name);
    found.ok_or_else(|| {
        let likeness = |entry: &&CommandSpec| strsim::jaro_winkler(entry.name, name);
        let nearest = TABLE
            .iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let nearest = nearest.filter(|entry| likeness(entry) > 0.7);
        let hint = nearest.map(|entry| format!("; did you mean `{}`?", entry.name));
        format!(
            "there is no command `{name}`{} (`help` lists them)",
            hint.unwrap_or_default()
        )
    })
}

/// Splits a line into words; text in double quotes is one word.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut letters = line.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '#' && words.is_empty() {
            return Ok(words);
        }
        let mut word = String::new();
        if letter == '"' {
            loop {
                match letters.next() {
                    None => return Err("a quotation mark is missing".into()),
                    Some('"') => break,
                    Some(letter) => word.push(letter),
                }
            }
        } else if letter.is_whitespace() {
            continue;
        } else {
            word.push(letter);
            while let Some(letter) = letters.next_if(|letter| !letter.is_whitespace()) {
                word.push(letter);
            }
        }
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_told_apart() {
        let names = TABLE.iter().flat_map(|entry| [entry.name, entry.short]);
        let names: Vec<&str> = names.collect();
        let different: BTreeSet<&&str> = names.iter().collect();
        assert_eq!(names.len(), different.len());
    }

    #[test]
    fn lines_are_read() {
        assert_eq!(parse("s 12"), Ok(Some(DebuggerCommand::Step(12))));
        assert_eq!(parse("  back "), Ok(Some(DebuggerCommand::Back(1))));
        assert_eq!(parse("# nothing"), Ok(None));
        assert_eq!(parse(""), Ok(None));
        let named = BreakCondition::Monitor("in credit".into(), Some("false".into()));
        let read = parse("break predicate \"in credit\" false");
        assert_eq!(read, Ok(Some(DebuggerCommand::Break(Some(named)))));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |line| parse(line).expect_err(line);
        assert_eq!(
            error("stop"),
            "there is no command `stop`; did you mean `step`? (`help` lists them)"
        );
        assert_eq!(error("jump here"), "usage: jump N | end | critical");
        assert_eq!(error("print \"a"), "a quotation mark is missing");
        let many = "99999999999999999999999";
        assert_eq!(error(&format!("step {many}")), "usage: step [N]");
    }
}
