//! The built-in types and methods of languages.

use std::sync::LazyLock;

use crate::family::LanguageFamily;
use crate::outline::{ByKey, NameKey};

type BuiltinTable = ByKey<&'static str>;

/// The built-in names of a language.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    methods: BuiltinTable,
    types: BuiltinTable,
    names: BuiltinTable,
}

impl BuiltIn {
    fn new(family: LanguageFamily) -> Self {
        let (methods, types, names) = match family {
            LanguageFamily::Python => (PYTHON, PYTHON_TYPES, PYTHON_NAMES),
            LanguageFamily::Script => (SCRIPT, "", SCRIPT_NAMES),
            LanguageFamily::Rust => (RUST, RUST_TYPES, RUST_NAMES),
            LanguageFamily::Ruby => (RUBY, "", ""),
            LanguageFamily::Java => (JAVA, JAVA_TYPES, ""),
            LanguageFamily::CSharp => (C_SHARP, "", ""),
            LanguageFamily::C => (CPP, "", ""),
            // Their built-in types have no methods.
            LanguageFamily::Go | LanguageFamily::Php | LanguageFamily::Shell => ("", "", ""),
        };
        let words = |text: &'static str| {
            text.split_ascii_whitespace().map(|word| (NameKey::of(word), word)).collect()
        };
        Self { methods: words(methods), types: words(types), names: words(names) }
    }

    /// Returns true if strings, numbers, collections or similar types have a
    /// method of this name. Called on a value of unknown type, it is as likely
    /// theirs as the project's only one.
    pub(crate) fn has_method(&self, key: NameKey, name: &str) -> bool {
        has(&self.methods, key, name)
    }

    /// Returns true if this name is a built-in type, whose methods are all
    /// known.
    pub(crate) fn has_type(&self, key: NameKey, name: &str) -> bool {
        has(&self.types, key, name)
    }

    /// Returns true if this name is built in: a function, type or value of the
    /// language.
    pub(crate) fn has_name(&self, key: NameKey, name: &str) -> bool {
        has(&self.types, key, name) || has(&self.names, key, name)
    }
}

/// Returns true if a name is among the words; another one may have the same
/// key.
fn has(words: &BuiltinTable, key: NameKey, name: &str) -> bool {
    words.get(&key) == Some(&name)
}

impl LanguageFamily {
    /// Returns the built-in names of its languages.
    pub(crate) fn built_in(self) -> &'static BuiltIn {
        static ALL: LazyLock<[BuiltIn; crate::family::ALL.len()]> =
            LazyLock::new(|| crate::family::ALL.map(BuiltIn::new));
        &ALL[usize::from(self.code())]
    }
}

const PYTHON: &str = "
    add append as_integer_ratio capitalize casefold center clear close copy count decode
    difference discard encode endswith expandtabs extend fileno find flush format
    format_map fromkeys get hex index insert intersection isalnum isalpha isatty isdecimal
    isdigit isdisjoint isidentifier islower isnumeric isspace issubset issuperset istitle
    isupper items join keys ljust lower lstrip maketrans partition pop popitem read
    readable readline readlines remove removeprefix removesuffix replace reverse rfind
    rindex rjust rpartition rsplit rstrip seek send setdefault sort split splitlines
    startswith strip swapcase symmetric_difference tell throw title translate truncate
    union update upper values write writelines zfill
";

const PYTHON_TYPES: &str = "
    bool bytearray bytes complex dict float frozenset int list memoryview range set slice
    str tuple
";

const PYTHON_NAMES: &str = "
    abs aiter all anext any ascii bin breakpoint callable chr classmethod compile delattr
    dir divmod enumerate eval exec exit filter format getattr globals hasattr hash help
    hex id input isinstance issubclass iter len locals map max min next object oct open
    ord pow print property quit repr reversed round setattr sorted staticmethod sum super
    type vars zip ArithmeticError AssertionError AttributeError BaseException
    ConnectionError EOFError Ellipsis Exception FileExistsError FileNotFoundError
    ImportError IndexError InterruptedError KeyError KeyboardInterrupt LookupError
    MemoryError ModuleNotFoundError NameError NotImplemented NotImplementedError OSError
    OverflowError PermissionError RecursionError RuntimeError StopIteration SyntaxError
    SystemExit TimeoutError TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError
    ValueError Warning ZeroDivisionError
