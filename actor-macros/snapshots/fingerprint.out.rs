const _: () = {
    #[allow(unused_imports)]
    use ::renamed::__private::field_methods::*;
    #[automatically_derived]
    #[allow(unused_variables)]
    impl<A: Actor, T, U> ::renamed::Fingerprint for Job<A, T, U>
    where
        T: ::renamed::Fingerprint,
        U: ::renamed::Fingerprint,
    {
        fn fingerprint(&self, __to: &mut ::renamed::Fingerprinter) {
            match self {
                Self::Idle { .. } => {
                    ::core::hash::Hasher::write_u32(__to, 0);
                }
                Self::Running { 0: __field0, .. } => {
                    ::core::hash::Hasher::write_u32(__to, 1);
                    let _ = (&&&::renamed::__private::AutorefValue(__field0)).feed(__to);
                }
                Self::Done { by: __field0, result: __field1, .. } => {
                    ::core::hash::Hasher::write_u32(__to, 2);
                    let _ = (&&&::renamed::__private::AutorefValue(__field0)).feed(__to);
                    let _ = (&&&::renamed::__private::AutorefValue(__field1)).feed(__to);
                }
            }
        }
    }
};
