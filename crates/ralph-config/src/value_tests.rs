use proptest::prelude::*;

use super::*;

#[test]
fn durations_need_a_number_and_a_unit() {
    for (text, seconds) in
        [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("1h 5m", 3900)]
    {
        assert_eq!(span(text), Some(Duration::from_secs(seconds)), "{text}");
    }
    assert_eq!(span("250ms"), Some(Duration::from_millis(250)));
    for bad in ["", "30", "m", "-5m", "0s", "1w", "5 minutes", "99999999999999999999h", "1h30"] {
        assert_eq!(span(bad), None, "{bad}");
    }
}

proptest! {
    #[test]
    fn a_duration_survives_the_way_through_text(millis in 1u64..10_000_000_000) {
        let given = Duration::from_millis(millis);
        prop_assert_eq!(span(&render_span(given)), Some(given));
    }
}

#[test]
fn criteria_are_names_with_commas_or_one_custom_command() {
    let parse = |text: &str| SettingKind::Criteria.parse(text);
    let list =
        |items: &[&str]| Ok(SettingValue::List(items.iter().map(ToString::to_string).collect()));
    assert_eq!(parse("test_pass, lint_clean"), list(&["test_pass", "lint_clean"]));
    assert_eq!(parse("custom:sh -c 'a, b'"), list(&["custom:sh -c 'a, b'"]));
    assert_eq!(parse("tests"), Err(ValueError::Criterion { given: "tests".into() }));
    assert_eq!(parse("custom:"), Err(ValueError::EmptyCommand));
    assert_eq!(parse("custom:sh: "), Err(ValueError::EmptyCommand));
    assert!(parse("custom:'open").is_err());
}

#[test]
fn what_only_a_shell_understands_is_refused() {
    for text in ["true && false", "a | b", "a; b", "cd x ; y", "a > out", "a 2>&1"] {
        let refused = words(text);
        assert!(matches!(refused, Err(ValueError::NeedsShell(_))), "{text}: {refused:?}");
    }
    for text in ["sh -c 'a && b'", "grep 'a|b' file", "find . -name x", "echo a&b"] {
        assert!(words(text).is_ok(), "{text}");
    }
}

#[test]
fn a_number_that_is_too_large_is_called_so() {
    let error = SettingKind::Count.parse("99999999999999999999").unwrap_err();
    assert_eq!(error.to_string(), "`99999999999999999999` is more than 4294967295");
}

#[test]
fn money_may_carry_its_sign() {
    assert_eq!(
        SettingKind::Money.parse("$2.50"),
        Ok(SettingValue::Money(Usd::from_micros(2_500_000)))
    );
    assert_eq!(SettingKind::Money.parse("0"), Ok(SettingValue::Money(Usd::default())));
    assert_eq!(SettingKind::Budget.parse("0"), Err(ValueError::Budget("0".into())));
    assert_eq!(SettingKind::Budget.parse("$2.50"), SettingKind::Money.parse("$2.50"));
    assert_eq!(SettingKind::Money.parse("-1"), Err(ValueError::Money("-1".into())));
    assert_eq!(SettingKind::Money.parse("NaN"), Err(ValueError::Money("NaN".into())));
}

#[test]
fn a_value_of_the_wrong_form_says_what_was_expected() {
    let error = SettingKind::Span.read(&toml::Value::Integer(30)).unwrap_err();
    assert_eq!(error.to_string(), "expected a duration such as \"30m\", found integer");
}
