//! Test parameters: the values of each, and the combinations that are run.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::LazyLock;

use crate::declaration::attribute::ActorTest;
use crate::declaration::covering;
use crate::hash;

/// The maximum number of combinations of a test, and of values of a parameter.
const COMBINATIONS_MAX: u64 = 10_000;

/// The values of a parameter, evaluated lazily.
#[derive(Debug)]
pub struct Values<T: Clone + Debug + Send + Sync + 'static> {
    name: &'static str,
    values: LazyLock<Vec<T>>,
}

impl<T: Clone + Debug + Send + Sync + 'static> Values<T> {
    /// Returns the values that `evaluate` returns, which is called once.
    pub const fn new(name: &'static str, evaluate: fn() -> Vec<T>) -> Self {
        Self {
            name,
            values: LazyLock::new(evaluate),
        }
    }

    /// Returns the value chosen for the parameter at `position`.
    pub fn at(&self, chosen: &[usize], position: usize) -> T {
        self.values[chosen[position]].clone()
    }
}

/// Collects values; of an endless iterator, only enough to exceed the limit.
pub fn values<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let enough = COMBINATIONS_MAX as usize + 1;
    values.into_iter().take(enough).collect()
}

/// A parameter of a test, with its type erased.
pub trait Parameter: Debug + Sync {
    /// Returns the name of the parameter.
    fn name(&self) -> &'static str;

    /// Returns the values as printed by `Debug`, each on one line.
    fn labels(&self) -> Vec<String>;
}

impl<T: Clone + Debug + Send + Sync + 'static> Parameter for Values<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn labels(&self) -> Vec<String> {
        self.values.iter().map(|value| label(value)).collect()
    }
}

/// Prints a value on one line; control characters are escaped.
fn label(value: &dyn Debug) -> String {
    let mut label = String::new();
    for letter in format!("{value:?}").chars() {
        if letter.is_control() {
            label.extend(letter.escape_default());
        } else {
            label.push(letter);
        }
    }
    label
}

/// A test with a value for each of its parameters; just the test if it has none.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub(crate) test: &'static ActorTest,
    /// The name of the test with the values: `krate::test[n=2, lossy=true]`.
    pub(crate) name: String,
    chosen: Vec<usize>,
}

/// The reasons why the combinations of a test can't be listed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum ParameterError {
    #[error("the parameter `{0}` has no values, so there is nothing to run; give it one at least")]
    Empty(&'static str),
    #[error(
        "the parameter `{0}` has the value {1} twice, by what its `Debug` prints; a combination is \
         known by its values, so give each once"
    )]
    Twice(&'static str, String),
    #[error(
        "two combinations are called {0}, by what the `Debug` of their values prints; a combination \
         is known by its name, so let them print something else"
    )]
    Ambiguous(String),
    #[error("the parameter `{0}` has more than {COMBINATIONS_MAX} values; give fewer")]
    TooManyValues(&'static str),
    #[error(
        "{0} combinations of values are more than {COMBINATIONS_MAX}; with `pairwise` there are \
         fewer, in which each two values of two parameters meet"
    )]
    TooManyCombinations(String),
    #[error(
        "it takes more than {COMBINATIONS_MAX} combinations for each {0} parameters to take all of \
         their values; give fewer values{1}"
    )]
    TooManyRows(usize, &'static str),
    #[error(
        "the combinations in which each {0} of {1} parameters take all of their values are too \
         many to be worked out; lower `t_wise`"
    )]
    TooManyTuples(usize, usize),
}

/// Returns the names of a test's parameters.
pub(crate) fn names(test: &ActorTest) -> Vec<&'static str> {
    let parameters = test.parameters.iter();
    parameters.map(|parameter| parameter.name()).collect()
}

/// Returns all combinations of a test that are run, in order.
pub(crate) fn combinations(test: &'static ActorTest) -> Result<Vec<Combination>, ParameterError> {
    let labels = labels(test)?;
    let sizes: Vec<usize> = labels.iter().map(Vec::len).collect();
    let rows = match test.strength {
        None => all_rows(&sizes)?,
        Some(strength) => covering_rows(&sizes, strength)?,
    };
    let rows = rows.into_iter();
    let all: Vec<_> = rows
        .map(|row| Combination::new(test, &labels, row))
        .collect();
    let mut seen = BTreeSet::new();
    match all
        .iter()
        .find(|combination| !seen.insert(&combination.name))
    {
        Some(twice) => Err(ParameterError::Ambiguous(twice.name.clone())),
        None => Ok(all),
    }
}

