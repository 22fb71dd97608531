//! Methods that values of a language's own types have.

use crate::family::Family;

impl Family {
    /// Whether text, numbers, collections and the like have a method of this
    /// name. Called on something whose type is not known it is as likely theirs
    /// as the only one in the project.
    pub(crate) fn has_built_in_method(self, name: &str) -> bool {
        match self {
            Self::Python => has(PYTHON, name),
            Self::Script => has(SCRIPT, name),
            Self::Rust => has(RUST, name),
            Self::Ruby => has(RUBY, name),
            Self::Java => has(JAVA, name),
            Self::CSharp => has(C_SHARP, name),
            Self::C => has(CPP, name),
            // Their own types have no methods.
            Self::Go | Self::Php | Self::Shell => false,
        }
    }
}

fn has(words: &str, name: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == name)
}

const PYTHON: &str = "
    add append capitalize clear close copy count decode difference discard encode endswith
    extend find flush format fromkeys get index insert intersection issubset issuperset
    items join keys lower lstrip pop popitem read readline readlines remove replace
    reverse rfind rsplit rstrip seek send setdefault sort split splitlines startswith
    strip tell title union update upper values write
";

const SCRIPT: &str = "
    add apply at bind call catch clear concat delete endsWith entries every exec fill
    filter finally find findIndex flat flatMap forEach get has includes indexOf join keys
    map match next pop push reduce replace replaceAll reverse set shift slice some sort
    splice split startsWith substring test then toString trim unshift values valueOf
";

const RUST: &str = "
    and_then as_mut as_ref as_str borrow chain chars clear clone collect contains count
    drain entry err expect extend filter find first flush fold get get_mut insert
    into_iter is_empty iter iter_mut join keys last len lines lock map max min next ok
    or_else parse peek pop position push push_str read recv remove replace retain rev send
    skip sort split starts_with sum swap take to_owned to_string trim unwrap values write
    zip
";

const RUBY: &str = "
    all? any? call clear close concat count delete detect dup each empty? fetch find first
    flatten freeze gsub include? inject insert inspect join key? keys last length map
    match merge pop push read reduce reject replace reverse rewind select shift size sort
    split start_with? strip sub sum to_a to_h to_i to_s to_sym unshift update values write
    zip
";

const JAVA: &str = "
    add addAll append charAt clear close collect compareTo contains containsKey entrySet
    equals filter forEach get getClass getKey getValue hasNext hashCode indexOf isEmpty
    iterator keySet length map next put read remove replace set size sort split startsWith
    stream substring toString trim values write
";

const C_SHARP: &str = "
    Add Any Append Clear Close CompareTo Contains ContainsKey Count Dispose Equals First
    GetHashCode GetType IndexOf Insert Join Read Remove Replace Select Sort Split
    StartsWith Substring ToArray ToList ToString Trim TryGetValue Where Write
";

const CPP: &str = "
    at back begin c_str clear count data empty emplace_back end erase find first front get
    insert length pop_back push_back release reserve reset resize size str substr swap
";
