//! `ralph config`: the settings in force, and where each came from.

use ralph_config::{KEYS, SettingValue, schema};
use serde_json::{Map, json};

use super::trust;
use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// Print every setting with its origin
#[derive(clap::Args, Debug)]
pub(crate) struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the JSON schema of ralph.toml
    #[arg(long, conflicts_with = "json")]
    schema: bool,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<u8, CliError> {
    if args.schema {
        out::raw(&schema());
        return Ok(0);
    }
    let app = App::discover()?;
    trust::note_left_out(&app);
    let layers = app.counted_layers()?;
    app.settings(&layers)?;
    let origin_of = |path: &str| {
        layers
            .iter()
            .find(|(known, _, _)| *known == path)
            .map(|(path, value, origin)| (shown(path, value), origin.to_string()))
    };
    // Gates with a label have no row in the table of settings.
    let labelled = layers.iter().map(|(path, _, _)| path);
    let labelled = labelled.filter(|path| KEYS.iter().all(|key| key.path != *path));
    let rows = KEYS.iter().map(|key| (key.path, key.default)).chain(labelled.map(|it| (it, "")));
    if args.json {
        let settings: Map<String, serde_json::Value> = rows
            .map(|(path, default)| {
                let entry = match origin_of(path) {
                    Some((value, origin)) => json!({ "value": value, "origin": origin }),
                    None => json!({ "default": default, "origin": "default" }),
                };
                (path.to_owned(), entry)
            })
            .collect();
        out::line(json!({ "schema": 1, "settings": settings }));
        return Ok(0);
    }
    let rows = rows.map(|(path, default)| match origin_of(path) {
        Some((value, origin)) => {
            vec![path.to_owned(), texts::one_line(&value.to_string(), 60), origin]
        }
        None => vec![path.to_owned(), default.to_owned(), "default".to_owned()],
    });
    out::raw(&texts::table(&["setting", "value", "origin"], rows));
    Ok(0)
}

/// Returns the value of a setting, without the password that an address may hold.
fn shown(path: &str, value: &SettingValue) -> toml::Value {
    match value {
        SettingValue::Text(text) if path.ends_with(".attach") => without_password(text).into(),
        SettingValue::Text(_)
        | SettingValue::Count(_)
        | SettingValue::Span(_)
        | SettingValue::Switch(_)
        | SettingValue::Money(_)
        | SettingValue::List(_) => value.to_toml(),
    }
}

fn without_password(address: &str) -> String {
    let Some((before, place)) = address.rsplit_once('@') else { return address.to_owned() };
    let scheme = before.split_once("://").map(|(scheme, _)| format!("{scheme}://"));
    format!("{}***@{place}", scheme.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (address, want) in [
            ("http://127.0.0.1:4096", "http://127.0.0.1:4096"),
            ("http://me:s/e@cret@host:1/x", "http://***@host:1/x"),
            ("me:secret@host", "***@host"),
        ] {
            let value = SettingValue::Text(address.to_owned());
            assert_eq!(shown("host.attach", &value), want.into());
            assert_eq!(shown("run.promise", &value), address.into());
        }
    }
}
