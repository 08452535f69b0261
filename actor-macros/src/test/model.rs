//! The model of a test's attribute: its options.

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{Ident, LitFloat, LitInt, LitStr, Path, parse_quote};

use crate::errors::Errors;
use crate::options::{self, Argument, Value};

/// `#[actor_test(iterations = 1000, max_steps = "500:2000", strategy = "pct:3", ..)]`.
pub(crate) struct TestAttributes {
    pub(crate) krate: Path,
    pub(crate) iterations: Option<u64>,
    /// The step bounds of unfair executions, and of fair ones.
    pub(crate) max_steps: Option<(u64, Option<u64>)>,
    pub(crate) temperature: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) strategies: Vec<LitStr>,
    pub(crate) minimize: Option<u64>,
    pub(crate) expect_bug: Option<LitStr>,
    pub(crate) deny: Option<LitStr>,
    /// The kinds of faults with their budgets; rustc resolves the kinds in the tester.
    pub(crate) faults: Vec<(Ident, u16)>,
    pub(crate) delivery: Option<String>,
    /// The clocks in the syntax of `--clocks`: `offset=20ms,drift=0.001`.
    pub(crate) clocks: Option<String>,
    pub(crate) patient_timers: bool,
    pub(crate) atomic_handlers: bool,
    pub(crate) supervised: bool,
    pub(crate) clock_error_ms: Option<u64>,
    /// The values of parameters, as written.
    pub(crate) given: Vec<Argument>,
    pub(crate) strength: Option<Strength>,
}

/// `pairwise` or `t_wise = 3`.
pub(crate) struct Strength {
    pub(crate) tokens: TokenStream,
    /// The number of parameters of which all combinations of values are covered.
    pub(crate) of: usize,
}

/// The settings of clocks; the tester has the same list.
const CLOCKS: [&str; 4] = ["offset", "drift", "jump", "resolution"];

const ACCEPTED: [&str; 18] = [
    "iterations",
    "max_steps",
    "temperature",
    "seed",
    "strategy",
    "minimize",
    "expect_bug",
    "deny",
    "faults",
    "delivery",
    "clocks",
    "timers",
    "atomic_handlers",
    "supervised",
    "clock_error_ms",
    "pairwise",
    "t_wise",
    "crate",
];

impl TestAttributes {
    /// Reads the options, and reports everything that can't be read. Names in `parameters` are no
    /// misspellings.
    pub(crate) fn read(tokens: TokenStream, parameters: &[&Ident], errors: &mut Errors) -> Self {
        let mut read = Self {
            krate: parse_quote!(::actor_test),
            iterations: None,
            max_steps: None,
            temperature: None,
            seed: None,
            strategies: Vec::new(),
            minimize: None,
            expect_bug: None,
            deny: None,
            faults: Vec::new(),
            delivery: None,
            clocks: None,
            patient_timers: false,
            atomic_handlers: false,
            supervised: false,
            clock_error_ms: None,
            given: Vec::new(),
            strength: None,
        };
        let mut seen = Vec::new();
        let mut seen_parameters = Vec::new();
        for argument in options::arguments(tokens, errors) {
            let is_option = ACCEPTED.iter().any(|option| argument.name == option);
            if matches!(argument.value, Value::In(_))
                || !is_option && parameters.contains(&&argument.name)
            {
                argument.only_once(&mut seen_parameters, errors);
                read.given.push(argument);
                continue;
            }
            if argument.name != "strategy" {
                argument.only_once(&mut seen, errors);
            }
            if let Some(option) = options::recognise(&argument.name, "option", &ACCEPTED, errors) {
                read.take(option, &argument, errors);
            }
        }
        read
    }

    fn take(&mut self, option: &str, argument: &Argument, errors: &mut Errors) {
        match option {
            "iterations" => {
                let right = "`iterations = 100`, a number above zero";
                self.iterations = argument.parsed(at_least_one, right, errors);
            }
            "max_steps" => {
                let right = "`max_steps = 500`, or both bounds: `max_steps = \"500:2000\"`";
                self.max_steps = argument.parsed(steps, right, errors);
            }
            "temperature" => {
                let right = "`temperature = 2500`, a number of steps";
                self.temperature = argument.parsed(at_least_one, right, errors);
            }
            "seed" => self.seed = argument.parsed(number, "`seed = 7`, a number", errors),
            "strategy" => {
                let right = "`strategy = \"pct:3\"`, a name with what belongs to it";
                self.strategies.extend(argument.parsed(text, right, errors));
            }
            "minimize" => {
                let right = "`minimize = 1000000`, a number of steps, or `minimize = 0`";
                self.minimize = argument.parsed(number, right, errors);
            }
            "expect_bug" => {
                let right = "`expect_bug = \"..\"`, a part of the bug's message";
                self.expect_bug = argument.parsed(text, right, errors);
            }
            "deny" => {
                let right = "`deny = \"vacuous\"`, `deny = \"unreached\"`, \
                             `deny = \"vacuous,unreached\"` or `deny = \"none\"`";
                self.deny = argument.parsed(denied, right, errors);
            }
            "faults" => self.faults = faults(argument, errors),
            "delivery" => {
                let right = "`delivery = per_pair`, `delivery = bag` or `delivery = mailbox`";
                self.delivery = argument.parsed(delivery, right, errors);
            }
            "clocks" => self.clocks = clocks(argument, errors),
            "timers" => {
                let patient = argument.parsed(patient, "`timers = patient`", errors);
                self.patient_timers = patient.is_some();
            }
            "atomic_handlers" => self.atomic_handlers = flag(argument, errors),
            "supervised" => self.supervised = flag(argument, errors),
            "clock_error_ms" => {
                let right = "`clock_error_ms = 5`, a number of milliseconds";
                self.clock_error_ms = argument.parsed(number, right, errors);
            }
            "pairwise" => {
                if flag(argument, errors) {
                    self.strengthen(argument, 2, errors);
                }
            }
            "t_wise" => {
                let right = "`t_wise = 3`, a number of parameters";
                if let Some(of) = argument.parsed(at_least_one, right, errors) {
                    self.strengthen(argument, usize::try_from(of).unwrap_or(usize::MAX), errors);
                }
            }
            _ => self.krate = options::krate(argument, errors).unwrap_or(self.krate.clone()),
        }
    }

