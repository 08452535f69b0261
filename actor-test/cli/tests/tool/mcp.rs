//! Tests of the MCP server as a client uses it: lines of JSON-RPC.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{tool, traces};

/// The maximum time for an answer.
const PATIENCE: Duration = Duration::from_secs(600);

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    asked: u64,
}

impl Client {
    fn begin(traces: &Path) -> Self {
        let mut server = tool()
            .arg("mcp")
            .env("ACTOR_TEST_TRACE_DIR", traces)
            .env("ACTOR_TEST_HANG_TIMEOUT", "1h")
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server begins");
        let output = server.stdout.take().expect("it is piped");
        let (tell, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let answer = serde_json::from_str(&line).expect("each line is JSON");
                let _ = tell.send(answer);
            }
        });
        let input = server.stdin.take();
        let mut client = Self {
            server,
            input,
            answers,
            asked: 0,
        };
        let who = json!({ "name": "test", "version": "1" });
        let begin =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who });
        let info = client.request("initialize", begin);
        assert_eq!(info["result"]["serverInfo"]["name"], "actor-test", "{info}");
        assert!(info["result"]["capabilities"]["tools"].is_object());
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").expect("the server reads");
    }

    fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn answer(&self, id: u64) -> Value {
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).expect("an answer");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Returns the answer of a tool: its text and its data.
    #[track_caller]
    fn call(&mut self, name: &str, arguments: Value) -> (String, Value) {
        let params = json!({ "name": name, "arguments": arguments });
        let answer = self.request("tools/call", params);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{name}: {answer}");
        let text = result["content"][0]["text"].as_str().expect("a text");
        (text.to_owned(), result["structuredContent"].clone())
    }

    /// Returns the error of a tool.
    #[track_caller]
    fn refused(&mut self, name: &str, arguments: Value) -> String {
        let params = json!({ "name": name, "arguments": arguments });
        let answer = self.request("tools/call", params);
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{name}: {answer}");
        let text = result["content"][0]["text"].as_str().expect("a text");
        text.to_owned()
    }

    /// Disconnects the client and checks that the server ends.
    fn end(mut self) {
        drop(self.input.take());
        let status = self.server.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

#[test]
fn an_agent_finds_a_bug_and_its_causes() {
    let traces = traces();
    let mut client = Client::begin(traces.path());
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 8);
    for tool in tools {
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| text.len() > 40),
            "{tool}"
        );
        let properties = tool["inputSchema"]["properties"].as_object();
        for (name, property) in properties.expect("it takes something") {
            assert!(property["description"].is_string(), "{name} of {tool}");
        }
    }

    let (_, listed) = client.call("list_tests", json!({ "contains": "tests::", "limit": 2 }));
    assert_eq!(
        listed["tests"].as_array().map(Vec::len),
        Some(2),
        "{listed}"
    );
    assert_eq!(listed["next_offset"], 2);

    let test = "specimens::tests::never_six";
    let asked =
        json!({ "test": test, "exact": true, "iterations": 100, "seed": 0, "strategy": "random" });
    let (_, explored) = client.call("explore_test", asked);
    assert_eq!(
        (&explored["failed"], &explored["passed"]),
        (&json!(1), &json!(0)),
        "{explored}"
    );
    let found = &explored["tests"][0];
    assert_eq!(
        (&found["test"], &found["outcome"]),
        (&json!(test), &json!("failed"))
    );
    assert!(
        found["bugs"][0]["message"]
            .as_str()
            .is_some_and(|text| text.contains("never six"))
    );
    assert!(
        found["report"]
            .as_str()
            .is_some_and(|text| text.starts_with("FAIL")),
        "{found}"
    );

    // A trace is found by name as well as by path.
    let (_, files) = client.call("list_traces", json!({}));
    assert_eq!(
        files["traces"][0]["trace"], found["bugs"][0]["trace"],
        "{files}"
    );
    let trace = "specimens-tests-never_six.json";
    let (story, _) = client.call("read_story", json!({ "trace": trace }));
    assert!(
        story.starts_with("trace of specimens::tests::never_six  safety"),
        "{story}"
    );
    assert!(story.contains("handles Double from Doubler"), "{story}");
    let (page, _) = client.call(
        "read_story",
        json!({ "trace": trace, "limit": 3, "offset": 2 }),
    );
    assert!(
        page.contains("\n(lines 3 to 5 of ") && page.contains("next_offset: 5"),
        "{page}"
    );
    let (of_cell, _) = client.call("read_story", json!({ "trace": trace, "actor": "Cell" }));
    assert!(
        of_cell.len() < story.len() && of_cell.contains("Cell"),
        "{of_cell}"
    );

    let step = found["bugs"][0]["step"].clone();
    let (causes, _) = client.call("causes_of_step", json!({ "trace": trace, "step": step }));
    assert!(causes.contains(&format!("\n{step} ")), "{causes}");
    let (why, _) = client.call("explain_failure", json!({ "trace": trace }));
    assert!(why.contains("needs:      `Add` from Adder"), "{why}");

    let (replayed, _) = client.call("replay_trace", json!({ "trace": trace }));
    assert!(
        replayed.starts_with("outcome: the bug is still there\n"),
        "{replayed}"
    );
    let (left, _) = client.call(
        "minimize_trace",
        json!({ "trace": trace, "budget": 10_000 }),
    );
    assert!(
        left.starts_with("trace of specimens::tests::never_six"),
        "{left}"
    );
    client.end();
}

