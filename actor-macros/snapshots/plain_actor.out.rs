impl Server {
    fn ping(&mut self, ping: Ping) {
        self.served += 1;
        ping.from.tell(Pong);
    }
    /// The return value of a handler is the reply to an `ask`.
    fn served(&mut self, _: HowMany) -> u64 {
        self.served
    }
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[allow(unused_imports)]
    use ::actor_core::__private::{IsOther as _, IsResult as _};
    #[doc(hidden)]
    #[allow(dead_code, private_interfaces)]
    pub enum __Message {
        Ping(Ping, ::actor_core::Reply<()>),
        HowMany(HowMany, ::actor_core::Reply<u64>),
    }
    #[automatically_derived]
    #[doc(hidden)]
    impl ::actor_core::Actor for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Message = __Message;
        type State = ::actor_core::generated::Stateless;
        const INFO: &'static ::actor_core::generated::ActorInfo = &::actor_core::generated::ActorInfo {
            name: "Server",
            events: &[
                ::actor_core::generated::EventInfo::of::<Ping>("Ping"),
                ::actor_core::generated::EventInfo::of::<HowMany>("HowMany"),
            ],
            states: &[],
            dispositions: {
                #[allow(unused_imports)]
                use ::actor_core::generated::Disposition::{
                    Defer, Handle, Ignore, Unhandled,
                };
                &[Handle, Handle]
            },
            starts: false,
            defers: false,
            relays: false,
        };
        fn first_state() -> Self::State {
            ::actor_core::generated::Stateless
        }
        fn __event_index(__message: &Self::Message) -> u16 {
            match __message {
                __Message::Ping(..) => 0,
                __Message::HowMany(..) => 1,
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
                __Message::HowMany(__event, __reply) => {
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
                __Message::HowMany(__event, __reply) => {
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
                __Message::HowMany(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::HowMany(
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
                    Self::ping(self, __event);
                    __reply.send(());
                }
                ::actor_core::generated::Call::Event(
                    __Message::HowMany(__event, __reply),
                ) => {
                    let __value = Self::served(self, __event);
                    let __failure = (&::actor_core::__private::AutorefReply(&__value))
                        .failure(__reply.is_nobody());
                    ::actor_core::__private::reply(
                        __cx,
                        "HowMany",
                        __reply,
                        __value,
                        __failure,
                    );
                }
                _ => {}
            }
            ::actor_core::generated::Flow::Done
        }
    }
    #[automatically_derived]
    impl ::actor_core::Handler<Ping> for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Reply = ();
        const EVENT: u16 = 0;
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
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    /// The return value of a handler is the reply to an `ask`.
    ///
    #[automatically_derived]
    impl ::actor_core::Handler<HowMany> for Server
    where
        for<'__any> Server: ::core::marker::Send,
    {
        type Reply = u64;
        const EVENT: u16 = 1;
        fn __message(__event: HowMany, __reply: ::actor_core::Reply<u64>) -> __Message {
            __Message::HowMany(__event, __reply)
        }
        fn __unwrap(
            __message: __Message,
        ) -> ::core::result::Result<(HowMany, ::actor_core::Reply<u64>), __Message> {
            match __message {
                __Message::HowMany(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    const _: fn() = ::actor_core::__private::runs_on_any_thread::<Server>;
};
