//! Command-line options that select packages, targets and features, as for `cargo test`.

use std::path::PathBuf;

use cargo_metadata::{Metadata, Package};
use clap::Args;

/// The selection of packages, targets and features, with cargo's names of options.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection, as for cargo test")]
pub(crate) struct PackageSelection {
    /// Selects the tests of this package.
    #[arg(short, long, value_name = "SPEC")]
    pub(crate) package: Vec<String>,
    /// Selects the tests of all packages of the workspace.
    #[arg(long, alias = "all")]
    pub(crate) workspace: bool,
    /// Excludes this package.
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    exclude: Vec<String>,
    /// Selects the tests of the library.
    #[arg(long)]
    lib: bool,
    /// Selects the tests of all binaries.
    #[arg(long)]
    bins: bool,
    /// Selects the tests of this binary.
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// Selects the tests of all examples.
    #[arg(long)]
    examples: bool,
    /// Selects the tests of this example.
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,
    /// Selects the tests of all test targets.
    #[arg(long)]
    tests: bool,
    /// Selects the tests of this test target.
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// Selects the tests of all targets.
    #[arg(long)]
    all_targets: bool,
    /// Features to enable.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Enables all features.
    #[arg(long)]
    all_features: bool,
    /// Disables the default features.
    #[arg(long)]
    no_default_features: bool,
    /// The profile of the build [default: optimised, with assertions and overflow checks].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The target triple of the build.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The target directory of the build.
    #[arg(long, value_name = "DIRECTORY")]
    target_dir: Option<PathBuf>,
    /// The path to Cargo.toml.
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Requires that Cargo.lock stays unchanged.
    #[arg(long)]
    locked: bool,
    /// Builds without the network.
    #[arg(long)]
    offline: bool,
    /// Combines --locked and --offline.
    #[arg(long)]
    frozen: bool,
    /// A value of cargo's configuration.
    #[arg(long, value_name = "KEY=VALUE")]
    config: Vec<String>,
    /// True if the build needs all symbols for a native debugger.
    #[arg(skip)]
    pub(crate) symbols: bool,
}

impl PackageSelection {
    /// Selects a build with symbols: without optimisation, unless a profile is given.
    pub(crate) fn with_symbols(mut self, symbols: bool) -> Self {
        self.symbols = symbols;
        if symbols {
            self.profile.get_or_insert_with(|| "dev".into());
        }
        self
    }

    /// Returns the flags for `cargo test`, and for printed commands.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = self.everywhere();
        let mut switch = |on: bool, name: &str| flags.extend(on.then(|| name.to_owned()));
        switch(self.workspace, "--workspace");
        switch(self.lib, "--lib");
        switch(self.bins, "--bins");
        switch(self.examples, "--examples");
        switch(self.tests, "--tests");
        switch(self.all_targets, "--all-targets");
        let mut each = |name: &str, values: &[String]| {
            flags.extend(
                values
                    .iter()
                    .flat_map(|value| [name.to_owned(), value.clone()]),
            );
        };
        each("-p", &self.package);
        each("--exclude", &self.exclude);
        each("--bin", &self.bin);
        each("--example", &self.example);
        each("--test", &self.test);
        each("--target", self.target.as_slice());
        each("--profile", self.profile.as_slice());
        flags
    }

    /// Returns the flags for a command on one test: they name its package, and its target if needed to
    /// distinguish the test from another.
    pub(crate) fn flags_for(&self, package: &str, target: Option<&[String]>) -> Vec<String> {
        let one = Self {
            package: vec![package.to_owned()],
            workspace: false,
            exclude: Vec::new(),
            ..self.clone()
        };
        let Some(target) = target else {
            return one.flags();
        };
        let one = Self {
            lib: false,
            bins: false,
            examples: false,
            tests: false,
            all_targets: false,
            bin: Vec::new(),
            example: Vec::new(),
            test: Vec::new(),
            ..one
        };
        [&one.flags(), target].concat()
    }

    /// Returns the flags for `cargo metadata`.
    pub(crate) fn everywhere(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut switch = |on: bool, name: &str| flags.extend(on.then(|| name.to_owned()));
        switch(self.all_features, "--all-features");
        switch(self.no_default_features, "--no-default-features");
        switch(self.locked, "--locked");
        switch(self.offline, "--offline");
        switch(self.frozen, "--frozen");
        let mut each = |name: &str, values: &[String]| {
            flags.extend(
                values
                    .iter()
                    .flat_map(|value| [name.to_owned(), value.clone()]),
            );
        };
        each("--features", &self.features);
        each("--config", &self.config);
        let path = self
            .manifest_path
            .as_ref()
            .map(|path| path.display().to_string());
        each("--manifest-path", path.as_slice());
        flags
    }

    /// Combines the options before and after the word `list`.
    pub(super) fn and(mut self, more: Self) -> Self {
        self.package.extend(more.package);
        self.exclude.extend(more.exclude);
        self.bin.extend(more.bin);
        self.example.extend(more.example);
        self.test.extend(more.test);
        self.features.extend(more.features);
        self.config.extend(more.config);
        Self {
            workspace: self.workspace || more.workspace,
            lib: self.lib || more.lib,
            bins: self.bins || more.bins,
            examples: self.examples || more.examples,
            tests: self.tests || more.tests,
            all_targets: self.all_targets || more.all_targets,
            all_features: self.all_features || more.all_features,
            no_default_features: self.no_default_features || more.no_default_features,
            locked: self.locked || more.locked,
            offline: self.offline || more.offline,
            frozen: self.frozen || more.frozen,
            profile: more.profile.or(self.profile),
            target: more.target.or(self.target),
            symbols: self.symbols || more.symbols,
            target_dir: more.target_dir.or(self.target_dir),
            manifest_path: more.manifest_path.or(self.manifest_path),
            ..self
        }
    }

    /// Returns the target directory, which `cargo metadata` reads only from a variable.
    pub(crate) fn target_dir(&self) -> Option<&PathBuf> {
        self.target_dir.as_ref()
    }

    /// Returns true if targets are selected, of whatever kind.
    pub(crate) fn names_targets(&self) -> bool {
        self.lib
            || self.bins
            || self.examples
            || self.tests
            || self.all_targets
            || ![&self.bin, &self.example, &self.test]
                .into_iter()
                .all(Vec::is_empty)
    }

    /// Returns the selected members of the workspace, or `None` if a name is not simply that of a member.
    pub(crate) fn members<'a>(&self, metadata: &'a Metadata) -> Option<Vec<&'a Package>> {
        let all = metadata.workspace_packages();
        let named = |name: &String| all.iter().find(|package| package.name.as_str() == name);
        if !self.package.is_empty() {
            return self
                .package
                .iter()
                .map(|name| named(name).copied())
                .collect();
        }
        if self.workspace {
            let excluded: Option<Vec<_>> = self.exclude.iter().map(named).collect();
            let excluded = excluded?;
            let is_left = |package: &&Package| !excluded.iter().any(|out| out.id == package.id);
            return Some(all.iter().copied().filter(is_left).collect());
        }
        Some(metadata.workspace_default_packages())
    }

    /// Returns true if no package is named.
    pub(crate) fn is_default(&self) -> bool {
        self.package.is_empty() && !self.workspace
    }
}
