use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};

use super::super::process::{ServerEventSender, link};
use super::super::servers::LanguageServer;
use super::*;

/// Fails a test instead of letting it hang.
const HANG: Duration = Duration::from_secs(20);

/// The server's side, played by the test.
struct FakeServer {
    sent: Receiver<Vec<u8>>,
    teller: ServerEventSender,
}

impl FakeServer {
    fn next(&self) -> Value {
        let bytes = self.sent.recv_timeout(HANG).unwrap();
        let start = bytes.iter().position(|byte| *byte == b'{').unwrap();
        serde_json::from_slice(&bytes[start..]).unwrap()
    }

    /// The next message of this kind; others are passed over.
    fn expect(&self, method: &str) -> Value {
        loop {
            let message = self.next();
            if message["method"] == method {
                return message;
            }
        }
    }

    fn say(&self, message: Value) {
        let message = serde_json::from_value(message).unwrap();
        self.teller.tell(ServerEvent::Message(Box::new(message)), 0);
    }

    /// Answers the greeting.
    fn greet(&self, capabilities: &Value) {
        let hello = self.expect("initialize");
        self.say(json!({ "id": hello["id"], "result": { "capabilities": capabilities } }));
        self.expect("initialized");
    }

    fn publish(&self, uri: &Value, version: i64, messages: &[&str]) {
        let params = json!({ "uri": uri, "version": version, "diagnostics": said(messages) });
        self.say(json!({ "method": "textDocument/publishDiagnostics", "params": params }));
    }

    /// Answers the next question about a file.
    fn answer(&self, messages: &[&str]) {
        let asked = self.expect(DIAGNOSTIC);
        let report = json!({ "kind": "full", "items": said(messages) });
        self.say(json!({ "id": asked["id"], "result": report }));
    }
}

fn said(messages: &[&str]) -> Value {
    let range = json!({ "start": { "line": 0, "character": 0 } });
    messages.iter().map(|message| json!({ "range": range, "message": message })).collect()
}

/// A file and a session whose server is played by `script`.
struct LspSessionFixture {
    folder: tempfile::TempDir,
    session: LspSession,
    far: Option<JoinHandle<()>>,
}

impl LspSessionFixture {
    fn new(script: impl FnOnce(&FakeServer) + Send + 'static) -> Self {
        Self::with(&[], script)
    }

    fn with(quirks: &[ServerQuirk], script: impl FnOnce(&FakeServer) + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (link, sent, teller) = link();
        let far = thread::spawn(move || {
            let far = FakeServer { sent, teller };
            script(&far);
            far.teller
                .tell(ServerEvent::Gone(ServerFailure::Ended("the script is over".to_owned())), 0);
        });
        let mut server = LanguageServer::configured("mine", Vec::new(), &[], None);
        server.quiet = Duration::from_millis(60);
        server.quirks = quirks.to_vec();
        server.settings = json!({ "mine": { "strict": true } });
        let session = LspSession::new(link, &server, folder.path());
        Self { folder, session, far: Some(far) }
    }

    fn ask(&mut self, text: &str) -> (Vec<String>, Option<ServerFailure>) {
        self.ask_within(text, HANG)
    }

    fn ask_within(
        &mut self,
        text: &str,
        patience: Duration,
    ) -> (Vec<String>, Option<ServerFailure>) {
        let path = self.folder.path().join("a.x");
        std::fs::write(&path, text).unwrap();
        let asked = [DiagnosticsRequest { path, language: "x".to_owned() }];
        let SessionDiagnostics { found, trouble } =
            self.session.diagnose(&asked, Instant::now() + patience);
        let messages = found.into_iter().flat_map(|(_, diagnostics)| diagnostics);
        let messages = messages.map(|diagnostic| match diagnostic.message {
            super::super::wire::LspMessageText::Plain(text) => text,
            super::super::wire::LspMessageText::Marked { value } => value,
        });
        (messages.collect(), trouble)
    }
}

impl Drop for LspSessionFixture {
    fn drop(&mut self) {
        self.session.say_goodbye(Instant::now());
        if let Some(far) = self.far.take()
            && !thread::panicking()
        {
            far.join().unwrap();
        }
    }
}

fn words(words: &[&str]) -> (Vec<String>, Option<ServerFailure>) {
    (words.iter().map(|word| (*word).to_owned()).collect(), None)
}

#[test]
fn a_server_that_answers_questions_is_asked_again_after_every_change() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({ "diagnosticProvider": {} }));
        assert_eq!(far.expect("textDocument/didOpen")["params"]["textDocument"]["version"], 1);
        far.answer(&["wrong"]);
        assert_eq!(far.expect("textDocument/didChange")["params"]["textDocument"]["version"], 2);
        far.answer(&[]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
    assert_eq!(stage.ask("two"), words(&[]));
}

#[test]
fn an_empty_first_push_is_not_the_last_word() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({}));
        let uri = far.expect("textDocument/didOpen")["params"]["textDocument"]["uri"].clone();
        far.publish(&uri, 1, &[]);
        far.publish(&uri, 1, &["wrong"]);
    });
    let (found, _) = stage.ask("one");
    assert_eq!(found, ["wrong"]);
}

