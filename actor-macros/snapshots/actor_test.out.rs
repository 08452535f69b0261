#[cfg(test)]
#[test]
/// Every ping is answered.
#[ignore]
fn every_ping_is_answered() {
    fn every_ping_is_answered(sys: &System) {
        sys.spawn(Server::default());
    }
    fn __body(
        __sys: &::actor_test::__private::System,
        __chosen: &[::core::primitive::usize],
    ) {
        ::actor_test::__private::finish(every_ping_is_answered(__sys))
    }
    static __TEST: ::actor_test::__private::ActorTest = ::actor_test::__private::ActorTest {
        name: ::core::concat!(::core::module_path!(), "::", "every_ping_is_answered"),
        marker: ::core::concat!(
            "\0actor-test:1:", ::core::module_path!(), "::", "every_ping_is_answered",
            "\0"
        ),
        file: ::core::file!(),
        line: ::core::line!(),
        ignored: true,
        attributes: ::actor_test::__private::Attributes {
            iterations: ::core::option::Option::Some(1000u64),
            max_steps: ::core::option::Option::Some((
                500u64,
                ::core::option::Option::Some(2000u64),
            )),
            temperature: ::core::option::Option::None,
            seed: ::core::option::Option::None,
            strategies: &["pct:3", "random"],
            minimize: ::core::option::Option::None,
            expect_bug: ::core::option::Option::Some("a pong"),
            deny: ::core::option::Option::None,
            faults: &[],
            delivery: ::core::option::Option::None,
            clocks: ::core::option::Option::None,
            patient_timers: true,
            atomic_handlers: false,
            supervised: false,
            clock_error_ms: ::core::option::Option::None,
        },
        parameters: &[],
        strength: ::core::option::Option::None,
        body: ::actor_test::__private::TestBody::Sync(__body),
    };
    ::actor_test::__private::inventory::submit! {
        ::actor_test::__private::Registered(& __TEST)
    }
    ::actor_test::__private::run(&__TEST)
}
