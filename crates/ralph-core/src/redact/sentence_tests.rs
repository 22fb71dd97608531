use super::super::redact;

/// Sentences with what must be gone from them.
const TOLD: &[(&str, &str)] = &[
    ("the password of staging is Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("The staging password is Tr0ub4dor&3.", "Tr0ub4dor&3"),
    ("the password for the admin user on staging is hunter2hunter2", "hunter2hunter2"),
    ("the password is now Summer2024, ask ops to rotate it", "Summer2024"),
    ("the password is hunter2", "hunter2"),
    ("the password is \"hunter2\" on all boxes", "hunter2"),
    ("`password` is `s3cr3t-pw9x`", "s3cr3t-pw9x"),
    ("root password was changed to Qwerty!234 yesterday", "Qwerty!234"),
    ("the db password: foo$Bar99", "foo$Bar99"),
    ("password for staging: foo$Bar99", "foo$Bar99"),
    ("password of the replica = foo$Bar99", "foo$Bar99"),
    ("export DB_PASS='x y z1'", "x y z1"),
    ("the passphrase is 'correct horse battery staple'", "correct horse battery staple"),
    ("the passwords are hunter2hunter2 and Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("log in with password P4ssw0rdX9 first", "P4ssw0rdX9"),
    ("the credentials are admin:Passw0rd1", "Passw0rd1"),
    ("dbPassword is Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("the wifi pw is Caf3Latte99", "Caf3Latte99"),
    ("DB_PASSWORD is set to k9Xq72mZ", "k9Xq72mZ"),
    ("the pin pad's passcode is 48151623", "48151623"),
    (
        "aws secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    ("the aws secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz"),
    ("token for the CI is ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2", "ghp_a1B2"),
    ("the token that we use here is 9f8a7c6b5d4e3f2a1b0c", "9f8a7c6b5d4e3f2a1b0c"),
    ("the API key is a8f3k2j9q7", "a8f3k2j9q7"),
    ("the api key for the geocoder is Zx81kQ77LmN2pR", "Zx81kQ77LmN2pR"),
    ("the client secret's value is 8Q~xK2v9Lm4Pz7Rt", "8Q~xK2v9Lm4Pz7Rt"),
    ("signing key is b64:Qm9vS2V5MTIzNDU2Nzg5", "Qm9vS2V5MTIzNDU2Nzg5"),
    ("the private key of the bot is 0x4c0883a69102937d6231471b5dbb6204", "4c0883a69102937d"),
    ("the credentials for the broker are svc/Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("the password is x7Kq92mZ", "x7Kq92mZ"),
    ("the password is h4ck3rman1", "h4ck3rman1"),
    ("the API key is h8f3k2j9q7", "h8f3k2j9q7"),
    ("the token is v9f8a7c6b5d4e3f2a1b0c", "v9f8a7c6b5d4e3f2a1b0c"),
    ("the secret is X9k2Lm4Pz7Rt8Qw1", "X9k2Lm4Pz7Rt8Qw1"),
    ("비밀번호는 x7Kq92mZ 입니다", "x7Kq92mZ"),
    ("API 키는 v8f3k2j9q7 이다", "v8f3k2j9q7"),
    ("use k9Xq72mZ as the password", "k9Xq72mZ"),
    ("we use `k9Xq72mZ` as the new admin password there", "k9Xq72mZ"),
    ("use 9f8a7c6b5d4e3f2a1b0c as the token", "9f8a7c6b5d4e3f2a1b0c"),
    ("the password is Tr0u(b4dor&3", "Tr0u(b4dor&3"),
    ("the password is p&ss(w)rd;1 for now", "p&ss(w)rd;1"),
    ("the password is k9X{q72mZ.", "k9X{q72mZ"),
    ("the staging password used to be qwerty123", "qwerty123"),
    ("the password is Ubuntu2204", "Ubuntu2204"),
    ("login with admin and swordfish99", "swordfish99"),
    ("log in as `admin` with Tr0ub4dor&3 first", "Tr0ub4dor&3"),
    (
        "the passphrase of the backup key is correct horse battery staple",
        "correct horse battery staple",
    ),
    ("the passphrase is correct horse battery staple on all boxes.", "horse battery staple"),
    ("패스프레이즈는 correct horse battery staple 입니다", "horse battery staple"),
    ("비밀번호는'k9Xq72mZ'이다", "k9Xq72mZ"),
    ("비밀번호는“k9Xq72mZ”이다", "k9Xq72mZ"),
    ("비밀번호로 k9Xq72mZ 를 쓴다", "k9Xq72mZ"),
    ("토큰으로 9f8a7c6b5d4e3f2a1b0c 를 넣는다", "9f8a7c6b5d4e3f2a1b0c"),
    ("k9Xq72mZ 를 비밀번호로 쓴다", "k9Xq72mZ"),
    ("k9Xq72mZ를 관리자 비밀번호로 쓴다", "k9Xq72mZ"),
    ("비밀번호를 Summer2024로 바꿨다", "Summer2024"),
    ("비밀번호는 k9Xq72mZ에 저장한 것과 같다", "k9Xq72mZ"),
    ("비밀번호는 호랑이42! 입니다", "호랑이42!"),
    ("비밀번호는 '호랑이42!'입니다", "호랑이42!"),
    ("비번은 호랑이42이다", "호랑이42"),
    ("비밀번호 호랑이42! 를 넣는다", "호랑이42!"),
    ("비밀번호: 호랑이42!", "호랑이42!"),
    ("비밀번호=호랑이42!", "호랑이42!"),
    ("암호를 호랑이42!로 바꿨다", "호랑이42!"),
    ("admin 과 swordfish99 로 로그인한다", "swordfish99"),
    ("admin / swordfish99로 로그인한다", "swordfish99"),
    ("비밀번호는 hunter2hunter2 입니다", "hunter2hunter2"),
    ("스테이징 DB의 비밀번호는 Tr0ub4dor&3이다", "Tr0ub4dor&3"),
    ("암호는 foo$Bar99 로 정했다", "foo$Bar99"),
    ("api 키는 a8f3k2j9q7 이다", "a8f3k2j9q7"),
    ("API 키는 Zx81kQ77LmN2pR입니다.", "Zx81kQ77LmN2pR"),
    ("CI 토큰은 현재 9f8a7c6b5d4e3f2a1b0c 를 쓴다", "9f8a7c6b5d4e3f2a1b0c"),
    ("관리자 비밀번호를 Summer2024!로 바꿨다", "Summer2024"),
    ("비밀번호 값은 k9Xq72mZ 입니다", "k9Xq72mZ"),
    ("비번은 qwer1234 이에요", "qwer1234"),
    ("비밀번호(스테이징)는 k9Xq72mZ 이다", "k9Xq72mZ"),
    ("토큰 9f8a7c6b5d4e3f2a1b0c 를 넣는다", "9f8a7c6b5d4e3f2a1b0c"),
    ("서비스 키가 Zx81kQ77LmN2pR 로 바뀌었다", "Zx81kQ77LmN2pR"),
];

/// Sentences of notes about software.
const HARMLESS: &[&str] = &[
    "the password is hashed with bcrypt",
    "the password is hashed with argon2id and 16 bytes of salt",
    "the token is refreshed every 5 minutes",
    "the secret is stored in Vault",
    "password is required",
    "token is a JWT",
    "the token is base64-encoded",
    "the token is HS256-signed and lives for 15min",
    "the token is OAuth2-based",
    "the password is AES-256-encrypted at rest",
    "the password is 12-characters-long at least",
    "the password is SHA256(salt + input)",
    "the password is argon2id",
    "the password is base64",
    "the API key is X-API-Key, a header",
    "the API key is per-user and rotated every 90days",
    "the API key is `API_KEY_V2`",
    "the secret is called db-credentials-2",
    "the secret is prod/db/main-2 in the vault",
    "the secret is $GITHUB_TOKEN",
    "the secret is process.env.SECRET_KEY_2",
    "the secret is in config/secrets.yml:42",
    "the password is SHA256withRSA",
    "the password is log4j2-formatted in the log",
    "the token is secp256k1-signed",
    "the token is utf8mb4",
    "the token is base64url-encoded",
    "the signing key is ed25519",
    "the signing key is secp256r1",
    "the API key is v1beta1 only",
    "비밀번호는 blake2b로 해시한다",
    "토큰은 base64url 이다",
    "the password is stored in Postgres14",
    "the password is Ubuntu2204 specific",
    "the credentials are user@host2 and team9000",
    "the token is sign(user2id9, key)",
    "let tokens = quote!(..100u32);",
    "the token is HashMap<u64,Token2x9>",
    "the secret is load_v2a9(path)",
    "use SHA256 as the password hash",
    "use user_id_v2 as the token",
    "store it as the password",
    "the password used to be hashed with md5crypt",
    "log in with SSO and TOTP",
    "the login with keycloak and postgres14",
    "let password = &args[1];",
    "비밀번호는 버전2!",
    "비밀번호: 필수 항목이다!",
    "log in with alice and oauth2",
    "login with username and password",
    "the passphrase is asked for on every start of the machine",
    "the passphrase is never written to disk, the agent keeps it",
    "the passphrase is part of the backup key",
    "the passphrase is four random words long",
    "the passphrase of the backup key is kept in the vault",
    "패스프레이즈는 네 단어 이상이어야 한다",
    "비밀번호는 Postgres14에 저장한다",
    "비밀번호는 Postgres14에서 읽는다",
    "비밀번호는 Vault2024로 옮겼다",
    "비밀번호로 로그인한다",
    "비밀번호는 최소8~12자이다",
    "비밀번호는 규칙2를 따른다",
    "비밀번호는 정책12에 있다",
    "구글 계정으로 로그인한다",
    "OAuth2와 OIDC로 로그인한다",
    "bcrypt를 암호로 쓰지 않는다",
    "the primary key is user_id_v2",
    "the cache key is 9f8a7c6b5d4e3f2a1b0c",
    "the private key is ~/.ssh/id_ed25519",
    "the token is passed as `Authorization: Bearer <token>`",
    "the token format is v4.public.payload",
    "the token endpoint is https://auth.example.org/oauth2/token",
    "the token expires on 2026-01-31T10:00:00Z",
    "the token expiry is 2026-01-31T10:00:00Z",
    "the token API is authentication.k8s.io/v1beta1",
    "the password policy is min8chars",
    "the password field is #login-password-1",
    "the password reset fix is 3f2a9c1b7d",
    "password reset was broken in 3f2a9c1b7d",
    "the default password is \"admin\"",
    "the error for a wrong password is \"invalid user name or password\"",
    "the error of a weak password is \"at least 8 characters\"",
    "passwords are never logged",
    "tokens are 64bytes long",
    "unexpected token `}` in line 12",
    "Unexpected token < in JSON at position 0",
    "the next token is Token::Ident2",
    "the lexer's tokens are kept in tokens2.rs",
    "the secret for signing is read from SIGNING_KEY_2024 at start",
    "credentials are user@example.org and nothing else",
    "the credentials in the fixture are read-only",
    "the tokens per request are 4096",
    "the key is user:123:profile",
    "secret scanning is turned on",
    "the keyboard is qwerty123",
    "the password is sent over TLS1.3 only",
    "the passphrase is optional",
    "the session token is rotated by rotate_token_v2()",
    "비밀번호는 필수입니다",
    "비밀번호는 8자 이상이어야 합니다",
    "비밀번호는 bcrypt로 해시한다",
    "비밀번호는 SHA-256으로 해시한다",
    "비밀번호를 argon2id로 해시한다",
    "암호화는 AES-256-GCM으로 한다",
    "암호는 AES-256-GCM이다",
    "토큰은 JWT이다",
    "토큰은 15분마다 갱신한다",
    "토큰은 localStorage에 저장하지 않는다",
    "토큰은 Authorization 헤더로 보낸다",
    "API 키는 X-API-Key 헤더로 보낸다",
    "API 키는 .env.local에 둔다",
    "API 키는 환경 변수 API_KEY_V2에서 읽는다",
    "쿠키는 a8f3k2j9q7 이다",
    "기본 키는 user_id_v2 이다",
    "키워드는 qwerty123 이다",
];

#[test]
fn a_secret_in_a_sentence_is_taken_out() {
    for (text, secret) in TOLD {
        let kept = redact(text);
        assert!(!kept.contains(secret) && kept.contains("[redacted:"), "{text} became {kept}");
        assert_eq!(redact(&kept), kept, "of {text}");
    }
}

#[test]
fn a_secret_that_begins_like_an_algorithm_is_taken_out() {
    let stems = ["aes", "base", "cp", "ed", "es", "h", "hs", "log", "md", "ps", "rs", "sha", "v"];
    for stem in stems {
        for rest in ["7Kq92mZ4", "9f8a7c6b5d4e3f2a1b0c", "4ck3rman1"] {
            for (text, end) in [("the password is ", "."), ("비밀번호는 ", " 입니다")] {
                let kept = redact(&format!("{text}{stem}{rest}{end}")).into_owned();
                assert_eq!(kept, format!("{text}[redacted:password]{end}"), "{stem}{rest}");
            }
        }
    }
}

#[test]
fn both_halves_of_a_key_are_taken_out() {
    let secret = ["wJalrXUtnFEMI", "K7MDENG", "bPxRfiCYEXAMPLEKEY"].join("/");
    for text in ["aws secret", "the AWS secret is", "AWS 시크릿은"] {
        let kept = redact(&format!("{text} AKIAIOSFODNN7EXAMPLE {secret} here")).into_owned();
        assert!(!kept.contains("AKIA") && !kept.contains("wJalr"), "{kept}");
        assert!(kept.ends_with("] here"), "{kept}");
    }
}

#[test]
fn sentences_about_secrets_stay_whole() {
    for text in HARMLESS {
        assert_eq!(redact(text), *text);
    }
}

#[test]
fn the_sentence_around_a_secret_stays() {
    for (text, want) in [
        (
            "the password of staging is Tr0ub4dor&3.",
            "the password of staging is [redacted:password].",
        ),
        ("비밀번호는 hunter2hunter2 입니다", "비밀번호는 [redacted:password] 입니다"),
        ("the api key is 'a8f3k2j9q7'!", "the api key is '[redacted:secret]'!"),
        (
            "the passwords are hunter2hunter2 and Tr0ub4dor&3, both old",
            "the passwords are [redacted:password] and [redacted:password], both old",
        ),
    ] {
        assert_eq!(redact(text), want);
    }
}

#[test]
fn a_long_line_of_such_words_takes_linear_time() {
    let mut lines: Vec<String> = [
        "x as password ",
        "passphrase is a ",
        "passphrase is correct horse battery ",
        "login with a and ",
        "비밀번호",
        "a 를 비밀번호로 ",
        "a 와 b 로 로그인 ",
        "password is a(b ",
        "token 9f8a7c6b5d4e3f2a1b0c ",
        "비밀번호는 호랑이42! ",
    ]
    .iter()
    .map(|unit| unit.repeat(200_000 / unit.len()))
    .collect();
    lines.extend([")", "(", "가", "a"].map(|end| format!("password is a{}", end.repeat(200_000))));
    for line in lines {
        assert!(!redact(&line).is_empty());
    }
}
