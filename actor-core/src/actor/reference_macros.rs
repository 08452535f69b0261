//! Macros for the methods and trait impls that all reference types share.

/// Implements equality, hashing and fingerprints of a reference by the identity of its actor.
macro_rules! by_identity {
    ([$($generics:tt)+] $reference:ty) => {
        impl<$($generics)+> PartialEq for $reference {
            fn eq(&self, other: &Self) -> bool {
                self.id() == other.id()
            }
        }

        impl<$($generics)+> Eq for $reference {}

        impl<$($generics)+> ::std::hash::Hash for $reference {
            fn hash<H: ::std::hash::Hasher>(&self, hasher: &mut H) {
                self.id().hash(hasher);
            }
        }

        /// Fingerprints the identity: under test that of the operation, equal in each run of a schedule.
        impl<$($generics)+> $crate::fingerprint::Fingerprint for $reference {
            fn fingerprint(&self, to: &mut $crate::fingerprint::Fingerprinter) {
                ::std::hash::Hash::hash(self, to);
            }
        }
    };
}

/// Methods of references that don't know the type of their actor.
macro_rules! of_any_type {
    ([$($generics:tt)+] $reference:ty) => {
        impl<$($generics)+> $reference {
            /// The actor's identity.
            pub fn id(&self) -> $crate::identity::ActorId {
                self.target.id()
            }

            /// The name that logs and reports use; see [`ActorRef::name`](crate::ActorRef::name).
            pub fn name(&self) -> String {
                self.target.name()
            }

            /// Returns true if the actor has not stopped; see
            /// [`ActorRef::is_alive`](crate::ActorRef::is_alive).
            pub fn is_alive(&self) -> bool {
                !self.target.has_stopped()
            }

            /// Waits until the actor has started; see [`ActorRef::started`](crate::ActorRef::started).
            pub fn started(&self) -> $crate::asking::Started {
                $crate::asking::Started::of(&self.target)
            }

            /// Waits until the actor has stopped, and returns the reason; see
            /// [`ActorRef::stopped`](crate::ActorRef::stopped).
            pub fn stopped(&self) -> $crate::asking::Stopped {
                $crate::asking::Stopped::of(&self.target)
            }
        }

        impl<$($generics)+> ::std::fmt::Debug for $reference {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.target.fmt(f)
            }
        }
    };
}

pub(crate) use by_identity;
pub(super) use of_any_type;
