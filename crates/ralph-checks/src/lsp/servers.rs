//! The servers we know, and those that configuration adds.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

/// The time that a server that pushes must be silent before its last answer counts.
const QUIET: Duration = Duration::from_millis(400);

/// A language server: how it is started and what it is good for.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageServer {
    /// The name in reports, and the tool of findings that name none.
    pub name: String,
    /// The commands that start it; the first that is installed is used.
    pub commands: Vec<Vec<String>>,
    /// The files it looks at.
    pub languages: Vec<ServerLanguage>,
    /// Programs without which it finds nothing, silently.
    pub needs: Vec<String>,
    /// The condition under which it is used if it is installed.
    pub wanted: ServerCondition,
    /// Files that mark the folder it is started in: the nearest one above a
    /// file that has one, else the project's root.
    pub roots: Vec<String>,
    /// Its settings, by section.
    pub settings: Value,
    /// The time it must be silent after a push before that counts.
    pub quiet: Duration,
    /// The peculiarities that need special treatment.
    pub quirks: Vec<ServerQuirk>,
}

/// A peculiarity of a server that needs special treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerQuirk {
    /// Until it says for the first time that answers are to be asked for
    /// again, it has not read its settings and finds nothing.
    RefreshesFirst,
    /// It shares a daemon with every other client of the user through a socket in the cache. It
    /// gets a cache of its own, so that no other client loses the daemon when it ends.
    SharesDaemon,
}

/// A kind of file, by how its name ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLanguage {
    /// With the dot.
    pub extension: String,
    /// The protocol's name for the language.
    pub id: String,
}

/// The condition under which an installed server is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCondition {
    /// Whenever there is a file for it.
    Always,
    /// Only if it is installed in the project itself, or if one of these files says that the
    /// project uses it.
    WithOneOf(Vec<String>),
}

impl LanguageServer {
    /// A server as configuration has it.
    ///
    /// `language` is the protocol's name for all its files; without one the
    /// usual name for each extension is taken.
    pub fn configured(
        name: &str,
        command: Vec<String>,
        extensions: &[String],
        language: Option<&str>,
    ) -> Self {
        let languages = extensions.iter().map(|extension| {
            let extension = format!(".{}", extension.trim_start_matches('.'));
            let id = language.unwrap_or_else(|| language_of(&extension)).to_owned();
            ServerLanguage { extension, id }
        });
        let languages = languages.collect();
        Self { commands: vec![command], languages, ..Self::named(name) }
    }

    /// The tool whose findings it reports, as it is called on the command line.
    pub fn tool(name: &str) -> &str {
        match name {
            "bash-language-server" => "shellcheck",
            name => name,
        }
    }

    /// The language of a file, if the server looks at it.
    pub fn language(&self, file: &Path) -> Option<&ServerLanguage> {
        let name = file.file_name()?.to_str()?;
        self.languages.iter().find(|language| name.ends_with(&language.extension))
    }

    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            commands: Vec::new(),
            languages: Vec::new(),
            needs: Vec::new(),
            wanted: ServerCondition::Always,
            roots: Vec::new(),
            settings: Value::Null,
            quiet: QUIET,
            quirks: Vec::new(),
        }
    }

    pub(crate) fn known(name: &str, commands: &[&str], extensions: &[&str]) -> Self {
        let words = |command: &&str| command.split(' ').map(str::to_owned).collect();
        let languages = extensions.iter().map(|extension| ServerLanguage {
            extension: (*extension).to_owned(),
            id: language_of(extension).to_owned(),
        });
        Self {
            commands: commands.iter().map(words).collect(),
            languages: languages.collect(),
            ..Self::named(name)
        }
    }

    fn needing(self, program: &str) -> Self {
        Self { needs: vec![program.to_owned()], ..self }
    }

    pub(crate) fn rooted(self, roots: &[&str]) -> Self {
        Self { roots: texts(roots), ..self }
    }

    fn with(self, quirk: ServerQuirk) -> Self {
        Self { quirks: vec![quirk], ..self }
    }

    pub(crate) fn with_one_of(self, files: &[&str]) -> Self {
        Self { wanted: ServerCondition::WithOneOf(texts(files)), ..self }
    }
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub(crate) const PYTHON: &[&str] = &[".py", ".pyi"];
const TYPESCRIPT: &[&str] = &[".ts", ".tsx", ".mts", ".cts"];
pub(crate) const SCRIPT: &[&str] = &[".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"];
const GO: &[&str] = &[".go"];
const RUST: &[&str] = &[".rs"];
pub(crate) const SHELL: &[&str] = &[".sh", ".bash"];
const C: &[&str] = &[".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"];

