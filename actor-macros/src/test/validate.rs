//! Checks of a test's function.

use quote::ToTokens;
use syn::{FnArg, Safety, Type};

use super::parse::TestFunction;
use crate::errors::Errors;

const RIGHT: &str =
    "an actor test takes the system: `fn name(sys: &System)`, or `async fn name(sys: &System)`";

/// Reports every mistake in the signature and among the other attributes.
pub(crate) fn check(function: &TestFunction, errors: &mut Errors) {
    system(function, errors);
    qualifiers(function, errors);
    attributes(function, errors);
}

fn system(function: &TestFunction, errors: &mut Errors) {
    let signature = &function.signature;
    match signature.inputs.first() {
        None => errors.push(&signature.ident, RIGHT),
        Some(FnArg::Typed(input)) if is_reference(&input.ty) => {}
        Some(other) => errors.push(other, RIGHT),
    }
}

fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_reference(&group.elem),
        Type::Reference(reference) => reference.mutability.is_none(),
        _ => false,
    }
}

fn qualifiers(function: &TestFunction, errors: &mut Errors) {
    let signature = &function.signature;
    if !signature.generics.params.is_empty() {
        errors.push(
            &signature.generics.params,
            "an actor test is not generic: nobody would choose the parameters",
        );
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.push(
            token,
            "an actor test is a plain function: `fn` or `async fn`",
        );
    }
    let others = [
        signature.constness.as_ref().map(ToTokens::to_token_stream),
        signature.abi.as_ref().map(ToTokens::to_token_stream),
    ];
    for token in others.into_iter().flatten() {
        errors.push(
            token,
            "an actor test is a plain function: `fn` or `async fn`",
        );
    }
}

fn attributes(function: &TestFunction, errors: &mut Errors) {
    for attribute in &function.attributes {
        let path = attribute.path();
        if path.is_ident("test") {
            errors.push(
                attribute,
                "`#[actor_test]` makes it a test already: remove `#[test]`",
            );
        } else if path.is_ident("should_panic") {
            errors.push(
                attribute,
                "an actor test names the bug it expects: `#[actor_test(expect_bug = \"..\")]`",
            );
        }
    }
}
