#[cfg(test)]
#[test]
fn a_leader_is_elected() {
    fn a_leader_is_elected(sys: &System, size: u32, mut lossy: bool) {
        sys.spawn(Server::new(size, lossy));
    }
    static __PARAMETER_0: ::actor_test::__private::Values<u32> = ::actor_test::__private::Values::new(
        "size",
        || ::actor_test::__private::values(2..=4),
    );
    static __PARAMETER_1: ::actor_test::__private::Values<bool> = ::actor_test::__private::Values::new(
        "lossy",
        || ::actor_test::__private::values([false, true]),
    );
    fn __body(
        __sys: &::actor_test::__private::System,
        __chosen: &[::core::primitive::usize],
    ) {
        ::actor_test::__private::finish(
            a_leader_is_elected(
                __sys,
                __PARAMETER_0.at(__chosen, 0usize),
                __PARAMETER_1.at(__chosen, 1usize),
            ),
        )
    }
    static __TEST: ::actor_test::__private::ActorTest = ::actor_test::__private::ActorTest {
        name: ::core::concat!(::core::module_path!(), "::", "a_leader_is_elected"),
        marker: ::core::concat!(
            "\0actor-test:1:", ::core::module_path!(), "::", "a_leader_is_elected",
            "[]\0"
        ),
        file: ::core::file!(),
        line: ::core::line!(),
        ignored: false,
        attributes: ::actor_test::__private::Attributes {
            iterations: ::core::option::Option::None,
            max_steps: ::core::option::Option::None,
            temperature: ::core::option::Option::None,
            seed: ::core::option::Option::None,
            strategies: &[],
            minimize: ::core::option::Option::None,
            expect_bug: ::core::option::Option::None,
            deny: ::core::option::Option::None,
            faults: &[],
            delivery: ::core::option::Option::None,
            clocks: ::core::option::Option::None,
            patient_timers: false,
            atomic_handlers: false,
            supervised: false,
            clock_error_ms: ::core::option::Option::None,
        },
        parameters: &[&__PARAMETER_0, &__PARAMETER_1],
        strength: ::core::option::Option::Some(2usize),
        body: ::actor_test::__private::TestBody::Sync(__body),
    };
    ::actor_test::__private::inventory::submit! {
        ::actor_test::__private::Registered(& __TEST)
    }
    ::actor_test::__private::run(&__TEST)
}