fn all_rows(sizes: &[usize]) -> Result<Vec<covering::Row>, ParameterError> {
    match covering::count(sizes) {
        0..=COMBINATIONS_MAX => Ok(covering::all(sizes)),
        u64::MAX => Err(ParameterError::TooManyCombinations("2^64 or more".into())),
        count => Err(ParameterError::TooManyCombinations(count.to_string())),
    }
}

fn covering_rows(sizes: &[usize], strength: usize) -> Result<Vec<covering::Row>, ParameterError> {
    let way_out = if strength > 2 {
        ", or lower `t_wise`"
    } else {
        ""
    };
    let too_many = ParameterError::TooManyRows(strength, way_out);
    if covering::rows_min(sizes, strength) > COMBINATIONS_MAX {
        return Err(too_many);
    }
    if covering::tuples(sizes, strength) > covering::TUPLES_MAX {
        return Err(ParameterError::TooManyTuples(strength, sizes.len()));
    }
    let rows = covering::covering(sizes, strength);
    if rows.len() as u64 > COMBINATIONS_MAX {
        return Err(too_many);
    }
    Ok(rows)
}

/// Returns the printed values of each parameter.
fn labels(test: &ActorTest) -> Result<Vec<Vec<String>>, ParameterError> {
    let parameters = test.parameters.iter();
    parameters
        .map(|parameter| {
            let name = parameter.name();
            let labels = parameter.labels();
            let mut seen = BTreeSet::new();
            let twice = labels.iter().find(|label| !seen.insert(*label));
            match labels.len() as u64 {
                0 => Err(ParameterError::Empty(name)),
                1..=COMBINATIONS_MAX => match twice {
                    Some(twice) => Err(ParameterError::Twice(name, twice.clone())),
                    None => Ok(labels),
                },
                _ => Err(ParameterError::TooManyValues(name)),
            }
        })
        .collect()
}

impl Combination {
    fn new(test: &'static ActorTest, labels: &[Vec<String>], chosen: Vec<usize>) -> Self {
        let values: Vec<String> = test
            .parameters
            .iter()
            .zip(labels.iter().zip(&chosen))
            .map(|(parameter, (labels, at))| format!("{}={}", parameter.name(), labels[*at]))
            .collect();
        let name = match values[..] {
            [] => test.name.to_owned(),
            _ => format!("{}[{}]", test.name, values.join(", ")),
        };
        Self { test, name, chosen }
    }

    /// Finds the combination of that name. The combination need not be among those that are run, since a
    /// trace stays valid when the values of other parameters change.
    pub(crate) fn named(
        test: &'static ActorTest,
        name: &str,
    ) -> Result<Option<Self>, ParameterError> {
        let labels = labels(test)?;
        let values = name.strip_prefix(test.name).unwrap_or_default();
        let chosen = match test.parameters {
            [] => values.is_empty().then(Vec::new),
            _ => values
                .strip_prefix('[')
                .and_then(|values| choose(test, &labels, values, Vec::new())),
        };
        Ok(chosen.map(|chosen| Self::new(test, &labels, chosen)))
    }

    /// Returns the number that schedules derive from besides the seed. The number depends only on the values
    /// of this combination, and not on which other combinations exist.
    pub(crate) fn salt(&self) -> u64 {
        match self.chosen[..] {
            [] => 0,
            _ => hash::text(&self.name),
        }
    }

    /// Returns the position of each parameter's value.
    pub(crate) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Returns true if the test has parameters.
    pub(crate) fn has_parameters(&self) -> bool {
        !self.chosen.is_empty()
    }
}

