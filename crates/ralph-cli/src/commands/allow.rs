//! `ralph allow`: accepts changes that were held as tampering.

use std::path::Path;

use ralph_checks::tamper::Rules;
use ralph_core::locale::Locale;
use ralph_engine::allowed;
use ralph_store::RunStore;

use super::rollback;
use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

/// Accept changes that were held as tampering
///
/// A run whose tests or checks were made weaker does not succeed. This accepts
/// what was done to the files given, from the next evaluation on. Without a
/// path it lists what is held.
#[derive(clap::Args, Debug)]
pub(crate) struct AllowArgs {
    /// Files or folders, or patterns as in .gitignore
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The run (default: the current one of this work tree)
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &AllowArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (store, run) = app.recorded(args.run.as_deref())?;
    let folder = app.home.join("runs").join(run.id.as_str());
    if args.paths.is_empty() {
        let last = store.iteration(&run.id, run.iteration)?;
        let held = last.map(|record| record.weakened).unwrap_or_default();
        let rows = held.into_iter().map(|held| vec![held.place, held.what]);
        out::raw(&texts::held(rows.collect(), app.locale()));
        return Ok(0);
    }
    if std::env::var_os("RALPH_DRIVER").is_some() {
        return Err(CliError::refused("an agent cannot accept what is held against its own run")
            .with_hint("ask the user to run `ralph allow`, or undo the change"));
    }
    let paths = args.paths.iter().map(|path| inside(&app, path));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    Rules::new(&[], &paths).map_err(|error| CliError::usage(error.to_string()))?;
    let new = allowed::add(&folder, &paths)?;
    for path in paths {
        let is_new = new.contains(&path);
        out::line(match (app.locale(), is_new) {
            (Locale::En, true) => format!("{}: changes of {path} are accepted.", run.id),
            (Locale::En, false) => format!("{}: changes of {path} were accepted before.", run.id),
            (Locale::Ko, true) => format!("{}: {path} 변경을 허용했습니다.", run.id),
            (Locale::Ko, false) => format!("{}: {path} 변경은 이미 허용되어 있습니다.", run.id),
        });
    }
    Ok(0)
}

/// The path as seen from the project's root; a pattern is meant from there.
fn inside(app: &App, path: &str) -> Result<String, CliError> {
    if path.contains(['*', '?', '[', '!', '\n']) {
        return if path.contains('\n') {
            Err(CliError::usage("a path with a line break cannot be allowed"))
        } else {
            Ok(path.to_owned())
        };
    }
    let found = rollback::relative(app, &[Path::new(path).to_owned()])?;
    let parts = found.iter().flat_map(|path| path.iter().map(|part| part.to_string_lossy()));
    Ok(parts.collect::<Vec<_>>().join("/"))
}
