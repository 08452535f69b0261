//! Fallible calls of the environment: real failures in production, injected faults under test.

use std::any::{Any, TypeId, type_name};
use std::future::Future;
use std::rc::Rc;

use crate::seam::{self, CallErrors, InjectedError, Query};

/// Makes a call, or fails it with an injected fault.
#[track_caller]
pub(crate) fn call<T, E: 'static>(
    is_live: bool,
    name: &str,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    match struck(is_live, name) {
        None => make(),
        Some((error, true)) => make().and(Err(error)),
        Some((error, false)) => Err(error),
    }
}

/// As [`call`], for an async call; the fault is decided when the future is first polled.
pub(crate) async fn call_async<T, E: 'static>(
    is_live: bool,
    name: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    match struck(is_live, name) {
        None => call.await,
        Some((error, true)) => call.await.and(Err(error)),
        Some((error, false)) => Err(error),
    }
}

/// Returns the error that the tester injects; true if the call is made all the same, and its result is lost.
#[track_caller]
fn struck<E: 'static>(is_live: bool, name: &str) -> Option<(E, bool)> {
    if is_live {
        return None;
    }
    let failure = decided_failure(name, TypeId::of::<E>(), type_name::<E>());
    let InjectedError { error, is_made } = match failure {
        Ok(failure) => failure?,
        Err(problem) => panic!("{problem}"),
    };
    let error = error.downcast::<E>();
    let error = *error.expect("the tester supplies errors of the type that was asked for");
    Some((error, is_made))
}

/// Has the tester decide if a call fails.
fn decided_failure(
    call: &str,
    error: TypeId,
    error_name: &'static str,
) -> Result<Option<InjectedError>, String> {
    let mut failure = Ok(None);
    seam::with(|rt| {
        rt.query(Query::CallFailure {
            call,
            error,
            error_name,
            answer: &mut failure,
        });
    });
    failure
}

/// Describes an error with which calls may fail.
pub(crate) fn failing<E: 'static>(is_made: bool, error: impl Fn() -> E + 'static) -> CallErrors {
    CallErrors {
        error: TypeId::of::<E>(),
        error_name: type_name::<E>(),
        is_made,
        make: Rc::new(move || Box::new(error()) as Box<dyn Any>),
    }
}
