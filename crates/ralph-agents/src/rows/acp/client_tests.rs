use super::*;

const ROOT: &str = "/p";

fn task<'a>() -> AcpTask<'a> {
    AcpTask {
        root: Path::new(ROOT),
        prompt: "do it".to_owned(),
        resumed: None,
        mode: "edits",
        session_mode: None,
        model: None,
    }
}

/// The last request of ours in an outbox.
fn asked(client: &mut AcpClient<'_>) -> Value {
    client.take_outbox().sent.pop().unwrap_or_default()
}

fn result(id: u64, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn hello(can: Value) -> Value {
    result(1, json!({ "protocolVersion": 1, "agentCapabilities": can }))
}

fn chunk(session: &str, text: &str) -> Value {
    let update = json!({
        "sessionUpdate": "agent_message_chunk",
        "content": { "type": "text", "text": text },
    });
    json!({ "method": "session/update", "params": { "sessionId": session, "update": update } })
}

/// A client whose prompt is with the model.
fn at_work(task: AcpTask<'_>) -> AcpClient<'_> {
    let mut client = AcpClient::new(task);
    client.hear(&hello(json!({})));
    client.hear(&result(2, json!({ "sessionId": "s" })));
    assert!(client.is_at_work());
    client.take_outbox();
    client
}

#[test]
fn a_turn_is_four_messages_and_what_the_agent_says_meanwhile() {
    let mut client = AcpClient::new(task());
    let first = asked(&mut client);
    assert_eq!(first["params"]["clientCapabilities"]["fs"]["readTextFile"], false);
    assert_eq!(first["params"]["clientCapabilities"]["terminal"], false);
    client.hear(&hello(json!({})));
    assert_eq!(asked(&mut client)["params"], json!({ "cwd": ROOT, "mcpServers": [] }));
    // The past of a conversation, and another session.
    client.hear(&chunk("s", "old"));
    client.hear(&result(2, json!({ "sessionId": "s" })));
    let prompt = asked(&mut client);
    assert_eq!(prompt["params"]["prompt"][0]["text"], "do it");
    client.hear(&chunk("other", "not ours"));
    client.hear(&chunk("s", "done"));
    client.hear(&result(3, json!({ "stopReason": "end_turn" })));
    let told = client.take_outbox().told;
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!((&told[2]["ralph"], client.has_worked()), (&json!("done"), Some(true)));
}

#[test]
fn a_conversation_is_resumed_or_loaded_as_the_agent_can() {
    for (can, method) in [
        (json!({ "sessionCapabilities": { "resume": {} }, "loadSession": true }), "session/resume"),
        (json!({ "loadSession": true }), "session/load"),
        (json!({}), ""),
    ] {
        let mut client = AcpClient::new(AcpTask { resumed: Some("old"), ..task() });
        client.take_outbox();
        client.hear(&hello(can));
        let AcpOutbox { sent, told } = client.take_outbox();
        assert_eq!(sent.first().map_or("", |it| it["method"].as_str().unwrap()), method);
        assert_eq!(told.first().is_some_and(|it| it["ralph"] == "lost"), method.is_empty());
        if !method.is_empty() {
            client.hear(&json!({ "id": 2, "error": { "code": -32002, "message": "unknown" } }));
            assert_eq!(client.take_outbox().told[0]["ralph"], "lost");
        }
        assert_eq!(client.has_worked(), Some(false));
    }
}

#[test]
fn the_mode_and_the_model_are_set_in_either_form() {
    let modes = json!({ "sessionId": "s", "modes": { "availableModes": [{ "id": "safe" }] }, "models": {} });
    let address = "https://x/modes#safe";
    let options = json!({ "sessionId": "s", "configOptions": [
        { "id": "mode", "category": "mode", "options": [{ "value": address }] },
        { "id": "m", "category": "model", "options": [{ "value": "big" }] },
    ] });
    for (opened, mode, model) in [
        (
            modes,
            json!({ "sessionId": "s", "modeId": "safe" }),
            json!({ "sessionId": "s", "modelId": "big" }),
        ),
        (
            options,
            json!({ "sessionId": "s", "configId": "mode", "value": address }),
            json!({ "sessionId": "s", "configId": "m", "value": "big" }),
        ),
    ] {
        let task = AcpTask { session_mode: Some("safe"), model: Some("big"), ..task() };
        let mut client = AcpClient::new(task);
        client.hear(&hello(json!({})));
        client.hear(&result(2, opened));
        assert_eq!(asked(&mut client)["params"], mode);
        client.hear(&result(3, json!({})));
        assert_eq!(asked(&mut client)["params"], model);
        client.hear(&result(4, json!({})));
        assert!(client.is_at_work());
    }
}

/// How a turn of a misbehaving agent comes out.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Works,
    Fails(&'static str),
    Lost,
    Waits(&'static str),
}

/// Plays these messages to a client that has sent its first request.
fn play(task: AcpTask<'_>, messages: &[Value]) -> (Outcome, AcpOutbox) {
    let mut client = AcpClient::new(task);
    client.take_outbox();
    let mut all = AcpOutbox::default();
    for message in messages {
        client.hear(message);
        let AcpOutbox { sent, told } = client.take_outbox();
        all.sent.extend(sent);
        all.told.extend(told);
    }
    let outcome = match client.has_worked() {
        None => Outcome::Waits(client.waits_for()),
        Some(true) => Outcome::Works,
        Some(false) if all.told.iter().any(|it| it["ralph"] == "lost") => Outcome::Lost,
        Some(false) => Outcome::Fails(""),
    };
    (outcome, all)
}

fn good(more: &[Value]) -> Vec<Value> {
    let mut all =
        vec![hello(json!({ "loadSession": true })), result(2, json!({ "sessionId": "s" }))];
    all.extend(more.iter().cloned());
    all
}

fn error(id: u64, error: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// A name, the messages of the agent, and the one right outcome.
type Misbehaviour = (&'static str, Vec<Value>, Outcome);

/// The end of a turn, for its reason.
fn end(reason: &str) -> Value {
    result(3, json!({ "stopReason": reason }))
}

/// Ways to misbehave before the turn.
fn at_the_start() -> Vec<Misbehaviour> {
    use Outcome::{Fails, Waits};
    let opening = |second: Value| vec![hello(json!({})), second];
    vec![
        ("says nothing", vec![], Waits("initialize")),
        ("answers another id first", vec![result(7, json!({}))], Waits("initialize")),
        (
            "answers with a text for an id",
            vec![json!({ "id": "1", "result": {} })],
            Waits("initialize"),
        ),
        (
            "answers without an id",
            vec![json!({ "result": { "protocolVersion": 1 } })],
            Waits("initialize"),
        ),
        ("answers with id null", vec![json!({ "id": null, "result": {} })], Waits("initialize")),
        ("answers nothing at all", vec![json!({})], Waits("initialize")),
        ("speaks version 2", vec![result(1, json!({ "protocolVersion": 2 }))], Fails("version 2")),
        (
            "speaks version one in words",
            vec![result(1, json!({ "protocolVersion": "1" }))],
            Fails("version"),
        ),
        ("has no version", vec![result(1, json!({}))], Fails("version null")),
        ("greets with a list", vec![result(1, json!([]))], Fails("version")),
        ("greets with null", vec![result(1, Value::Null)], Fails("version")),
        ("refuses to begin", vec![error(1, json!({ "code": -1, "message": "no" }))], Fails("no")),
        ("refuses with an empty error", vec![error(1, json!({}))], Fails("reports an error")),
        ("refuses with a text", vec![error(1, json!("no"))], Fails("reports an error")),
        (
            "has capabilities of another kind",
            vec![hello(json!("all")), result(2, json!({ "sessionId": "s" }))],
            Waits("session/prompt"),
        ),
        ("opens no session", opening(json!({})), Waits("session/new")),
        ("opens a session without a name", opening(result(2, json!({}))), Fails("without a name")),
        (
            "opens a session with a number",
            opening(result(2, json!({ "sessionId": 5 }))),
            Fails("without a name"),
        ),
        (
            "opens a session with an empty name",
            opening(result(2, json!({ "sessionId": "" }))),
            Fails("without a name"),
        ),
        ("opens with null", opening(result(2, Value::Null)), Fails("without a name")),
        (
            "wants a login",
            opening(error(2, json!({ "code": -32000, "message": "Authentication required" }))),
            Fails("Authentication required"),
        ),
        (
            "explains in data",
            opening(error(2, json!({ "message": "bad", "data": "401 stub" }))),
            Fails("bad: 401 stub"),
        ),
        (
            "explains in an object",
            opening(error(2, json!({ "message": "bad", "data": { "details": "why" } }))),
            Fails("bad: why"),
        ),
        (
            "explains in a list",
            opening(error(2, json!({ "message": "bad", "data": [1] }))),
            Fails("bad: [1]"),
        ),
    ]
}

/// Ways to misbehave at the end of the turn.
fn at_the_end() -> Vec<Misbehaviour> {
    use Outcome::{Fails, Waits, Works};
    let done = end("end_turn");
    vec![
        (
            "answers the greeting twice",
            vec![hello(json!({})), hello(json!({})), result(2, json!({ "sessionId": "s" }))],
            Waits("session/prompt"),
        ),
        (
            "opens twice",
            good(&[result(2, json!({ "sessionId": "t" })), chunk("s", "x"), done.clone()]),
            Works,
        ),
        (
            "answers the prompt before it is sent",
            vec![hello(json!({})), done.clone(), result(2, json!({ "sessionId": "s" }))],
            Waits("session/prompt"),
        ),
        ("never answers the prompt", good(&[chunk("s", "x")]), Waits("session/prompt")),
        ("answers the prompt twice", good(&[done.clone(), done.clone()]), Works),
        (
            "fails after its end",
            good(&[done.clone(), error(3, json!({ "message": "late" }))]),
            Works,
        ),
        ("talks after its end", good(&[done.clone(), chunk("s", "late")]), Works),
        ("ends without a reason", good(&[result(3, json!({}))]), Fails("(none)")),
        ("ends with null", good(&[result(3, Value::Null)]), Fails("(none)")),
        ("ends with a reason of its own", good(&[end("tired")]), Fails("(tired)")),
        ("ends with a number", good(&[result(3, json!({ "stopReason": 1 }))]), Fails("(none)")),
        ("refuses the task", good(&[end("refusal")]), Fails("refuses the task")),
        ("cancels by itself", good(&[end("cancelled")]), Fails("cancelled")),
        ("ran out of tokens", good(&[end("max_tokens")]), Works),
        ("ran out of requests", good(&[end("max_turn_requests")]), Works),
        (
            "fails in the turn",
            good(&[error(
                3,
                json!({ "code": -32603, "message": "Internal error", "data": "401 stub error" }),
            )]),
            Fails("401 stub error"),
        ),
        (
            "fails and succeeds at once",
            good(&[
                json!({ "id": 3, "result": { "stopReason": "end_turn" }, "error": { "message": "x" } }),
            ]),
            Fails("x"),
        ),
        (
            "succeeds with an error of null",
            good(&[json!({ "id": 3, "result": { "stopReason": "end_turn" }, "error": null })]),
            Works,
        ),
    ]
}

/// Ways to misbehave in the turn.
fn in_the_middle() -> Vec<Misbehaviour> {
    use Outcome::{Fails, Waits, Works};
    let call = |id: Value, method: &str| json!({ "id": id, "method": method, "params": {} });
    let after = |first: Value| good(&[first, chunk("s", "x"), end("end_turn")]);
    vec![
        ("reads our files", after(call(json!(9), "fs/read_text_file")), Works),
        ("writes our files", after(call(json!("w"), "fs/write_text_file")), Works),
        ("opens terminals", after(call(json!(0), "terminal/create")), Works),
        ("calls what nobody has", after(call(json!(1), "nobody/has_it")), Works),
        ("calls with our own id", after(call(json!(3), "fs/read_text_file")), Works),
        ("calls with a list for an id", after(call(json!([1]), "x")), Works),
        ("calls with id null", after(call(Value::Null, "x")), Works),
        (
            "asks for permission of nothing",
            after(call(json!(4), "session/request_permission")),
            Works,
        ),
        ("notifies of its own", after(json!({ "method": "_x/y", "params": { "a": [] } })), Works),
        (
            "updates without a session",
            after(json!({ "method": "session/update", "params": {} })),
            Works,
        ),
        ("updates without parameters", after(json!({ "method": "session/update" })), Works),
        ("updates with a list", after(json!({ "method": "session/update", "params": [1] })), Works),
        ("updates another session", after(chunk("t", "not ours")), Works),
        (
            "updates of an unknown kind",
            after(
                json!({ "method": "session/update", "params": { "sessionId": "s", "update": { "sessionUpdate": "new" } } }),
            ),
            Works,
        ),
        ("has a number for a method", after(json!({ "method": 5, "id": 77 })), Works),
        ("answers a request of nobody", after(result(99, json!({}))), Works),
        ("sends a text of many megabytes", after(chunk("s", &"x".repeat(4_000_000))), Works),
        (
            "hides the turn's end in an update",
            good(&[
                json!({ "method": "session/update", "params": { "sessionId": "s", "stopReason": "end_turn" } }),
            ]),
            Waits("session/prompt"),
        ),
        (
            "floods with requests",
            good(&(0..20_000).map(|id| call(json!(id), "x")).collect::<Vec<_>>()),
            Fails("more than 10000 requests"),
        ),
    ]
}

#[test]
fn sixty_misbehaving_agents_have_each_the_right_outcome() {
    let all = [at_the_start(), at_the_end(), in_the_middle()].concat();
    assert!(all.len() >= 60, "{}", all.len());
    for (name, messages, want) in all {
        let (outcome, outbox) = play(task(), &messages);
        let failed = outbox.told.iter().find(|it| it["ralph"] == "failed");
        let what = failed.and_then(|it| it["what"].as_str()).unwrap_or_default().to_owned();
        match (&outcome, &want) {
            (Outcome::Fails(_), Outcome::Fails(part)) => {
                assert!(what.contains(part), "{name}: {what}");
            }
            (found, wanted) => assert_eq!(found, wanted, "{name}: {what}"),
        }
        // It is told once how the turn ended, and every request is answered.
        let ends = outbox.told.iter().filter(|it| it["ralph"] == "failed" || it["ralph"] == "done");
        assert!(ends.count() <= 1, "{name}");
        assert!(outbox.sent.len() <= 10_000 + messages.len(), "{name}");
    }
}

#[test]
fn every_unknown_request_is_answered_with_the_error_of_the_protocol() {
    let mut client = at_work(task());
    for method in ["fs/read_text_file", "terminal/create", "elicitation/create", "x"] {
        client.hear(&json!({ "id": "q", "method": method, "params": {} }));
        let answer = asked(&mut client);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("q"), &json!(NO_METHOD)));
    }
}

#[test]
fn a_cancelled_turn_is_asked_to_end_and_told_nothing_more() {
    let mut client = at_work(task());
    client.cancel();
    let asked = asked(&mut client);
    assert_eq!((&asked["method"], asked.get("id")), (&json!("session/cancel"), None));
    client.hear(&result(3, json!({ "stopReason": "cancelled" })));
    assert_eq!(client.has_worked(), Some(false));
    client.cancel();
    assert!(client.take_outbox().sent.is_empty());
}
