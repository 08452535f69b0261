//! Expansion of `select!`: awaits the first of several futures.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Pat, Path, Token, parenthesized};

/// The arguments: the path of `actor_core`, and the branches.
struct Select {
    krate: Path,
    is_biased: bool,
    branches: Vec<Branch>,
    otherwise: Option<Expr>,
}

/// `pattern = future, if condition => handler`.
struct Branch {
    pattern: Pat,
    future: Expr,
    condition: Option<Expr>,
    handler: Expr,
}

mod word {
    syn::custom_keyword!(biased);
    syn::custom_keyword!(complete);
    syn::custom_keyword!(default);
}

impl Parse for Select {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate;
        parenthesized!(krate in input);
        let mut select = Self {
            krate: krate.call(Path::parse_mod_style)?,
            is_biased: input.peek(word::biased) && input.peek2(Token![;]),
            branches: Vec::new(),
            otherwise: None,
        };
        if select.is_biased {
            input.parse::<word::biased>()?;
            input.parse::<Token![;]>()?;
        }
        while !input.is_empty() {
            if input.peek(Token![else]) {
                input.parse::<Token![else]>()?;
                input.parse::<Token![=>]>()?;
                select.otherwise = Some(handler(input)?);
                if !input.is_empty() {
                    return Err(input.error("`else` is the last branch of a `select!`"));
                }
                break;
            }
            select.branches.push(input.parse()?);
        }
        if select.branches.is_empty() {
            let message = "a `select!` has at least one branch: `value = future => handler`";
            return Err(syn::Error::new(Span::call_site(), message));
        }
        Ok(select)
    }
}

impl Parse for Branch {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek2(Token![=>]) && (input.peek(word::complete) || input.peek(word::default)) {
            let message = "where no branch is left, write `else => ..`; to go on where nothing is ready, \
                           write a last branch that is always ready, `() = async {} => ..`, behind `biased;`";
            return Err(input.error(message));
        }
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![=]>()?;
        let future = input.parse()?;
        let condition = match input.peek(Token![,]) {
            true => {
                input.parse::<Token![,]>()?;
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            }
            false => None,
        };
        input.parse::<Token![=>]>()?;
        Ok(Self {
            pattern,
            future,
            condition,
            handler: handler(input)?,
        })
    }
}

/// Parses a handler, and the comma after it, which is optional after a block, as in a `match`.
fn handler(input: ParseStream<'_>) -> syn::Result<Expr> {
    let handler = Expr::parse_with_earlier_boundary_rule(input)?;
    let is_block = matches!(
        handler,
        Expr::Async(_)
            | Expr::Block(_)
            | Expr::Const(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
    );
    if !input.is_empty() && (!is_block || input.peek(Token![,])) {
        input.parse::<Token![,]>()?;
    }
    Ok(handler)
}

/// Returns a pattern that matches a reference to the value if `pattern` matches the value.
fn by_reference(pattern: &Pat) -> Pat {
    let mut pattern = pattern.clone();
    strip_binding_modes(&mut pattern);
    pattern
}

fn strip_binding_modes(pattern: &mut Pat) {
    match pattern {
        Pat::Ident(found) => {
            found.by_ref = None;
            found.mutability = None;
            if let Some((_, inner)) = &mut found.subpat {
                strip_binding_modes(inner);
            }
        }
        Pat::Or(found) => found.cases.iter_mut().for_each(strip_binding_modes),
        Pat::Paren(found) => strip_binding_modes(&mut found.pat),
        Pat::Slice(found) => found.elems.iter_mut().for_each(strip_binding_modes),
        Pat::Struct(found) => {
            for field in &mut found.fields {
                strip_binding_modes(&mut field.pat);
            }
        }
        Pat::Tuple(found) => found.elems.iter_mut().for_each(strip_binding_modes),
        Pat::TupleStruct(found) => found.elems.iter_mut().for_each(strip_binding_modes),
        Pat::Reference(found) => {
            let mut inner = (*found.pat).clone();
            strip_binding_modes(&mut inner);
            *pattern = inner;
        }
        _ => {}
    }
}

fn local(name: &str, number: usize) -> Ident {
    format_ident!("{name}{number}", span = Span::mixed_site())
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<Select>(input) {
        Ok(select) => select.expand(),
        Err(error) => error.into_compile_error(),
    }
}

impl Select {
    fn expand(&self) -> TokenStream {
        let count = self.branches.len();
        let numbers: Vec<usize> = (0..count).collect();
        let named = |name| -> Vec<Ident> { numbers.iter().map(|of| local(name, *of)).collect() };
        let (outputs, variants, futures) = (named("Output"), named("Ready"), named("future"));
        let [first, won, open, task, polled] = ["__First", "won", "open", "task", "polled"]
            .map(|name| Ident::new(name, Span::mixed_site()));
        let private = {
            let krate = &self.krate;
            quote!(#krate::__private::select)
        };
        let conditions = self.branches.iter().map(|branch| match &branch.condition {
            Some(condition) => quote!(#condition),
            None => quote!(true),
        });
        let begun = self.branches.iter().zip(&futures).map(|(branch, future)| {
            let expression = &branch.future;
            quote! {
                let mut #future = ::core::pin::pin!(::core::future::IntoFuture::into_future(#expression));
            }
        });
        let polls = self.branches.iter().enumerate().map(|(number, branch)| {
            let (future, variant) = (&futures[number], &variants[number]);
            let pattern = by_reference(&branch.pattern);
            quote! {
                #number => match ::core::future::Future::poll(#future.as_mut(), #task) {
                    ::core::task::Poll::Pending => ::core::option::Option::None,
                    ::core::task::Poll::Ready(#polled) => {
                        #[allow(unused_variables, unreachable_patterns, clippy::all)]
                        let matches = match &#polled {
                            #pattern => true,
                            _ => false,
                        };
                        ::core::option::Option::Some(matches.then_some(#first::#variant(#polled)))
                    }
                },
            }
        });
        let handlers = self
            .branches
            .iter()
            .zip(&variants)
            .map(|(branch, variant)| {
                let Branch {
                    pattern, handler, ..
                } = branch;
                quote!(::core::option::Option::Some(#first::#variant(#pattern)) => #handler,)
            });
        let otherwise = match &self.otherwise {
            Some(otherwise) => quote!(#otherwise),
            None => quote!(#private::panic_no_branch_left()),
        };
        let poll = match self.is_biased {
            true => quote!(poll_in_order),
            false => quote!(poll_in_any_order),
        };
        quote! {{
            enum #first<#(#outputs),*> {
                #(#variants(#outputs),)*
            }
            let #won = {
                let mut #open = [#(#conditions),*];
                #(#begun)*
                ::core::future::poll_fn(|#task| {
                    #private::#poll(&mut #open, |branch| match branch {
                        #(#polls)*
                        _ => ::core::unreachable!(),
                    })
                })
                .await
            };
            match #won {
                #(#handlers)*
                ::core::option::Option::None => #otherwise,
                #[allow(unreachable_patterns)]
                _ => ::core::unreachable!(),
            }
        }}
    }
}
