//! A generated project in Python.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

use crate::failure::TaskFailure;

/// Number of files.
pub(super) const FILES: u32 = 3000;

/// Number of files in a folder.
const FOLDER: u32 = 50;

/// One file in this many has something that a rule finds.
const RISKY: u32 = 25;

/// Number of classes in a file: about 250 lines.
const CLASSES: u32 = 10;

/// The words of the rules that the files contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleWords {
    /// The words of ordinary code.
    Few,
    /// All words in every file, so that no file can be skipped.
    All,
}

impl fmt::Display for RuleWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Few => "3,000 Python files",
            Self::All => "3,000 Python files with every word",
        })
    }
}

const IMPORTS: &str = "import json\nimport logging\nimport os\nimport subprocess\n\
                       from dataclasses import dataclass\n\nlog = logging.getLogger(__name__)\n";

const CLASS: &str = r#"

@dataclass
class Record@:
    """Keeps one row of table @ and how it was changed."""

    name: str
    size: int = @
    parent: "Record@ | None" = None

    def describe(self, depth=0):
        lines = [f"{self.name} ({self.size})"]
        for index, (key, value) in enumerate(sorted(self.fields().items())):
            if value is None or index > @:
                continue
            lines.append("  " * depth + key + ": " + str(value))
        return "\n".join(lines)

    def fields(self):
        return {"name": self.name, "size": self.size, "parent": self.parent}

    def store(self, cursor, folder):
        path = os.path.join(folder, "record-@.json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(self.fields(), stream, default=str)
        cursor.execute("INSERT INTO records VALUES (?, ?)", (self.name, self.size))
        subprocess.run(["sync", path], check=True)
        log.info("stored %s in %s", self.name, path)
"#;

const RISK: &str = r#"

def risky(cursor, name, request):
    os.system("touch " + name)
    subprocess.run(f"ls {name}", shell=True)
    cursor.execute(f"SELECT * FROM records WHERE name = '{name}'")
    return eval(name)
"#;

/// A word for each rule, where it changes nothing.
const WORDS: &str = "\n# Environment autoescape=False bind app.run host= allow_origins= \
    allow_credentials= eval exec debug=True password secret api_key jwt.decode verify=False \
    mark_safe Markup marshal.load tempfile.mktemp os.system open request.args pickle.load \
    random.choice token requests.get .execute select insert into set_missing_host_key_policy \
    AutoAddPolicy known_hosts paramiko _create_unverified_context check_hostname cert_reqs \
    urllib.request.urlopen subprocess shell=True\n";

/// Writes the project.
pub(super) fn write(root: &Path, words: RuleWords) -> Result<(), TaskFailure> {
    for number in 0..FILES {
        let folder = root.join(format!("package{}", number / FOLDER));
        if number % FOLDER == 0 {
            fs::create_dir_all(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
        }
        let file = folder.join(format!("module{number}.py"));
        fs::write(&file, text(number, words)).map_err(|error| TaskFailure::io(&file, &error))?;
    }
    Ok(())
}

fn text(number: u32, words: RuleWords) -> String {
    let mut text = format!("\"\"\"Module {number}.\"\"\"\n\n{IMPORTS}");
    for class in 0..CLASSES {
        let id = number * CLASSES + class;
        for (index, part) in CLASS.split('@').enumerate() {
            // The first is part of the decorator.
            match index {
                0 => {}
                1 => text.push('@'),
                _ => {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{id}");
                }
            }
            text.push_str(part);
        }
    }
    if number.is_multiple_of(RISKY) {
        text.push_str(RISK);
    }
    if words == RuleWords::All {
        text.push_str(WORDS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_differ_and_some_are_risky() {
        assert_ne!(text(1, RuleWords::Few), text(2, RuleWords::Few));
        assert!(text(3, RuleWords::Few).contains("\n@dataclass\nclass Record30:\n"));
        assert!(text(0, RuleWords::Few).contains("def risky"));
        assert!(!text(1, RuleWords::All).contains("def risky"));
        assert!(text(1, RuleWords::All).contains("# Environment"));
    }
}
