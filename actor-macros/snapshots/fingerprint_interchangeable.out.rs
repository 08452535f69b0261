const _: () = {
    #[allow(unused_imports)]
    use ::actor_core::__private::field_methods::*;
    #[automatically_derived]
    #[allow(unused_variables)]
    impl ::actor_core::Fingerprint for Guest {
        fn fingerprint(&self, __to: &mut ::actor_core::Fingerprinter) {
            __to.interchangeable::<Self>();
            let Self { host: __field0, is_inside: __field1, .. } = self;
            let _ = (&&&::actor_core::__private::AutorefValue(__field0)).feed(__to);
            let _ = (&&&::actor_core::__private::AutorefValue(__field1)).feed(__to);
        }
    }
};
