//! The engine's share of an agent's turns, in time and memory.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::BenchRow;
use super::samples::{Samples, millis};
use crate::failure::TaskFailure;
use crate::stress::floods::{self, FLOOD_BYTES, PEAK_KIB, mib};
use crate::stress::stage::{MeasuredExit, ScenarioFolder, StressProject};

/// Turns of one run.
const TURNS: u32 = 1000;

/// Number of iterations at the start and at the end that are compared.
const EDGE: usize = 100;

/// Number of alternating measurements of the run and the bare loop.
const REPEATS: usize = 3;

/// Most time of a turn beyond the bare agent, in milliseconds.
const MOST_OVERHEAD_MS: f64 = 10.0;

/// Most time of the last turns, as a multiple of the first.
const MOST_GROWTH: f64 = 1.2;

/// Reads its prompt, says something new, claims nothing.
const AGENT: &str = r#"cat >/dev/null
echo "turn ${RALPH_ITERATION:-0}""#;

const BARE: &str = r#"number=0
while [ "$number" -lt 1000 ]; do
  ./agent.sh <prompt >/dev/null
  number=$((number + 1))
done"#;

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("project")?;
    project.script("agent.sh", AGENT)?;
    project.script("bare.sh", BARE)?;
    project.script("prompt", "")?;
    let (mut driven, mut bare) = (Vec::new(), Samples::default());
    for _ in 0..REPEATS {
        let alone = project.spawn(project.program("./bare.sh"))?.wait()?;
        bare.push(per_turn(&alone.expect_code(0)?));
        driven.push(DriverRun::new(&drive(&project)?)?);
    }
    let mut rows = time_rows(&driven, &bare);
    rows.push(memory_row("peak memory, 1000 turns", peak(driven.iter().map(|run| run.peak_kib))));
    rows.extend(flood_rows(&stage)?);
    rows.extend(super::served::measure(binary)?);
    Ok(rows)
}

fn drive(project: &StressProject<'_>) -> Result<MeasuredExit, TaskFailure> {
    let turns = TURNS.to_string();
    let agent = ["--agent-cmd", "./agent.sh", "--max-iterations", &turns, "--json"];
    let args: Vec<&str> = ["run", "work"].into_iter().chain(agent).collect();
    project.ralph(&args)?.expect_code(1)
}

fn per_turn(finished: &MeasuredExit) -> Duration {
    finished.elapsed / TURNS
}

/// One run of the driver.
struct DriverRun {
    per_turn: Duration,
    /// The time of each iteration, by the stream's own clock.
    iterations: Vec<Duration>,
    peak_kib: u64,
}

impl DriverRun {
    fn new(finished: &MeasuredExit) -> Result<Self, TaskFailure> {
        let iterations = iterations(&finished.stdout);
        if iterations.len() != TURNS as usize {
            let count = iterations.len();
            return Err(TaskFailure::Failed(format!("{count} of {TURNS} iterations were told")));
        }
        let peak_kib = finished.peak_kib;
        Ok(Self { per_turn: per_turn(finished), iterations, peak_kib })
    }

    /// Returns the time of the last iterations as a multiple of the first.
    fn growth(&self) -> f64 {
        let sum = |part: &[Duration]| part.iter().sum::<Duration>().as_secs_f64();
        let last = self.iterations.len().saturating_sub(EDGE);
        sum(&self.iterations[last..]) / sum(&self.iterations[..EDGE])
    }
}

/// Returns the time from the start of each iteration to that of the next, or to the end
/// of the run.
pub(super) fn iterations(stream: &str) -> Vec<Duration> {
    let times: Vec<Duration> = stream
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["type"] == "iteration_started" || event["type"] == "run_ended")
        .filter_map(|event| time_of_day(event["at"].as_str()?))
        .collect();
    let day = Duration::from_hours(24);
    // Midnight may pass between two iterations.
    let between = |pair: &[Duration]| {
        pair[1].checked_sub(pair[0]).unwrap_or_else(|| pair[1] + day.saturating_sub(pair[0]))
    };
    times.windows(2).map(between).collect()
}

/// Parses the time of day in `2026-01-31T23:59:59.999Z`.
fn time_of_day(moment: &str) -> Option<Duration> {
    let (_, time) = moment.trim_end_matches('Z').split_once('T')?;
    let mut parts = time.split(':');
    let hours: u64 = parts.next()?.parse().ok()?;
    let minutes: u64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next()?.parse().ok()?;
    Some(
        Duration::from_secs(hours * 3600 + minutes * 60)
            + Duration::try_from_secs_f64(seconds).ok()?,
    )
}

fn time_rows(driven: &[DriverRun], bare: &Samples) -> Vec<BenchRow> {
    let all: Samples = driven.iter().flat_map(|run| run.iterations.iter().copied()).collect();
    let turn: Samples = driven.iter().map(|run| run.per_turn).collect();
    let (turn, bare) = (turn.median(), bare.median());
    let overhead = turn.saturating_sub(bare);
    let mut growth: Vec<f64> = driven.iter().map(DriverRun::growth).collect();
    growth.sort_by(f64::total_cmp);
    let growth = growth[growth.len() / 2];
    let plain = |name: &str, median: String| BenchRow::new(name.to_owned(), median);
    vec![
        plain("turn in a bare sh loop", millis(bare)),
        plain("turn in ralph run", millis(turn))
            .p95(millis(all.p95()))
            .ratio(format!("{:.2}", turn.as_secs_f64() / bare.as_secs_f64())),
        plain("overhead of a turn", millis(overhead)).budget(
            overhead.as_secs_f64() * 1000.0,
            MOST_OVERHEAD_MS,
            "ms",
        ),
        plain("turns 901-1000 to turns 1-100", String::new()).ratio(format!("{growth:.2}")).budget(
            growth,
            MOST_GROWTH,
            "times",
        ),
    ]
}

fn flood_rows(stage: &ScenarioFolder) -> Result<[BenchRow; 2], TaskFailure> {
    let finished = floods::plain_turn(&stage.project("flood")?)?;
    let rate = f64::from(FLOOD_BYTES) / 1e6 / finished.elapsed.as_secs_f64();
    let speed = BenchRow::new("a turn that prints 100 MB".to_owned(), format!("{rate:.0} MB/s"));
    Ok([speed, memory_row("peak memory, 100 MB printed", finished.peak_kib)])
}

fn peak(peaks: impl Iterator<Item = u64>) -> u64 {
    peaks.max().unwrap_or(0)
}

fn memory_row(name: &str, peak_kib: u64) -> BenchRow {
    BenchRow::new(name.to_owned(), format!("{:.1} MiB", mib(peak_kib))).budget(
        mib(peak_kib),
        mib(PEAK_KIB),
        "MiB",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_last_until_the_next_begins_or_the_run_ends() {
        let stream = [
            r#"{"type":"run_started","at":"2026-01-01T23:59:58.000Z"}"#,
            r#"{"type":"iteration_started","at":"2026-01-01T23:59:58.500Z"}"#,
            r#"{"type":"agent_output","at":"2026-01-01T23:59:59.000Z"}"#,
            r#"{"type":"iteration_started","at":"2026-01-01T23:59:59.750Z"}"#,
            r#"{"type":"run_ended","at":"2026-01-02T00:00:00.250Z"}"#,
        ]
        .join("\n");
        let want = [Duration::from_millis(1250), Duration::from_millis(500)];
        let close =
            |(got, want): (&Duration, &Duration)| got.abs_diff(*want) < Duration::from_micros(1);
        let got = iterations(&stream);
        assert!(got.len() == 2 && got.iter().zip(&want).all(close), "{got:?}");
    }
}
