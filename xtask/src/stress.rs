//! `cargo xtask stress`: scenarios that are too slow or too rough for the tests.
//!
//! Every scenario has its own folder, which is kept if it fails. Processes are ended by
//! their own ids only.

mod contention;
mod dice;
mod disk;
pub(crate) mod floods;
mod full_disk;
mod kills;
mod notes;
mod rollbacks;
mod runaways;
pub(crate) mod stage;

use std::time::Instant;

use self::dice::SplitMixRng;
use self::stage::{ScenarioFolder, ScenarioLength};
use crate::failure::TaskFailure;
use crate::{say, workspace};

struct StressScenario {
    name: &'static str,
    /// Returns one line about what was done.
    run: fn(&ScenarioFolder, &mut SplitMixRng) -> Result<String, TaskFailure>,
}

const SCENARIOS: &[StressScenario] = &[
    StressScenario { name: "kills", run: kills::run },
    StressScenario { name: "contention", run: contention::run },
    StressScenario { name: "floods", run: |stage, _| floods::run(stage) },
    StressScenario { name: "runaways", run: |stage, _| runaways::run(stage) },
    StressScenario { name: "full-disk", run: |stage, _| full_disk::run(stage) },
    StressScenario { name: "rollbacks", run: rollbacks::run },
    StressScenario { name: "notes", run: |stage, _| notes::run(stage) },
];

/// Runs the named scenarios, or all of them.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let wish = StressOptions::parse(args)?;
    let seed = wish.seed.unwrap_or_else(dice::new_seed);
    let binary = wish.length.build(&workspace::root())?;
    say::line(&format!("seed {seed}; `cargo xtask stress --seed {seed}` repeats its choices"));
    let mut broken = Vec::new();
    for scenario in wish.scenarios {
        if let Err(failure) =
            play(scenario, ScenarioFolder::new(&binary)?.of_length(wish.length), seed)
        {
            say::error(&format!("{}: {failure}", scenario.name));
            broken.push(scenario.name);
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!("seed {seed}: {} did not hold", broken.join(", "))))
}

fn play(scenario: &StressScenario, stage: ScenarioFolder, seed: u64) -> Result<(), TaskFailure> {
    let started = Instant::now();
    let result = (scenario.run)(&stage, &mut SplitMixRng::new(seed)).and_then(|said| {
        stage.expect_nobody_left()?;
        Ok(said)
    });
    match result {
        Ok(said) => {
            let seconds = started.elapsed().as_secs_f64();
            say::line(&format!("{:<10}  ok  {seconds:>5.1} s  {said}", scenario.name));
            Ok(())
        }
        Err(failure) => {
            let folder = stage.keep();
            Err(TaskFailure::Failed(format!("{failure}\nlook at {}", folder.display())))
        }
    }
}

/// The parsed arguments.
struct StressOptions {
    length: ScenarioLength,
    seed: Option<u64>,
    scenarios: Vec<&'static StressScenario>,
}

impl StressOptions {
    fn parse(args: &[String]) -> Result<Self, TaskFailure> {
        let mut wish = Self { length: ScenarioLength::Full, seed: None, scenarios: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--seed" {
                let seed = args.next().and_then(|text| text.parse().ok());
                let missing = || TaskFailure::Usage("--seed needs a number".to_owned());
                wish.seed = Some(seed.ok_or_else(missing)?);
            } else if arg == "--sample" {
                wish.length = ScenarioLength::Sample;
            } else {
                wish.scenarios.push(named(arg)?);
            }
        }
        if wish.scenarios.is_empty() {
            wish.scenarios.extend(SCENARIOS);
        }
        Ok(wish)
    }
}

fn named(name: &str) -> Result<&'static StressScenario, TaskFailure> {
    SCENARIOS.iter().find(|scenario| scenario.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        TaskFailure::Usage(format!("no scenario `{name}`; there are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<(Option<u64>, Vec<&'static str>), TaskFailure> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let wish = StressOptions::parse(&args)?;
        Ok((wish.seed, wish.scenarios.iter().map(|scenario| scenario.name).collect()))
    }

    #[test]
    fn without_names_every_scenario_is_played() {
        assert_eq!(parse(&[]).unwrap().1.len(), SCENARIOS.len());
        let (seed, names) = parse(&["floods", "--seed", "7", "kills"]).unwrap();
        assert_eq!((seed, names), (Some(7), vec!["floods", "kills"]));
    }

    #[test]
    fn an_unknown_scenario_and_a_bad_seed_are_usage_errors() {
        for args in [&["flood"][..], &["--seed"], &["--seed", "x"], &["--sed", "1"]] {
            assert_eq!(parse(args).unwrap_err().exit_code(), 2, "{args:?}");
        }
    }
}
