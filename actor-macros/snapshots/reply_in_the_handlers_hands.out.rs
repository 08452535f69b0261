impl Server {
    fn ping(&mut self, ping: Ping, reply: Reply<u64>, cx: &mut Context<Self>) {
        self.workers.tell(Work(ping, reply));
        cx.goto(ServerState::Busy);
    }
    fn busy(&mut self, _: Ping) -> u64 {
        0
    }
    async fn later(&mut self, later: Later, reply: Reply<()>) {
        later.0.await;
        reply.send(());
    }
}
/// The states of [`Server`].
#[allow(rustdoc::private_intra_doc_links)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
    ::core::fmt::Debug,
    ::core::hash::Hash,
)]
pub enum ServerState {
    /// The state `Idle`, in which it starts.
    Idle,
    /// The state `Busy`.
    Busy,
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[allow(unused_imports)]
    use ::actor_core::__private::{IsOther as _, IsResult as _};
    #[automatically_derived]
    impl ::actor_core::State for ServerState {
        fn index(self) -> usize {
            self as usize
        }
    }
    #[doc(hidden)]
    #[allow(dead_code, private_interfaces)]
    pub enum __Message {
        Ping(Ping, ::actor_core::Reply<u64>),
        Later(Later, ::actor_core::Reply<()>),
    }
    #[automatically_derived]
    #[doc(hidden)]
    impl ::actor_core::Actor for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Message = __Message;
        type State = ServerState;
        const INFO: &'static ::actor_core::generated::ActorInfo = &::actor_core::generated::ActorInfo {
            name: "Server",
            events: &[
                ::actor_core::generated::EventInfo::of::<Ping>("Ping"),
                ::actor_core::generated::EventInfo::of::<Later>("Later"),
            ],
            states: &["Idle", "Busy"],
            dispositions: {
                #[allow(unused_imports)]
                use ::actor_core::generated::Disposition::{
                    Defer, Handle, Ignore, Unhandled,
                };
                &[Handle, Handle, Handle, Handle]
            },
            starts: false,
            defers: false,
            relays: false,
        };
        fn first_state() -> Self::State {
            ServerState::Idle
        }
        fn __event_index(__message: &Self::Message) -> u16 {
            match __message {
                __Message::Ping(..) => 0,
                __Message::Later(..) => 1,
            }
        }
        #[allow(unused_variables)]
        fn __event(__message: &Self::Message) -> &dyn ::actor_core::Event {
            #[allow(unused_imports)]
            use ::actor_core::__private::{IsEvent as _, IsNone as _};
            match __message {
                __Message::Ping(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
                __Message::Later(__event, __reply) => {
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
                __Message::Ping(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Later(__event, __reply) => {
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
                __Message::Ping(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Ping(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Later(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Later(
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
                ::actor_core::generated::Call::Event(
                    __Message::Ping(__event, __reply),
                ) => {
                    match __cx.state() {
                        ServerState::Idle => {
                            Self::ping(self, __event, __reply.hand_over(), __cx);
                        }
                        ServerState::Busy => {
                            let __value = Self::busy(self, __event);
                            let __failure = (&::actor_core::__private::AutorefReply(
                                &__value,
                            ))
                                .failure(__reply.is_nobody());
                            ::actor_core::__private::reply(
                                __cx,
                                "Ping",
                                __reply,
                                __value,
                                __failure,
                            );
                        }
                    }
                }
                __call @ ::actor_core::generated::Call::Event(__Message::Later(..)) => {
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
                ::actor_core::generated::Call::Event(
                    __Message::Later(__event, __reply),
                ) => {
                    Self::later(self, __event, __reply.hand_over()).await;
                }
                _ => {}
            }
        }
        fn __driver() -> ::core::option::Option<::actor_core::__private::Driver> {
            ::actor_core::__private::driver::<Self>()
        }
    }
    /// Handled in `Idle`.
    ///
    /// Handled in `Busy`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<Ping> for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Reply = u64;
        const EVENT: u16 = 0;
        fn __message(__event: Ping, __reply: ::actor_core::Reply<u64>) -> __Message {
            __Message::Ping(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Ping, ::actor_core::Reply<u64>), __Message> {
            match __message {
                __Message::Ping(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    #[automatically_derived]
    impl ::actor_core::Handler<Later> for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = 1;
        fn __message(__event: Later, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Later(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Later, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Later(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    const _: fn() = ::actor_core::__private::runs_on_any_thread::<Server>;
};
