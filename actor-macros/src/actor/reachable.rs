//! Detection of unreachable states, to which no `goto` leads.
//!
//! A macro sees only the tokens of one block, so this reports a state only if no other reading is possible:
//! every `goto` in the block names its state literally, the context is never passed on, and the state's name
//! occurs in no function. The tester detects the other cases.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Expr, FnArg, Ident, Pat, Stmt};

use super::model::ActorModel;
use crate::block::Function;
use crate::errors::Errors;
use crate::signature;
use crate::types;

/// Reports unreachable states other than the first.
pub(crate) fn check(actor: &ActorModel<'_>, errors: &mut Errors) {
    let states: Vec<&Ident> = actor
        .states
        .iter()
        .map(|declared| &declared.state.name)
        .collect();
    let functions = &actor.block.functions;
    let targets: Vec<TokenStream> = functions
        .iter()
        .flat_map(|function| targets(&function.body))
        .collect();
    let known = targets.iter().all(|target| is_literal(target, &states));
    if targets.is_empty() || !known || functions.iter().any(gives_context_away) {
        return;
    }
    for state in states.iter().skip(1) {
        if !functions
            .iter()
            .any(|function| types::find(&function.body, state).is_some())
        {
            errors.push(
                state,
                format!("no `goto` leads to `{state}`: add one, or remove the state"),
            );
        }
    }
}

fn targets(body: &TokenStream) -> Vec<TokenStream> {
    let mut found = Vec::new();
    let mut after_goto = false;
    for tree in body.clone() {
        if let TokenTree::Group(group) = &tree {
            if after_goto {
                found.push(group.stream());
            }
            found.extend(targets(&group.stream()));
        }
        after_goto = matches!(&tree, TokenTree::Ident(name) if name == "goto");
    }
    found
}

/// True if the target is `Enum::State`, or a choice between such.
fn is_literal(target: &TokenStream, states: &[&Ident]) -> bool {
    syn::parse2(target.clone()).is_ok_and(|target| names_states(&target, states))
}

fn names_states(target: &Expr, states: &[&Ident]) -> bool {
    match target {
        Expr::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| states.contains(&&last.ident)),
        Expr::Paren(paren) => names_states(&paren.expr, states),
        Expr::Group(group) => names_states(&group.expr, states),
        Expr::Block(block) => block_names_states(&block.block, states),
        Expr::If(choice) => {
            let otherwise = choice.else_branch.as_ref();
            block_names_states(&choice.then_branch, states)
                && otherwise.is_some_and(|(_, otherwise)| names_states(otherwise, states))
        }
        Expr::Match(choice) => choice
            .arms
            .iter()
            .all(|arm| names_states(&arm.body, states)),
        _ => false,
    }
}

fn block_names_states(block: &syn::Block, states: &[&Ident]) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(value, None)) if names_states(value, states))
}

/// True if the context occurs other than in `cx.method(..)`: the code that it is passed to may call `goto`.
fn gives_context_away(function: &Function) -> bool {
    let inputs = function
        .signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(input) => Some(input),
            FnArg::Receiver(_) => None,
        });
    let mut contexts = inputs.filter(|input| signature::may_be_context(&input.ty));
    contexts.any(|input| match &*input.pat {
        Pat::Ident(name) => is_given_away(&function.body, &name.ident),
        Pat::Wild(_) => false,
        _ => true,
    })
}

fn is_given_away(body: &TokenStream, cx: &Ident) -> bool {
    let mut trees = body.clone().into_iter().peekable();
    while let Some(tree) = trees.next() {
        let given = match &tree {
            TokenTree::Group(group) => is_given_away(&group.stream(), cx),
            TokenTree::Ident(name) if name == cx => {
                !matches!(trees.peek(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
            }
            _ => false,
        };
        if given {
            return true;
        }
    }
    false
}
