//! The declarations that `#[actor_test]` passes to the tester, here a stand-in that records them.

mod stand_in {
    macro_rules! fault_kind {
        (call) => {
            "call"
        };
        (full) => {
            "full"
        };
    }
    pub(crate) use fault_kind as __fault_kind;

    pub(crate) mod __private {
        use std::future::Future;
        use std::pin::Pin;

        pub(crate) use ::inventory;
        pub(crate) use actor_core::System;

        pub(crate) struct ActorTest {
            pub(crate) name: &'static str,
            pub(crate) marker: &'static str,
            pub(crate) file: &'static str,
            pub(crate) line: u32,
            pub(crate) ignored: bool,
            pub(crate) attributes: Attributes,
            pub(crate) parameters: &'static [&'static dyn Parameter],
            pub(crate) strength: Option<usize>,
            pub(crate) body: TestBody,
        }

        #[derive(Debug, PartialEq)]
        pub(crate) struct Attributes {
            pub(crate) iterations: Option<u64>,
            pub(crate) max_steps: Option<(u64, Option<u64>)>,
            pub(crate) temperature: Option<u64>,
            pub(crate) seed: Option<u64>,
            pub(crate) strategies: &'static [&'static str],
            pub(crate) minimize: Option<u64>,
            pub(crate) expect_bug: Option<&'static str>,
            pub(crate) deny: Option<&'static str>,
            pub(crate) faults: &'static [(&'static str, u16)],
            pub(crate) delivery: Option<&'static str>,
            pub(crate) clocks: Option<&'static str>,
            pub(crate) patient_timers: bool,
            pub(crate) atomic_handlers: bool,
            pub(crate) supervised: bool,
            pub(crate) clock_error_ms: Option<u64>,
        }

        pub(crate) enum TestBody {
            Sync(fn(&System, &[usize])),
            Async(for<'a> fn(&'a System, &'a [usize]) -> Body<'a>),
        }

        type Body<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

        pub(crate) trait Parameter: Sync {
            fn name(&self) -> &'static str;
            fn values(&self) -> String;
        }

        pub(crate) struct Values<T> {
            name: &'static str,
            evaluate: fn() -> Vec<T>,
        }

        impl<T> Values<T> {
            pub(crate) const fn new(name: &'static str, evaluate: fn() -> Vec<T>) -> Self {
                Self { name, evaluate }
            }

            pub(crate) fn at(&self, chosen: &[usize], position: usize) -> T {
                (self.evaluate)().remove(chosen[position])
            }
        }

        impl<T: std::fmt::Debug> Parameter for Values<T> {
            fn name(&self) -> &'static str {
                self.name
            }

            fn values(&self) -> String {
                format!("{:?}", (self.evaluate)())
            }
        }

        pub(crate) fn values<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
            values.into_iter().collect()
        }

        pub(crate) struct Registered(pub(crate) &'static ActorTest);
        inventory::collect!(Registered);

        pub(crate) trait Outcome {
            fn check(self);
        }
        impl Outcome for () {
            fn check(self) {}
        }
        impl<E: std::fmt::Debug> Outcome for Result<(), E> {
            fn check(self) {
                self.expect("the test failed");
            }
        }

        pub(crate) fn finish(outcome: impl Outcome) {
            outcome.check();
        }

        /// Calls the body on a production system, with the last values.
        pub(crate) fn run(test: &ActorTest) {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build();
            runtime.expect("a runtime").block_on(async {
                let sys = System::new();
                let chosen = vec![1; test.parameters.len()];
                match test.body {
                    TestBody::Sync(body) => body(&sys, &chosen),
                    TestBody::Async(body) => body(&sys, &chosen).await,
                }
            });
        }
    }
}

use actor_core::Scope;
use actor_core::System;
use actor_macros::actor_test;
use stand_in::__private::{ActorTest, Registered, TestBody};

/// A test with a body that ends.
#[actor_test(crate = stand_in)]
fn without_options(_sys: &System) {}

#[actor_test(
    iterations = 1_000,
    max_steps = "500:2000",
    temperature = 2500,
    minimize = 0,
    seed = 7,
    strategy = "pct:3",
    strategy = "random",
    expect_bug = "a pong",
    deny = "vacuous,unreached",
    faults(call = 2, full = 1),
    delivery = bag,
    clocks(offset = "20ms", drift = 0.001, jump = "1s"),
    timers = patient,
    atomic_handlers,
    supervised,
    clock_error_ms = 5,
    crate = crate::macros::actor_test::stand_in,
)]
#[ignore]
fn with_all_options(_: &System) {}

