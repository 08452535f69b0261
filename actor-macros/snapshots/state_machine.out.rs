impl Client {
    fn begin(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Ping { from: cx.recipient() });
        cx.goto(ClientState::Waiting);
    }
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.left -= 1;
        cx.goto(if self.left == 0 { ClientState::Done } else { ClientState::Idle });
    }
    async fn stop(&mut self, _: Stop, cx: &mut Context<Self>) {
        let served = self.server.ask(HowMany).await;
        cx.halt();
    }
    fn late_pong(&mut self, _: Pong) {}
}
/// The states of [`Client`].
#[allow(rustdoc::private_intra_doc_links)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
    ::core::fmt::Debug,
    ::core::hash::Hash,
)]
pub enum ClientState {
    /// The state `Idle`, in which it starts.
    Idle,
    /// The state `Waiting`.
    Waiting,
    /// The state `Done`.
    Done,
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[automatically_derived]
    impl ::actor_core::State for ClientState {
        fn index(self) -> usize {
            self as usize
        }
    }
    #[doc(hidden)]
    #[allow(dead_code, private_interfaces)]
    pub enum __Message {
        Pong(Pong, ::actor_core::Reply<()>),
        Stop(Stop, ::actor_core::Reply<()>),
        Tick(Tick, ::actor_core::Reply<()>),
    }
    #[automatically_derived]
    #[doc(hidden)]
    impl ::actor_core::Actor for Client
    where
        for<'__any> Client: ::core::marker::Send,
    {
        type Message = __Message;
        type State = ClientState;
        const INFO: &'static ::actor_core::generated::ActorInfo = &::actor_core::generated::ActorInfo {
            name: "Client",
            events: &[
                ::actor_core::generated::EventInfo::of::<Pong>("Pong"),
                ::actor_core::generated::EventInfo::of::<Stop>("Stop"),
                ::actor_core::generated::EventInfo::of::<Tick>("Tick"),
            ],
            states: &["Idle", "Waiting", "Done"],
            dispositions: {
                #[allow(unused_imports)]
                use ::actor_core::generated::Disposition::{
                    Defer, Handle, Ignore, Unhandled,
                };
                &[
                    Handle,
                    Handle,
                    Unhandled,
                    Handle,
                    Defer,
                    Ignore,
                    Handle,
                    Handle,
                    Unhandled,
                ]
            },
            starts: true,
            defers: true,
            relays: false,
        };
        fn first_state() -> Self::State {
            ClientState::Idle
        }
        fn __event_index(__message: &Self::Message) -> u16 {
            match __message {
                __Message::Pong(..) => 0,
                __Message::Stop(..) => 1,
                __Message::Tick(..) => 2,
            }
        }
        #[allow(unused_variables)]
        fn __event(__message: &Self::Message) -> &dyn ::actor_core::Event {
            #[allow(unused_imports)]
            use ::actor_core::__private::{IsEvent as _, IsNone as _};
            match __message {
                __Message::Pong(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
                __Message::Stop(__event, __reply) => {
                    (&::actor_core::__private::AutorefEvent(__event)).event()
                }
                __Message::Tick(__event, __reply) => {
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
                __Message::Pong(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Stop(__event, __reply) => {
                    (&&&::actor_core::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Tick(__event, __reply) => {
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
                __Message::Pong(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Pong(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Stop(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Stop(
                            (&&::actor_core::__private::ToCarry(__event)).carry()?,
                            (&::actor_core::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Tick(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Tick(
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
                    __Message::Pong(__event, __reply),
                ) => {
                    match __cx.state() {
                        ClientState::Waiting => {
                            Self::pong(self, __event, __cx);
                            __reply.send(());
                        }
                        ClientState::Idle | ClientState::Done => {
                            Self::late_pong(self, __event);
                            __reply.send(());
                        }
                    }
                }
                __call @ ::actor_core::generated::Call::Event(__Message::Stop(..)) => {
                    return ::actor_core::generated::Flow::Async(__call);
                }
                ::actor_core::generated::Call::Entry(ClientState::Idle) => {
                    Self::begin(self, __cx)
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
                    __Message::Stop(__event, __reply),
                ) => {
                    Self::stop(self, __event, __cx).await;
                    __reply.send(());
                }
                _ => {}
            }
        }
        fn __driver() -> ::core::option::Option<::actor_core::__private::Driver> {
            ::actor_core::__private::driver::<Self>()
        }
    }
    /// Handled in `Waiting`.
    ///
    /// Handled in `Idle`, `Done`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<Pong> for Client
    where
        for<'__any> Client: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = 0;
        fn __message(__event: Pong, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Pong(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Pong, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Pong(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    /// Kept for a later state in `Waiting`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<Stop> for Client
    where
        for<'__any> Client: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = 1;
        fn __message(__event: Stop, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Stop(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Stop, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Stop(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    /// Dropped in `Waiting`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<Tick> for Client
    where
        for<'__any> Client: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = 2;
        fn __message(__event: Tick, __reply: ::actor_core::Reply<()>) -> __Message {
            __Message::Tick(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(Tick, ::actor_core::Reply<()>), __Message> {
            match __message {
                __Message::Tick(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    const _: fn() = ::actor_core::__private::runs_on_any_thread::<Client>;
};
