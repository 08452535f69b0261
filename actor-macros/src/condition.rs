//! The `#[cfg(..)]` conditions of a part of the user's item: [`Condition`].

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

/// The conjunction of some `cfg` predicates; always true without any.
#[derive(Clone, Default)]
pub(crate) struct Condition(Vec<TokenStream>);

impl Condition {
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let predicates = attributes
            .iter()
            .filter_map(|attribute| match &attribute.meta {
                Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
                _ => None,
            });
        Self(predicates.collect())
    }

    /// True if the condition holds in every configuration.
    pub(crate) fn always(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the disjunction of `conditions`; `None` if there are none.
    pub(crate) fn any<'a>(conditions: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut distinct: Vec<&Self> = Vec::new();
        for condition in conditions {
            if !distinct.iter().any(|other| other.is(condition)) {
                distinct.push(condition);
            }
        }
        match distinct.as_slice() {
            [] => None,
            [one] => Some((*one).clone()),
            many if many.iter().any(|one| one.always()) => Some(Self::default()),
            many => {
                let predicates = many.iter().map(|one| one.predicate());
                Some(Self(vec![quote!(any(#(#predicates),*))]))
            }
        }
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    pub(crate) fn not(&self) -> Self {
        let predicate = self.predicate();
        Self(vec![quote!(not(#predicate))])
    }

    pub(crate) fn predicate(&self) -> TokenStream {
        match self.0.as_slice() {
            [one] => one.clone(),
            all => quote!(all(#(#all),*)),
        }
    }

    /// Returns the condition as a value: `true`, or a `cfg!`.
    pub(crate) fn value(&self) -> TokenStream {
        if self.always() {
            return quote!(true);
        }
        let predicate = self.predicate();
        quote!(::core::cfg!(#predicate))
    }

    /// True if this holds wherever `other` holds, as far as that can be decided syntactically.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.always() || self.is(other)
    }

    fn is(&self, other: &Self) -> bool {
        self.predicate().to_string() == other.predicate().to_string()
    }
}

/// Emits the condition as an attribute; nothing if it always holds.
impl ToTokens for Condition {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if !self.always() {
            let predicate = self.predicate();
            tokens.extend(quote!(#[cfg(#predicate)]));
        }
    }
}