/// The files of all servers that need no configuration.
const KNOWN: [&[&str]; 7] = [PYTHON, TYPESCRIPT, SCRIPT, C, GO, SHELL, RUST];

/// True if a server that needs no configuration may look at a file. To list them all costs more
/// than most callers have to spend.
pub(crate) fn may_look_at(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    KNOWN.iter().flat_map(|kinds| kinds.iter()).any(|extension| name.ends_with(extension))
}

/// The servers that need no configuration.
pub fn known() -> Vec<LanguageServer> {
    let gopls = LanguageServer::known("gopls", &["gopls"], GO);
    let rust = LanguageServer::known("rust-analyzer", &["rust-analyzer"], RUST);
    vec![
        LanguageServer::known("ruff", &["ruff server"], PYTHON),
        LanguageServer::known("pyright", &["pyright-langserver --stdio"], PYTHON)
            .rooted(&["pyrightconfig.json", "pyproject.toml"]),
        LanguageServer::known("tsc", &["tsc --lsp --stdio", "tsgo --lsp --stdio"], TYPESCRIPT),
        LanguageServer::known("biome", &["biome lsp-proxy"], SCRIPT)
            .with_one_of(&["biome.json", "biome.jsonc"])
            .with(ServerQuirk::SharesDaemon),
        LanguageServer::known("oxlint", &["oxlint --lsp"], SCRIPT)
            .with_one_of(&[".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.config.ts"])
            .with(ServerQuirk::RefreshesFirst),
        // Its index would be written into the project, and is not needed.
        LanguageServer::known("clangd", &["clangd --background-index=false"], C),
        LanguageServer {
            // Newer ones answer when asked; older ones push in two parts, the
            // second after this delay.
            settings: json!({ "gopls": { "pullDiagnostics": true, "diagnosticsDelay": "10ms" } }),
            quiet: Duration::from_secs(2),
            ..gopls.needing("go").rooted(&["go.work", "go.mod"])
        },
        LanguageServer::known("bash-language-server", &["bash-language-server start"], SHELL)
            .needing("shellcheck"),
        LanguageServer {
            quiet: Duration::from_secs(1),
            ..rust.needing("cargo").rooted(&["Cargo.lock"])
        },
    ]
}

/// The protocol's name for the language of files with this ending.
fn language_of(extension: &str) -> &str {
    match extension {
        ".py" | ".pyi" => "python",
        ".ts" | ".mts" | ".cts" => "typescript",
        ".tsx" => "typescriptreact",
        ".js" | ".mjs" | ".cjs" => "javascript",
        ".jsx" => "javascriptreact",
        ".c" => "c",
        ".h" | ".cc" | ".cpp" | ".cxx" | ".hh" | ".hpp" | ".hxx" => "cpp",
        ".sh" | ".bash" => "shellscript",
        ".rs" => "rust",
        ".rb" => "ruby",
        ".kt" | ".kts" => "kotlin",
        ".cs" => "csharp",
        ".md" => "markdown",
        ".yml" => "yaml",
        other => other.trim_start_matches('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_server_has_a_name_of_its_own_a_command_and_files() {
        let servers = known();
        for server in &servers {
            let same = servers.iter().filter(|other| other.name == server.name);
            assert_eq!(same.count(), 1, "{}", server.name);
            assert!(server.commands.iter().all(|command| !command.is_empty()), "{}", server.name);
            assert!(!server.languages.is_empty(), "{}", server.name);
        }
    }

    #[test]
    fn the_files_of_known_servers_are_told_without_listing_them() {
        for server in known() {
            for language in server.languages {
                let file = format!("src/a{}", language.extension);
                assert!(may_look_at(Path::new(&file)), "{file}");
            }
        }
        for other in ["a.txt", "README", "src/go", ".gitignore"] {
            assert!(!may_look_at(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn a_configured_server_takes_extensions_with_and_without_a_dot() {
        let extensions = ["lua".to_owned(), ".blade.php".to_owned(), ".tsx".to_owned()];
        let server =
            LanguageServer::configured("mine", vec!["serve".to_owned()], &extensions, None);
        let id = |file: &str| server.language(Path::new(file)).map(|found| found.id.as_str());
        assert_eq!(id("a/b.lua"), Some("lua"));
        assert_eq!(id("view.blade.php"), Some("blade.php"));
        assert_eq!(id("app.tsx"), Some("typescriptreact"));
        assert_eq!(id("b.php"), None);
        let named = LanguageServer::configured("mine", Vec::new(), &extensions, Some("php"));
        assert_eq!(named.language(Path::new("view.blade.php")).unwrap().id, "php");
    }
}
