//! That each host is what it says it is.

use super::*;

#[test]
fn a_session_is_taken_up_by_the_host_that_has_such_names() {
    let command =
        |name: &str| resume_command(&SessionId::new(name).unwrap()).map(|words| words.join(" "));
    let uuid = "0e6cbc56-2b9a-4f6e-9a4c-0a3a7c8f1d2e";
    assert_eq!(command(uuid), Some(format!("claude --resume {uuid}")));
    let id = "ses_4f2aB9cd01";
    assert_eq!(command(id), Some(format!("opencode --session {id}")));
    for odd in ["s-1", "ses_", "ses_a.b", "0e6cbc56-2b9a-4f6e-9a4c", "--help"] {
        assert_eq!(command(odd), None, "{odd}");
    }
}

#[test]
fn a_host_is_found_by_each_of_its_names() {
    for name in ["claude-code", "claude"] {
        assert_eq!(Host::find(name).unwrap().name, "claude-code");
    }
    assert_eq!(Host::find("opencode").unwrap().name, "opencode");
    assert!(Host::find("").is_none());
}

#[test]
fn the_guide_says_what_shows_that_each_host_works() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/in-session.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for host in HOSTS {
        let HostProtocol::Hooks(dialect) = host.protocol else { continue };
        let start = format!("| `{}` |", host.name);
        let Some(row) = guide.lines().find(|line| line.starts_with(&start)) else {
            assert_eq!(host.name, claude::NAME, "it has a guide of its own");
            continue;
        };
        let says = match host.proof {
            HostProof::RealClient => "the real client",
            HostProof::Recorded => "recorded payloads",
            HostProof::Documented => "documentation",
        };
        assert!(row.ends_with(&format!("| {says} |")), "{row}");
        let tests = "/../ralph-cli/tests/it/clients/agents/prove/hosted.rs";
        let tests = std::fs::read_to_string(format!("{}{tests}", env!("CARGO_MANIFEST_DIR")));
        let is_run = tests.unwrap().contains(&format!("host!({} = ", host.name));
        assert_eq!(is_run, host.proof == HostProof::RealClient, "{row}");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hooks");
        let is_recorded = Path::new(folder).join(dialect.name).is_dir();
        assert_eq!(is_recorded, host.proof != HostProof::Documented, "{row}");
    }
}

#[test]
fn a_cap_is_the_variable_or_as_installed_or_the_usual_one() {
    for (name, said, installed, cap) in [
        ("claude", None, Some(0), Some(8)),
        ("qwen", None, None, Some(7)),
        ("qwen", None, Some(0), Some(99)),
        ("qwen", Some("20"), Some(0), Some(19)),
        ("cursor", None, None, Some(5)),
        ("cursor", None, Some(0), None),
        ("kimi", None, Some(7), Some(1)),
        ("codex", None, Some(7), None),
    ] {
        let host = Host::find(name).unwrap();
        let found = host.cap(|_| said.map(str::to_owned), installed);
        assert_eq!(found, cap, "{name} {said:?} {installed:?}");
    }
}

#[test]
fn a_cap_of_nought_is_no_cap() {
    let host = Host::find("claude-code").unwrap();
    for (said, cap) in
        [(None, Some(8)), (Some("0"), None), (Some("30"), Some(30)), (Some("x"), Some(8))]
    {
        assert_eq!(host.cap(|_| said.map(str::to_owned), None), cap);
    }
    assert_eq!(Host::find("opencode").unwrap().cap(|_| None, None), None);
}

#[test]
fn an_environment_tells_of_the_process_and_of_a_user() {
    let host = Host::find("claude-code").unwrap();
    for (said, has_user) in [(None, false), (Some("0"), false), (Some("1"), true)] {
        assert_eq!(host.has_user(|_| said.map(str::to_owned)), has_user, "{said:?}");
    }
    assert_eq!(host.process(|_| Some("12".to_owned())), Some(12));
    assert_eq!(host.process(|_| None), None);
    assert_eq!(Host::find("opencode").unwrap().process(|_| Some("12".to_owned())), None);
}

#[test]
fn the_users_settings_are_where_the_host_looks_for_them() {
    let folder = |host: &str, known: &[(&str, &str)]| {
        let variable = |name: &str| {
            let found = known.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Host::find(host).unwrap().user_folder(&variable)
    };
    let home = ("HOME", "/h");
    assert_eq!(folder("claude", &[home]), Some("/h/.claude".into()));
    assert_eq!(folder("claude", &[home, ("CLAUDE_CONFIG_DIR", "/c")]), Some("/c".into()));
    assert_eq!(folder("opencode", &[home]), Some("/h/.config/opencode".into()));
    let named = [home, ("XDG_CONFIG_HOME", "/x")];
    assert_eq!(folder("opencode", &named), Some("/x/opencode".into()));
    let named = [home, ("OPENCODE_CONFIG_DIR", "/o")];
    assert_eq!(folder("opencode", &named), Some("/o".into()));
    assert_eq!(folder("opencode", &[]), None);
}
