//! Output files of a run: coverage, JUnit XML, and GitHub annotations.

use super::Trouble;
use super::annotations::Annotations;
use super::build::BuildOutput;
use super::coverage::{CoverageTotals, Directory};
use super::discover::Test;
use super::ended::TestEnd;
use super::junit::Junit;
use super::options::{ExploreOptions, Format};
use super::screen::Screen;
use crate::words::{self, CommandContext};

pub(crate) struct Documents {
    coverage: Option<(Directory, CoverageTotals)>,
    junit: Option<Junit>,
    annotations: Option<Annotations>,
    format: Format,
}

impl Documents {
    /// Checks before the run that the requested documents can be written.
    pub(crate) fn open(options: &ExploreOptions, built: &BuildOutput) -> Result<Self, Trouble> {
        let directory = options.coverage.as_deref().map(Directory::make);
        let junit = options.junit.as_deref().map(Junit::open);
        Ok(Self {
            coverage: directory
                .transpose()?
                .map(|directory| (directory, CoverageTotals::default())),
            junit: junit.transpose()?,
            annotations: Annotations::wanted(&built.workspace),
            format: options.format,
        })
    }

    /// Adds a test with its printed `block`; `place` completes printed commands.
    pub(crate) fn add(
        &mut self,
        test: &Test,
        ended: &TestEnd,
        block: Option<&str>,
        place: &CommandContext,
        screen: &Screen,
    ) {
        if let (Some((_, gathered)), Some(report)) = (&mut self.coverage, ended.verdict.report()) {
            gathered.add(test, report);
        }
        if let Some(junit) = &mut self.junit {
            junit.add(test, ended, block.unwrap_or_default());
        }
        let annotations = self.annotations.iter();
        for annotation in annotations.flat_map(|all| all.of(test, ended, place)) {
            match self.format {
                Format::Human => screen.raw(&annotation),
                // Standard output must contain only lines of JSON.
                Format::Json => screen.aside(&annotation),
            }
        }
    }

    pub(crate) fn finish(self, screen: &Screen) -> Result<(), Trouble> {
        if let Some(junit) = self.junit {
            junit.write()?;
        }
        if let Some((directory, gathered)) = self.coverage {
            let summary = directory.write(&gathered)?;
            if self.format == Format::Human {
                screen.line(&words::coverage_written(&gathered, &summary));
            }
        }
        Ok(())
    }
}
