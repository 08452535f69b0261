#[cfg(test)]
#[test]
fn the_server_counts() {
    async fn the_server_counts(sys: &System) -> Result<(), AskError> {
        let server = sys.spawn(Server::default());
        assert_eq!(server.ask(HowMany). await ?, 0);
        Ok(())
    }
    fn __body<'__a>(
        __sys: &'__a ::actor_test::__private::System,
        __chosen: &'__a [::core::primitive::usize],
    ) -> ::core::pin::Pin<
        ::std::boxed::Box<dyn ::core::future::Future<Output = ()> + '__a>,
    > {
        ::std::boxed::Box::pin(async move {
            ::actor_test::__private::finish(the_server_counts(__sys).await)
        })
    }
    static __TEST: ::actor_test::__private::ActorTest = ::actor_test::__private::ActorTest {
        name: ::core::concat!(::core::module_path!(), "::", "the_server_counts"),
        marker: ::core::concat!(
            "\0actor-test:1:", ::core::module_path!(), "::", "the_server_counts", "\0"
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
        parameters: &[],
        strength: ::core::option::Option::None,
        body: ::actor_test::__private::TestBody::Async(__body),
    };
    ::actor_test::__private::inventory::submit! {
        ::actor_test::__private::Registered(& __TEST)
    }
    ::actor_test::__private::run(&__TEST)
}
