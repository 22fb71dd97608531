//! The forms themselves, each with what makes it certain.

use ralph_core::finding::{FindingLevel, SourceLocation};
use ralph_core::format::OutputFormat;

use super::super::located::{LocatedLine, colons, digits, extension, is_path};
use super::super::{FindingCollector, ToolFinding, mypy, ruff};

/// A diagnostic in a line.
pub(super) struct PlacedFinding<'a> {
    pub(super) place: SourceLocation,
    pub(super) found: ToolFinding<'a>,
}

/// A diagnostic whose place is still to come.
pub(super) struct DiagnosticHeader<'a> {
    pub(super) tool: &'static str,
    pub(super) rule: Option<&'a str>,
    pub(super) level: FindingLevel,
    pub(super) message: &'a str,
}

/// The contents of a message, before its tool is known.
struct DiagnosticMessage<'a> {
    level: FindingLevel,
    rule: Option<&'a str>,
    message: &'a str,
}

fn seen<'a>(
    at: &LocatedLine<'_>,
    tool: &'a str,
    said: &DiagnosticMessage<'a>,
    out: &FindingCollector,
) -> PlacedFinding<'a> {
    let &DiagnosticMessage { level, rule, message } = said;
    let place = out.place(at.file, Some(at.line), at.column);
    PlacedFinding { place, found: ToolFinding { tool, rule, level, message, context: "" } }
}

/// `error: message`, `warning[code]: message`, `fatal error: message`.
pub(super) fn levelled<'a>(
    at: &LocatedLine<'a>,
    text: &'a str,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    let (level, rest) = level(text)?;
    let (code, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((code, rest)) if is_rule(code) => (Some(code), rest),
        Some(_) | None => (None, rest),
    };
    let message = rest.strip_prefix(": ")?.trim();
    let tool = compiler(at.file);
    let (rule, message) = match code {
        Some(code) => (Some(code), message),
        None => named_rule(tool, message),
    };
    let tool = if is_anybodys(tool, rule, at) { OutputFormat::Text.name() } else { tool };
    let tool = match rule {
        Some(rule) if is_shellcheck(rule) => "shellcheck",
        // Notes explain the finding before them; those of shellcheck are its own.
        Some(_) | None if level == FindingLevel::Info && text.starts_with("note") => return None,
        Some(_) | None => tool,
    };
    (!message.is_empty()).then(|| seen(at, tool, &DiagnosticMessage { level, rule, message }, out))
}

/// A level in the words of compilers. Logs and failing tests use other ones.
fn level(text: &str) -> Option<(FindingLevel, &str)> {
    const WORDS: &[(&str, FindingLevel)] = &[
        ("error", FindingLevel::Error),
        ("warning", FindingLevel::Warning),
        ("fatal error", FindingLevel::Error),
        ("note", FindingLevel::Info),
        ("information", FindingLevel::Info),
        ("info", FindingLevel::Info),
    ];
    WORDS.iter().find_map(|(word, level)| Some((*level, text.strip_prefix(word)?)))
}

/// True if any script may have printed a diagnostic: the tool itself would have given more details.
fn is_anybodys(tool: &str, rule: Option<&str>, at: &LocatedLine<'_>) -> bool {
    match tool {
        "mypy" => rule.is_none(),
        "cc" | "rustc" | "swiftc" => rule.is_none() && at.column.is_none(),
        _ => false,
    }
}

fn compiler(file: &str) -> &'static str {
    match extension(file).unwrap_or_default() {
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "inc" | "ipp" | "m" | "mm" => {
            "cc"
        }
        "java" => "javac",
        "kt" | "kts" => "kotlinc",
        "swift" => "swiftc",
        "rs" => "rustc",
        "py" | "pyi" => "mypy",
        "rb" => "ruby",
        "go" => "go",
        "php" => "php",
        _ => OutputFormat::Text.name(),
    }
}

/// The rule that a message names in the way of its tool.
fn named_rule<'a>(tool: &str, message: &'a str) -> (Option<&'a str>, &'a str) {
    if tool == "mypy" {
        return mypy::code(message).map_or((None, message), |(text, code)| (Some(code), text));
    }
    // `[deprecation] message`
    let first = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    if let (Some((rule, message)), "javac") = (first, tool) {
        return (Some(rule), message);
    }
    // `message [-Wflag]`
    let last = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match last {
        Some((message, rule)) if rule.starts_with("-W") || is_shellcheck(rule) => {
            (Some(rule), message)
        }
        Some(_) | None => (None, message),
    }
}

