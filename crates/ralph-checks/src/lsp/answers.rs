//! A server's requests to us, and our answers. A server that gets none may wait for ever.

use std::path::Path;

use serde_json::{Value, json};

use super::uri;

/// The answer to a request of the server: the rest of the response, without
/// its id.
pub(super) fn answer(method: &str, params: &Value, settings: &Value, root: &Path) -> Value {
    let result = match method {
        "workspace/configuration" => configuration(params, settings),
        "workspace/workspaceFolders" => folders(root),
        "workspace/applyEdit" => {
            json!({ "applied": false, "failureReason": "this client only reads" })
        }
        "window/showDocument" => json!({ "success": false }),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest"
        | "workspace/diagnostic/refresh"
        | "workspace/codeLens/refresh"
        | "workspace/inlayHint/refresh"
        | "workspace/semanticTokens/refresh" => Value::Null,
        _ => {
            let message = format!("{method} is not supported");
            return json!({ "error": { "code": -32601, "message": message } });
        }
    };
    json!({ "result": result })
}

/// The one folder of the workspace.
pub(super) fn folders(root: &Path) -> Value {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    json!([{ "uri": uri::from_path(root), "name": name }])
}

/// One value for each section asked for; null where there is none.
fn configuration(params: &Value, settings: &Value) -> Value {
    let items = params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let values = items.iter().map(|item| match item["section"].as_str() {
        None | Some("") => settings.clone(),
        Some(section) => section.split('.').fold(settings, |value, name| &value[name]).clone(),
    });
    Value::Array(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(method: &str, params: &Value) -> Value {
        let settings = json!({ "gopls": { "a": 1, "b": { "c": true } } });
        answer(method, params, &settings, Path::new("/my project"))
    }

    #[test]
    fn every_section_asked_for_gets_one_value() {
        let items = ["gopls", "gopls.b.c", "python", "", "gopls.a.x"];
        let items = items.map(|section| json!({ "section": section }));
        let answer = ask("workspace/configuration", &json!({ "items": items }));
        let whole = json!({ "gopls": { "a": 1, "b": { "c": true } } });
        assert_eq!(answer["result"], json!([whole["gopls"], true, null, whole, null]));
    }

    #[test]
    fn requests_without_which_servers_stall_are_granted() {
        for method in [
            "client/registerCapability",
            "window/workDoneProgress/create",
            "window/showMessageRequest",
            "workspace/diagnostic/refresh",
        ] {
            assert_eq!(ask(method, &Value::Null), json!({ "result": null }), "{method}");
        }
        let folders = ask("workspace/workspaceFolders", &Value::Null);
        let want = json!([{ "uri": "file:///my%20project", "name": "my project" }]);
        assert_eq!(folders["result"], want);
    }

    #[test]
    fn what_we_cannot_do_is_refused_in_so_many_words() {
        assert_eq!(ask("workspace/applyEdit", &Value::Null)["result"]["applied"], false);
        assert_eq!(ask("x/unheardOf", &Value::Null)["error"]["code"], -32601);
    }
}
