#[cfg(test)]
#[test]
fn the_server_counts() {
    async fn the_server_counts(sys: &System, size: u32) {
        let server = sys.spawn(Server::new(size));
        assert_eq!(server.ask(HowMany). await, Ok(0));
    }
    static __PARAMETER_0: ::actor_test::__private::Values<u32> = ::actor_test::__private::Values::new(
        "size",
        || ::actor_test::__private::values(Table::<u8, u32>::sizes()),
    );
    fn __body<'__a>(
        __sys: &'__a ::actor_test::__private::System,
        __chosen: &'__a [::core::primitive::usize],
    ) -> ::core::pin::Pin<
        ::std::boxed::Box<dyn ::core::future::Future<Output = ()> + '__a>,
    > {
        ::std::boxed::Box::pin(async move {
            ::actor_test::__private::finish(
                the_server_counts(__sys, __PARAMETER_0.at(__chosen, 0usize)).await,
            )
        })
    }
    static __TEST: ::actor_test::__private::ActorTest = ::actor_test::__private::ActorTest {
        name: ::core::concat!(::core::module_path!(), "::", "the_server_counts"),
        marker: ::core::concat!(
            "\0actor-test:1:", ::core::module_path!(), "::", "the_server_counts", "[]\0"
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
        parameters: &[&__PARAMETER_0],
        strength: ::core::option::Option::Some(1usize),
        body: ::actor_test::__private::TestBody::Async(__body),
    };
    ::actor_test::__private::inventory::submit! {
        ::actor_test::__private::Registered(& __TEST)
    }
    ::actor_test::__private::run(&__TEST)
}
