//! One made-up secret of every kind, built at run time so that no scanner reports
//! this file as a leak.

const ALNUM: &str = "aZ3kQ9xR7mB2vT8nW4pL6sD1fG5hJ0cY";
const HEX: &str = "3f9a0c7e1b5d2846";
const UPPER: &str = "Q7ZK2M9XW4RT8VB3";

/// Returns `length` characters that look random and are always the same.
fn noise(alphabet: &str, length: usize) -> String {
    let letters = alphabet.as_bytes();
    let mut state = 7_usize;
    let mut next = || {
        state = (state * 1_103 + 12_345) % 65_537;
        char::from(letters[state % letters.len()])
    };
    (0..length).map(|_| next()).collect()
}

pub(super) fn alnum(length: usize) -> String {
    noise(ALNUM, length)
}

pub(super) fn hex(length: usize) -> String {
    noise(HEX, length)
}

/// A secret, and a line that contains it.
#[derive(Clone, Debug)]
pub(super) struct SecretSample {
    pub(super) kind: &'static str,
    pub(super) secret: String,
    pub(super) line: String,
}

fn sample(kind: &'static str, secret: String, line: &str) -> SecretSample {
    assert!(line.contains('@'), "{line} has no place for its secret");
    SecretSample { kind, line: line.replacen('@', &secret, 1), secret }
}

