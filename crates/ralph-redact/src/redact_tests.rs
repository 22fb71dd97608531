use std::borrow::Cow;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::samples::{SecretSample, alnum, hex, private_key};
use super::*;

#[track_caller]
fn survives(text: &str) {
    assert_eq!(redact(text), text);
    assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} was copied");
}

#[test]
fn every_sample_is_replaced_by_its_kind() {
    for SecretSample { kind, secret, line } in samples::all() {
        let want = line.replacen(&secret, &format!("[redacted:{kind}]"), 1);
        assert_eq!(redact(&line), want, "in {line}");
    }
}

#[test]
fn the_rest_of_a_private_key_is_known_where_text_was_cut() {
    let key = private_key("RSA PRIVATE KEY");
    let body = key.lines().nth(1).unwrap_or_default();
    let cut = &key[key.find(body).unwrap_or_default() + 5..];
    let text = format!("{cut}\nAll is in place.\n<promise>DONE</promise>\n");
    let clean = redact_cut(&text);
    assert_eq!(clean, "All is in place.\n<promise>DONE</promise>\n");
    let open = format!("{}\n{}", &body[5..], body.repeat(3));
    assert_eq!(redact_cut(&open), "");
    let text = "the rest of a sentence.\nAnd another one.\n";
    assert_eq!(redact_cut(text), text);
}

#[test]
fn at_least_fifty_kinds_are_known() {
    let kinds: BTreeSet<_> = samples::all().into_iter().map(|sample| sample.kind).collect();
    assert!(kinds.len() >= 50, "{}: {kinds:?}", kinds.len());
}

#[test]
fn every_form_of_token_and_every_pattern_has_a_sample() {
    let kinds: BTreeSet<_> = samples::all().into_iter().map(|sample| sample.kind).collect();
    for kind in tokens::kinds().chain(patterns::kinds()) {
        assert!(kinds.contains(kind), "{kind} has no sample");
    }
}

#[test]
fn a_password_below_its_name_is_taken_out() {
    let hidden = "password:\n  [redacted:password]\nnext: 1\n";
    assert_eq!(redact("password:\n  hunter2x\nnext: 1\n"), hidden);
    assert_eq!(redact(hidden), hidden);
    assert_eq!(redact("비밀번호:\nQwerty!234"), "비밀번호:\n[redacted:password]");
    let mut lines = Redactor::new();
    assert_eq!(lines.line("DB_PASSWORD ="), "DB_PASSWORD =");
    assert_eq!(lines.line("\"correct-horse\""), "\"[redacted:password]\"");
    for text in [
        "password:\n  secretKeyRef:\n    name: db",
        "password:\n  - required",
        "Password:\nLogin incorrect",
        "Password:\nsorry",
        "password:\n  z.string().min(8),",
        "password:\n    process.env.DB_PASS,",
        "password:\n  ${DB_PASSWORD}\n",
        "password:\n\nhunter2x is what people type",
    ] {
        survives(text);
    }
}

#[test]
fn words_about_secrets_survive_in_commands_urls_and_korean() {
    for text in [
        "curl -u $USER:$PASS http://host",
        "curl -fsSL http://host:8080/a:b",
        "curl http://localhost:3000/users/me@example.com",
        "docker run --name mysql -p3306:3306 mysql:8",
        "mysql -p asks for the password",
        "sshpass -p \"$SSH_PASS\" ssh host",
        "http://host:8080/path/user@example.com",
        "git+ssh://host:team/repo@v1.2",
        "https://registry.npmjs.org:443/@scope/pkg@1.2.3",
        "비밀번호: 8자 이상이어야 합니다",
        "비밀번호: 필수 항목",
        "암호: AES-256",
        "토큰: 인증에 쓰는 값",
        "토큰=null",
        "비밀번호는 해시로 저장한다",
    ] {
        survives(text);
    }
}

#[test]
fn code_that_handles_secrets_survives() {
    for text in [
        r#"password = os.environ["X"]"#,
        r#"PASSWORD = os.environ["X"]"#,
        "password = config.password",
        "let token = lexer.next_token();",
        "let password = prompt_password(&mut tty)?;",
        "secret = get_secret()",
        "token: Token",
        "token: &'a str,",
        "password: String,",
        "password: string;",
        "pub password: Option<SecretString>,",
        "api_key: str = None",
        "password: z.string().min(8),",
        "if password == other {",
        "let key = map.key(token)",
        "login(password=password)",
        "self._pwd = pwd",
        "pub pw_passwd: *mut c_char,",
        "Promise::Password => match value.form {",
        "print(f\"password={password!r}\")",
        "def ask(prompt='Password: ', stream=None):",
        "cmd = \"--password=%s\" % password",
        concat!("START = b\"-----BEGIN ", "OPENSSH PRIVATE KEY-----\"\nEND = 1"),
        "fn test_password_is_required() {",
        "test auth::password::test_password_is_required ... ok",
        "Authorization: Basic authentication is required",
        "the bearer authentication scheme, and basic understanding",
        "cookie: Cookie<'static>,",
        "login with password authentication",
        "--token flag is missing",
        "error: password: expected a string",
        "Password: must be at least eight characters",
        r#"password: "Enter your password","#,
        concat!("if line.contains(\"-----BEGIN ", "PRIVATE KEY-----\") {"),
    ] {
        survives(text);
    }
}

