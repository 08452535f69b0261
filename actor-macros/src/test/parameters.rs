//! The parameters of a test function, each with its values.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Expr, FnArg, Ident, Pat, PatType, Type};

use super::model::{Strength, TestAttributes};
use super::parse::TestFunction;
use crate::errors::Errors;
use crate::nearest;
use crate::options::{Argument, Value};

pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) values: TokenStream,
}

/// Returns the names of those parameters that have one.
pub(crate) fn names(function: &TestFunction) -> Vec<&Ident> {
    let inputs = function.signature.inputs.iter().skip(1);
    inputs.filter_map(declared).map(|(name, _)| name).collect()
}

/// Returns the name and type of a parameter.
fn declared(input: &FnArg) -> Option<(&Ident, &Type)> {
    let FnArg::Typed(PatType { pat, ty, .. }) = input else {
        return None;
    };
    match &**pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
            Some((&pattern.ident, ty))
        }
        _ => None,
    }
}

/// Returns the parameters in order; reports parameters without values, and values without a parameter.
pub(crate) fn read<'a>(
    attributes: &TestAttributes,
    function: &'a TestFunction,
    errors: &mut Errors,
) -> Vec<Parameter<'a>> {
    let names = names(function);
    let meant: Vec<Option<&Ident>> = attributes
        .given
        .iter()
        .map(|given| recognise(given, &names, function, errors))
        .collect();
    let mut parameters = Vec::new();
    for input in function.signature.inputs.iter().skip(1) {
        let Some((name, ty)) = declared(input) else {
            errors.push(input, "a parameter of a test has a name: `n: u32`");
            continue;
        };
        if let Type::ImplTrait(ty) = ty {
            errors.push(
                ty,
                "the type of a parameter is a type that all of its values have",
            );
        }
        let position = meant.iter().position(|meant| *meant == Some(name));
        match position.map(|at| &attributes.given[at]) {
            Some(given) => parameters.extend(values(given, errors).map(|values| Parameter {
                name,
                ty,
                values,
            })),
            None => errors.push(
                input,
                format!("`{name}` has no values: `#[actor_test({name} in [..])]`"),
            ),
        }
    }
    if let Some(strength) = &attributes.strength {
        check(strength, names.len().max(attributes.given.len()), errors);
    }
    parameters
}

/// Returns the parameter whose values are given. A misspelt name is reported, and corrected.
fn recognise<'a>(
    given: &Argument,
    names: &[&'a Ident],
    function: &TestFunction,
    errors: &mut Errors,
) -> Option<&'a Ident> {
    let name = &given.name;
    if let Some(known) = names.iter().find(|known| **known == name) {
        return Some(known);
    }
    let test = &function.signature.ident;
    let hint = match names {
        [] => format!("add it after the system, as in `fn {test}(sys: &System, {name}: u32)`"),
        _ => nearest::hint(&name.to_string(), names, "its parameters are"),
    };
    errors.push(name, format!("`{test}` takes no `{name}`: {hint}"));
    nearest::nearest(&name.to_string(), names).copied()
}

fn values(given: &Argument, errors: &mut Errors) -> Option<TokenStream> {
    match &given.value {
        Value::In(values) if syn::parse2::<Expr>(values.clone()).is_ok() => Some(values.clone()),
        _ => {
            let name = given.name.unraw();
            let right =
                format!("expected `{name} in 2..=4`, or other values that it takes in turn");
            errors.push(&given.tokens, right);
            None
        }
    }
}

fn check(strength: &Strength, parameters: usize, errors: &mut Errors) {
    let Strength { tokens, of } = strength;
    if *of <= parameters {
        return;
    }
    let mistake = match parameters {
        0 | 1 => "with fewer than two parameters there are no combinations to leave out: remove it"
            .into(),
        _ => format!("expected a number from 1 to {parameters}, that of the parameters"),
    };
    errors.push(tokens, mistake);
}
