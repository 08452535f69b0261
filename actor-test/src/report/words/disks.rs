//! Formats disk calls and power failures as text.

use super::count;
use super::escape::shortened;
use crate::data::story::{DiskAction, DiskCall};

/// Formats a call, with the error if it failed.
pub(super) fn called(action: &DiskAction, error: Option<&str>) -> String {
    let (verb, path) = (action.call.verb(), path(action));
    let bytes = count(action.bytes.unwrap_or_default(), "byte");
    let at = action.at.unwrap_or_default();
    let what = match action.call {
        DiskCall::Read => format!("{verb} {bytes} of {path} at {at}"),
        DiskCall::Write if action.at.is_none() => format!("appends {bytes} to {path}"),
        DiskCall::Write => format!("{verb} {bytes} to {path} at {at}"),
        DiskCall::SetLen => format!("{verb} of {path} to {bytes}"),
        DiskCall::Len => format!("{verb} of {path}"),
        DiskCall::Rename => format!("{verb} {path} to {}", new_name(action)),
        DiskCall::Settle => verb.to_owned(),
        _ => format!("{verb} {path}"),
    };
    match error {
        Some(error) => format!("{what}, which fails: {}", shortened(error)),
        None => what,
    }
}

/// Formats an action that a power failure has lost.
pub(super) fn lost(action: &DiskAction, parts: Option<(u32, u32)>) -> String {
    let path = path(action);
    let bytes = count(action.bytes.unwrap_or_default(), "byte");
    let at = action.at.unwrap_or_default();
    let what = match action.call {
        DiskCall::Create => format!("the name of the new file {path}"),
        DiskCall::CreateDir => format!("the new directory {path}"),
        DiskCall::RemoveFile | DiskCall::RemoveDir => format!("the removal of {path}"),
        DiskCall::Rename => format!("the renaming of {path} to {}", new_name(action)),
        DiskCall::SetLen => format!("the length of {path}, {bytes}"),
        _ => format!("{bytes} written to {path} at {at}"),
    };
    match parts {
        Some((lost, of)) => format!("loses {lost} of {of} blocks of {what}"),
        None => format!("loses {what}"),
    }
}

fn path(action: &DiskAction) -> String {
    match &*action.path {
        "" => "`.`".into(),
        path => format!("`{}`", shortened(path)),
    }
}

fn new_name(action: &DiskAction) -> String {
    format!("`{}`", shortened(action.to.as_deref().unwrap_or("?")))
}
