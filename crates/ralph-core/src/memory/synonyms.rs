//! Words that mean the same to a developer, and words that mean the opposite.
//!
//! The tables hold words as people write them; they are stemmed when first used.

use std::sync::LazyLock;

use super::lexicon::SAME;
use super::stems::{find_base, stem};
use super::tables::Table;

/// The one word for several, if a word or what it is a form of has one.
fn known(word: &str) -> Option<&'static str> {
    static TABLE: LazyLock<Table<&'static str, String>> = LazyLock::new(|| {
        let mut table = Table::default();
        for line in SAME {
            let mut words = line.split(' ');
            let Some(first) = words.next() else { continue };
            table.insert(first, stem(first));
            for other in words {
                table.insert(other, stem(first));
            }
        }
        table
    });
    find_base(word, |base| TABLE.get(base)).map(String::as_str)
}

/// The stem that stands for a word and all its synonyms.
pub(super) fn key(word: &str) -> String {
    known(word).map_or_else(|| stem(word), str::to_owned)
}

/// What the words of a family share: "idempotent" and "idempotency".
pub(super) fn family(stem: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ability", "ibility", "izat", "ency", "ance", "ence", "able", "ible", "abl", "ibl", "ment",
        "ness", "ion", "ity", "ive", "ant", "ent", "ure", "ing", "at", "er", "or", "al", "ed",
        "iz", "is",
    ];
    let cut = |ending: &str| stem.strip_suffix(ending).filter(|rest| rest.len() >= 5);
    // An optimizer optimizes, so two endings may have to go.
    ENDINGS.iter().find_map(|ending| cut(ending)).map_or(stem, family)
}

/// The stems that a word is the opposite of: `forbid` is not to `allow`.
pub(super) fn opposites(word: &str) -> &'static [String] {
    static TABLE: LazyLock<Table<String, Vec<String>>> = LazyLock::new(|| {
        let mut table: Table<String, Vec<String>> = Table::default();
        for (one, others) in OPPOSITE {
            for other in others.split(' ') {
                table.entry(key(other)).or_default().push(key(one));
            }
        }
        table
    });
    TABLE.get(word).map_or(&[], Vec::as_slice)
}

/// Whether two stems say the opposite of each other.
pub(super) fn are_opposite(a: &str, b: &str) -> bool {
    let denies = |a: &str, b: &str| opposites(a).iter().any(|one| one == b);
    denies(a, b) || denies(b, a)
}

/// The groups of things of one kind that a stem belongs to.
fn siblings(stem: &str) -> &'static [usize] {
    static TABLE: LazyLock<Table<String, Vec<usize>>> = LazyLock::new(|| {
        let mut table: Table<String, Vec<usize>> = Table::default();
        for (group, line) in SIBLINGS.iter().enumerate() {
            for word in line.split(' ') {
                table.entry(key(word)).or_default().push(group);
            }
        }
        table
    });
    TABLE.get(stem).map_or(&[], Vec::as_slice)
}

/// Whether two stems tell two things of one kind apart.
pub(super) fn are_siblings(a: &str, b: &str) -> bool {
    let other = siblings(b);
    a != b && siblings(a).iter().any(|group| other.contains(group))
}

/// Whether a stem says by itself which of several things is meant: "admin",
/// but not "read".
pub(super) fn tells_apart(stem: &str) -> bool {
    siblings(stem).iter().any(|group| *group < PICKING)
}

/// How many of the groups of siblings do so: the first ones.
const PICKING: usize = 12;

/// A word and those that say it is not so.
const OPPOSITE: &[(&str, &str)] = &[
    (
        "allow",
        "forbid forbidden deny denied reject rejected prohibit prohibited ban banned disallow disallowed refuse refused illegal discouraged blocked",
    ),
    ("enable", "disable disabled off inactive deactivate deactivated"),
    ("sync", "async"),
    ("require", "optional unnecessary optionally"),
    ("public", "private internal"),
    ("mutable", "immutable"),
    ("true", "false"),
    ("manual", "automatic"),
    ("store", "remove leave overwrite"),
    ("see", "hidden"),
    ("stop", "continue"),
    ("inside", "outside"),
    ("share", "separate"),
    ("static", "dynamic"),
    ("random", "fixed deterministic stable"),
    ("warm", "cold"),
    ("relative", "absolute"),
    ("lossy", "lossless"),
    ("verbose", "quiet silent"),
    ("temporary", "permanent persistent"),
    ("deep", "shallow"),
    ("full", "partial"),
    ("exact", "approximate"),
    ("typed", "untyped"),
    ("alive", "dead"),
    ("cheap", "expensive"),
    ("inclusive", "exclusive"),
    ("big", "little"),
    ("lazily", "eager eagerly upfront"),
    ("strict", "lenient loose permissive"),
    ("safe", "unsafe dangerous"),
    ("sequential", "concurrent"),
    ("online", "offline"),
    ("network", "offline airgapped"),
    ("ascending", "descending"),
    ("sensitive", "insensitive"),
    ("fast", "slow"),
    ("pass", "fail"),
    ("work", "fail"),
    ("fail", "allow"),
    ("uppercase", "lowercase"),
    ("stable", "flaky"),
    ("stateful", "stateless"),
    ("newest", "oldest"),
    ("encrypt", "plaintext cleartext"),
    ("tab", "space spaces"),
    ("open", "close closed"),
    ("singular", "plural"),
    ("possible", "impossible"),
    ("visible", "hidden invisible"),
    ("add", "remove"),
    ("survive", "lost lose vanish disappear empty"),
    ("compatible", "incompatible"),
    ("guaranteed", "undefined"),
    ("include", "skip"),
    ("unique", "duplicate"),
    ("commit", "gitignored untracked"),
    ("show", "hide suppress swallow"),
];

/// Words that tell two things of one kind apart: what holds for one says
/// nothing of the other.
const SIBLINGS: &[&str] = &[
    "staging production development sandbox preview qa demo canary local",
    "unit integration browser e2e smoke load contract snapshot benchmark performance acceptance",
    "frontend backend mobile web desktop server client cli worker gateway api admin public private",
    "linux windows macos solaris freebsd android ios debian ubuntu alpine",
    "x86 arm arm64 amd64 x64 aarch64",
    "primary replica secondary standby",
    "free paid pro enterprise trial basic premium team",
    "internal external",
    "debug release",
    "nightly weekly monthly hourly daily",
    "email sms push",
    "user admin guest",
    "read write connect idle delete",
    "minimum maximum",
    "input output",
    "upload download",
    "source target destination",
    "feature release hotfix",
    "access refresh",
    "request response",
    "main pr",
    "get post put patch delete",
    "image video audio",
    "soft hard",
    "inbound outbound ingress egress",
    "memory cpu disk gpu",
    "before after",
];
