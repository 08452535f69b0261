impl Answered {
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        cx.goto(AnsweredState::Pending);
    }
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        cx.goto(AnsweredState::Quiet);
    }
    fn unasked(&mut self, _: &Pong) {
        panic!("a pong that nobody asked for");
    }
}
/// The states of [`Answered`].
#[allow(rustdoc::private_intra_doc_links)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
    ::core::fmt::Debug,
    ::core::hash::Hash,
)]
pub enum AnsweredState {
    /// The state `Pending`.
    Pending,
    /// The state `Quiet`, in which it starts.
    Quiet,
    /// The state `Paused`.
    Paused,
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[automatically_derived]
    impl ::actor_core::State for AnsweredState {
        fn index(self) -> usize {
            self as usize
        }
    }
    #[automatically_derived]
    impl ::actor_core::specification::Monitor for Answered {
        type State = AnsweredState;
        const INFO: &'static ::actor_core::generated::MonitorInfo = &::actor_core::generated::MonitorInfo {
            name: "Answered",
            states: &[
                ("Pending", ::actor_core::specification::Temperature::Hot),
                ("Quiet", ::actor_core::specification::Temperature::Cold),
                ("Paused", ::actor_core::specification::Temperature::Warm),
            ],
            observes: &[
                ::actor_core::generated::Observation {
                    event: ::actor_core::generated::EventInfo::of::<Ping>("Ping"),
                    moment: ::actor_core::generated::Moment::Sent,
                },
                ::actor_core::generated::Observation {
                    event: ::actor_core::generated::EventInfo::of::<Pong>("Pong"),
                    moment: ::actor_core::generated::Moment::Handled,
                },
            ],
            passes_over: &[],
        };
        fn first_state() -> Self::State {
            AnsweredState::Quiet
        }
        fn __observe(
            &mut self,
            __observation: u16,
            __event: &dyn ::core::any::Any,
            __cx: &mut ::actor_core::specification::MonitorContext<Self>,
        ) {
            match __observation {
                0 => {
                    Self::ping(self, ::actor_core::__private::observed(__event), __cx);
                }
                1 => {
                    match __cx.state() {
                        AnsweredState::Pending | AnsweredState::Paused => {
                            Self::pong(
                                self,
                                ::actor_core::__private::observed(__event),
                                __cx,
                            );
                        }
                        AnsweredState::Quiet => {
                            Self::unasked(
                                self,
                                ::actor_core::__private::observed(__event),
                            );
                        }
                    }
                }
                _ => {}
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
    }
};