#[test]
fn a_server_that_is_still_at_work_has_not_settled() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({}));
        let uri = far.expect("textDocument/didOpen")["params"]["textDocument"]["uri"].clone();
        let progress = |value: Value| {
            let params = json!({ "token": 7, "value": value });
            far.say(json!({ "method": "$/progress", "params": params }));
        };
        progress(json!({ "kind": "begin", "title": "Loading" }));
        far.publish(&uri, 1, &[]);
        // Its silence is longer than the quiet period, but it said it works.
        far.say(json!({ "id": 99, "method": "window/workDoneProgress/create" }));
        assert_eq!(far.next()["result"], Value::Null);
        assert!(far.sent.recv_timeout(Duration::from_millis(200)).is_err());
        far.publish(&uri, 1, &["wrong"]);
        progress(json!({ "kind": "end" }));
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
}

#[test]
fn what_was_pushed_about_an_earlier_text_does_not_count() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({ "textDocumentSync": { "save": {} } }));
        let uri = far.expect("textDocument/didOpen")["params"]["textDocument"]["uri"].clone();
        far.publish(&uri, 1, &["wrong"]);
        far.expect("textDocument/didSave");
        far.publish(&uri, 1, &["wrong"]);
        far.publish(&uri, 2, &["right"]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
    assert_eq!(stage.ask("two"), words(&["right"]));
}

#[test]
fn a_server_may_say_later_that_it_answers_questions() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({}));
        far.expect("textDocument/didOpen");
        let registration = json!({ "id": "d", "method": DIAGNOSTIC });
        let params = json!({ "registrations": [registration] });
        far.say(json!({ "id": "r1", "method": "client/registerCapability", "params": params }));
        assert_eq!(far.next(), json!({ "jsonrpc": "2.0", "id": "r1", "result": null }));
        far.answer(&["wrong"]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
}

#[test]
fn an_answer_the_server_takes_back_is_asked_for_again() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({ "diagnosticProvider": {} }));
        let asked = far.expect(DIAGNOSTIC);
        let cancelled = json!({ "code": -32802, "message": "busy" });
        far.say(json!({ "id": asked["id"], "error": cancelled }));
        far.answer(&[]);
        far.say(json!({ "id": 1, "method": "workspace/diagnostic/refresh" }));
        far.answer(&["wrong"]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
}

#[test]
fn what_a_server_says_before_it_read_its_settings_does_not_count() {
    let mut stage = LspSessionFixture::with(&[ServerQuirk::RefreshesFirst], |far| {
        far.greet(&json!({ "diagnosticProvider": {} }));
        far.answer(&[]);
        // Far longer than it takes to believe an answer otherwise.
        assert!(far.sent.recv_timeout(4 * SECOND_THOUGHTS).is_err());
        far.say(json!({ "id": 1, "method": "workspace/diagnostic/refresh" }));
        far.answer(&["wrong"]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&["wrong"]));
}

#[test]
fn settings_are_given_when_asked_for_even_before_the_greeting_is_over() {
    let mut stage = LspSessionFixture::new(|far| {
        let hello = far.expect("initialize");
        assert_eq!(hello["params"]["initializationOptions"], json!({ "strict": true }));
        let params = json!({ "items": [{ "section": "mine" }] });
        far.say(json!({ "id": 5, "method": "workspace/configuration", "params": params }));
        assert_eq!(far.next()["result"], json!([{ "strict": true }]));
        let capabilities = json!({ "diagnosticProvider": {} });
        far.say(json!({ "id": hello["id"], "result": { "capabilities": capabilities } }));
        far.answer(&[]);
        far.expect("shutdown");
    });
    assert_eq!(stage.ask("one"), words(&[]));
}

#[test]
fn a_server_that_ends_while_it_is_asked_leaves_the_answer_unknown() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({ "diagnosticProvider": {} }));
        far.expect(DIAGNOSTIC);
    });
    let (found, trouble) = stage.ask("one");
    assert!(found.is_empty());
    assert_eq!(trouble, Some(ServerFailure::Ended("the script is over".to_owned())));
}

#[test]
fn a_server_that_refuses_says_why() {
    let mut stage = LspSessionFixture::new(|far| {
        let hello = far.expect("initialize");
        let error = json!({ "code": -32603, "message": "no workspace" });
        far.say(json!({ "id": hello["id"], "error": error }));
    });
    let (_, trouble) = stage.ask("one");
    assert_eq!(trouble.unwrap().to_string(), "it refused initialize: no workspace");
}

#[test]
fn silence_until_the_deadline_names_the_file_and_the_work() {
    let mut stage = LspSessionFixture::new(|far| {
        far.greet(&json!({}));
        let value = json!({ "kind": "begin", "title": "Indexing" });
        let params = json!({ "token": "t", "value": value });
        far.say(json!({ "method": "$/progress", "params": params }));
        far.expect("textDocument/didOpen");
        far.expect("shutdown");
    });
    let (_, trouble) = stage.ask_within("one", Duration::from_millis(300));
    let Some(ServerFailure::Slow { what, .. }) = trouble else { panic!("{trouble:?}") };
    assert_eq!(what, "nothing about a.x, it is busy with `Indexing`");
}