fn is_shellcheck(rule: &str) -> bool {
    rule.strip_prefix("SC")
        .is_some_and(|number| number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_rule(code: &str) -> bool {
    !code.is_empty()
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:/".contains(&byte))
}

/// `E501`, `F401`, `C0114`, `SIM102`: capitals and then digits.
fn is_code(code: &str) -> bool {
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let number = &code[letters..];
    (1..=4).contains(&letters)
        && (2..=5).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `file(line,column): error CODE: message [project]`, as of C# and C++.
pub(super) fn coded<'a>(at: &LocatedLine<'a>, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let (level, rest) = level(at.rest.strip_prefix(": ")?)?;
    let (code, message) = rest.strip_prefix(' ')?.split_once(": ")?;
    let message = match message.rsplit_once(" [") {
        Some((text, project)) if project.ends_with("proj]") => text,
        Some(_) | None => message,
    };
    let tool = match code.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "CS" => "csc",
        "C" | "LNK" => "cl",
        _ => "msbuild",
    };
    is_code(code)
        .then(|| seen(at, tool, &DiagnosticMessage { level, rule: Some(code), message }, out))
}

/// `file:line:column - error: message (rule)`, as of pyright.
pub(super) fn dashed<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let at = colons(text)?;
    let (level, rest) = level(at.rest.strip_prefix(" - ")?)?;
    let message = rest.strip_prefix(": ")?;
    let (rule, message) =
        bracketed(message).map_or((None, message), |(text, rule)| (Some(rule), text));
    Some(seen(&at, "pyright", &DiagnosticMessage { level, rule, message }, out))
}

/// `message (rule)`
fn bracketed(message: &str) -> Option<(&str, &str)> {
    let (text, rule) = message.strip_suffix(')')?.rsplit_once(" (")?;
    is_rule(rule).then_some((text, rule))
}

/// `F401 message` of flake8 and ruff, `C0114: message (symbol)` of pylint.
pub(super) fn python<'a>(
    at: &LocatedLine<'a>,
    text: &'a str,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    if !matches!(extension(at.file), Some("py" | "pyi" | "ipynb")) || at.column.is_none() {
        return None;
    }
    if let Some(message) = text.strip_prefix("invalid-syntax: ") {
        let said =
            DiagnosticMessage { level: FindingLevel::Error, rule: Some("invalid-syntax"), message };
        return Some(seen(at, "ruff", &said, out));
    }
    let (code, message) = text.split_once(' ')?;
    if let Some(code) = code.strip_suffix(':').filter(|code| is_code(code)) {
        let level = match code.as_bytes().first() {
            Some(b'E' | b'F') => FindingLevel::Error,
            Some(b'I') => FindingLevel::Info,
            Some(_) | None => FindingLevel::Warning,
        };
        let message = bracketed(message).map_or(message, |(text, _)| text);
        // It counts columns from 0.
        let at = LocatedLine { column: at.column.map(|column| column + 1), ..*at };
        return Some(seen(
            &at,
            "pylint",
            &DiagnosticMessage { level, rule: Some(code), message },
            out,
        ));
    }
    let (tool, message) = match message.strip_prefix("[*] ") {
        Some(message) => ("ruff", message),
        None => ("flake8", message),
    };
    let said = DiagnosticMessage { level: ruff::level(Some(code)), rule: Some(code), message };
    is_code(code).then(|| seen(at, tool, &said, out))
}

/// `message (linter)` of golangci-lint, `message (SA4006)` of staticcheck.
pub(super) fn golang_linter<'a>(
    at: &LocatedLine<'a>,
    text: &'a str,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    if extension(at.file) != Some("go") || at.column.is_none() {
        return None;
    }
    let (message, rule) = bracketed(text)?;
    let tool = if is_code(rule) { "staticcheck" } else { "golangci-lint" };
    let rule = Some(rule);
    Some(seen(at, tool, &DiagnosticMessage { level: FindingLevel::Warning, rule, message }, out))
}

/// `file:line:column: message` below the name of a package.
pub(super) fn go<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let at = colons(text.strip_prefix("vet: ").unwrap_or(text))?;
    let message = at.rest.strip_prefix(": ")?;
    let certain = extension(at.file) == Some("go") && at.column.is_some();
    certain.then(|| {
        seen(&at, "go", &DiagnosticMessage { level: FindingLevel::Error, rule: None, message }, out)
    })
}

/// `# example.com/m`, `# example.com/m [example.com/m.test]`, `# [example.com/m]`.
pub(super) fn is_go_package(text: &str) -> bool {
    let Some(name) = text.strip_prefix("# ") else { return false };
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./~[]".contains(&byte))
    };
    match name.split_once(' ') {
        Some((package, variant)) => word(package) && variant.starts_with('[') && word(variant),
        None => word(name),
    }
}

/// `syntax error, unexpected …`
pub(super) fn ruby<'a>(
    at: &LocatedLine<'a>,
    text: &'a str,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    let certain =
        matches!(extension(at.file), Some("rb" | "rake")) && text.starts_with("syntax error");
    let said = DiagnosticMessage { level: FindingLevel::Error, rule: None, message: text };
    certain.then(|| seen(at, "ruby", &said, out))
}

