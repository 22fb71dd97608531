//! `ralph config`: what holds, and where it came from.

use serde_json::{Map, json};

use crate::app::App;
use crate::config::{KEYS, Settings, schema};
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
    let layers = app.layers()?;
    Settings::new(&layers, app.locale())?;
    let origin_of = |path: &str| {
        layers
            .iter()
            .find(|(known, _, _)| *known == path)
            .map(|(_, value, origin)| (value.to_toml(), origin.to_string()))
    };
    if args.json {
        let settings: Map<String, serde_json::Value> = KEYS
            .iter()
            .map(|key| {
                let entry = match origin_of(key.path) {
                    Some((value, origin)) => json!({ "value": value, "origin": origin }),
                    None => json!({ "default": key.default, "origin": "default" }),
                };
                (key.path.to_owned(), entry)
            })
            .collect();
        out::line(json!({ "schema": 1, "settings": settings }));
        return Ok(0);
    }
    let rows = KEYS.iter().map(|key| match origin_of(key.path) {
        Some((value, origin)) => {
            vec![key.path.to_owned(), texts::one_line(&value.to_string(), 60), origin]
        }
        None => vec![key.path.to_owned(), key.default.to_owned(), "default".to_owned()],
    });
    out::raw(&texts::table(&["setting", "value", "origin"], rows));
    Ok(0)
}