";

const SCRIPT: &str = "
    add apply at bind call catch charAt charCodeAt clear codePointAt concat copyWithin
    delete endsWith entries every exec fill filter finally find findIndex findLast flat
    flatMap forEach get getTime has hasOwnProperty includes indexOf join keys lastIndexOf
    localeCompare map match matchAll next normalize padEnd padStart pop push reduce
    reduceRight repeat replace replaceAll reverse search set shift slice some sort splice
    split startsWith substring test then toFixed toISOString toLocaleString toLowerCase
    toSorted toString toUpperCase trim trimEnd trimStart unshift values valueOf
";

const SCRIPT_NAMES: &str = "
    Array ArrayBuffer BigInt Boolean Buffer Date Error EvalError Function Infinity Intl
    JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
    Set String Symbol SyntaxError TypeError URL Uint8Array WeakMap WeakSet clearInterval
    clearTimeout console decodeURIComponent document encodeURIComponent fetch global
    globalThis isFinite isNaN module parseFloat parseInt process queueMicrotask require
    setImmediate setInterval setTimeout structuredClone undefined window
";

const RUST: &str = "
    abs all and_then any append as_bytes as_deref as_mut as_mut_slice as_path as_ptr
    as_ref as_slice as_str binary_search binary_search_by binary_search_by_key borrow
    borrow_mut bytes capacity ceil chain char_indices chars checked_add checked_sub chunks
    clamp clear clone clone_from cloned cmp collect concat contains contains_key
    copied copy_from_slice count cycle dedup dedup_by_key display drain drop ends_with
    entry enumerate eq eq_ignore_ascii_case err exists expect expect_err extend
    extend_from_slice file_name fill filter filter_map find find_map first first_mut
    flat_map flatten floor flush fold for_each format from_utf8 get get_mut
    get_or_insert_with hash insert insert_str inspect into into_boxed_slice into_bytes
    into_inner into_iter into_keys into_string into_values is_alphabetic is_alphanumeric
    is_ascii is_ascii_digit is_char_boundary is_digit is_empty is_err is_none is_none_or
    is_numeric is_ok is_ok_and is_some is_some_and is_uppercase is_whitespace iter iter_mut
    join keys last last_mut len lines load lock make_ascii_lowercase map map_err map_or
    map_or_else map_while match_indices matches max max_by max_by_key min min_by min_by_key
    ne next next_back next_if nth ok ok_or ok_or_else or or_default or_else or_insert
    or_insert_with parent parse partial_cmp partition partition_point path peek peekable
    pop pop_front position pow product push push_back push_front push_str range read
    read_line read_to_end read_to_string recv reduce remove repeat replace replacen reserve
    resize retain rev rfind rposition rsplit rsplit_once saturating_sub scan send
    set_extension skip skip_while sort sort_by sort_by_key sort_unstable
    sort_unstable_by sort_unstable_by_key splice split split_ascii_whitespace split_at
    split_first split_last split_off split_once split_whitespace splitn sqrt starts_with
    step_by store strip_prefix strip_suffix sum swap swap_remove take take_while then
    then_some to_ascii_lowercase to_ascii_uppercase to_bytes to_lowercase to_owned to_path_buf
    to_str to_string to_string_lossy to_uppercase to_vec trim trim_ascii trim_end
    trim_end_matches trim_matches trim_start trim_start_matches truncate try_from try_into
    unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else unzip update values
    values_mut wait windows with_capacity with_extension wrapping_add write write_all
    write_fmt write_str zip
";

const RUST_TYPES: &str = "
    bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize
    Option Result String Vec
";

const RUST_NAMES: &str = "
    allow cfg_attr derive doc expect inline must_use path test warn
    AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err
    ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Hash Into IntoIterator
    Iterator None Ok Ord PartialEq PartialOrd Send Sized Some Sync ToOwned ToString TryFrom
    TryInto Unpin drop assert assert_eq assert_ne cfg concat dbg debug_assert eprint
    eprintln env format include_bytes include_str line matches panic print println stringify
    todo unimplemented unreachable vec write writeln
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

const JAVA_TYPES: &str = "
    Boolean Byte Character Double Float Integer Long Math Number Object Short String
    StringBuilder System Thread
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
