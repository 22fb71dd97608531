//! Conversations that an agent keeps from one turn to the next.

use ralph_core::SessionId;
use ralph_core::usage::Usage;

/// A conversation that an agent keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// What its turns were charged so far. Agents report the total of a
    /// session, so a turn is what the total grew by.
    pub charged: Usage,
    /// How much of it the agent has to keep in mind, if it says so.
    pub context: Option<Context>,
}

impl Session {
    /// A session in which nothing was said yet.
    pub fn new(id: SessionId) -> Self {
        Self { id, charged: Usage::default(), context: None }
    }
}

/// How much of a conversation an agent keeps in mind, and how much it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Tokens of the conversation.
    pub tokens: u64,
    /// Tokens that there is room for; never zero.
    pub window: u64,
}

impl Context {
    /// How full it is, in percent.
    pub fn percent(self) -> u64 {
        self.tokens.saturating_mul(100) / self.window.max(1)
    }
}

/// In which session a turn takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat<'a> {
    /// In none: the agent starts anew every turn.
    Nowhere,
    /// In a new one of this name.
    New(&'a SessionId),
    /// In one that goes on.
    Resumed(&'a Session),
    /// In a new one that takes the place of an old one. The prompt tells what
    /// is on our own record; an agent that can sum up the old one may add its
    /// own words.
    After {
        /// The name of the new one.
        id: &'a SessionId,
        /// The one whose place it takes.
        old: &'a Session,
    },
}

/// What became of the session of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There is none to go on with.
    Nothing,
    /// The agent does not know the session it was to go on with.
    Lost,
    /// It can go on.
    Session(Session),
}

/// The text of a random UUID; the caller brings the randomness.
pub fn uuid(bits: u128) -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let bits = (bits & !VERSION & !VARIANT) | (4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_uuid_says_that_it_is_one() {
        assert_eq!(uuid(u128::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid(0), "00000000-0000-4000-8000-000000000000");
        let mixed = uuid(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(mixed, "01234567-89ab-4def-8123-456789abcdef");
    }

    #[test]
    fn a_context_may_be_fuller_than_full() {
        assert_eq!(Context { tokens: 50, window: 200 }.percent(), 25);
        assert_eq!(Context { tokens: 300, window: 200 }.percent(), 150);
    }
}
