//! The contenders, one per file.

mod actix;
mod actors;
mod channels;
mod kameo;
mod ractor;
mod tasks;
mod xtra;

pub(crate) use self::actix::Actix;
pub(crate) use self::actors::Actors;
pub(crate) use self::channels::{Mailbox, Mpsc};
pub(crate) use self::kameo::Kameo;
pub(crate) use self::ractor::Ractor;
pub(crate) use self::tasks::Tasks;
pub(crate) use self::xtra::Xtra;
