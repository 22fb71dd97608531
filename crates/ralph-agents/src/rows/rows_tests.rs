use super::*;

fn changed(text: &str) -> Result<RowTable, RowError> {
    let mut table = RowTable::default();
    let text: Table = toml::from_str(text).unwrap();
    for (name, row) in &text {
        table.change(name, row.as_table().unwrap(), Some(Path::new("/u/config.toml")))?;
    }
    Ok(table)
}

#[test]
fn every_shipped_row_can_be_read_and_chosen() {
    let table = RowTable::default();
    let names = table.names();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let row = table.find(&name).unwrap().unwrap();
        assert!(crate::NAMES.contains(&name.as_str()), "{name}");
        assert!(row.origins.is_empty() && row.proof.how != ProofKind::Yours, "{name}");
        assert_eq!(row.proof.version.is_none(), row.proof.how == ProofKind::Documented, "{name}");
        for kind in row.transports() {
            let row = AgentRow { transport: kind, mode: ALL.to_owned(), ..row.clone() };
            if let TransportKind::Stream = kind {
                assert!(!row.in_use().events.done.is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn no_row_allows_everything_by_default() {
    const WORDS: [&str; 7] =
        ["yolo", "bypass", "skip-permissions", "allow-all", "--force", "yes-always", "full-access"];
    for row in RowTable::default().all() {
        let agent = RowAgent::new(row.clone(), crate::limits::LimitPatterns::known());
        let line = crate::Agent::command_line(&agent).join(" ");
        let mode = row.in_use().session_modes.get(&row.mode).cloned().unwrap_or_default();
        for word in WORDS {
            assert!(!line.contains(word) && !mode.contains(word), "{}: {line} {mode}", row.name);
        }
    }
}

#[test]
fn a_table_of_the_settings_adds_a_row_or_changes_one() {
    let table = changed(
        "[codex]\nmodel = \"m\"\nmode = \"all\"\n[mine]\nprogram = \"mine\"\ntransport = \"text\"\n\
         text.args = [\"run\", \"{args}\"]",
    );
    let table = table.unwrap();
    let codex = table.find("codex").unwrap().unwrap();
    assert_eq!((codex.model.as_deref(), codex.mode.as_str()), (Some("m"), "all"));
    assert_eq!(codex.origins, [PathBuf::from("/u/config.toml")]);
    let mine = table.find("mine").unwrap().unwrap();
    assert_eq!((mine.title.as_str(), mine.proof.how), ("mine", ProofKind::Yours));
    assert_eq!(table.find("other"), Ok(None));
}

#[test]
fn an_error_in_a_row_is_named() {
    for (text, error) in [
        ("[command]\nprogram = \"x\"", "`command` is no name"),
        ("[claude]\nprogram = \"x\"", "`claude` is no name"),
        ("[\"a b\"]\nprogram = \"x\"", "`a b` is no name"),
        ("[mine]\nprogram = \"x\"", "missing field `transport`"),
        ("[mine]\nprogram = \"x\"\ntransport = \"acp\"", "no table `acp`"),
        ("[codex]\nmodle = \"m\"", "unknown field `modle`"),
        ("[codex]\nmode = \"wild\"", "`wild` is not a mode of it; it has all, edits"),
        ("[codex]\nstream.dialect = \"x\"", "no dialect `x`"),
        ("[codex]\nstream.events.text = [\"-> a\"]", "has no condition"),
        ("[codex]\nstream.lost = [\"(\"]", "the pattern `(` is not"),
    ] {
        let found = changed(text).unwrap_err().to_string();
        assert!(found.contains(error), "{text}: {found}");
    }
}