    fn strengthen(&mut self, argument: &Argument, of: usize, errors: &mut Errors) {
        let tokens = argument.tokens.clone();
        if self.strength.is_some() {
            errors.push(&tokens, "`pairwise` is `t_wise = 2`: give one of them");
        }
        self.strength = Some(Strength { tokens, of });
    }
}

fn number(input: ParseStream<'_>) -> syn::Result<u64> {
    input.parse::<LitInt>()?.base10_parse()
}

fn at_least_one(input: ParseStream<'_>) -> syn::Result<u64> {
    let span = input.span();
    match number(input)? {
        0 => Err(syn::Error::new(span, "zero")),
        number => Ok(number),
    }
}

fn text(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let text: LitStr = input.parse()?;
    if text.value().trim().is_empty() {
        return Err(syn::Error::new_spanned(text, "empty"));
    }
    Ok(text)
}

/// Parses `500` or `"500:2000"`.
fn steps(input: ParseStream<'_>) -> syn::Result<(u64, Option<u64>)> {
    if input.peek(LitInt) {
        return Ok((at_least_one(input)?, None));
    }
    let both: LitStr = input.parse()?;
    let bound = |text: &str| text.trim().parse::<u64>().ok().filter(|bound| *bound > 0);
    let text = both.value();
    let bounds = match text.split_once(':') {
        Some((unfair, fair)) => bound(unfair)
            .zip(bound(fair))
            .map(|(unfair, fair)| (unfair, Some(fair))),
        None => bound(&text).map(|bound| (bound, None)),
    };
    bounds.ok_or_else(|| syn::Error::new_spanned(both, "not two numbers"))
}

fn denied(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let text: LitStr = input.parse()?;
    let known = |word: &str| ["vacuous", "unreached"].contains(&word.trim());
    if text.value() == "none" || text.value().split(',').all(known) {
        Ok(text)
    } else {
        Err(syn::Error::new_spanned(text, "not known"))
    }
}

/// Returns the names and numbers of `call = 2, full = 1`.
fn faults(argument: &Argument, errors: &mut Errors) -> Vec<(Ident, u16)> {
    let Some(list) = argument.list("(call = 2, ..)", errors) else {
        return Vec::new();
    };
    let mut seen = Vec::new();
    let mut budgets = Vec::new();
    for fault in options::arguments(list, errors) {
        fault.only_once(&mut seen, errors);
        let kind = &fault.name;
        let right = format!("`{kind} = 2`, how many there may be in an execution, up to 65535");
        let budget = |input: ParseStream<'_>| input.parse::<LitInt>()?.base10_parse::<u16>();
        let budget = fault.parsed(budget, &right, errors);
        budgets.extend(budget.map(|budget| (fault.name, budget)));
    }
    budgets
}

/// Returns `offset = "20ms", drift = 0.001` as a text.
fn clocks(argument: &Argument, errors: &mut Errors) -> Option<String> {
    let list = argument.list("(offset = \"20ms\", ..)", errors)?;
    let mut seen = Vec::new();
    let mut values = Vec::new();
    for clock in options::arguments(list, errors) {
        clock.only_once(&mut seen, errors);
        let Some(name) = options::recognise(&clock.name, "property of clocks", &CLOCKS, errors)
        else {
            continue;
        };
        let value = match name {
            "drift" => clock.parsed(
                part,
                "`drift = 0.001`, a part of one, or `\"0.1%\"`",
                errors,
            ),
            _ => {
                let right = format!("`{name} = \"20ms\"`, a duration with its unit");
                let text = clock.parsed(text, &right, errors);
                text.map(|text| text.value())
            }
        };
        values.extend(value.map(|value| format!("{name}={value}")));
    }
    (!values.is_empty()).then(|| values.join(","))
}

/// Parses `0.001` or `"0.1%"`.
fn part(input: ParseStream<'_>) -> syn::Result<String> {
    if input.peek(LitFloat) {
        let number: LitFloat = input.parse()?;
        return Ok(number.base10_digits().into());
    }
    text(input).map(|text| text.value())
}

fn delivery(input: ParseStream<'_>) -> syn::Result<String> {
    let word: syn::Ident = input.parse()?;
    let known = ["mailbox", "per_pair", "bag"]
        .into_iter()
        .find(|known| word == known);
    known
        .map(str::to_owned)
        .ok_or_else(|| syn::Error::new_spanned(word, "not known"))
}

fn patient(input: ParseStream<'_>) -> syn::Result<()> {
    let word: syn::Ident = input.parse()?;
    if word == "patient" {
        Ok(())
    } else {
        Err(syn::Error::new_spanned(word, "not patient"))
    }
}

fn flag(argument: &Argument, errors: &mut Errors) -> bool {
    let bare = matches!(argument.value, Value::Nothing);
    if !bare {
        errors.push(
            &argument.tokens,
            format!("expected `{}` alone", argument.name),
        );
    }
    bare
}