/// `/path/file.php:12:Message`, the raw form. What `grep -n` prints is alike:
/// a sentence begins with a capital and does not end as a statement does.
pub(super) fn phpstan<'a>(
    at: &LocatedLine<'a>,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    let message = at.rest.strip_prefix(':')?;
    let certain = extension(at.file) == Some("php")
        && at.file.starts_with('/')
        && at.column.is_none()
        && message.starts_with(|c: char| c.is_ascii_uppercase())
        && message.contains(' ')
        && !message.ends_with([';', '{', '}', ',', '(']);
    let (rule, message) =
        match message.strip_suffix(']').and_then(|m| m.rsplit_once(" [identifier=")) {
            Some((message, rule)) => (Some(rule), message),
            None => (None, message),
        };
    certain.then(|| {
        seen(at, "phpstan", &DiagnosticMessage { level: FindingLevel::Error, rule, message }, out)
    })
}

/// `PHP Parse error:  message in file on line 3`.
pub(super) fn php<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let text = text.strip_prefix("PHP ").unwrap_or(text);
    // Warnings and notices come from programs that run, such as tests.
    let text =
        ["Parse error: ", "Fatal error: "].iter().find_map(|kind| text.strip_prefix(kind))?;
    let (text, line) = text.rsplit_once(" on line ")?;
    let (message, file) = text.rsplit_once(" in ")?;
    let (line, "") = digits(line)? else { return None };
    let at = LocatedLine { file, line, column: None, rest: "" };
    let message = message.trim();
    let certain = is_path(file) && !message.starts_with("Uncaught ");
    certain.then(|| {
        seen(
            &at,
            "php",
            &DiagnosticMessage { level: FindingLevel::Error, rule: None, message },
            out,
        )
    })
}

/// `[ERROR] /path/App.java:[5,17] message`.
pub(super) fn maven<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let (level, text) = match text.strip_prefix("[ERROR] ") {
        Some(text) => (FindingLevel::Error, text),
        None => (FindingLevel::Warning, text.strip_prefix("[WARNING] ")?),
    };
    let (file, text) = text.split_once(":[")?;
    let (line, text) = digits(text)?;
    let (column, text) = digits(text.strip_prefix(',')?)?;
    let message = text.strip_prefix("] ")?;
    let tool = compiler(file);
    let (rule, message) = named_rule(tool, message);
    let at = LocatedLine { file, line, column: Some(column), rest: "" };
    is_path(file).then(|| seen(&at, tool, &DiagnosticMessage { level, rule, message }, out))
}

/// `e: file:///path/A.kt:3:5 message`, `w: /path/A.kt: (3, 5): message`.
pub(super) fn kotlin<'a>(text: &'a str, out: &FindingCollector) -> Option<PlacedFinding<'a>> {
    let (level, text) = match text.strip_prefix("e: ") {
        Some(text) => (FindingLevel::Error, text),
        None => (FindingLevel::Warning, text.strip_prefix("w: ")?),
    };
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (at, message) = match text.split_once(": (") {
        Some((file, rest)) if is_path(file) => {
            let (line, rest) = digits(rest)?;
            let (column, rest) = digits(rest.strip_prefix(", ")?)?;
            (LocatedLine { file, line, column: Some(column), rest: "" }, rest.strip_prefix("): ")?)
        }
        Some(_) | None => {
            let at = colons(text)?;
            (at, at.rest.strip_prefix(' ')?)
        }
    };
    let certain = matches!(extension(at.file), Some("kt" | "kts" | "java"));
    certain.then(|| seen(&at, "kotlinc", &DiagnosticMessage { level, rule: None, message }, out))
}

/// `error[E0425]: message` of rustc and `F401 [*] message` of ruff, whose
/// place comes in the next line.
pub(super) fn before_arrow(text: &str) -> Option<DiagnosticHeader<'_>> {
    if let Some((level @ (FindingLevel::Error | FindingLevel::Warning), rest)) = level(text) {
        let (rule, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((rule, rest)) if is_rule(rule) => (Some(rule), rest),
            Some(_) | None => (None, rest),
        };
        let message = rest.strip_prefix(": ")?;
        return Some(DiagnosticHeader { tool: "rustc", rule, level, message });
    }
    let (rule, message) = match text.strip_prefix("invalid-syntax: ") {
        Some(message) => ("invalid-syntax", message),
        None => text.split_once(' ').filter(|(code, _)| is_code(code))?,
    };
    let message = message.strip_prefix("[*] ").unwrap_or(message);
    Some(DiagnosticHeader {
        tool: "ruff",
        rule: Some(rule),
        level: ruff::level(Some(rule)),
        message,
    })
}

/// `3:7  warning  message  rule` below the name of a file, as of eslint.
pub(super) fn stylish<'a>(
    file: &str,
    text: &'a str,
    out: &FindingCollector,
) -> Option<PlacedFinding<'a>> {
    let (line, rest) = digits(text)?;
    let (column, rest) = digits(rest.strip_prefix(':')?)?;
    let (level, rest) = level(rest.strip_prefix("  ")?.trim_start())?;
    let text = rest.strip_prefix("  ")?.trim();
    let (message, rule) = match text.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
        Some(_) | None => (text, None),
    };
    let at = LocatedLine { file, line, column: Some(column), rest: "" };
    Some(seen(&at, "eslint", &DiagnosticMessage { level, rule, message }, out))
}