#[test]
fn placeholders_and_variables_survive() {
    for text in [
        "PASSWORD=changeme",
        "PASSWORD=<your-password>",
        "PASSWORD=${SECRET}",
        "PASSWORD=$TOKEN",
        "PASSWORD=***",
        "PASSWORD=",
        r#"password: """#,
        "password: null",
        "API_KEY=your-api-key-goes-here-123",
        "API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "token: {{ secrets.TOKEN_1234 }}",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "https://$USER:$TOKEN@host/x",
        concat!("https://user", ":password@host/x"),
        "--password \"$DB_PASSWORD\"",
        "KEY=value",
        "monkey = banana",
        "max_tokens: 4096",
        "tokens=123456",
        concat!("PWD=/ho", "me/bob/src"),
        "SSL_KEY=/etc/ssl/private/server1.pem",
        "SSH_KEY=~/.ssh/id_ed25519",
        "sort_key: section-header-2",
        "message_key: messages.error.404",
    ] {
        survives(text);
    }
}

#[test]
fn hashes_ids_and_public_things_survive() {
    let digest = hex(64);
    for text in [
        format!("commit {}", hex(40)),
        format!("tree {}", hex(40)),
        format!("checksum = \"{digest}\""),
        format!("blake3: {digest}"),
        format!("image@sha256:{digest}"),
        format!("cache_key: {digest}"),
        format!("\"integrity\": \"sha512-{}==\",", alnum(86)),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} bob@host", alnum(43)),
        format!("data:image/png;base64,iVBORw0KGgo{}=", alnum(80)),
        private_key("CERTIFICATE"),
        private_key("PUBLIC KEY"),
        private_key("PGP PUBLIC KEY BLOCK"),
        format!("pk_{}_{}", "live", alnum(24)),
        format!("AC{}", hex(32)),
        format!("task-{}", hex(32)),
        format!("risk-{}", alnum(48)),
    ] {
        survives(&text);
    }
    for text in [
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "sk-learn and scikit-learn",
        "class=\"sk-loading-spinner-container-wrapper-large\"",
        "risk-assessment-2024-for-the-whole-company-1",
        "ghp_ alone",
        "AKIA is how access keys begin",
        "AKIA1234",
        "eyJ alone, and eyJhbGciOiJIUzI1NiJ9 too",
        "hf_hub_download_with_retries_and_backoff_for_models",
        "npm_config_registry_and_other_long_names_of_variables",
        "/usr/lib/x86_64-linux-gnu/libssl.so.1.1",
        "version = \"1.2.3-beta.4+build.5678\"",
        "https://user@host/path",
        "http://localhost:8080/me@home",
        "http://localhost:8080?me=a@home",
        "postgres://localhost/db",
        "git@github.com:owner/repository.git",
        "12:30:45 INFO key pressed",
        "use std::collections::HashMap;",
        "[redacted:password]",
    ] {
        survives(text);
    }
}

#[test]
fn escapes_and_colours_before_a_token_do_not_hide_it() {
    let token = format!("{}_{}", "ghp", alnum(36));
    for before in ["\\n", "\\t", "%3D", "\\u003d", "\u{1b}[31m", "\u{1b}[0;1m", "_", "é", "=", "("]
    {
        let text = format!("x{before}{token}");
        assert_eq!(redact(&text), format!("x{before}[redacted:github-token]"));
    }
}

#[test]
fn a_token_in_a_url_and_an_assignment_keeps_its_own_kind() {
    let token = format!("{}_{}", "ghs", alnum(36));
    let text = format!("GIT_URL=https://x-access-token:{token}@host/x TOKEN={token}");
    let want = "GIT_URL=https://x-access-token:[redacted:github-token]@host/x \
                TOKEN=[redacted:github-token]";
    assert_eq!(redact(&text), want);
}

#[test]
fn private_keys_of_all_labels_become_one_marker() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let text = format!("before\n{}\nafter\n", private_key(label));
        assert_eq!(redact(&text), "before\n[redacted:private-key]\nafter\n");
    }
}

