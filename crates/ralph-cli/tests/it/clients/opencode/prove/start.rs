//! How long a client takes to start.

use std::time::{Duration, Instant};

use ralph_testkit::{ModelTurn, OpenCodeClient, isolated};

use crate::clients::opencode::stage::Stage;

/// How long the client takes to start a session, which waits for
/// plugins.
fn start_of(stage: &Stage) -> Duration {
    let began = Instant::now();
    let client = OpenCodeClient::start(&stage.project, &stage.api);
    let _ = client.session("work");
    began.elapsed()
}

#[test]
fn a_client_with_the_plugin_starts_as_fast_as_one_without() {
    isolated(|| {
        let [with, without] = [(); 2].map(|()| Stage::saying([ModelTurn::says("Hello.")]));
        let _ = without.project.ralph(&["uninstall", "opencode"]).output().exits(0);
        // The least of some times is what others disturb least.
        let rounds: Vec<_> = (0..2).map(|_| (start_of(&with), start_of(&without))).collect();
        let least = |times: &mut dyn Iterator<Item = Duration>| times.min().unwrap_or_default();
        let ours = least(&mut rounds.iter().map(|round| round.0));
        let plain = least(&mut rounds.iter().map(|round| round.1));
        assert!(ours < plain * 3 / 2 + Duration::from_millis(500), "{rounds:?}");
        println!("with the plugin {ours:?}, without it {plain:?}");
    });
}
