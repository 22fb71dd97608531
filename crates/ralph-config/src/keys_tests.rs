use super::*;

#[test]
fn no_two_settings_share_a_name() {
    let mut paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
    paths.extend(KEYS.iter().filter_map(|key| key.variable));
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count);
}

#[test]
fn everything_about_clients_can_be_set() {
    for setting in ralph_agents::SETTINGS {
        assert!(find(setting.path).is_some(), "{}", setting.path);
    }
}

#[test]
fn every_form_of_output_can_be_chosen() {
    assert_eq!(FORMATS, OutputFormat::ALL.map(OutputFormat::name));
}

#[test]
fn a_gate_with_a_label_has_the_settings_of_its_criterion() {
    let path = |path: &str| find(path).map(|key| key.path);
    assert_eq!(path("gates.test_pass:web.command"), Some("gates.test_pass.command"));
    assert_eq!(path("gates.lint_clean:a.b/c.dir"), Some("gates.lint_clean.dir"));
    assert_eq!(path("gates.test_pass:web.comand"), None);
    assert_eq!(path("gates.custom:web.timeout"), None);
    assert!(is_table("gates.test_pass:web") && !is_table("gates.test_pass:"));
}

#[test]
fn a_language_server_of_any_name_has_settings() {
    let path = |path: &str| find(path).map(|key| key.path);
    assert_eq!(path("lsp.lua.command"), Some("lsp.NAME.command"));
    assert_eq!(path("lsp.a.b.extensions"), Some("lsp.NAME.extensions"));
    assert_eq!(path("lsp.lua.comand"), None);
    assert_eq!(path("lsp.command"), None);
    assert!(is_table("lsp") && is_table("lsp.lua"));
}

#[test]
fn a_misspelt_key_finds_its_neighbour() {
    assert_eq!(nearest("run.max_iteration"), Some("run.max_iterations"));
    assert_eq!(nearest("completely.different.thing"), None);
}
