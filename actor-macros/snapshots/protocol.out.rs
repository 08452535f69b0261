/// Remembers values.
#[allow(dead_code)]
pub trait Store {
    /// The value that was put last under that key.
    fn get(get: Get) -> Option<Value>
    where
        Self: ::core::marker::Sized;
    /// Keeps a value.
    fn put(_: Put<u8>)
    where
        Self: ::core::marker::Sized;
}
///Any actor that offers [`Store`].
pub type StoreRef = ::actor_core::protocols::ProtocolRef<dyn Store>;
#[allow(deprecated)]
const _: () = {
    pub struct __Table {
        get: ::actor_core::__private::EventSender<Get, Option<Value>>,
        put: ::actor_core::__private::EventSender<Put<u8>, ()>,
    }
    #[automatically_derived]
    impl ::actor_core::protocols::Protocol for dyn Store + '_ {
        type Table = __Table;
        const NAME: &'static str = "Store";
        const EVENTS: &'static [::actor_core::generated::EventInfo] = &[
            ::actor_core::generated::EventInfo::of::<Get>("Get"),
            ::actor_core::generated::EventInfo::of::<Put<u8>>("Put"),
        ];
    }
    #[automatically_derived]
    impl<__A> ::actor_core::protocols::OfferedBy<__A> for dyn Store + '_
    where
        __A: ::actor_core::Actor + ::actor_core::Handler<Get, Reply = Option<Value>>
            + ::actor_core::Handler<Put<u8>, Reply = ()>,
    {
        const TABLE: &'static __Table = &__Table {
            get: ::actor_core::__private::EventSender::of::<__A>(),
            put: ::actor_core::__private::EventSender::of::<__A>(),
        };
    }
    #[automatically_derived]
    impl ::actor_core::protocols::EventOf<dyn Store + '_> for Get {
        type Reply = Option<Value>;
        const EVENT: u16 = 0;
        fn __entry(
            __table: &__Table,
        ) -> &::actor_core::__private::EventSender<Get, Option<Value>> {
            &__table.get
        }
    }
    #[automatically_derived]
    impl ::actor_core::protocols::EventOf<dyn Store + '_> for Put<u8> {
        type Reply = ();
        const EVENT: u16 = 1;
        fn __entry(
            __table: &__Table,
        ) -> &::actor_core::__private::EventSender<Put<u8>, ()> {
            &__table.put
        }
    }
};