#[test]
fn a_private_key_on_one_line_is_found_between_its_quotes() {
    let key = private_key("PRIVATE KEY").replace('\n', "\\n");
    assert_eq!(
        redact(&format!(r#"{{"pem": "{key}\n", "id": 1}}"#)),
        r#"{"pem": "[redacted:private-key]\n", "id": 1}"#
    );
}

#[test]
fn margins_around_the_lines_of_a_private_key_do_not_hide_it() {
    for margin in ["    ", "+", "> ", "  12→", "  12\t", "# ", "\""] {
        let key = private_key("RSA PRIVATE KEY").replace('\n', &format!("\n{margin}"));
        let text = format!("a\n{margin}{key}\nb");
        assert_eq!(redact(&text), format!("a\n{margin}[redacted:private-key]\nb"));
    }
}

#[test]
fn a_private_key_that_is_cut_short_ends_where_prose_begins() {
    let key = private_key("RSA PRIVATE KEY");
    let cut = &key[..key.len() - 60];
    let text = format!("{cut}\n... output truncated ...\nnext\n");
    assert_eq!(redact(&text), "[redacted:private-key]\n... output truncated ...\nnext\n");
}

#[test]
fn a_stream_gives_one_line_for_each() {
    let mut redactor = Redactor::new();
    let text = format!("a\n{}; b\nc", private_key("EC PRIVATE KEY"));
    let lines: Vec<_> = text.lines().map(|line| redactor.line(line)).collect();
    let marker = "[redacted:private-key]";
    assert_eq!(lines, ["a", marker, marker, marker, marker, &format!("{marker}; b"), "c"]);
}

#[test]
fn long_hostile_lines_take_linear_time() {
    // Each of these would take minutes if every start walked to the end.
    for unit in [
        "sk-proj-",
        "eyJ-",
        "TOKEN=",
        "token:",
        "token=\"",
        "::",
        concat!("-----BEGIN ", "RSA PRIVATE KEY-----x"),
        "://a:b",
        "password: a ",
        "Cookie: a",
        "m[1m",
        "--token ",
        "M-",
        "password is ",
        "password of a is 'b",
        "the passwords are x1y2z3w4 and ",
        "토큰은 a ",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        assert!(!redact(&text).is_empty());
    }
}

/// Text made of pieces that matter here, so that they meet in odd ways.
fn tricky() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    const PIECES: &[&str] = &[
        " ", "\n", "\r\n", "=", ":", ": ", "\"", "'", "\\", "\\n", "@", "://", ".", ",", ";", "-",
        "_", "<", ">", "{", "}", "(", ")", "[", "]", "password", "PASSWORD", "api_key", "TOKEN",
        "your-", "Bearer ", "Authorization: ", "Cookie: ", "Set-Cookie: a=", "machine a login b ",
        "password ", "--token ", "[redacted:secret]", "[redacted:", "abc", "A1b2C3d4E5f6G7h8",
        "é", " is ", " and ", "비밀번호", "는 ", "hunter2hunter2", "-----BEGIN ", "RSA PRIVATE KEY-----", "-----END ", "eyJ", "sk-", "&", "x",
    ];
    let secrets: Vec<String> = samples::all().into_iter().map(|sample| sample.secret).collect();
    let piece = prop_oneof![
        4 => select(PIECES).prop_map(str::to_owned),
        1 => select(secrets),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing(text in tricky()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), &*once, "from {:?}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = redact(&text);
        let _ = Redactor::new().line(&text);
    }

    #[test]
    fn text_without_secrets_is_borrowed(text in "([a-z]{1,9}[ .,;()\n]){0,40}") {
        prop_assert!(matches!(redact(&text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn a_secret_between_other_lines_is_gone(
        before in any::<String>(),
        sample in select(samples::all()),
        after in any::<String>(),
    ) {
        let SecretSample { secret, line, .. } = sample;
        let out = redact(&format!("{before}\n{line}\n{after}")).into_owned();
        prop_assert!(!out.contains(&secret) || before.contains(&secret) || after.contains(&secret));
    }

    #[test]
    fn a_token_between_other_words_is_gone(
        before in any::<String>(),
        sample in select(samples::tokens()),
        after in any::<String>(),
    ) {
        let out = redact(&format!("{before} {} {after}", sample.secret)).into_owned();
        prop_assert!(!out.contains(&sample.secret));
    }

    #[test]
    fn a_stream_of_lines_equals_the_whole_text(text in tricky()) {
        // A private key is one marker in a text and one per line in a stream.
        let text = text.replace("BEGIN", "begin");
        let mut redactor = Redactor::new();
        let lines: String =
            text.split_inclusive('\n').map(|line| redactor.line(line).into_owned()).collect();
        prop_assert_eq!(redact(&text), lines);
    }
}

#[test]
fn a_secret_that_comes_in_pieces_is_redacted() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("use {token} now\n가나다");
    let mut stream = RedactedStream::default();
    let mut out = String::new();
    for byte in text.as_bytes() {
        out.push_str(&stream.push(&[*byte]));
    }
    out.push_str(&stream.finish());
    assert_eq!(out, redact(&text));
    assert!(!out.contains(&token), "{out}");
}

#[test]
fn a_line_of_another_stream_does_not_end_a_private_key() {
    let material = "qLmNbVcXzAsDfGhJkLqLmNbVcXzAsDfGhJkLqLmNbVcXzAsDfGhJkL0123456789";
    let text = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{material}\nBuilding\nwarning: slow\n{material}\n\
         -----END RSA PRIVATE KEY-----\nDone\n"
    );
    let clean = redact(&text);
    assert!(!clean.contains("qLmNbVc"), "{clean}");
    assert!(clean.contains("Building") || clean.contains("warning: slow"), "{clean}");
    assert!(clean.contains("Done"), "{clean}");
}
