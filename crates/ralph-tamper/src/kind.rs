//! The kinds of tampering, their severity, and their descriptions.

use std::fmt;

use ralph_core::finding::SourceLocation;
use ralph_core::locale::Locale;

/// One thing done to a test or to a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tampering {
    /// The place: in the current file, or the earlier one if it is gone.
    pub place: SourceLocation,
    /// The kind of change.
    pub kind: TamperingKind,
}

impl Tampering {
    pub(super) fn new(file: &str, line: u32, kind: TamperingKind) -> Self {
        Self {
            place: SourceLocation { file: file.to_owned(), line: Some(line), column: None },
            kind,
        }
    }

    /// Returns the severity.
    pub fn severity(&self) -> TamperingSeverity {
        self.kind.severity()
    }

    /// Returns a description in English.
    pub fn what(&self) -> String {
        self.kind.to_string()
    }
}

/// The severity of tampering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TamperingSeverity {
    /// Less is checked than before: success is withheld.
    Weakening,
    /// Something was edited: it is reported.
    Edit,
}

/// A kind of tampering. Texts are as in the files, shortened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TamperingKind {
    /// A test is gone.
    TestLost {
        /// Its id.
        test: String,
        /// The earlier place, as `file:line`.
        was: String,
    },
    /// A test is still there, but the runner does not collect it any more.
    TestNotCollected {
        /// Its id.
        test: String,
        /// The test's new name, or the file it is in.
        now: String,
    },
    /// A module with tests is not part of the program any more.
    ModuleDetached {
        /// Its name.
        module: String,
    },
    /// A test or a group of them is skipped, ignored or expected to fail.
    SkipAdded {
        /// The test or the group.
        test: String,
        /// The text that skips it.
        marker: String,
    },
    /// Only this test or group is run.
    OnlyAdded {
        /// The test or the group.
        test: String,
        /// The text that selects it.
        marker: String,
    },
    /// Nothing is left in the body of a test.
    TestEmptied {
        /// Its id.
        test: String,
    },
    /// An assertion is gone.
    AssertionRemoved {
        /// The test or the helper that held it.
        owner: String,
        /// The assertion.
        assertion: String,
        /// The earlier place, as `file:line`.
        was: String,
    },
    /// An assertion was replaced by one that cannot fail.
    AssertionTrivial {
        /// The test or the helper that holds it.
        owner: String,
        /// The assertion now.
        assertion: String,
    },
    /// An assertion asks for less.
    AssertionLoosened {
        /// The test or the helper that holds it.
        owner: String,
        /// The assertion before.
        from: String,
        /// The assertion now.
        to: String,
    },
    /// An error that an assertion throws is caught.
    AssertionSwallowed {
        /// The test or the helper that holds it.
        owner: String,
        /// The assertion.
        assertion: String,
    },
    /// An assertion is asked under a new condition only.
    AssertionConditional {
        /// The test or the helper that holds it.
        owner: String,
        /// The assertion.
        assertion: String,
    },
    /// A test has fewer cases.
    CasesRemoved {
        /// Its id.
        test: String,
        /// The earlier number.
        from: usize,
        /// The number now.
        to: usize,
    },
    /// A recorded result is gone.
    SnapshotDeleted,
    /// Data for tests is gone.
    FixtureDeleted,
    /// A tool is told to overlook something.
    SuppressionAdded {
        /// The text of the suppression, such as `# noqa: E501`.
        marker: String,
    },
    /// A script that a gate executes was changed.
    ScriptChanged,
    /// A script that a gate executes is gone.
    ScriptDeleted,
    /// A file that sets up the tests now meddles with what is run.
    CollectionChanged {
        /// The text that does so.
        marker: String,
    },
    /// The configuration of a tool checks less.
    SettingWeakened {
        /// The key, with its path.
        setting: String,
        /// The value before; `None` if it was not set.
        from: Option<String>,
        /// The value now; `None` if it is not set.
        to: Option<String>,
    },
    /// A command that serves as a check does less, or does not count.
    CommandWeakened {
        /// The script or target.
        name: String,
        /// The command now; `None` if it is gone.
        to: Option<String>,
    },
    /// A file with the configuration of a check is gone.
    ConfigDeleted,
    /// A test was edited in another way.
    TestChanged {
        /// Its id.
        test: String,
    },
    /// A test became a part, or a case, of another one.
    TestMerged {
        /// Its id before.
        test: String,
        /// The other one.
        into: String,
    },
    /// A test was renamed.
    TestRenamed {
        /// Its id before.
        from: String,
        /// Its id now.
        to: String,
    },
    /// An assertion asks for something else.
    AssertionChanged {
        /// The test or the helper that holds it.
        owner: String,
        /// The assertion before.
        from: String,
        /// The assertion now.
        to: String,
    },
    /// A recorded result was rewritten.
    SnapshotChanged,
    /// Data for tests was edited.
    FixtureChanged,
    /// A setting was changed in another way.
    SettingChanged {
        /// The key, with its path.
        setting: String,
    },
}

impl TamperingKind {
    /// Returns a description in the language of the user.
    pub fn describe(&self, locale: Locale) -> String {
        locale.say(self.to_string(), self.in_korean())
    }

