//! Fills `{{NAME}}` placeholders in a text, in one pass.
//!
//! Inserted values are not searched again: a placeholder inside the user's own task
//! stays as written.

/// Replaces every `{{NAME}}` of `template` that is in `values`; others stay.
pub fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 256);
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        let (before, from_open) = rest.split_at(open);
        out.push_str(before);
        let Some(close) = from_open.find("}}") else {
            rest = from_open;
            break;
        };
        let name = &from_open[2..close];
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            out.push_str(value);
            rest = &from_open[close + 2..];
        } else {
            // Skip only the first brace, so that `{{{{NAME}}` still finds NAME.
            out.push('{');
            rest = &from_open[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(template: &str, want: &str) {
        assert_eq!(render(template, &[("A", "1"), ("B", "{{A}}")]), want);
    }

    #[test]
    fn known_names_are_replaced_and_others_stay() {
        check("", "");
        check("{{A}}", "1");
        check("x{{A}}y{{A}}", "x1y1");
        check("{{C}} {{A}}", "{{C}} 1");
        check("{{A", "{{A");
        check("A}} {{", "A}} {{");
        check("{{{{A}}}}", "{{1}}");
    }

    #[test]
    fn what_is_put_in_is_not_expanded_again() {
        check("{{B}}", "{{A}}");
    }

    proptest! {
        #[test]
        fn a_value_survives_literally_whatever_it_holds(value in "(?s).{0,200}") {
            prop_assert_eq!(render("[{{V}}]", &[("V", &value), ("PROMPT", "expanded")]), format!("[{value}]"));
        }

        #[test]
        fn a_template_without_placeholders_is_itself(text in "[^{]{0,200}") {
            prop_assert_eq!(render(&text, &[("A", "1")]), text);
        }
    }
}
