impl Node {
    #[cfg(feature = "metrics")]
    fn count(&mut self, _: Count) -> u64 {
        self.count
    }
    #[cfg(unix)]
    fn ping_down(&mut self, _: Ping) {}
    fn ping(&mut self, _: Ping) {}
    #[cfg(unix)]
    fn signal(&mut self, _: Signal) {}
    #[cfg(windows)]
    fn signal(&mut self, _: Signal) {}
    #[cfg(unix)]
    async fn start(&mut self) {}
}
/// The states of [`Node`].
#[allow(rustdoc::private_intra_doc_links)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
    ::core::fmt::Debug,
    ::core::hash::Hash,
)]
pub enum NodeState {
    /// The state `Up`, in which it starts.
    Up,
    /// The state `Down`.
    Down,
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[allow(unused_imports)]
    use ::actor_core::__private::{IsOther as _, IsResult as _};
    #[automatically_derived]
    impl ::actor_core::State for NodeState {
        fn index(self) -> usize {
            self as usize
        }
    }
    #[allow(dead_code)]
    enum __Position {
        #[cfg(feature = "metrics")]
        Count,
        Ping,
        #[cfg(any(unix, windows))]
        Signal,
    }
    #[doc(hidden)]
    #[allow(dead_code, private_interfaces)]
    pub enum __Message {
        #[cfg(feature = "metrics")]
        Count(Count, ::actor_core::Reply<u64>),
        Ping(Ping, ::actor_core::Reply<()>),
        #[cfg(any(unix, windows))]
        Signal(Signal, ::actor_core::Reply<()>),
    }
    #[automatically_derived]
    #[doc(hidden)]
    impl ::actor_core::Actor for Node
    where
        for<'__any> Node: ::core::marker::Send,
    {
        type Message = __Message;
        type State = NodeState;
        const INFO: &'static ::actor_core::generated::ActorInfo = &::actor_core::generated::ActorInfo {
            name: "Node",
            events: &[
                #[cfg(feature = "metrics")]
                ::actor_core::generated::EventInfo::of::<Count>("Count"),
                ::actor_core::generated::EventInfo::of::<Ping>("Ping"),
                #[cfg(any(unix, windows))]
                ::actor_core::generated::EventInfo::of::<Signal>("Signal"),
            ],
            states: &["Up", "Down"],
            dispositions: {
                #[allow(unused_imports)]
                use ::actor_core::generated::Disposition::{
                    Defer, Handle, Ignore, Unhandled,
                };
                &[
                    #[cfg(feature = "metrics")]
                    Handle,
                    Handle,
                    #[cfg(any(unix, windows))]
                    Handle,
                    #[cfg(feature = "metrics")]
                    Handle,
                    #[cfg(unix)]
                    Handle,
                    #[cfg(not(unix))]
                    Ignore,
                    #[cfg(any(unix, windows))]
                    Handle,
                ]
            },
            starts: ::core::cfg!(unix),
            defers: false,
            relays: false,
        };
        fn first_state() -> Self::State {
            NodeState::Up
        }
        fn __event_index(__message: &Self::Message) -> u16 {
            match __message {
                #[cfg(feature = "metrics")]
                __Message::Count(..) => __Position::Count as u16,
                __Message::Ping(..) => __Position::Ping as u16,
                #[cfg(any(unix, windows))]
                __Message::Signal(..) => __Position::Signal as u16,
            }
        }
        #[allow(unused_variables)]
        fn __event(__message: &Self::Message) -> &dyn ::actor_core::Event {
            #[allow(unused_imports)]
            use ::actor_core::__private::{IsEvent as _, IsNone as _};
            match __message {
                #[cfg(feature = "metrics")]
                __Message::Count(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
                __Message::Ping(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
                #[cfg(any(unix, windows))]
                __Message::Signal(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
            }
        }
        fn __offer(
            &self,
            __to: &mut ::actor_core::Fingerprinter,
        ) -> ::core::primitive::bool {
            use ::actor_core::__private::value_methods::*;
            (&&&::actor_core::__private::AutorefValue(self)).feed(__to)
        }
        fn __debug(&self) -> ::core::option::Option<&dyn ::core::fmt::Debug> {
            use ::actor_core::__private::debug_methods::*;
            (&::actor_core::__private::AutorefValue(self)).debug()
        }
        #[allow(unused_variables)]
        fn __offer_event(
            __message: &Self::Message,
            __to: &mut ::actor_core::Fingerprinter,
        ) -> ::core::primitive::bool {
            #[allow(unused_imports)]
            use ::actor_core::__private::value_methods::*;
            match __message {
                #[cfg(feature = "metrics")]
                __Message::Count(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Ping(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                #[cfg(any(unix, windows))]
                __Message::Signal(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
            }
        }
        fn __carry(
            __message: &Self::Message,
        ) -> ::core::result::Result<
            Self::Message,
            ::actor_core::__private::CannotCross,
        > {
            #[allow(unused_imports)]
            use ::actor_core::__private::of_a_message::*;
            match __message {
                #[cfg(feature = "metrics")]
                __Message::Count(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Count(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Ping(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Ping(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                #[cfg(any(unix, windows))]
                __Message::Signal(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Signal(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
            }
        }
        fn __call(
            &mut self,
            __call: ::actor_core::generated::Call<Self>,
            __cx: &mut ::actor_core::Context<Self>,
        ) -> ::actor_core::generated::Flow<Self> {
            match __call {
                #[cfg(feature = "metrics")]
                ::actor_core::generated::Call::Event(
                    __Message::Count(__event, __reply),
                ) => {
                    let __value = Self::count(self, __event);
                    let __failure = (&::actor_core::__private::AutorefReply(&__value))
                        .failure(__reply.is_nobody());
                    ::actor_core::__private::reply(
                        __cx,
                        "Count",
                        __reply,
                        __value,
                        __failure,
                    );
                }
                ::actor_core::generated::Call::Event(
                    __Message::Ping(__event, __reply),
                ) => {
                    match __cx.state() {
                        #[cfg(unix)]
                        NodeState::Down => {
                            Self::ping_down(self, __event);
                            __reply.send(());
                        }
                        NodeState::Up => {
                            Self::ping(self, __event);
                            __reply.send(());
                        }
                        #[allow(unreachable_patterns)]
                        _ => {}
                    }
                }
                #[cfg(any(unix, windows))]
                ::actor_core::generated::Call::Event(
                    __Message::Signal(__event, __reply),
                ) => {
                    match __cx.state() {
                        #[cfg(unix)]
                        _ => {
                            Self::signal(self, __event);
                            __reply.send(());
                        }
                        #[cfg(windows)]
                        _ => {
                            Self::signal(self, __event);
                            __reply.send(());
                        }
                        #[allow(unreachable_patterns)]
                        _ => {}
                    }
                }
                #[cfg(unix)]
                __call @ ::actor_core::generated::Call::Start => {
                    return ::actor_core::generated::Flow::Async(__call);
                }
                _ => {}
            }
            ::actor_core::generated::Flow::Done
        }
        async fn __call_async(
            &mut self,
            __call: ::actor_core::generated::Call<Self>,
            __cx: &mut ::actor_core::Context<Self>,
        ) {
            match __call {
                #[cfg(unix)]
                ::actor_core::generated::Call::Start => Self::start(self).await,
                _ => {}
            }
        }
        fn __driver() -> ::core::option::Option<::actor_core::__private::Driver> {
            ::actor_core::__private::driver::<Self>()
        }
    }
    #[cfg(feature = "metrics")]
    #[automatically_derived]
    impl ::actor_core::Handler<Count> for Node
    where
        for<'__any> Node: ::core::marker::Send,
    {
        type Reply = u64;
        const EVENT: u16 = __Position::Count as u16;
        fn __message(__event: Count, __reply: ::actor_core::Reply<u64>) -> __Message {
            __Message::Count(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Count, ::actor_core::Reply<u64>), __Message> {
            match __message {
                __Message::Count(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                #[allow(unreachable_patterns)]
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    /// Handled in `Down`.
    ///
    /// Handled in `Up`.
    ///
    /// Dropped in `Down`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<Ping> for Node
    where
        for<'__any> Node: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = __Position::Ping as u16;
        fn __message(__event: Ping, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Ping(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Ping, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Ping(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                #[allow(unreachable_patterns)]
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    #[cfg(any(unix, windows))]
    #[automatically_derived]
    impl ::actor_core::Handler<Signal> for Node
    where
        for<'__any> Node: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = __Position::Signal as u16;
        fn __message(__event: Signal, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Signal(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Signal, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Signal(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                #[allow(unreachable_patterns)]
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    const _: fn() = ::actor_core::__private::runs_on_any_thread::<Node>;
};
#[cfg(all(unix, windows))]
::core::compile_error! {
    "`signal` handles `Signal` already: give one of them states with `#[on(State)]`, or join them"
}
