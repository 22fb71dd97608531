//! The files with our slash commands.
//!
//! They only have to exist: our prompt hook reads the typed text before the model
//! does. Where a host replaces what is typed by the text of the file, that text is
//! the command again.

use crate::inspection::CommandState;
use crate::install::{FolderReader, HostFileError, text};

/// What the commands are for.
pub(crate) const ABOUT_RALPH: &str = "Work on a task until ralph has proven it done";
pub(crate) const ABOUT_CANCEL: &str = "End the ralph loop of this session";

/// A file of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstallFile {
    /// Its path, with `/`.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) text: String,
}

/// The form of a host's files with commands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CommandFiles {
    /// Files with instructions for the agent, for a host that reports what was
    /// typed.
    Instructions(fn() -> [InstallFile; 2]),
    /// TOML files in this folder.
    Toml(&'static str),
    /// Markdown files in this folder, and the mark for what is typed behind the
    /// command.
    Markdown(&'static str, &'static str),
    /// None, but the file that describes a plugin.
    Manifest(&'static str),
    /// The host has none.
    Missing,
}

impl CommandFiles {
    /// Returns the files, with paths in the folder of the settings.
    pub(crate) fn files(self) -> Vec<InstallFile> {
        let both = |file: &dyn Fn(&str, &str) -> InstallFile| {
            vec![file("ralph", ABOUT_RALPH), file("cancel-ralph", ABOUT_CANCEL)]
        };
        match self {
            Self::Instructions(files) => files().into(),
            Self::Toml(folder) => both(&|name, about| InstallFile {
                path: format!("{folder}/{name}.toml"),
                text: format!("description = \"{about}\"\nprompt = \"/{name} {{{{args}}}}\"\n"),
            }),
            Self::Markdown(folder, mark) => both(&|name, about| InstallFile {
                path: format!("{folder}/{name}.md"),
                text: format!("---\ndescription: {about}\n---\n/{name} {mark}\n"),
            }),
            Self::Manifest(path) => {
                let version = env!("CARGO_PKG_VERSION");
                let text = format!(
                    "{{\n  \"name\": \"ralph\",\n  \"version\": \"{version}\",\n  \
                     \"description\": \"{ABOUT_RALPH}\"\n}}\n"
                );
                vec![InstallFile { path: path.to_owned(), text }]
            }
            Self::Missing => Vec::new(),
        }
    }
}

/// Returns true if this or an older version of `ralph` installed this command
/// text, so that it may be replaced or removed.
pub(crate) fn is_ours(text: &str) -> bool {
    let about = text
        .lines()
        .find_map(|line| line.trim_start_matches([' ', '"']).strip_prefix("description"));
    let about = about.map(|rest| rest.trim_matches([' ', ':', '=', '"', '\r']));
    about.is_some_and(|about| [ABOUT_RALPH, ABOUT_CANCEL].contains(&about))
}

/// Returns the state of a file in the folder.
pub(crate) fn state(
    read: &FolderReader<'_>,
    file: &InstallFile,
) -> Result<CommandState, HostFileError> {
    Ok(match text(read, &file.path)? {
        None => CommandState::Missing,
        Some(text) if text == file.text => CommandState::Current,
        Some(text) if is_ours(&text) => CommandState::Old,
        Some(_) => CommandState::Foreign,
    })
}