#[actor_test(max_steps = 500, crate = stand_in)]
async fn that_is_async(sys: &System) -> Result<(), String> {
    let started = sys.now();
    std::future::ready(()).await;
    if sys.now() >= started {
        Ok(())
    } else {
        Err("time went back".into())
    }
}

#[actor_test(crate = stand_in)]
fn with_a_result(_sys: &System) -> Result<(), String> {
    Ok(())
}

struct Table<K, V>(std::marker::PhantomData<(K, V)>);

impl<K, V> Table<K, V> {
    fn rows() -> impl Iterator<Item = &'static str> {
        ["first", "second"].into_iter()
    }
}

const SIZES: [u8; 2] = [3, 5];

/// Given in another order, with a comma of its own, and called as an option is.
#[actor_test(
    text in Table::<u8, u32>::rows(),
    seed in [None, Some(1..=2)],
    r#type in SIZES,
    seed = 7,
    t_wise = 2,
    crate = stand_in,
)]
fn with_parameters(
    _: &System,
    mut r#type: u8,
    text: &str,
    seed: Option<std::ops::RangeInclusive<u64>>,
) {
    r#type += 1;
    assert_eq!((r#type, text, seed), (6, "second", Some(1..=2)));
}

#[actor_test(count in 0..2, pairwise, flag in [false, true], crate = stand_in)]
async fn async_with_parameters(sys: &System, count: usize, flag: bool) -> Result<(), String> {
    let _ = sys.now();
    std::future::ready(()).await;
    (count == 1 && flag).then_some(()).ok_or_else(String::new)
}

#[cfg(any())]
#[actor_test(crate = stand_in)]
fn left_out(_sys: &System) {
    compile_error!("not here");
}

mod inner {
    #[super::actor_test(crate = super::stand_in)]
    fn in_a_module(_sys: &super::System) {}
}

fn registered(name: &str) -> &'static ActorTest {
    let name = format!("all::macros::actor_test::{name}");
    let mut tests = inventory::iter::<Registered>
        .into_iter()
        .map(|registered| registered.0);
    tests
        .find(|test| test.name == name)
        .unwrap_or_else(|| panic!("`{name}` is not registered"))
}

#[test]
fn names_lead_back_to_the_source() {
    let test = registered("inner::in_a_module");
    assert_eq!(
        test.marker,
        "\0actor-test:1:all::macros::actor_test::inner::in_a_module\0"
    );
    assert!(test.file.ends_with("actor_test.rs"));
    assert!(test.line > 1);
    assert_eq!(inventory::iter::<Registered>.into_iter().count(), 7);
}

#[test]
fn options_arrive() {
    let test = registered("with_all_options");
    assert!(test.ignored);
    let attributes = stand_in::__private::Attributes {
        iterations: Some(1000),
        max_steps: Some((500, Some(2000))),
        temperature: Some(2500),
        seed: Some(7),
        strategies: &["pct:3", "random"],
        minimize: Some(0),
        expect_bug: Some("a pong"),
        deny: Some("vacuous,unreached"),
        faults: &[("call", 2), ("full", 1)],
        delivery: Some("bag"),
        clocks: Some("offset=20ms,drift=0.001,jump=1s"),
        patient_timers: true,
        atomic_handlers: true,
        supervised: true,
        clock_error_ms: Some(5),
    };
    assert_eq!(test.attributes, attributes);
}

#[test]
fn parameters_arrive_in_the_order_of_the_signature() {
    let test = registered("with_parameters");
    assert!(test.marker.ends_with("::with_parameters[]\0"));
    let names: Vec<_> = test.parameters.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["type", "text", "seed"]);
    let values: Vec<_> = test.parameters.iter().map(|one| one.values()).collect();
    let expected = ["[3, 5]", "[\"first\", \"second\"]", "[None, Some(1..=2)]"];
    assert_eq!(values, expected);
    assert_eq!(test.attributes.seed, Some(7));
    assert_eq!(test.strength, Some(2));
    assert_eq!(registered("async_with_parameters").strength, Some(2));
    assert!(registered("without_options").parameters.is_empty());
    assert_eq!(registered("without_options").strength, None);
}

#[test]
fn what_is_not_given_is_left_to_the_tester() {
    let test = registered("without_options");
    assert!(!test.ignored);
    assert_eq!(test.attributes.iterations, None);
    assert!(test.attributes.strategies.is_empty());
    assert!(matches!(test.body, TestBody::Sync(_)));
    let test = registered("that_is_async");
    assert_eq!(test.attributes.max_steps, Some((500, None)));
    assert!(matches!(test.body, TestBody::Async(_)));
}