#[test]
fn what_is_asked_in_vain_is_an_error_that_says_what_would_be_right() {
    let traces = traces();
    let mut client = Client::begin(traces.path());
    std::fs::write(traces.path().join("none.json"), "{\"a\": 1}").expect("it can be written");
    let cases = [
        (
            "explore_everything",
            json!({}),
            "there are list_tests, explore_test, ",
        ),
        (
            "explore_test",
            json!({}),
            "missing field `test`; it takes all_bugs, exact, ",
        ),
        (
            "explore_test",
            json!({ "test": "six", "iterations": 0 }),
            "may be from 1 to 100000000",
        ),
        (
            "explore_test",
            json!({ "test": "six", "strategy": "luck" }),
            "luck",
        ),
        (
            "explore_test",
            json!({ "test": "never_seex", "time_limit_s": 3600 }),
            "did you mean specimens::tests::never_six",
        ),
        // A name that looks like a flag is not treated as one.
        (
            "explore_test",
            json!({ "test": "--coverage=.", "time_limit_s": 3600 }),
            "no actor test matches `--coverage=.`",
        ),
        (
            "read_story",
            json!({ "trace": "nowhere.json" }),
            "list_traces lists them",
        ),
        (
            "read_story",
            json!({ "trace": "/etc/hostname" }),
            "lies outside of the workspace",
        ),
        (
            "read_story",
            json!({ "trace": "none.json" }),
            "is not a trace of actor-test",
        ),
        (
            "minimize_trace",
            json!({ "trace": "Cargo.toml" }),
            "nor in tests/schedules",
        ),
    ];
    for (name, arguments, right) in cases {
        let said = client.refused(name, arguments.clone());
        assert!(said.contains(right), "{name} {arguments}: {said}");
    }
    // The server still works.
    client.call("list_traces", json!({}));
    client.end();
}

/// A test that never ends blocks nothing: other calls are answered meanwhile. When it is cancelled, its time
/// is over, or the client disconnects, its processes end.
#[test]
fn a_hanging_test_hangs_nothing_else() {
    let traces = traces();
    let mut client = Client::begin(traces.path());
    let hang = |limit: u64| {
        json!({ "name": "explore_test", "arguments": {
        "test": "bad::hangs", "exact": true, "time_limit_s": limit,
    } })
    };
    // The build comes first, so that the time limit below concerns the test.
    client.call("list_tests", json!({ "contains": "bad::" }));
    let over = client.request("tools/call", hang(1));
    let over = over["result"].to_string();
    assert!(
        over.contains("given_up") || over.contains("it was given up"),
        "{over}"
    );
    let hanging = client.ask("tools/call", hang(3600));
    client.call("list_traces", json!({}));
    let cancelled = json!({ "requestId": hanging, "reason": "enough" });
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled,
    }));
    client.call("list_tests", json!({ "contains": "bad::" }));
    client.ask("tools/call", hang(3600));
    client.call("list_traces", json!({}));
    client.end();
}
