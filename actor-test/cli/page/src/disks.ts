// What was done to a disk, in words.

import type { DiskAction } from "./story";
import { count } from "./values";

/** What a call does, or that it has failed, and why. */
export function called(action: DiskAction, error?: string): string {
  const what = deed(action);
  return error === undefined ? what : `${what}, which fails: ${error}`;
}

/** What a power failure has taken: all of it, or so many blocks of so many. */
export function taken(action: DiskAction, parts: number[]): string {
  const [lost, of] = parts;
  const what = content(action);
  return of === undefined ? `loses ${what}` : `loses ${lost} of ${of} blocks of ${what}`;
}

function deed(action: DiskAction): string {
  const { call, at, to = "?" } = action;
  const [path, bytes] = [name(action.path), count(action.bytes ?? 0, "byte")];
  switch (call) {
    case "open":
      return `opens ${path}`;
    case "create":
      return `creates ${path}`;
    case "read":
      return `reads ${bytes} of ${path} at ${at ?? 0}`;
    case "write":
      return at === undefined ? `appends ${bytes} to ${path}` : `writes ${bytes} to ${path} at ${at}`;
    case "set_len":
      return `sets the length of ${path} to ${bytes}`;
    case "len":
      return `gets the length of ${path}`;
    case "sync":
      return `syncs ${path}`;
    case "sync_dir":
      return `syncs the directory ${path}`;
    case "rename":
      return `renames ${path} to ${name(to)}`;
    case "remove_file":
      return `removes ${path}`;
    case "create_dir":
      return `creates the directory ${path}`;
    case "remove_dir":
      return `removes the directory ${path}`;
    case "read_dir":
      return `lists ${path}`;
    case "settle":
      return "waits for earlier calls";
    default:
      return `${call.replaceAll("_", " ")} ${path}`;
  }
}

function content(action: DiskAction): string {
  const path = name(action.path);
  const bytes = count(action.bytes ?? 0, "byte");
  switch (action.call) {
    case "create":
      return `the name of the new file ${path}`;
    case "create_dir":
      return `the new directory ${path}`;
    case "remove_file":
    case "remove_dir":
      return `the removal of ${path}`;
    case "rename":
      return `the renaming of ${path} to ${name(action.to ?? "?")}`;
    case "set_len":
      return `the length of ${path}, ${bytes}`;
    default:
      return `${bytes} written to ${path} at ${action.at ?? 0}`;
  }
}

function name(path: string): string {
  return `\`${path === "" ? "." : path}\``;
}
