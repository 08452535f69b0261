//! The MCP server: the list of tools, and the dispatch of calls.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use rmcp::handler::server::tool::schema_for_input;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio::sync::RwLock;

use super::arguments::{
    self, CausesOfStep, ExplainFailure, ExploreArguments, ListTests, ListTraces,
};
use super::arguments::{MinimizeArguments, ReadStory, ReplayArguments};
use super::pages::Answer;
use super::tools::CallContext;
use super::traces::TraceDirectories;
use crate::options::PackageSelection;
use crate::words;

/// The server. Between calls it keeps only the directories of the workspace.
#[derive(Clone)]
pub(super) struct Server {
    selection: PackageSelection,
    places: Arc<OnceLock<TraceDirectories>>,
    /// A lock that each call holds for reading while it runs.
    calls: Arc<RwLock<()>>,
}

/// A tool's name, schema and description, and whether it writes files.
struct ToolSpec {
    name: &'static str,
    schema: fn() -> Result<Arc<JsonObject>, String>,
    about: &'static str,
    writes: bool,
}

const TOOLS: [ToolSpec; 8] = [
    ToolSpec {
        name: "list_tests",
        schema: schema_for_input::<ListTests>,
        about: "Builds the workspace's tests and lists its actor tests, by path.",
        writes: false,
    },
    ToolSpec {
        name: "explore_test",
        schema: schema_for_input::<ExploreArguments>,
        about: "Builds and explores an actor test: runs it under many schedules to find bugs. Reports \
                what was found, by which strategy, why, and where the trace of each bug is. The bug's \
                execution is minimised already.",
        writes: true,
    },
    ToolSpec {
        name: "list_traces",
        schema: schema_for_input::<ListTraces>,
        about: "Lists the traces that failing tests have written, the newest first.",
        writes: false,
    },
    ToolSpec {
        name: "read_story",
        schema: schema_for_input::<ReadStory>,
        about: "Tells the story of a trace, step by step: who did what, what it changed, and what \
                monitors and predicates made of it. Nothing is run.",
        writes: false,
    },
    ToolSpec {
        name: "causes_of_step",
        schema: schema_for_input::<CausesOfStep>,
        about: "Tells a step of a trace and the steps that led to it: where its event was sent, and what \
                made its actor what it was. Nothing is run.",
        writes: false,
    },
    ToolSpec {
        name: "explain_failure",
        schema: schema_for_input::<ExplainFailure>,
        about: "Tells why the execution of a trace failed, as far as that was found out: the step that \
                decided it, the order of events that it needs, and what the nearest passing execution \
                does instead. Nothing is run.",
        writes: false,
    },
    ToolSpec {
        name: "minimize_trace",
        schema: schema_for_input::<MinimizeArguments>,
        about: "Builds the trace's test and leaves out of the execution what its bug can do without; the \
                trace is written anew. Useful where exploring had no budget for it.",
        writes: true,
    },
    ToolSpec {
        name: "replay_trace",
        schema: schema_for_input::<ReplayArguments>,
        about: "Builds the trace's test as it is now and runs the recorded execution again: after a fix, \
                to see whether the bug is gone. Where the program was changed, the steps are followed by \
                name, and the answer says where the execution parted from the recorded one. Where the bug does \
                not come any more, executions near it are tried: the same events in other orders, some of \
                them later.",
        writes: true,
    },
];

const INSTRUCTIONS: &str = "\
Finds bugs of Rust actors by exploring schedules. Begin with list_tests; explore_test searches for a bug and \
writes its trace; explain_failure, read_story and causes_of_step show what went wrong in it, and \
replay_trace whether a fix has mended it. Answers are pages: where one ends with next_offset, ask again \
with that offset. The same test, seed and iterations give the same result each time.";

impl Server {
    pub(super) fn new(selection: &PackageSelection) -> Self {
        Self {
            selection: selection.clone(),
            places: Arc::default(),
            calls: Arc::default(),
        }
    }

    /// Returns the lock that can be taken for writing only when no call is running.
    pub(super) fn calls(&self) -> Arc<RwLock<()>> {
        Arc::clone(&self.calls)
    }

    async fn call(
        self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        let name = &*request.name;
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err(format!(
                "there is no tool {name}; there are {}",
                names.join(", ")
            ));
        };
        let given = request.arguments.unwrap_or_default();
        let call = CallContext {
            selection: self.selection_flags(),
            places: self.places(),
            context,
        };
        match tool.name {
            "list_tests" => call.list_tests(read(tool, given)?).await,
            "explore_test" => call.explore(read(tool, given)?).await,
            "minimize_trace" => call.minimize(read(tool, given)?).await,
            "replay_trace" => call.replay(read(tool, given)?).await,
            "list_traces" => {
                let asked = read(tool, given)?;
                aside(move || call.list_traces(&asked)).await
            }
            "read_story" => {
                let asked = read(tool, given)?;
                aside(move || call.read_story(&asked)).await
            }
            "causes_of_step" => {
                let asked = read(tool, given)?;
                aside(move || call.causes_of_step(&asked)).await
            }
            _ => {
                let asked = read(tool, given)?;
                aside(move || call.explain_failure(&asked)).await
            }
        }
    }

    fn selection_flags(&self) -> Vec<OsString> {
        let flags = self.selection.flags().into_iter().map(OsString::from);
        let directory = self.selection.target_dir();
        let directory = directory.map(|it| [OsString::from("--target-dir"), it.into()]);
        flags.chain(directory.into_iter().flatten()).collect()
    }

    /// Returns the directories of the workspace; a failed query is repeated at the next call.
    fn places(&self) -> Result<TraceDirectories, String> {
        if let Some(known) = self.places.get() {
            return Ok(known.clone());
        }
        let found = TraceDirectories::of(&self.selection)?;
        Ok(self.places.get_or_init(|| found).clone())
    }
}

fn read<T: DeserializeOwned + JsonSchema + 'static>(
    tool: &ToolSpec,
    given: JsonObject,
) -> Result<T, String> {
    let schema = (tool.schema)()?;
    arguments::read(&schema, given)
}

/// Runs blocking work on another thread.
async fn aside(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(words::our_mistake().to_owned()))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("actor-test", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.into());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = Vec::new();
        for known in &TOOLS {
            let schema = (known.schema)().map_err(|why| ErrorData::internal_error(why, None))?;
            let annotations = ToolAnnotations::new()
                .read_only(!known.writes)
                .destructive(false)
                .open_world(false);
            let tool = Tool::new(known.name, Cow::Borrowed(known.about), schema);
            tools.push(tool.annotate(annotations));
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _lasts = Arc::clone(&self.calls).read_owned().await;
        // A panic ends only the task of the call, which still gets an answer.
        let answer = tokio::spawn(self.clone().call(request, context)).await;
        let answer = answer.unwrap_or_else(|_| Err(words::our_mistake().to_owned()));
        let as_result = |problem| CallToolResult::error(vec![ContentBlock::text(problem)]);
        Ok(answer.unwrap_or_else(as_result).into())
    }
}
