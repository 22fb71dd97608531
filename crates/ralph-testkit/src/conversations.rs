//! Conversations for tests and benchmarks: always the same for the same seed.
//!
//! Words follow Zipf's law over a large vocabulary. Each session keeps coming
//! back to some words of its own. Facts are told over two turns that follow
//! each other. A question has some words of the fact, which many other turns
//! have too, some that the session is about, and some that mislead.

/// Turns of one session.
pub const TURNS: usize = 20;

const VOCABULARY: u32 = 40_000;

/// Words that a session comes back to, and how many each turn has.
const OWN_WORDS: u32 = 15;
const OWN_PER_TURN: usize = 2;

/// Words that carry meaning: neither everywhere nor in one place alone.
const TELLING: std::ops::Range<u32> = 150..4000;

/// Numbers that look random (`SplitMix64`).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.number() % u64::from(end.max(1))).unwrap_or(0)
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.number() >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }

    /// The number of a word, by Zipf's law: its rank's inverse.
    fn zipf(&mut self, words: u32) -> u32 {
        let rank = f64::from(words).powf(self.share());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the number of words"
        )]
        let rank = rank as u32;
        rank.saturating_sub(1).min(words - 1)
    }
}

/// The word with this number; frequent ones are short.
fn word(number: u32) -> String {
    const BEGINNINGS: [&str; 20] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
        "va", "we", "xi", "zo", "qua",
    ];
    const ENDS: [&str; 11] = ["n", "r", "k", "m", "x", "nt", "rk", "ld", "p", "b", "g"];
    let mut rest = number + 20;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(BEGINNINGS[usize::try_from(rest % 20).unwrap_or(0)]);
        rest /= 20;
    }
    word.push_str(ENDS[usize::try_from(number % 11).unwrap_or(0)]);
    word
}

/// A question whose answer is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntheticQuestion {
    /// What is asked.
    pub text: String,
    /// External ids of the turns that answer it.
    pub turns: Vec<String>,
    /// The session that has them.
    pub session: String,
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntheticTurn {
    /// Its name.
    pub id: String,
    /// What is said.
    pub text: String,
    /// The session that it is a part of.
    pub group: String,
    /// The turn before it.
    pub prev: Option<String>,
    /// The turn after it.
    pub next: Option<String>,
}

/// A conversation with its turns, and questions about it.
pub struct SyntheticSession {
    /// The turns, in order.
    pub turns: Vec<SyntheticTurn>,
    /// The questions.
    pub questions: Vec<SyntheticQuestion>,
}

/// The session with this number.
pub fn session(seed: u64, number: u32) -> SyntheticSession {
    let mut random = SplitMix64::new(seed ^ (u64::from(number) << 20));
    let name = format!("session-{number}");
    let own: Vec<String> = (0..OWN_WORDS).map(|_| telling(&mut random)).collect();
    let mut texts: Vec<Vec<String>> = (0..TURNS).map(|_| chatter(&mut random, &own)).collect();
    let mut questions = Vec::new();
    for start in [2, 9, 15] {
        let fact: Vec<String> = (0..3).map(|_| telling(&mut random)).collect();
        texts[start].extend_from_slice(&fact[..2]);
        texts[start + 1].extend_from_slice(&fact[2..]);
        let known = usize::try_from(random.below(2)).unwrap_or(0);
        let mut asked = vec![fact[known].clone(), fact[2].clone()];
        asked.extend((0..2).map(|_| pick(&mut random, &own)));
        asked.extend((0..2).map(|_| telling(&mut random)));
        let turns = vec![id(number, start), id(number, start + 1)];
        questions.push(SyntheticQuestion { text: asked.join(" "), turns, session: name.clone() });
    }
    let turns = texts.iter().enumerate().map(|(turn, words)| SyntheticTurn {
        id: id(number, turn),
        text: words.join(" "),
        group: name.clone(),
        prev: turn.checked_sub(1).map(|before| id(number, before)),
        next: (turn + 1 < TURNS).then(|| id(number, turn + 1)),
    });
    SyntheticSession { turns: turns.collect(), questions }
}

fn id(session: u32, turn: usize) -> String {
    format!("{session}/{turn}")
}

/// About 200 bytes.
fn chatter(random: &mut SplitMix64, own: &[String]) -> Vec<String> {
    let count = 14 + random.below(24);
    let mut words: Vec<String> = (0..count).map(|_| word(random.zipf(VOCABULARY))).collect();
    words.extend((0..OWN_PER_TURN).map(|_| pick(random, own)));
    words
}

fn pick(random: &mut SplitMix64, words: &[String]) -> String {
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    let at = usize::try_from(random.below(count)).unwrap_or(0);
    words.get(at).cloned().unwrap_or_default()
}

fn telling(random: &mut SplitMix64) -> String {
    word(TELLING.start + random.below(TELLING.end - TELLING.start))
}

/// Turns of so many sessions, one after the other.
pub fn turns(seed: u64, sessions: u32) -> impl Iterator<Item = SyntheticTurn> {
    (0..sessions).flat_map(move |number| session(seed, number).turns)
}

/// The questions about so many sessions.
pub fn questions(seed: u64, sessions: u32) -> impl Iterator<Item = SyntheticQuestion> {
    (0..sessions).flat_map(move |number| session(seed, number).questions)
}
