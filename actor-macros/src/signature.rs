//! Signatures of handlers: the receiver, the event, and the optional reply and context.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericArgument, GenericParam, PatType, PathArguments, ReceiverKind, ReturnType, Safety,
    Signature, Type,
};

use crate::block::Function;
use crate::errors::Errors;

pub(crate) struct Inputs<'a> {
    pub(crate) event: &'a Type,
    /// The type of the reply that the handler takes as a parameter.
    pub(crate) reply: Option<&'a Type>,
    pub(crate) cx: Option<&'a Type>,
    /// True if all parameters are correct, so that a call can be generated.
    pub(crate) sound: bool,
}

/// Reads the parameters of an event handler. `example` shows correct ones.
pub(crate) fn handler<'a>(
    function: &'a Function,
    example: &str,
    errors: &mut Errors,
) -> Option<Inputs<'a>> {
    let signature = &function.signature;
    if !concrete(signature, errors) {
        return None;
    }
    let mut sound = callable(signature, errors);
    let mut inputs = typed(signature).into_iter();
    let Some(first) = inputs.next() else {
        errors.push(
            &signature.ident,
            format!(
                "a handler takes its event: `fn {}({example})`",
                signature.ident
            ),
        );
        return None;
    };
    let mut rest: Vec<&PatType> = inputs.collect();
    let reply = take_reply(first, &mut rest, errors).unwrap_or_else(|()| {
        sound = false;
        None
    });
    let mut rest = rest.into_iter();
    let Some(second) = rest.next() else {
        if is_context(&first.ty) {
            let name = &signature.ident;
            errors.push(
                first,
                format!("the event is missing, and comes before `cx`: `fn {name}({example})`"),
            );
            return None;
        }
        return Some(Inputs {
            event: &first.ty,
            reply,
            cx: None,
            sound,
        });
    };
    let (mut event, mut cx) = (first, second);
    if is_context(&first.ty) {
        errors.push(
            first,
            format!("the event comes first, then `cx`: `({example})`"),
        );
        (event, cx, sound) = (second, first, false);
    } else if !may_be_context(&second.ty) {
        errors.push(
            second,
            format!("a handler takes one event, then `cx`: `({example})`"),
        );
        sound = false;
    }
    for extra in rest {
        errors.push(
            extra,
            format!("a handler takes nothing after `cx`: `({example})`"),
        );
        sound = false;
    }
    Some(Inputs {
        event: &event.ty,
        reply,
        cx: Some(&cx.ty),
        sound,
    })
}

/// Removes the reply from the parameters after `first`, where it must be next; returns the type of the reply.
fn take_reply<'a>(
    first: &'a PatType,
    rest: &mut Vec<&'a PatType>,
    errors: &mut Errors,
) -> Result<Option<&'a Type>, ()> {
    const RIGHT: &str = "(&mut self, event: Event, reply: Reply<T>, cx: &mut Context<Self>)";
    let mut found = None;
    let mut misplaced = false;
    let mut at = 0;
    rest.retain(|input| {
        let carried = carried(&input.ty);
        at += 1;
        match carried {
            None => return true,
            Some(_) if found.is_some() => {
                errors.push(input, "an event has one reply: take it once");
                misplaced = true;
            }
            Some(carried) => {
                if at > 1 {
                    let message =
                        format!("the reply comes after the event and before `cx`: `{RIGHT}`");
                    errors.push(input, message);
                    misplaced = true;
                }
                found = Some(carried);
            }
        }
        false
    });
    if carried(&first.ty).is_some() && rest.first().is_some_and(|next| !may_be_context(&next.ty)) {
        errors.push(
            first,
            format!("the event comes first, then its reply: `{RIGHT}`"),
        );
        rest.clear();
        misplaced = true;
    }
    if misplaced { Err(()) } else { Ok(found) }
}

