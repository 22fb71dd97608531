//! The files a server has been told about, and what it said about each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::uri;
use super::wire::LspDiagnostic;

/// The maximum number of files that stay open although they are not asked about.
const IDLE_FILES: usize = 100;

/// Files larger than this are not given to a server.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The open files of one server.
#[derive(Debug, Default)]
pub(super) struct OpenDocuments {
    open: BTreeMap<PathBuf, OpenDocument>,
}

#[derive(Debug)]
struct OpenDocument {
    version: i64,
    text: String,
    pushed: Option<DocumentDiagnostics>,
    pulled: Option<DocumentDiagnostics>,
}

#[derive(Debug)]
struct DocumentDiagnostics {
    version: i64,
    diagnostics: Vec<LspDiagnostic>,
}

/// A file with the protocol's name for its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiagnosticsRequest {
    pub(super) path: PathBuf,
    pub(super) language: String,
}

/// The way an answer arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiagnosticsDelivery {
    /// The server sends it when it likes.
    Push,
    /// The server is asked for it.
    Pull,
}

/// A message for a server, as method and parameters.
pub(super) type ServerNotification = (&'static str, Value);

impl OpenDocuments {
    /// Brings the server's knowledge up to what is on disk: the notes to send
    /// for the files asked about and for those opened before.
    ///
    /// A file that cannot be read as text is not open afterwards.
    pub(super) fn sync(&mut self, asked: &[DiagnosticsRequest]) -> Vec<ServerNotification> {
        let mut notes = Vec::new();
        let is_asked = |path: &Path| asked.iter().any(|file| file.path == path);
        let mut idle: Vec<PathBuf> =
            self.open.keys().filter(|path| !is_asked(path)).cloned().collect();
        for path in idle.split_off(idle.len().min(IDLE_FILES)) {
            self.close(&path, &mut notes);
        }
        for path in idle {
            match read(&path) {
                Some(text) => self.change(&path, text, &mut notes),
                None => self.close(&path, &mut notes),
            }
        }
        for DiagnosticsRequest { path, language } in asked {
            match (read(path), self.open.contains_key(path)) {
                (Some(text), true) => self.change(path, text, &mut notes),
                (Some(text), false) => self.open(path, language, text, &mut notes),
                (None, true) => self.close(path, &mut notes),
                (None, false) => {}
            }
        }
        notes
    }

    fn open(
        &mut self,
        path: &Path,
        language: &str,
        text: String,
        notes: &mut Vec<ServerNotification>,
    ) {
        let uri = uri::from_path(path);
        let item = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        notes.push(("textDocument/didOpen", json!({ "textDocument": item })));
        let document = OpenDocument { version: 1, text, pushed: None, pulled: None };
        self.open.insert(path.to_owned(), document);
    }

    fn change(&mut self, path: &Path, text: String, notes: &mut Vec<ServerNotification>) {
        let Some(document) = self.open.get_mut(path).filter(|open| open.text != text) else {
            return;
        };
        document.version += 1;
        let id = json!({ "uri": uri::from_path(path), "version": document.version });
        // Without a range the text is the whole, also for servers that could
        // take less.
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": id, "contentChanges": changes });
        notes.push(("textDocument/didChange", params));
        let saved = json!({ "textDocument": { "uri": uri::from_path(path) } });
        notes.push(("textDocument/didSave", saved));
        document.text = text;
    }

    fn close(&mut self, path: &Path, notes: &mut Vec<ServerNotification>) {
        self.open.remove(path);
        let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
        notes.push(("textDocument/didClose", params));
    }

    /// Takes what the server sent of itself. What it says about an earlier
    /// text, or about a file that is not open, is dropped.
    pub(super) fn push(&mut self, path: &Path, version: Option<i64>, found: Vec<LspDiagnostic>) {
        let Some(document) = self.open.get_mut(path) else { return };
        // Without a version it is about the text it has, as far as one knows.
        let version = version.unwrap_or(document.version);
        if version >= document.version {
            document.pushed =
                Some(DocumentDiagnostics { version: document.version, diagnostics: found });
        }
    }

    /// Takes the answer to a question about this version; `None` when nothing
    /// changed since the last.
    pub(super) fn pull(&mut self, path: &Path, version: i64, found: Option<Vec<LspDiagnostic>>) {
        let Some(document) = self.open.get_mut(path) else { return };
        match (found, &mut document.pulled) {
            (Some(diagnostics), pulled) => {
                *pulled = Some(DocumentDiagnostics { version, diagnostics });
            }
            (None, Some(pulled)) => pulled.version = version,
            (None, None) => {
                document.pulled = Some(DocumentDiagnostics { version, diagnostics: Vec::new() });
            }
        }
    }

    /// Forgets the answers of servers that are asked: they are out of date.
    pub(super) fn doubt(&mut self) {
        for document in self.open.values_mut() {
            document.pulled = None;
        }
    }

    /// The version of an open file.
    pub(super) fn version(&self, path: &Path) -> Option<i64> {
        self.open.get(path).map(|document| document.version)
    }

    /// True if nothing more is to be expected about a file. One that is not open needs no answer.
    pub(super) fn is_answered(&self, path: &Path, way: DiagnosticsDelivery) -> bool {
        let Some(document) = self.open.get(path) else { return true };
        let answer = match way {
            DiagnosticsDelivery::Push => &document.pushed,
            DiagnosticsDelivery::Pull => &document.pulled,
        };
        answer.as_ref().is_some_and(|answer| answer.version >= document.version)
    }

    /// Returns the diagnostics for the current text of a file, from either way.
    pub(super) fn diagnostics(&self, path: &Path) -> Vec<LspDiagnostic> {
        let Some(document) = self.open.get(path) else { return Vec::new() };
        let answers = [&document.pulled, &document.pushed].into_iter().flatten();
        let present = answers.filter(|answer| answer.version >= document.version);
        present.flat_map(|answer| answer.diagnostics.iter().cloned()).collect()
    }
}

/// The text of a file that a server can be given.
fn read(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    let fits = facts.is_file() && facts.len() <= MAX_BYTES;
    fits.then(|| ralph_files::read_text(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &Path) -> [DiagnosticsRequest; 1] {
        [DiagnosticsRequest { path: path.to_owned(), language: "x".to_owned() }]
    }

    fn methods(notes: &[ServerNotification]) -> Vec<&str> {
        notes.iter().map(|(method, _)| method.trim_start_matches("textDocument/")).collect()
    }

    fn diagnostic(message: &str) -> Vec<LspDiagnostic> {
        let start = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": start });
        serde_json::from_value(json!([{ "range": range, "message": message }])).unwrap()
    }

    #[test]
    fn a_server_is_told_what_changed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let mut documents = OpenDocuments::default();
        assert!(documents.sync(&asked(&one)).is_empty());
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        assert_eq!(methods(&documents.sync(&asked(&one))), ["didOpen"]);
        assert!(documents.sync(&asked(&one)).is_empty());
        // A file that was opened before is kept up to date, asked about or not.
        fs::write(&one, "1!").unwrap();
        let notes = documents.sync(&asked(&two));
        assert_eq!(methods(&notes), ["didChange", "didSave", "didOpen"]);
        assert_eq!(notes[0].1["textDocument"]["version"], 2);
        fs::remove_file(&one).unwrap();
        assert_eq!(methods(&documents.sync(&asked(&two))), ["didClose"]);
    }

    #[test]
    fn what_was_said_about_an_earlier_text_is_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut documents = OpenDocuments::default();
        fs::write(&path, "1").unwrap();
        documents.sync(&asked(&path));
        documents.push(&path, Some(1), diagnostic("old"));
        assert!(documents.is_answered(&path, DiagnosticsDelivery::Push));
        assert!(!documents.is_answered(&path, DiagnosticsDelivery::Pull));
        fs::write(&path, "2").unwrap();
        documents.sync(&asked(&path));
        documents.push(&path, Some(1), diagnostic("old"));
        assert!(!documents.is_answered(&path, DiagnosticsDelivery::Push));
        assert_eq!(documents.diagnostics(&path), []);
        documents.push(&path, None, diagnostic("new"));
        assert!(documents.is_answered(&path, DiagnosticsDelivery::Push));
        assert_eq!(documents.diagnostics(&path), diagnostic("new"));
    }

    #[test]
    fn an_unchanged_answer_is_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut documents = OpenDocuments::default();
        fs::write(&path, "1").unwrap();
        documents.sync(&asked(&path));
        documents.pull(&path, 1, Some(diagnostic("it")));
        documents.pull(&path, 1, None);
        assert_eq!(documents.diagnostics(&path), diagnostic("it"));
        documents.doubt();
        assert!(!documents.is_answered(&path, DiagnosticsDelivery::Pull));
    }

    #[test]
    fn files_nobody_asks_about_are_closed_beyond_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<DiagnosticsRequest> = (0..IDLE_FILES + 3)
            .map(|index| {
                let path = folder.path().join(format!("f{index}"));
                fs::write(&path, "").unwrap();
                DiagnosticsRequest { path, language: String::new() }
            })
            .collect();
        let mut documents = OpenDocuments::default();
        documents.sync(&files);
        assert_eq!(methods(&documents.sync(&files[..1])), ["didClose", "didClose"]);
    }
}
