//! Ways between towns.

pub mod graph;
pub mod parse;

/// Seconds as hours and minutes, rounded to the next minute.
///
/// ```
/// assert_eq!(roads::duration(3_661), "1:02");
/// ```
pub fn duration(seconds: u32) -> String {
    let minutes = (seconds + 59) / 60;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_hours_have_two_zeros() {
        assert_eq!(duration(7_200), "2:00");
    }

    #[test]
    fn seconds_round_up() {
        assert_eq!(duration(1), "0:01");
        assert_eq!(duration(60), "0:01");
    }
}