/// Parses the values of the parameters from `chosen.len()` on from the text `rest`.
fn choose(
    test: &ActorTest,
    labels: &[Vec<String>],
    rest: &str,
    chosen: Vec<usize>,
) -> Option<Vec<usize>> {
    let Some(parameter) = test.parameters.get(chosen.len()) else {
        return rest.is_empty().then_some(chosen);
    };
    let end = match chosen.len() + 1 == test.parameters.len() {
        true => "]",
        false => ", ",
    };
    let rest = rest.strip_prefix(parameter.name())?.strip_prefix('=')?;
    let values = labels[chosen.len()].iter().enumerate();
    // One value may be a prefix of another, so later values are tried, too.
    values
        .filter_map(|(at, label)| Some((at, rest.strip_prefix(&**label)?.strip_prefix(end)?)))
        .find_map(|(at, rest)| choose(test, labels, rest, [&chosen[..], &[at]].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::attribute::TestBody;
    use crate::settings::attributes::Attributes;

    static COUNTS: Values<u32> = Values::new("n", || values([1, 12]));
    static TEXTS: Values<&str> = Values::new("text", || values(["a", "a\", n=\"b", "two\nlines"]));
    static RAW: Values<Plain> =
        Values::new("m", || values([Plain("1"), Plain("1, k=3"), Plain("1]")]));
    static LAST: Values<Plain> = Values::new("k", || values([Plain("2"), Plain("3")]));

    /// A text whose `Debug` prints it unquoted.
    #[derive(Clone)]
    struct Plain(&'static str);

    impl Debug for Plain {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    const fn test(parameters: &'static [&'static dyn Parameter]) -> ActorTest {
        ActorTest {
            name: "krate::test",
            marker: "",
            file: file!(),
            line: line!(),
            ignored: false,
            attributes: Attributes {
                iterations: None,
                max_steps: None,
                temperature: None,
                minimize: None,
                seed: None,
                strategies: &[],
                deny: None,
                expect_bug: None,
                patient_timers: false,
                atomic_handlers: false,
                supervised: false,
                faults: &[],
                delivery: None,
                clocks: None,
                clock_error_ms: None,
            },
            parameters,
            strength: None,
            body: TestBody::Sync(|_, _| ()),
        }
    }

    #[test]
    fn a_combination_is_found_by_its_name() {
        static TEST: ActorTest = test(&[&COUNTS, &TEXTS]);
        let all = combinations(&TEST).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[0].name, "krate::test[n=1, text=\"a\"]");
        assert_eq!(all[5].name, "krate::test[n=12, text=\"two\\nlines\"]");
        for one in &all {
            assert!(one.has_parameters());
            let found = Combination::named(&TEST, &one.name).unwrap().unwrap();
            assert_eq!(
                (found.name, found.chosen),
                (one.name.clone(), one.chosen.clone())
            );
        }
        let salts: BTreeSet<u64> = all.iter().map(Combination::salt).collect();
        assert_eq!(salts.len(), 6);
        for wrong in [
            "",
            "[]",
            "[n=1]",
            "[n=2, text=\"a\"]",
            "[n=1, text=\"a\"",
            "[n=1, text=\"a\"]]",
        ] {
            let found = Combination::named(&TEST, &format!("krate::test{wrong}")).unwrap();
            assert!(found.is_none(), "{wrong}");
        }
    }

    /// A value may be a prefix of another value, so the first fitting value may be wrong.
    #[test]
    fn a_value_may_look_like_what_follows_it() {
        static TEST: ActorTest = test(&[&RAW, &LAST]);
        for one in combinations(&TEST).unwrap() {
            let found = Combination::named(&TEST, &one.name).unwrap().unwrap();
            assert_eq!(found.name, one.name);
        }
    }

    #[test]
    fn two_combinations_do_not_share_a_name() {
        static END: Values<Plain> = Values::new("k", || values([Plain("2"), Plain("3, k=2")]));
        static TEST: ActorTest = test(&[&RAW, &END]);
        let error = combinations(&TEST).unwrap_err();
        let name = "krate::test[m=1, k=3, k=2]".to_owned();
        assert_eq!(error, ParameterError::Ambiguous(name));
    }

    #[test]
    fn a_test_without_parameters_is_one_combination() {
        static TEST: ActorTest = test(&[]);
        let all = combinations(&TEST).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!((&*all[0].name, all[0].salt()), ("krate::test", 0));
        assert!(!all[0].has_parameters());
        assert!(Combination::named(&TEST, "krate::test").unwrap().is_some());
        assert!(
            Combination::named(&TEST, "krate::test[n=1]")
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn too_many_are_refused_before_they_are_made() {
        static BIG: Values<u32> = Values::new("big", || values(0..9_999));
        static ALL: ActorTest = test(&[&BIG, &BIG, &BIG, &BIG, &BIG]);
        let error = |sizes: &[usize], strength| covering_rows(sizes, strength).unwrap_err();
        assert!(matches!(
            combinations(&ALL),
            Err(ParameterError::TooManyCombinations(_))
        ));
        assert_eq!(error(&[9_999; 5], 2), ParameterError::TooManyRows(2, ""));
        assert_eq!(error(&[2; 40], 8), ParameterError::TooManyTuples(8, 40));
        assert_eq!(covering_rows(&[100, 100], 2).unwrap().len(), 10_000);
    }
}