    /// True if it was done to a test, in whatever file, and not to the settings of a tool.
    pub fn is_about_tests(&self) -> bool {
        match self {
            Self::TestLost { .. }
            | Self::TestNotCollected { .. }
            | Self::ModuleDetached { .. }
            | Self::SkipAdded { .. }
            | Self::OnlyAdded { .. }
            | Self::TestEmptied { .. }
            | Self::AssertionRemoved { .. }
            | Self::AssertionTrivial { .. }
            | Self::AssertionLoosened { .. }
            | Self::AssertionSwallowed { .. }
            | Self::AssertionConditional { .. }
            | Self::CasesRemoved { .. }
            | Self::SnapshotDeleted
            | Self::FixtureDeleted
            | Self::TestChanged { .. }
            | Self::TestMerged { .. }
            | Self::TestRenamed { .. }
            | Self::AssertionChanged { .. }
            | Self::SnapshotChanged
            | Self::FixtureChanged => true,
            Self::SuppressionAdded { .. }
            | Self::ScriptChanged
            | Self::ScriptDeleted
            | Self::CollectionChanged { .. }
            | Self::SettingWeakened { .. }
            | Self::CommandWeakened { .. }
            | Self::ConfigDeleted
            | Self::SettingChanged { .. } => false,
        }
    }

    /// Returns the severity.
    pub fn severity(&self) -> TamperingSeverity {
        match self {
            Self::TestLost { .. }
            | Self::TestNotCollected { .. }
            | Self::ModuleDetached { .. }
            | Self::SkipAdded { .. }
            | Self::OnlyAdded { .. }
            | Self::TestEmptied { .. }
            | Self::AssertionRemoved { .. }
            | Self::AssertionTrivial { .. }
            | Self::AssertionLoosened { .. }
            | Self::AssertionSwallowed { .. }
            | Self::AssertionConditional { .. }
            | Self::CasesRemoved { .. }
            | Self::SnapshotDeleted
            | Self::FixtureDeleted
            | Self::SuppressionAdded { .. }
            | Self::ScriptChanged
            | Self::ScriptDeleted
            | Self::CollectionChanged { .. }
            | Self::SettingWeakened { .. }
            | Self::CommandWeakened { .. }
            | Self::ConfigDeleted => TamperingSeverity::Weakening,
            Self::TestChanged { .. }
            | Self::TestMerged { .. }
            | Self::TestRenamed { .. }
            | Self::AssertionChanged { .. }
            | Self::SnapshotChanged
            | Self::FixtureChanged
            | Self::SettingChanged { .. } => TamperingSeverity::Edit,
        }
    }
}

impl fmt::Display for TamperingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TestLost { test, was } => write!(f, "test `{test}` is gone (was at {was})"),
            Self::TestNotCollected { test, now } => {
                write!(f, "test `{test}` is not collected any more: it is now `{now}`")
            }
            Self::ModuleDetached { module } => {
                write!(f, "test module `{module}` is not declared any more")
            }
            Self::SkipAdded { test, marker } => write!(f, "`{marker}` added to `{test}`"),
            Self::OnlyAdded { test, marker } => {
                write!(f, "`{marker}` runs `{test}` and nothing else")
            }
            Self::TestEmptied { test } => write!(f, "the body of `{test}` is empty"),
            Self::AssertionRemoved { owner, assertion, was } => {
                write!(f, "assertion removed from `{owner}`: `{assertion}` (was at {was})")
            }
            Self::AssertionTrivial { owner, assertion } => {
                write!(f, "assertion in `{owner}` cannot fail: `{assertion}`")
            }
            Self::AssertionLoosened { owner, from, to } => {
                write!(f, "assertion in `{owner}` asks for less: `{from}` became `{to}`")
            }
            Self::AssertionSwallowed { owner, assertion } => {
                write!(f, "what an assertion in `{owner}` throws is caught: `{assertion}`")
            }
            Self::AssertionConditional { owner, assertion } => {
                write!(f, "assertion in `{owner}` is under a new condition: `{assertion}`")
            }
            Self::CasesRemoved { test, from, to } => {
                let cases = if *to == 1 { "case" } else { "cases" };
                write!(f, "`{test}` has {to} {cases} instead of {from}")
            }
            Self::SnapshotDeleted => f.write_str("snapshot deleted"),
            Self::FixtureDeleted => f.write_str("test data deleted"),
            Self::SuppressionAdded { marker } => write!(f, "suppression `{marker}` added"),
            Self::ScriptChanged => f.write_str("script of a gate changed"),
            Self::ScriptDeleted => f.write_str("script of a gate deleted"),
            Self::CollectionChanged { marker } => {
                write!(f, "`{marker}` added: it changes which tests run")
            }
            Self::SettingWeakened { setting, from, to } => {
                fmt_setting(f, setting, from.as_deref(), to.as_deref())
            }
            Self::CommandWeakened { name, to: Some(to) } => {
                write!(f, "`{name}` checks less: it is now `{to}`")
            }
            Self::CommandWeakened { name, to: None } => write!(f, "`{name}` is gone"),
            Self::ConfigDeleted => f.write_str("configuration of a check deleted"),
            Self::TestChanged { test } => write!(f, "test `{test}` edited"),
            Self::TestMerged { test, into } => write!(f, "test `{test}` is now part of `{into}`"),
            Self::TestRenamed { from, to } => write!(f, "test `{from}` renamed to `{to}`"),
            Self::AssertionChanged { owner, from, to } => {
                write!(f, "assertion in `{owner}` changed: `{from}` became `{to}`")
            }
            Self::SnapshotChanged => f.write_str("snapshot rewritten"),
            Self::FixtureChanged => f.write_str("test data edited"),
            Self::SettingChanged { setting } => write!(f, "`{setting}` changed"),
        }
    }
}

fn fmt_setting(
    f: &mut fmt::Formatter<'_>,
    setting: &str,
    from: Option<&str>,
    to: Option<&str>,
) -> fmt::Result {
    match (from, to) {
        (None, Some(to)) => write!(f, "`{setting}` checks less: `{to}` added"),
        (Some(from), None) => write!(f, "`{setting}` checks less: `{from}` removed"),
        (Some(from), Some(to)) => write!(f, "`{setting}` checks less: {from} became {to}"),
        (None, None) => write!(f, "`{setting}` checks less"),
    }
}
