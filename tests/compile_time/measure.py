#!/usr/bin/env python3
"""What one actor type adds to a debug build: CPU milliseconds, and lines of LLVM IR.

    python3 tests/compile_time/measure.py [--handlers 20] [--asyncs 0] [--copies 30] [--runs 5] [--lines]

A program with COPIES actor types, each with HANDLERS handlers, ASYNCS of them async, and spawned
once, is built against the actor-core of this repository, and so is the same program without its
actors. The difference of the user and system time of the two builds, divided by COPIES, is the cost
of one actor type. The events are the same in both programs, so that their `Debug` is not counted;
dependencies are built before. The best of RUNS counts, since other load only ever adds.

With --lines, it prints instead which functions the actors are compiled to, by their lines of LLVM
IR: what a debug build spends its time on.
"""

import argparse
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

CORE = pathlib.Path(__file__).resolve().parents[2] / "actor-core"

MANIFEST = """[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[dependencies]
actor-core = {{ path = "{core}" }}
tokio = {{ version = "1", features = ["rt"] }}

[workspace]
"""

MAIN = """
fn main() {{
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(async {{
        let sys = System::new();
{spawns}
        sys.shutdown().await.expect("every actor stops");
    }});
}}
"""


def actor(number, handlers, asyncs):
    """Of the handlers that are not async, two in three are told something, the third answers."""
    lines = [f"#[derive(Default)]\npub struct Actor{number} {{ total: u64 }}\n"]
    lines.append(f"#[actor]\nimpl Actor{number} {{")
    for handler in range(handlers):
        head = f"    #[on]\n    fn on_{handler}(&mut self, event: Event{handler}"
        if handler < asyncs:
            lines.append(
                f"{head.replace(' fn', ' async fn')}) {{\n"
                f"        tokio::task::yield_now().await;\n"
                f"        self.total += event.0;\n    }}"
            )
        elif handler % 3 == 0:
            lines.append(f"{head}) {{ self.total += event.0; }}")
        elif handler % 3 == 1:
            lines.append(
                f"{head}, cx: &mut Context<Self>) {{\n"
                f"        if event.0 > self.total {{ cx.halt(); }}\n    }}"
            )
        else:
            lines.append(f"{head}) -> u64 {{ self.total + event.0 }}")
    lines.append("}\n")
    return "\n".join(lines)


def program(copies, handlers, asyncs):
    events = [f"#[derive(Debug)]\npub struct Event{n}(pub u64);" for n in range(handlers)]
    actors = [actor(number, handlers, asyncs) for number in range(copies)]
    spawns = [f"        sys.spawn(Actor{number}::default());" for number in range(copies)]
    uses = "#![allow(unused_imports)]\nuse actor_core::prelude::*;\n\n"
    return uses + "\n".join(events + actors) + MAIN.format(spawns="\n".join(spawns))


def write(folder, name, copies, handlers, asyncs):
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(MANIFEST.format(name=name, core=CORE))
    shutil.copy(CORE.parent / "Cargo.lock", folder)
    (folder / "src/main.rs").write_text(program(copies, handlers, asyncs))


def cargo(folder, *arguments):
    subprocess.run(["cargo", *arguments], cwd=folder, check=True, stderr=subprocess.PIPE)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def build_seconds(folder, name, command):
    """The CPU time of building the program itself, from nothing."""
    cargo(folder, "clean", "--package", name)
    before = cpu_seconds()
    cargo(folder, *command)
    return cpu_seconds() - before


def milliseconds(options, folders, command):
    best = {}
    for _ in range(options.runs):
        for name, folder in folders.items():
            seconds = build_seconds(folder, name, command)
            best[name] = min(best.get(name, seconds), seconds)
    return 1000 * (best["actors"] - best["empty"]) / options.copies


def lines_of(folder):
    """Lines of LLVM IR and number of copies of each function, types and hashes left out."""
    cargo(folder, "rustc", "--", "--emit=llvm-ir", "-Csymbol-mangling-version=v0",
          "-Ccodegen-units=1")
    target = pathlib.Path(os.environ["CARGO_TARGET_DIR"])
    text = max((target / "debug/deps").glob("actors-*.ll"), key=os.path.getmtime).read_text()
    found = collections.defaultdict(lambda: [0, 0])
    comment = body = None
    for line in text.splitlines():
        if line.startswith("; ") and not line.startswith("; Function Attrs"):
            comment = line[2:]
        elif line.startswith("define "):
            name = re.sub(r"Actor\d+", "Actor", comment or line)
            body = found[re.sub(r"Event\d+", "Event", name)]
            body[1] += 1
            comment = None
        elif line == "}":
            body = None
        elif body:
            body[0] += 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--handlers", type=int, default=20)
    parser.add_argument("--asyncs", type=int, default=0)
    parser.add_argument("--copies", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lines", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        os.environ.setdefault("CARGO_TARGET_DIR", str(scratch / "target"))
        folders = {"actors": scratch / "actors", "empty": scratch / "empty"}
        write(folders["actors"], "actors", options.copies, options.handlers, options.asyncs)
        write(folders["empty"], "empty", 0, options.handlers, 0)
        for folder in folders.values():
            cargo(folder, "build")
        if options.lines:
            found = sorted(lines_of(folders["actors"]).items(), key=lambda item: -item[1][0])
            total = sum(lines for _, (lines, _) in found)
            functions = sum(copies for _, (_, copies) in found)
            print(f"{total / options.copies:8.0f} lines of LLVM IR in "
                  f"{functions / options.copies:.0f} functions for an actor type")
            for name, (lines, copies) in found:
                print(f"{lines / options.copies:8.1f} {copies / options.copies:6.2f}x  {name}")
            return
        for command in (["check"], ["build"]):
            cost = milliseconds(options, folders, command)
            print(f"cargo {command[0]:5} {cost:6.1f} CPU ms for an actor type of "
                  f"{options.handlers} handlers")


if __name__ == "__main__":
    main()
