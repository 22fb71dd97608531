//! Keeps the password of our server from the commands that its tools run.
//!
//! The client reads it only from its environment, and passes that environment
//! to every shell. A plugin can remove it, and one can be added to the user's
//! settings.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::http::encoded;

/// The name of the plugin's file.
pub(super) const FILE: &str = "opencode-guard.ts";

const GUARD: &str = include_str!("guard.ts");

/// The variable with settings, as JSON, that override all files.
const SETTINGS_VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";

/// Writes the plugin to a folder and adds it to the client's environment.
/// Errors are ignored: the password still protects the server.
pub(super) fn post(env: &mut Vec<(OsString, OsString)>, folder: &Path) {
    let file = folder.join(FILE);
    let known = env.iter().find(|(name, _)| name == SETTINGS_VARIABLE);
    let known = known.map(|(_, value)| value.to_string_lossy().into_owned());
    let Some(settings) = with_plugin(known.as_deref(), &file) else { return };
    if fs::write(&file, GUARD).is_ok() {
        env.retain(|(name, _)| name != SETTINGS_VARIABLE);
        env.push((SETTINGS_VARIABLE.into(), settings.into()));
    }
}

/// Returns the user's settings with one more plugin; `None` if they are not
/// plain JSON.
fn with_plugin(known: Option<&str>, file: &Path) -> Option<String> {
    let mut settings: Value = match known.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => serde_json::from_str(text).ok()?,
        None => json!({}),
    };
    let plugins = settings.as_object_mut()?.entry("plugin").or_insert_with(|| json!([]));
    plugins.as_array_mut()?.push(format!("file://{}", encoded(file.to_str()?)).into());
    Some(settings.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_the_user_stay_and_get_one_more_plugin() {
        let with = |known| with_plugin(known, Path::new("/a b/guard.ts"));
        let ours = r#"{"plugin":["file:///a%20b/guard.ts"]}"#;
        assert_eq!(with(None).as_deref(), Some(ours));
        assert_eq!(with(Some(" ")).as_deref(), Some(ours));
        let both = with(Some(r#"{"model":"x/y","plugin":["mine"]}"#)).unwrap();
        let both: Value = serde_json::from_str(&both).unwrap();
        assert_eq!(both["model"], "x/y");
        assert_eq!(both["plugin"], json!(["mine", "file:///a%20b/guard.ts"]));
        for odd in ["// remark\n{}", "[]", r#"{"plugin":"mine"}"#] {
            assert_eq!(with(Some(odd)), None, "{odd}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_changes_nothing() {
        let mut env = vec![("A".into(), "1".into())];
        post(&mut env, Path::new("/gone/for/good"));
        assert_eq!(env, [("A".into(), "1".into())]);
        let folder = tempfile::tempdir().unwrap();
        post(&mut env, folder.path());
        assert_eq!((env.len(), env[1].0.to_str()), (2, Some(SETTINGS_VARIABLE)));
        assert!(folder.path().join("opencode-guard.ts").exists());
    }
}