/// Returns samples that are recognised without surroundings.
pub(super) fn tokens() -> Vec<SecretSample> {
    let plain: &[(&'static str, &[&str], String)] = &[
        ("aws-access-key", &["AKIA", "ASIA"], noise(UPPER, 16)),
        ("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], alnum(40)),
        ("gitlab-token", &["glpat-", "gldt-", "glrt-", "glptt-"], alnum(20)),
        ("slack-token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xapp-"], alnum(30)),
        ("stripe-key", &["sk_live_", "rk_live_", "sk_test_"], alnum(24)),
        ("webhook-secret", &["whsec_"], alnum(32)),
        ("openai-key", &["sk-", "sk-proj-", "sk-svcacct-"], alnum(48)),
        ("openrouter-key", &["sk-or-v1-"], hex(64)),
        ("anthropic-key", &["sk-ant-api03-"], alnum(60)),
        ("groq-key", &["gsk_"], alnum(52)),
        ("xai-key", &["xai-"], alnum(80)),
        ("replicate-token", &["r8_"], alnum(37)),
        ("perplexity-key", &["pplx-"], alnum(48)),
        ("google-api-key", &["AIza"], alnum(35)),
        ("google-oauth", &["ya29.", "GOCSPX-", "1//0"], alnum(60)),
        ("npm-token", &["npm_"], alnum(36)),
        ("pypi-token", &["pypi-AgEI"], alnum(70)),
        ("crates-io-token", &["cio"], alnum(32)),
        ("rubygems-key", &["rubygems_"], hex(48)),
        ("docker-token", &["dckr_pat_"], alnum(27)),
        ("twilio-key", &["SK"], hex(32)),
        ("mailgun-key", &["key-"], hex(32)),
        ("huggingface-token", &["hf_"], alnum(34)),
        ("databricks-token", &["dapi"], hex(32)),
        ("digitalocean-token", &["dop_v1_"], hex(64)),
        ("heroku-key", &["HRKU-"], alnum(36)),
        ("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], hex(32)),
        ("atlassian-token", &["ATATT3"], alnum(60)),
        ("linear-key", &["lin_api_"], alnum(40)),
        ("notion-token", &["secret_", "ntn_"], alnum(43)),
        ("figma-token", &["figd_"], alnum(40)),
        ("postman-key", &["PMAK-"], hex(59)),
        ("vercel-token", &["vcp_", "vck_"], alnum(56)),
        ("netlify-token", &["nfp_"], alnum(36)),
        ("supabase-key", &["sbp_", "sb_secret_"], hex(40)),
        ("planetscale-token", &["pscale_tkn_", "pscale_pw_"], alnum(43)),
        ("doppler-token", &["dp.pt.", "dp.st.dev."], alnum(43)),
        ("vault-token", &["hvs.", "hvb."], alnum(90)),
        ("pulumi-token", &["pul-"], hex(40)),
        ("grafana-token", &["glsa_"], alnum(41)),
        ("newrelic-key", &["NRAK-"], noise(UPPER, 27)),
        ("sentry-token", &["sntrys_", "sntryu_"], hex(64)),
        ("tailscale-key", &["tskey-"], alnum(34)),
        ("fly-token", &["fm2_"], alnum(80)),
        ("age-secret-key", &["AGE-SECRET-KEY-1"], noise(UPPER, 58)),
    ];
    let with = |(kind, prefixes, body): &(&'static str, &[&str], String)| -> Vec<SecretSample> {
        prefixes.iter().map(|prefix| sample(kind, format!("{prefix}{body}"), "@")).collect()
    };
    let dotted = [
        ("sendgrid-key", ["SG", &alnum(22), &alnum(43)].join(".")),
        ("airtable-token", [&format!("pat{}", alnum(14)), &*hex(64)].join(".")),
        ("discord-token", [&format!("MT{}", alnum(22)), "GaB3x_", &alnum(38)].join(".")),
        (
            "jwt",
            [&format!("eyJ{}", alnum(17)), &*format!("eyJ{}", alnum(40)), &alnum(43)].join("."),
        ),
        ("terraform-token", [&alnum(14), "atlasv1", &alnum(67)].join(".")),
        ("telegram-token", ["123456789", &format!("AA{}", alnum(33))].join(":")),
    ];
    let dotted = dotted.map(|(kind, secret)| sample(kind, secret, "@"));
    plain.iter().flat_map(with).chain(dotted).collect()
}

/// Returns samples that are recognised by their surroundings; `@` marks the place.
fn in_context() -> Vec<SecretSample> {
    let hook = format!("T{}/B{}/{}", noise(UPPER, 8), noise(UPPER, 8), alnum(24));
    vec![
        sample("aws-secret-key", alnum(40), "aws_secret_access_key = @"),
        sample("aws-secret-key", alnum(40), r#""AWS_SECRET_ACCESS_KEY": "@","#),
        sample("slack-webhook", hook, "https://hooks.slack.com/services/@"),
        sample(
            "discord-webhook",
            format!("{}/{}", "1".repeat(18), alnum(68)),
            "POST https://discord.com/api/webhooks/@",
        ),
        sample("signed-url", hex(64), "https://bucket.example/x?a=1&X-Amz-Signature=@&b=2"),
        // The last `@` belongs to the URL.
        sample("url-password", "swordfish9".into(), "postgres://app:@@db.internal/main"),
        sample("url-password", "p@ss:w0rd".into(), "redis://:@@cache:6379/0"),
        sample("url-password", "Sup3r/Secret9".into(), "postgres://app:@@db/prod"),
        sample("command-password", "s3same-9".into(), "curl -sS -u admin:@ http://host:80/x"),
        sample("command-password", "letmein".into(), "curl --user 'admin:@' http://host"),
        sample("command-password", "s3same".into(), "mysqldump -u root -p@ shop > shop.sql"),
        sample("command-password", "letmein".into(), "sshpass -p '@' ssh root@host"),
        sample("authorization", alnum(32), "Authorization: Bearer @"),
        sample("authorization", "dXNlcjpwYXNz".into(), r#"curl -H "Authorization: Basic @" x"#),
        sample("authorization", alnum(32), r#"headers["Authorization"] = "token @""#),
        sample("authorization", alnum(32), r#"{\"authorization\": \"bearer @\"}"#),
        sample("cookie", "sid=s3cr3tvalue; theme=dark".into(), "Cookie: @"),
        sample("cookie", "s3cr3tvalue".into(), "Set-Cookie: sid=@; Path=/; HttpOnly"),
        sample("netrc-password", "swordfish".into(), "machine ftp.host login bob password @"),
        sample("netrc-password", "sword-fish9".into(), "  password @"),
        sample("flag-value", "hunter2".into(), "mysql --user root --password @ db"),
        sample("flag-value", alnum(24), "deploy --auth-token @ now"),
        sample("password", "hunter2".into(), "PASSWORD=@"),
        sample("password", "p&ss(w)rd;1".into(), "export DB_PASSWORD=@"),
        sample("password", "swordfish".into(), "password: @"),
        sample("password", "letmein".into(), r#"  "password": "@","#),
        sample("password", "correct horse".into(), "db.passphrase = '@'"),
        sample("password", "s3same".into(), "Server=x;Uid=sa;Pwd=@;Timeout=5"),
        sample("password", "hunter2".into(), r#"let password: &str = "@";"#),
        sample("password", "hunter2".into(), r#"{\"password\":\"@\"}"#),
        sample("password", "hunter2".into(), "'password' => '@',"),
        sample("password", "Qwerty!234".into(), "스테이징 비밀번호: @"),
        sample("password", "hunter2".into(), "비밀번호=@"),
        sample("password", "hunter2".into(), r#""암호": "@""#),
        sample("secret", alnum(24), "배포 토큰: @"),
        sample("secret", alnum(32), "API_KEY=@"),
        sample("secret", alnum(20), "export MY_TOKEN='@'"),
        sample("secret", alnum(24), r#"{"clientSecret": "@"}"#),
        sample("secret", hex(32), "twilio_auth_token: @"),
        sample("secret", hex(64), "SECRET_KEY_BASE=@"),
        sample("secret", alnum(36), "//registry.example/:_authToken=@"),
        sample("secret", alnum(24), r#"api_key: str = "@""#),
        sample("secret", alnum(24), "GET /v1?access_token=@&page=2"),
        sample("secret", alnum(24), "X-Api-Key: @"),
        sample("secret", alnum(40), "token := \"@\""),
        sample("secret", alnum(40), "DefaultEndpoints;AccountKey=@;Suffix=x"),
    ]
}

/// Returns at least one sample of every kind that fits on a line.
pub(super) fn all() -> Vec<SecretSample> {
    let mut all = tokens();
    all.extend(in_context());
    all
}

/// Renders a private key over several lines, with `label` in its armour.
pub(super) fn private_key(label: &str) -> String {
    let armour = |word: &str| format!("{d}{word} {label}{d}", d = "-".repeat(5));
    [&*armour("BEGIN"), &alnum(64), &alnum(64), "c2hvcnQ=", &armour("END")].join("\n")
}
