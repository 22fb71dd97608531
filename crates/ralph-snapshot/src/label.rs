use std::fmt;
use std::str::FromStr;

/// Names one snapshot of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Before the first iteration; written `0`.
    Start,
    /// After this iteration, counted from 1; written as the number.
    Iteration(u32),
    /// Before a rollback changed anything, counted from 1; written `safety-1`.
    Safety(u32),
    /// What the rollback after that safety snapshot left; written `after-1`.
    After(u32),
}

/// Text that names no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no snapshot; expected `start`, an iteration's number or `safety-1`")]
pub struct ParseLabelError(String);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("0"),
            Self::Iteration(number) => write!(f, "{number}"),
            Self::Safety(number) => write!(f, "safety-{number}"),
            Self::After(number) => write!(f, "after-{number}"),
        }
    }
}

impl FromStr for Label {
    type Err = ParseLabelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || ParseLabelError(text.to_owned());
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_plain).ok_or_else(unknown)
        };
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
        for label in [Label::Start, Label::Iteration(12), Label::Safety(3), Label::After(3)] {
            assert_eq!(label.to_string().parse(), Ok(label));
        }
        assert_eq!("start".parse(), Ok(Label::Start));
        for text in ["", "-1", "+1", "safety-", "safety-x", "best", "1/2"] {
            assert!(text.parse::<Label>().is_err(), "{text}");
        }
    }
}
