//! `#[derive(Fingerprint)]`: every field that is not skipped, by its own `Fingerprint` or its `Hash`.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{
    Attribute, Field, Fields, GenericParam, Generics, Ident, Index, Item, Meta, Path, Type,
    parse_quote,
};

use crate::errors::Errors;
use crate::options::{self, Argument, Value};
use crate::types;

/// Types that have a fingerprint whatever their arguments: references to actors, and types without a value.
const TRANSPARENT: [&str; 6] = [
    "ActorRef",
    "ProtocolRef",
    "Recipient",
    "ReplyRecipient",
    "WeakRef",
    "PhantomData",
];

/// Returns the implementation, and the errors in the attributes.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = errors.take(syn::parse2::<Item>(item));
    let code = item.and_then(|item| derive(&item, &mut errors));
    quote!(#code #errors)
}

fn derive(item: &Item, errors: &mut Errors) -> Option<TokenStream> {
    match item {
        Item::Struct(item) => {
            let (krate, is_interchangeable) = of_type(&item.attrs, errors);
            let said = said(is_interchangeable);
            let shape = Shape::read(&item.fields, errors);
            let feed = shape.feed(&krate);
            let pattern = &shape.pattern;
            let body = quote! {
                #said
                let Self #pattern = self;
                #feed
            };
            Some(implementation(
                &item.ident,
                &item.generics,
                &krate,
                &[shape],
                &body,
            ))
        }
        Item::Enum(item) => {
            let (krate, is_interchangeable) = of_type(&item.attrs, errors);
            let said = said(is_interchangeable);
            let mut shapes = Vec::new();
            for variant in &item.variants {
                no_options(&variant.attrs, errors);
                shapes.push(Shape::read(&variant.fields, errors));
            }
            let names = item.variants.iter().map(|variant| &variant.ident);
            let feed = by_variant(&names.zip(&shapes).collect::<Vec<_>>(), &krate);
            let body = quote!(#said #feed);
            Some(implementation(
                &item.ident,
                &item.generics,
                &krate,
                &shapes,
                &body,
            ))
        }
        Item::Union(item) => {
            errors.push(
                item.union_token,
                "a union has no fingerprint: nothing says which of its fields holds",
            );
            None
        }
        other => {
            errors.push(other, "expected a struct or an enum");
            None
        }
    }
}

/// Generates the declaration that the type's actors are interchangeable.
fn said(is_interchangeable: bool) -> Option<TokenStream> {
    is_interchangeable.then(|| quote!(__to.interchangeable::<Self>();))
}

fn by_variant(variants: &[(&Ident, &Shape<'_>)], krate: &Path) -> TokenStream {
    if variants.is_empty() {
        return quote!(match *self {});
    }
    let arms = variants.iter().enumerate().map(|(number, (name, shape))| {
        let number = Literal::usize_unsuffixed(number);
        let pattern = &shape.pattern;
        let feed = shape.feed(krate);
        quote! {
            Self::#name #pattern => {
                ::core::hash::Hasher::write_u32(__to, #number);
                #feed
            }
        }
    });
    quote! {
        match self {
            #(#arms)*
        }
    }
}

fn implementation(
    name: &Ident,
    generics: &Generics,
    krate: &Path,
    shapes: &[Shape<'_>],
    body: &TokenStream,
) -> TokenStream {
    let mut bounded = generics.clone();
    let mentioned: Vec<TokenStream> = shapes.iter().flat_map(Shape::mentioned).collect();
    for param in generics.params.iter().filter_map(type_param) {
        if mentioned.iter().any(|ty| types::find(ty, param).is_some()) {
            let bounds = bounded.make_where_clause();
            bounds
                .predicates
                .push(parse_quote!(#param: #krate::Fingerprint));
        }
    }
    let (generics, parameters, bounds) = bounded.split_for_impl();
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #krate::__private::field_methods::*;
            #[automatically_derived]
            #[allow(unused_variables)]
            impl #generics #krate::Fingerprint for #name #parameters #bounds {
                fn fingerprint(&self, __to: &mut #krate::Fingerprinter) {
                    #body
                }
            }
        };
    }
}

fn type_param(param: &GenericParam) -> Option<&Ident> {
    match param {
        GenericParam::Type(param) => Some(&param.ident),
        _ => None,
    }
}

/// The fields of a struct or variant.
struct Shape<'a> {
    /// The pattern that binds each field that is not skipped.
    pattern: TokenStream,
    fed: Vec<(Ident, &'a Type)>,
}

impl<'a> Shape<'a> {
    fn read(fields: &'a Fields, errors: &mut Errors) -> Self {
        let mut fed = Vec::new();
        let mut bindings = Vec::new();
        for (number, field) in fields.iter().enumerate() {
            if !is_skipped(field, errors) {
                let binding = format_ident!("__field{number}");
                let member = field.ident.as_ref().map_or_else(
                    || Index::from(number).into_token_stream(),
                    |name| name.to_token_stream(),
                );
                bindings.push(quote!(#member: #binding));
                fed.push((binding, &field.ty));
            }
        }
        Self {
            pattern: quote!({ #(#bindings,)* .. }),
            fed,
        }
    }

    fn feed(&self, krate: &Path) -> TokenStream {
        let feed = self.fed.iter().map(|(binding, ty)| {
            // The span of the field's type, at which rustc reports a type that offers nothing.
            let span = Span::call_site().located_at(types::place(ty));
            quote_spanned!(span=> let _ = (&&&#krate::__private::AutorefValue(#binding)).feed(__to);)
        });
        feed.collect()
    }

    /// Returns the types that are fed, without the arguments of actor references.
    fn mentioned(&self) -> impl Iterator<Item = TokenStream> {
        self.fed.iter().map(|(_, ty)| opaque(ty.to_token_stream()))
    }
}

/// Returns the tokens without the arguments of [`TRANSPARENT`] types.
fn opaque(tokens: TokenStream) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut trees = tokens.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(name) if TRANSPARENT.contains(&&*name.unraw().to_string()) => {
                skip_arguments(&mut trees);
            }
            TokenTree::Group(group) => kept.extend(opaque(group.stream())),
            tree => kept.extend([tree]),
        }
    }
    kept
}

/// Skips `<..>`, or a single token if there are no arguments.
fn skip_arguments(trees: &mut impl Iterator<Item = TokenTree>) {
    let mut depth = 0;
    let mut before = ' ';
    for tree in trees {
        let letter = match &tree {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && letter != ':' {
            return;
        }
        before = letter;
    }
}

/// Reads `#[fingerprint(..)]` of the type: the path of the crate, and true if the actors are interchangeable.
fn of_type(attributes: &[Attribute], errors: &mut Errors) -> (Path, bool) {
    let mut krate = None;
    let mut is_interchangeable = false;
    let mut seen = Vec::new();
    for argument in arguments(attributes, "interchangeable, crate = path", errors) {
        argument.only_once(&mut seen, errors);
        let known = ["interchangeable", "crate"];
        match options::recognise(&argument.name, "option", &known, errors) {
            Some("interchangeable") => {
                is_interchangeable = true;
                if !matches!(argument.value, Value::Nothing) {
                    errors.push(
                        &argument.tokens,
                        "`interchangeable` stands alone: nothing follows it",
                    );
                }
            }
            Some(_) => krate = options::krate(&argument, errors).or(krate),
            None => {}
        }
    }
    let krate = krate.unwrap_or_else(|| parse_quote!(::actor_core));
    (krate, is_interchangeable)
}

fn is_skipped(field: &Field, errors: &mut Errors) -> bool {
    let mut seen = Vec::new();
    for argument in arguments(&field.attrs, "skip", errors) {
        argument.only_once(&mut seen, errors);
        let known = options::recognise(&argument.name, "option", &["skip"], errors);
        if known.is_some() && !matches!(argument.value, Value::Nothing) {
            errors.push(&argument.tokens, "`skip` stands alone: nothing follows it");
        }
    }
    !seen.is_empty()
}

fn no_options(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        errors.push(
            attribute,
            "this attribute belongs to a field, or to the type: a variant can't be left out",
        );
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("fingerprint")
}

fn arguments(attributes: &[Attribute], right: &str, errors: &mut Errors) -> Vec<Argument> {
    let mut all = Vec::new();
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        match &attribute.meta {
            Meta::List(list) if !list.tokens.is_empty() => {
                all.extend(options::arguments(list.tokens.clone(), errors));
            }
            _ => errors.push(attribute, format!("expected `#[fingerprint({right})]`")),
        }
    }
    all
}
