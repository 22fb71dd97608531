//! Lists of folders as the roots of workspaces write them.

use ignore::gitignore::GitignoreBuilder;

/// True if one of the patterns means the folder. `*` stands for one folder, `**` for any number of
/// them, and a leading `!` excludes.
pub(super) fn lists<S: AsRef<str>>(patterns: &[S], folder: &str) -> bool {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        let pattern = pattern.as_ref().trim_end_matches('/');
        let (sign, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => ("!", rest),
            None => ("", pattern),
        };
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        // A pattern that makes no sense means no folder.
        let _ = builder.add_line(None, &format!("{sign}/{pattern}"));
    }
    builder.build().is_ok_and(|matcher| matcher.matched(folder, true).is_ignore())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_folders_and_a_mark_takes_out() {
        let listed = |folder| lists(&["packages/*", "./web/", "libs/**", "!packages/old"], folder);
        for folder in ["packages/a", "web", "libs/x/y"] {
            assert!(listed(folder), "{folder}");
        }
        for folder in ["packages/a/b", "other/web", "packages/old", "api", "packages"] {
            assert!(!listed(folder), "{folder}");
        }
        assert!(!lists::<&str>(&[], "a"));
    }
}
