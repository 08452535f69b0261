impl Positive {
    fn balance(&mut self, balance: &Balance) {
        assert!(balance.0 >= 0);
    }
    #[cfg(unix)]
    fn signal(&mut self, _: &Signal) {}
}
#[allow(deprecated, rustdoc::private_intra_doc_links)]
const _: () = {
    #[allow(dead_code)]
    enum __Position {
        RepliedBalance,
        #[cfg(unix)]
        SentSignal,
    }
    #[automatically_derived]
    impl ::actor_core::specification::Monitor for Positive {
        type State = ::actor_core::generated::Stateless;
        const INFO: &'static ::actor_core::generated::MonitorInfo = &::actor_core::generated::MonitorInfo {
            name: "Positive",
            states: &[("Watching", ::actor_core::specification::Temperature::Cold)],
            observes: &[
                ::actor_core::generated::Observation {
                    event: ::actor_core::generated::EventInfo::of::<Balance>("Balance"),
                    moment: ::actor_core::generated::Moment::Replied,
                },
                #[cfg(unix)]
                ::actor_core::generated::Observation {
                    event: ::actor_core::generated::EventInfo::of::<Signal>("Signal"),
                    moment: ::actor_core::generated::Moment::Sent,
                },
            ],
            passes_over: &[],
        };
        fn first_state() -> Self::State {
            ::actor_core::generated::Stateless
        }
        fn __observe(
            &mut self,
            __observation: u16,
            __event: &dyn ::core::any::Any,
            __cx: &mut ::actor_core::specification::MonitorContext<Self>,
        ) {
            match __observation {
                __at if __at == __Position::RepliedBalance as u16 => {
                    Self::balance(self, ::actor_core::__private::observed(__event));
                }
                #[cfg(unix)]
                __at if __at == __Position::SentSignal as u16 => {
                    Self::signal(self, ::actor_core::__private::observed(__event));
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