/// Returns `T` of a `Reply<T>`.
fn carried(ty: &Type) -> Option<&Type> {
    let path = match ty {
        Type::Group(group) => return carried(&group.elem),
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let last = path.segments.last().filter(|last| last.ident == "Reply")?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
            match arguments.args.first() {
                Some(GenericArgument::Type(carried)) => Some(carried),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Reads the parameters of a hook: returns true if it takes the context; `None` if it can't be called. A hook
/// returns nothing, unless it `may_fail`.
pub(crate) fn hook(
    function: &Function,
    role: &str,
    may_fail: bool,
    errors: &mut Errors,
) -> Option<bool> {
    let signature = &function.signature;
    let mut sound = concrete(signature, errors) && callable(signature, errors);
    let typed = typed(signature);
    let takes_cx = typed.first().is_some_and(|first| may_be_context(&first.ty));
    for extra in &typed[usize::from(takes_cx)..] {
        errors.push(
            extra,
            format!(
                "`#[{role}]` is no event handler: it takes `(&mut self)` or `(&mut self, cx: &mut Context<Self>)`"
            ),
        );
        sound = false;
    }
    if let Some(output) = output(signature).filter(|_| !may_fail) {
        errors.push(
            output,
            format!("`#[{role}]` answers nobody: it returns nothing"),
        );
        sound = false;
    }
    sound.then_some(takes_cx)
}

/// Returns the return type; `None` for `()` and `!`.
pub(crate) fn output(signature: &Signature) -> Option<&Type> {
    match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => match &**ty {
            // A handler of type `!` never replies.
            Type::Never(_) => None,
            ty => unless_unit(ty),
        },
    }
}

pub(crate) fn unless_unit(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => None,
        ty => Some(ty),
    }
}

/// Reports everything that keeps generated code from calling the function on `self`.
fn callable(signature: &Signature, errors: &mut Errors) -> bool {
    let borrows = receiver(signature, errors);
    let plain = qualifiers(signature, errors);
    borrows && plain
}

fn receiver(signature: &Signature, errors: &mut Errors) -> bool {
    const RIGHT: &str = "a handler borrows its actor: `&mut self` or `&self`";
    match signature.receiver() {
        None => errors.push(&signature.ident, RIGHT),
        Some(receiver) => match &receiver.kind {
            ReceiverKind::Reference(..) => return true,
            ReceiverKind::Typed(_, ty) if matches!(**ty, Type::Reference(_)) => return true,
            _ => errors.push(receiver, RIGHT),
        },
    }
    false
}

fn qualifiers(signature: &Signature, errors: &mut Errors) -> bool {
    let unsafety = match &signature.safety {
        Safety::Unsafe(token) => Some(token.span()),
        _ => None,
    };
    let foreign = signature.abi.as_ref().map(Spanned::span);
    let spans: Vec<Span> = unsafety.into_iter().chain(foreign).collect();
    for span in &spans {
        errors.push_syn(syn::Error::new(
            *span,
            "a handler is a plain function: `fn` or `async fn`",
        ));
    }
    spans.is_empty()
}

fn concrete(signature: &Signature, errors: &mut Errors) -> bool {
    let mut concrete = true;
    for param in &signature.generics.params {
        if !matches!(param, GenericParam::Lifetime(_)) {
            errors.push(
                param,
                "a handler is not generic: it handles one event type; make the actor's `impl` generic instead",
            );
            concrete = false;
        }
    }
    for input in typed(signature) {
        if matches!(&*input.ty, Type::ImplTrait(_)) {
            errors.push(
                &input.ty,
                "a handler handles one event type: name it instead of `impl Trait`",
            );
            concrete = false;
        }
    }
    concrete
}

fn typed(signature: &Signature) -> Vec<&PatType> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    typed.collect()
}

/// True if the type is a reference to a type named `Context` or `MonitorContext`.
fn is_context(ty: &Type) -> bool {
    referent_name(ty).is_some_and(|name| name == "Context" || name == "MonitorContext")
}

pub(crate) fn referent_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Group(group) => referent_name(&group.elem),
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// True if the type may be the context under another name: a reference, or an alias with a lifetime.
pub(crate) fn may_be_context(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => may_be_context(&group.elem),
        Type::Reference(_) => true,
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments
                    .args
                    .iter()
                    .any(|argument| matches!(argument, GenericArgument::Lifetime(_))),
                _ => false,
            }),
        _ => false,
    }
}
