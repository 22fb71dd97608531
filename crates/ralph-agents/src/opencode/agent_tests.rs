use std::path::Path;

use super::*;
use crate::client::Client;
use crate::session::TurnSession;

fn agent(change: impl FnOnce(&mut ClientOptions)) -> OpenCodeAgent {
    let mut options = ClientOptions::new(Client::OpenCode);
    change(&mut options);
    OpenCodeAgent::new(&options, LimitPatterns::known())
}

fn launch(agent: &OpenCodeAgent, env: &[(&str, &str)]) -> ProgramLaunch {
    let env: Vec<(OsString, OsString)> =
        env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let file = Path::new("/run/prompt.md");
    agent.launch(&TurnInput {
        root: Path::new("/p"),
        prompt_file: file,
        usage_file: file,
        env: &env,
        seat: TurnSession::Nowhere,
        money_left: None,
    })
}

#[test]
fn a_server_hears_nothing_of_one_turn() {
    let env =
        [("PATH", "/bin"), ("RALPH_ITERATION", "1"), ("RALPH_DRIVER", "1"), ("OPENCODE", "1")];
    let launch = launch(&agent(|_| {}), &env);
    let names: Vec<_> = launch.env.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(names, ["PATH", "RALPH_DRIVER"]);
    assert_eq!((launch.stdin, launch.dir), (None, PathBuf::from("/p")));
    assert_eq!(launch.args, ["serve", "--hostname", "127.0.0.1", "--port", "0"]);
}

#[test]
fn no_password_is_put_on_record() {
    let agent = agent(|options| options.attach = Some("http://me:secret@localhost:1".to_owned()));
    assert_eq!(agent.command_line(), ["opencode", "attach", "http://localhost:1"]);
}

#[test]
fn news_waits_for_a_server_and_only_the_last_of_it() {
    let agent = agent(|_| {});
    for text in ["a", "b", "c", "d", "e"] {
        agent.show(&RunNotice { text, mood: NoticeMood::Plain });
    }
    let desk = agent.desk();
    let texts: Vec<&str> = desk.news.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["b", "c", "d", "e"]);
}
