use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The name of a snapshot within its run. Labels are ordered by time, those of
/// rollbacks last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotLabel {
    /// Before the first iteration; written `0`.
    Start,
    /// After this iteration, counted from 1; written as the number.
    Iteration(u32),
    /// Present files when the run went on after this iteration, or after the
    /// start for 0. Taken only if they differ from what the run had left;
    /// written `resumed-1`.
    Resumed(u32),
    /// Before a rollback changed anything, counted from 1; written `safety-1`.
    Safety(u32),
    /// After the rollback that took this safety snapshot; written `after-1`.
    After(u32),
}

impl SnapshotLabel {
    fn rank(self) -> (u8, u32, u8) {
        match self {
            Self::Start => (0, 0, 0),
            Self::Iteration(number) => (0, number, 0),
            Self::Resumed(number) => (0, number, 1),
            Self::Safety(number) => (1, number, 0),
            Self::After(number) => (1, number, 1),
        }
    }
}

impl Ord for SnapshotLabel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for SnapshotLabel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Text that is not a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no snapshot; expected `start`, an iteration's number or `safety-1`")]
pub struct ParseLabelError(String);

impl fmt::Display for SnapshotLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("0"),
            Self::Iteration(number) => write!(f, "{number}"),
            Self::Resumed(number) => write!(f, "resumed-{number}"),
            Self::Safety(number) => write!(f, "safety-{number}"),
            Self::After(number) => write!(f, "after-{number}"),
        }
    }
}

impl FromStr for SnapshotLabel {
    type Err = ParseLabelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || ParseLabelError(text.to_owned());
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_plain).ok_or_else(unknown)
        };
        if let Some(text) = text.strip_prefix("resumed-") {
            return number(text).map(Self::Resumed);
        }
        if let Some(text) = text.strip_prefix("safety-") {
            return number(text).map(Self::Safety);
        }
        if let Some(text) = text.strip_prefix("after-") {
            return number(text).map(Self::After);
        }
        match text {
            "start" | "0" => Ok(Self::Start),
            text => number(text).map(Self::Iteration),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_survives_the_way_through_text() {
        let ordered = [
            SnapshotLabel::Start,
            SnapshotLabel::Resumed(0),
            SnapshotLabel::Iteration(2),
            SnapshotLabel::Resumed(2),
            SnapshotLabel::Iteration(12),
            SnapshotLabel::Safety(3),
            SnapshotLabel::After(3),
            SnapshotLabel::Safety(4),
        ];
        for label in ordered {
            assert_eq!(label.to_string().parse(), Ok(label));
        }
        assert!(ordered.is_sorted());
        assert_eq!("start".parse(), Ok(SnapshotLabel::Start));
        for text in ["", "-1", "+1", "safety-", "safety-x", "best", "1/2"] {
            assert!(text.parse::<SnapshotLabel>().is_err(), "{text}");
        }
    }
}
