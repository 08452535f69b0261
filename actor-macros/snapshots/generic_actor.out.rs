impl<S: Storage, const N: usize> Replica<S, N>
where
    S: Send + 'static,
{
    async fn put(&mut self, put: Put<S::Key>) -> Result<(), S::Error> {
        self.store.put(put.key)
    }
    fn refuse(
        &mut self,
        _: Put<S::Key>,
        cx: &mut Context<Self>,
    ) -> Result<(), S::Error> {
        cx.goto(ReplicaState::Leader);
        Ok(())
    }
    fn state(&self, _: Ask<Self>) -> Option<Self> {
        None
    }
}
/// The states of [`Replica`].
#[allow(rustdoc::private_intra_doc_links)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
    ::core::fmt::Debug,
    ::core::hash::Hash,
)]
pub(crate) enum ReplicaState {
    /// The state `Follower`, in which it starts.
    Follower,
    /// The state `Leader`.
    Leader,
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[allow(unused_imports)]
    use ::renamed::__private::{IsOther as _, IsResult as _};
    #[automatically_derived]
    impl ::renamed::State for ReplicaState {
        fn index(self) -> usize {
            self as usize
        }
    }
    #[doc(hidden)]
    #[allow(dead_code, private_interfaces)]
    pub enum __Message<S: Storage, const N: usize>
    where
        S: Send + 'static,
    {
        Put(Put<S::Key>, ::renamed::Reply<Result<(), S::Error>>),
        Ask(Ask<Replica<S, N>>, ::renamed::Reply<Option<Replica<S, N>>>),
        Vote(Vote, ::renamed::Reply<()>),
    }
    #[automatically_derived]
    #[doc(hidden)]
    impl<S: Storage, const N: usize> ::renamed::Actor for Replica<S, N>
    where
        S: Send + 'static,
    {
        type Message = __Message<S, N>;
        type State = ReplicaState;
        const INFO: &'static ::renamed::generated::ActorInfo = &::renamed::generated::ActorInfo {
            name: "Replica",
            events: &[
                ::renamed::generated::EventInfo::of::<Put<S::Key>>("Put"),
                ::renamed::generated::EventInfo::of::<Ask<Replica<S, N>>>("Ask"),
                ::renamed::generated::EventInfo::of::<Vote>("Vote"),
            ],
            states: &["Follower", "Leader"],
            dispositions: {
                #[allow(unused_imports)]
                use ::renamed::generated::Disposition::{
                    Defer, Handle, Ignore, Unhandled,
                };
                &[Handle, Handle, Defer, Handle, Handle, Defer]
            },
            starts: false,
            defers: true,
            relays: false,
        };
        fn first_state() -> Self::State {
            ReplicaState::Follower
        }
        fn __event_index(__message: &Self::Message) -> u16 {
            match __message {
                __Message::Put(..) => 0,
                __Message::Ask(..) => 1,
                __Message::Vote(..) => 2,
            }
        }
        #[allow(unused_variables)]
        fn __event(__message: &Self::Message) -> &dyn ::renamed::Event {
            #[allow(unused_imports)]
            use ::renamed::__private::{IsEvent as _, IsNone as _};
            match __message {
                __Message::Put(__event, __reply) => {
                    (&::renamed::__private::AutorefEvent(__event)).event()
                }
                __Message::Ask(__event, __reply) => {
                    (&::renamed::__private::AutorefEvent(__event)).event()
                }
                __Message::Vote(__event, __reply) => {
                    (&::renamed::__private::AutorefEvent(__event)).event()
                }
            }
        }
        fn __offer(
            &self,
            __to: &mut ::renamed::Fingerprinter,
        ) -> ::core::primitive::bool {
            use ::renamed::__private::value_methods::*;
            (&&&::renamed::__private::AutorefValue(self)).feed(__to)
        }
        fn __debug(&self) -> ::core::option::Option<&dyn ::core::fmt::Debug> {
            use ::renamed::__private::debug_methods::*;
            (&::renamed::__private::AutorefValue(self)).debug()
        }
        #[allow(unused_variables)]
        fn __offer_event(
            __message: &Self::Message,
            __to: &mut ::renamed::Fingerprinter,
        ) -> ::core::primitive::bool {
            #[allow(unused_imports)]
            use ::renamed::__private::value_methods::*;
            match __message {
                __Message::Put(__event, __reply) => {
                    (&&&::renamed::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Ask(__event, __reply) => {
                    (&&&::renamed::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
                __Message::Vote(__event, __reply) => {
                    (&&&::renamed::__private::AutorefValue(__event))
                        .feed(__reply.fingerprint(__to))
                }
            }
        }
        fn __carry(
            __message: &Self::Message,
        ) -> ::core::result::Result<Self::Message, ::renamed::__private::CannotCross> {
            #[allow(unused_imports)]
            use ::renamed::__private::of_a_message::*;
            match __message {
                __Message::Put(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Put(
                            (&&::renamed::__private::ToCarry(__event)).carry()?,
                            (&::renamed::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Ask(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Ask(
                            (&&::renamed::__private::ToCarry(__event)).carry()?,
                            (&::renamed::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
                __Message::Vote(__event, __reply) => {
                    ::core::result::Result::Ok(
                        __Message::Vote(
                            (&&::renamed::__private::ToCarry(__event)).carry()?,
                            (&::renamed::__private::ToCarry(__reply)).carry_reply()?,
                        ),
                    )
                }
            }
        }
        fn __call(
            &mut self,
            __call: ::renamed::generated::Call<Self>,
            __cx: &mut ::renamed::Context<Self>,
        ) -> ::renamed::generated::Flow<Self> {
            match __call {
                ::renamed::generated::Call::Event(__Message::Put(__event, __reply)) => {
                    match __cx.state() {
                        ReplicaState::Leader => {
                            return ::renamed::generated::Flow::Async(
                                ::renamed::generated::Call::Event(
                                    __Message::Put(__event, __reply),
                                ),
                            );
                        }
                        ReplicaState::Follower => {
                            let __value = Self::refuse(self, __event, __cx);
                            let __failure = (&::renamed::__private::AutorefReply(
                                &__value,
                            ))
                                .failure(__reply.is_nobody());
                            ::renamed::__private::reply(
                                __cx,
                                "Put",
                                __reply,
                                __value,
                                __failure,
                            );
                        }
                    }
                }
                ::renamed::generated::Call::Event(__Message::Ask(__event, __reply)) => {
                    let __value = Self::state(self, __event);
                    let __failure = (&::renamed::__private::AutorefReply(&__value))
                        .failure(__reply.is_nobody());
                    ::renamed::__private::reply(
                        __cx,
                        "Ask",
                        __reply,
                        __value,
                        __failure,
                    );
                }
                _ => {}
            }
            ::renamed::generated::Flow::Done
        }
        async fn __call_async(
            &mut self,
            __call: ::renamed::generated::Call<Self>,
            __cx: &mut ::renamed::Context<Self>,
        ) {
            match __call {
                ::renamed::generated::Call::Event(__Message::Put(__event, __reply)) => {
                    match __cx.state() {
                        ReplicaState::Leader => {
                            let __value = Self::put(self, __event).await;
                            let __failure = (&::renamed::__private::AutorefReply(
                                &__value,
                            ))
                                .failure(__reply.is_nobody());
                            ::renamed::__private::reply(
                                __cx,
                                "Put",
                                __reply,
                                __value,
                                __failure,
                            );
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        fn __driver() -> ::core::option::Option<::renamed::__private::Driver> {
            ::renamed::__private::driver::<Self>()
        }
    }
    /// Handled in `Leader`.
    ///
    /// Handled in `Follower`.
    ///
    #[automatically_derived]
    impl<S: Storage, const N: usize> ::renamed::Handler<Put<S::Key>> for Replica<S, N>
    where
        S: Send + 'static,
    {
        type Reply = Result<(), S::Error>;
        const EVENT: u16 = 0;
        fn __message(
            __event: Put<S::Key>,
            __reply: ::renamed::Reply<Result<(), S::Error>>,
        ) -> __Message<S, N> {
            __Message::Put(__event, __reply)
        }
        fn __unwrap(
            __message: __Message<S, N>,
        ) -> ::core::result::Result<
            (Put<S::Key>, ::renamed::Reply<Result<(), S::Error>>),
            __Message<S, N>,
        > {
            match __message {
                __Message::Put(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    #[automatically_derived]
    impl<S: Storage, const N: usize> ::renamed::Handler<Ask<Replica<S, N>>>
    for Replica<S, N>
    where
        S: Send + 'static,
    {
        type Reply = Option<Replica<S, N>>;
        const EVENT: u16 = 1;
        fn __message(
            __event: Ask<Replica<S, N>>,
            __reply: ::renamed::Reply<Option<Replica<S, N>>>,
        ) -> __Message<S, N> {
            __Message::Ask(__event, __reply)
        }
        fn __unwrap(
            __message: __Message<S, N>,
        ) -> ::core::result::Result<
            (Ask<Replica<S, N>>, ::renamed::Reply<Option<Replica<S, N>>>),
            __Message<S, N>,
        > {
            match __message {
                __Message::Ask(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
    #[automatically_derived]
    impl<S: Storage, const N: usize> ::renamed::Handler<Vote> for Replica<S, N>
    where
        S: Send + 'static,
    {
        type Reply = ();
        const EVENT: u16 = 2;
        fn __message(__event: Vote, __reply: ::renamed::Reply<()>) -> __Message<S, N> {
            __Message::Vote(__event, __reply)
        }
        fn __unwrap(
            __message: __Message<S, N>,
        ) -> ::core::result::Result<(Vote, ::renamed::Reply<()>), __Message<S, N>> {
            match __message {
                __Message::Vote(__event, __reply) => {
                    ::core::result::Result::Ok((__event, __reply))
                }
                __other => ::core::result::Result::Err(__other),
            }
        }
    }
};
