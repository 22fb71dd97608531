use super::*;

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(TextAnalyzer::default().terms(text), want, "{text}");
}

#[test]
fn words_are_lower_cased_stemmed_and_stop_words_dropped() {
    check("The Migrations are running.", &["migrat", "run"]);
    check("Don't touch the user's caches!", &["touch", "user", "cach"]);
    check("", &[]);
    check("... -- '", &[]);
}

#[test]
fn identifiers_are_kept_whole_and_cut_into_parts() {
    check("parseConfig", &["parseconfig", "pars", "config"]);
    check("HTTPServer", &["httpserver", "http", "server"]);
    check("max_age_seconds", &["max_age_seconds", "max", "age", "second"]);
    check("utf8", &["utf8", "utf"]);
    check("core::decide", &["core::decide", "core", "decid"]);
    check("dry-run", &["dry-run", "dri", "run"]);
    check("__init__", &["__init__", "init"]);
}

#[test]
fn identifiers_and_paths_are_told_from_prose() {
    let mut found = Vec::new();
    TextAnalyzer::default().analyse("lock parseConfig src/lib.rs x_y Word", |term, class| {
        found.push((term.to_owned(), class));
    });
    let class_of = |term: &str| found.iter().find(|(known, _)| known == term).unwrap().1;
    assert_eq!(class_of("lock"), TermClass::Word);
    assert_eq!(class_of("word"), TermClass::Word);
    assert_eq!(class_of("config"), TermClass::Identifier);
    assert_eq!(class_of("x_y"), TermClass::Identifier);
    assert_eq!(class_of("lib"), TermClass::Path);
}

#[test]
fn paths_are_kept_whole_without_line_numbers() {
    check("src/Store/open.rs:12:5", &["src/store/open.rs", "src", "store", "open", "rs"]);
    check(r"src\main.rs", &["src/main.rs", "src", "main", "rs"]);
}

#[test]
fn versions_and_dates_are_kept_whole() {
    check("2026-05-06", &["2026-05-06", "2026"]);
    check("v1.2.3", &["v1.2.3", "v1"]);
    check("1.95.0", &["1.95.0"]);
    check("error 404", &["error", "404"]);
}

#[test]
fn korean_words_share_terms_with_and_without_a_particle() {
    let mut analyzer = TextAnalyzer::default();
    for text in ["설정을", "설정이", "설정에서는", "설정"] {
        let terms = analyzer.terms(text);
        assert!(terms.iter().any(|term| term == "설정"), "{text}: {terms:?}");
    }
    let exact = analyzer.terms("설정").iter().filter(|term| *term == "설정").count();
    assert_eq!(exact, 2, "an exact word counts twice");
    check("API를", &["api"]);
    assert!(analyzer.terms("값을").contains(&"값".to_owned()));
    assert!(analyzer.terms("값").contains(&"값".to_owned()));
}

#[test]
fn chinese_and_japanese_become_pairs() {
    check("設定値", &["設定", "定値"]);
    check("猫", &["猫"]);
    check("データ", &["デー", "ータ"]);
}

#[test]
fn other_scripts_are_lower_cased() {
    check("Привет МИР", &["привет", "мир"]);
    check("ΑΒΓ", &["αβγ"]);
}

#[test]
fn a_token_of_ten_megabytes_is_one_short_term() {
    let terms = TextAnalyzer::default().terms(&"aB3_".repeat(2_500_000));
    assert_eq!(terms.len(), 1);
    assert_eq!(terms[0].len(), LONGEST_TERM);
}

#[test]
fn a_cut_never_splits_a_character() {
    let terms = TextAnalyzer::default().terms(&"é/".repeat(1000));
    assert!(terms.iter().all(|term| term.len() <= LONGEST_TERM));
    let terms = TextAnalyzer::default().terms(&"ж".repeat(1000));
    assert_eq!(terms[0].chars().count(), LONGEST_TERM / 2);
}

proptest::proptest! {
    #[test]
    fn any_text_gives_short_terms(text in "\\PC{0,200}") {
        for term in TextAnalyzer::default().terms(&text) {
            proptest::prop_assert!(!term.is_empty() && term.len() <= LONGEST_TERM);
        }
    }
}
