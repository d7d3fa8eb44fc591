//! Values of secret variables of the building process reach no pack and no output.

use crate::sandbox::{Run, Sandbox, run};
use std::fmt::Write as _;

/// Characters without meaning, put together at run time: no file of this repo may look as if it held a secret.
struct Jumble(u64);

impl Jumble {
    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                alphabet[(self.0 >> 33) as usize % alphabet.len()]
            })
            .collect()
    }

    fn word(&mut self, length: usize) -> String {
        self.of("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", length)
    }
}

/// A variable, and what of it stands in a text.
struct Planted {
    name: &'static str,
    value: String,
    stands: String,
}

/// Fifty variables of all the shapes that secrets have in an environment.
fn planted() -> Vec<Planted> {
    let mut all: Vec<Planted> = Vec::new();
    let mut jumble = Jumble(2026);
    let mut plain = |name, value: String| all.push(Planted { name, stands: value.clone(), value });
    let j = &mut jumble;
    plain("DEPLOY_TOKEN", j.word(20));
    plain("SHORTEST_SECRET", format!("a7{}", j.of("bcdefgh", 10)));
    plain("DB_PASSWORD", format!("{}!{}", j.word(6), j.word(6)));
    plain("QUOTED_SECRET", format!("{}\"{}'{}", j.word(5), j.word(5), j.word(5)));
    plain("BACKSLASH_SECRET", format!("{}\\{}\\n{}", j.word(5), j.word(5), j.word(5)));
    plain("UNICODE_PASSWORD", format!("{}ßü日本{}🔑1", j.word(5), j.word(5)));
    plain("SPACED_PASSPHRASE", format!("{} {} {}", j.word(6), j.word(6), j.word(6)));
    plain("HEX_SECRET_KEY", j.of("0123456789abcdef", 64));
    plain("BASE64_SECRET", format!("{}+{}/{}==", j.word(14), j.word(14), j.word(14)));
    plain("SLASHED_ACCESS_KEY", format!("{}/{}/{}", j.word(12), j.word(7), j.word(19)));
    plain("ROOTED_SECRET_KEY", format!("/{}/{}", j.word(19), j.word(20)));
    plain("URLSAFE_API_KEY", format!("{}-{}_{}", j.word(12), j.word(12), j.word(12)));
    plain("LOWER_API_KEY", j.of("abcdefghijkmnpqrstuvwxyz23456789", 24));
    plain("UPPER_LICENSE_KEY", format!("{0}-{0}X-{1}", j.of("ABCDEFGH2345678", 5), j.of("ABCDEFGH2345678", 5)));
    plain("UUID_TOKEN", format!("{0}-4a1b-8c2d-{1}", j.of("0123456789abcdef", 8), j.of("0123456789abcdef", 12)));
    plain("npm_config_authToken", j.word(30));
    plain("aws_secret_access_key", j.word(40));
    plain("MY_APP_JWT", format!("{}.{}.{}", j.word(20), j.word(40), j.word(30)));
    plain("SESSION_COOKIE", format!("s%3A{}.{}", j.word(16), j.word(20)));
    plain("SIGNING_KEY", j.word(43));
    plain("ENCRYPTION_KEY_V2", j.word(32));
    plain("CI_JOB_TOKEN", format!("{}_{}", j.word(10), j.word(10)));
    plain("ACTIONS_RUNTIME_TOKEN", j.word(60));
    plain("VAULT_SECRET_ID", format!("{}-{}", j.word(8), j.word(12)));
    plain("SMTP_PASS", format!("{}#{}", j.word(7), j.word(7)));
    plain("MSSQL_SA_PWD", format!("{}&{}<{}>", j.word(5), j.word(5), j.word(5)));
    plain("GITHUB_PAT", j.word(36));
    plain("BASIC_CREDS", format!("{}:{}", j.word(6), j.word(14)));
    plain("SERVICE_CREDENTIAL", j.word(28));
    plain("MARKDOWN_SECRET", format!("{}|{}*{}", j.word(5), j.word(5), j.word(5)));
    plain("DOLLAR_PASSWORD", format!("${}${}", j.word(6), j.word(12)));
    plain("LONG_TOKEN", j.word(1500));
    plain("Mixed_Case_Password", j.word(13));

    let mut parts = |name, value: String, stands: String| all.push(Planted { name, value, stands });
    let secret = j.word(18);
    parts("NEWLINE_TOKEN", format!("{secret}\n"), secret);
    let secret = j.word(18);
    parts("SHELL_TOKEN", format!("\"{secret}\""), secret);
    let secret = j.word(18);
    parts("BEARER_AUTH", format!("Bearer {secret}"), secret);
    let secret = j.word(18);
    parts("PROXY_AUTH", format!("robot:{secret}"), secret);
    let secret = j.word(18);
    parts("DATABASE_URL", format!("postgres://app:{secret}@db.internal:5432/x"), secret);
    let secret = j.word(14);
    parts("REDIS_URL", format!("redis://:{secret}%21@cache:6379"), format!("{secret}!"));
    let secret = j.word(30);
    parts("BLOB_URL", format!("https://x.example.org/c?sv=2024&sig={secret}&sp=r"), secret);
    let secret = j.word(40);
    parts("STORAGE_CONNECTION", format!("Protocol=https;AccountName=a;AccountKey={secret}==;Suffix=x"), secret + "==");
    let secret = j.word(16);
    parts("PG_CONNECTION", format!("host=db user=app password={secret} dbname=x"), secret);
    let secret = j.word(22);
    parts("APP_SETTINGS", format!("{{\"name\": \"x\", \"db\": {{\"password\": \"{secret}\"}}}}"), secret);
    let secret = j.word(22);
    parts("GCP_CREDENTIALS", format!("{{\"type\":\"account\",\"client_secret\":\"{secret}\"}}"), secret);
    let secret = j.word(22);
    parts("DOTENV", format!("A=1\nAPI_SECRET='{secret}'\nB=2"), secret);
    let (begin, end) = (format!("-----BEGIN {} KEY-----", "PRIVATE"), format!("-----END {} KEY-----", "PRIVATE"));
    let (one, two) = (j.word(64), j.word(64));
    parts("TLS_PRIVATE_KEY", format!("{begin}\n{one}\n{two}\n{end}\n"), two);
    let (one, two) = (j.word(64), j.word(64));
    parts("FLAT_PRIVATE_KEY", format!("{begin}\\n{one}\\n{two}\\n{end}\\n"), one);
    let (one, two) = (j.word(70), j.word(24));
    parts("SSH_SIGNING_KEY", format!("{begin}\r\n  {one}\r\n  {two}\r\n{end}"), format!("{one}\n{two}"));
    let secret = j.word(18);
    parts("URLS_FILE_TEXT", format!("A=1\nDATABASE_URL=postgres://app:{secret}@db/x\n"), secret);
    let secret = j.word(40);
    parts("ONE_LINE_SECRET", format!("\n  {secret}  \n"), secret);
    all
}

fn sandbox(planted: &[Planted]) -> Sandbox {
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\n")]);
    for (number, one) in planted.iter().enumerate() {
        let text = format!("---\nid: item-{number:02}\ntitle: Item\n---\n\nFirst.\n\nit is {} there\n", one.stands);
        sandbox.write(&format!("work_items/item-{number:02}.md"), text);
    }
    sandbox.write("work_items/none.md", "---\nid: none\ntitle: None\n---\nNothing.\n");
    sandbox
}

fn ran(sandbox: &Sandbox, variables: &[Planted], args: &[&str]) -> Run {
    let mut command = sandbox.command(args);
    command.envs(variables.iter().map(|one| (one.name, &one.value)));
    run(command, "")
}

#[test]
fn no_pack_is_written_that_holds_the_value_of_a_secret_variable() {
    let planted = planted();
    assert_eq!(planted.len(), 50);
    let sandbox = sandbox(&planted);
    let mut said = String::new();
    for format in ["text", "json", "github"] {
        let run = ran(&sandbox, &planted, &["build", "-v", "--format", format]);
        assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
        let all = run.stdout + &run.stderr;
        for (number, one) in planted.iter().enumerate() {
            let pack = format!("packs/item-{number:02}.coding.json");
            // What the rules know is gone from the text before the pack is looked at.
            let redacted = sandbox.has(&pack) && sandbox.read(&pack).contains("[REDACTED:");
            let named = all.contains(&format!("`{}`", one.name)) || all.contains(&format!("\\\"{}\\\"", one.name));
            assert!(redacted || (named && !sandbox.has(&pack)), "{}: {all}", one.name);
            assert!(redacted || all.contains(&format!("work_items/item-{number:02}.md")), "{}: {all}", one.name);
        }
        said += &all;
    }
    assert!(sandbox.has("packs/none.coding.json"), "a pack without any of them is built");
    for args in [&["list"][..], &["check"], &["check", "--format", "json"], &["build", "item-03", "--out", "-"]] {
        let run = ran(&sandbox, &planted, args);
        said += &(run.stdout + &run.stderr);
    }
    for number in (0..planted.len()).step_by(7) {
        for command in ["render", "explain"] {
            let run = ran(&sandbox, &planted, &[command, &format!("item-{number:02}")]);
            said += &(run.stdout + &run.stderr);
        }
    }
    for (path, bytes) in sandbox.files() {
        if !path.starts_with("work_items/") {
            let _ = writeln!(said, "{path}\n{}", String::from_utf8_lossy(&bytes));
        }
    }
    for one in &planted {
        for part in [one.value.trim(), &one.stands].into_iter().chain(one.stands.lines()) {
            let json = serde_json::Value::from(part).to_string();
            let at = said.find(part).or_else(|| said.find(&json[1..json.len() - 1]));
            let around = at.map(|at| said[..at].lines().rev().take(3).collect::<Vec<_>>());
            assert_eq!(at, None, "{} is told after {around:?}", one.name);
        }
    }
}

#[test]
fn the_place_is_named_wherever_the_value_stands() {
    let value = Jumble(7).word(20);
    let variable = [Planted { name: "DEPLOY_TOKEN", stands: value.clone(), value: value.clone() }];
    for (text, place) in [
        (format!("---\nid: a\ntitle: A\n---\nis {value}\n"), "section `root.issue`, from `work_items/a.md"),
        (format!("---\nid: a\ntitle: A\nnote: see {value}\n---\nx\n"), "section `root.json`, from `work_items/a.md"),
        (format!("---\nid: a\ntitle: Say {value}\n---\nx\n"), "section `root.issue`, from `work_items/a.md"),
        (format!("---\nid: a\ntitle: A\nparent: {value}\n---\nx\n"), "section `root.json`, from `work_items/a.md"),
    ] {
        let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\n"), ("work_items/a.md", &text)]);
        let run = ran(&sandbox, &variable, &["build"]);
        assert_eq!(run.code, 3, "{text}");
        let message = format!(
            "error[environment-secret]: the value of the environment variable `DEPLOY_TOKEN` stands in {place}"
        );
        assert!(run.stderr.contains(&message) && !run.stderr.contains(&value), "{}", run.stderr);
    }
}

#[test]
fn variables_of_every_day_change_nothing() {
    const VARIABLES: &[(&str, &str)] = &[
        ("POSTGRES_PASSWORD", "postgres"),
        ("MYSQL_ROOT_PASSWORD", "my-secret-pw"),
        ("PASSWORD", "password1234"),
        ("ADMIN_PASSWORD", "Passw0rd1234!"),
        ("TEST_SECRET", "test-secret-123"),
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_REPOSITORY", "owner/some-repo-1"),
        ("GITHUB_ACTOR", "some-Actor-42"),
        ("GITHUB_WORKSPACE", "/home/runner/work/repo1"),
        ("GITHUB_SHA", "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"),
        ("ACTIONS_ID_TOKEN_REQUEST_URL", "https://pipelines.example.org/a1B2c3D4/_apis"),
        ("CI_API_V4_URL", "https://gitlab.example.org/api/v4"),
        ("SSH_AUTH_SOCK", "/tmp/ssh-XXab12/agent.4242"),
        ("XDG_SESSION_ID", "session-2026-c2"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
        ("KEY", "linux-cargo-1a2b3c4d5e6f"),
        ("CACHE_KEY", "linux-cargo-1a2b3c4d5e6f"),
        ("SSH_KEY_PATH", "/home/runner/.ssh/id_1"),
        ("TOKEN_FILE", "Config/token-2.txt"),
        ("AUTH_PROVIDER", "keycloak-openid"),
        ("SECRET_NAME", "prod/app-7/db"),
        ("API_KEY", "${REAL_API_KEY_1}"),
        ("GPG_KEY", "E3FF2839C048B25C084DEBE9B26995E310250568"),
        ("PATH_TO_KEYS", "C:\\keys\\one1"),
        ("LESSKEYIN", "q7Rt5Kx9wZ1c3"),
        ("DOCKER_HOST", "tcp://10.0.0.1:2375"),
        ("HTTP_PROXY", "http://proxy.example.org:3128"),
        ("TEST_DATABASE_URL", "postgres://postgres:postgres@localhost/db"),
    ];
    let text: String = VARIABLES.iter().map(|(name, value)| format!("`{name}`: {value}\n\n")).collect();
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/a.md", &format!("---\nid: a\ntitle: A\n---\n\n{text}")),
    ]);
    let without = sandbox.expect(0, &["build", "--out", "-"]);
    let mut command = sandbox.command(&["build", "--out", "-"]);
    command.envs(VARIABLES.iter().copied());
    let with = run(command, "");
    assert_eq!(with.code, 0, "{}", with.stderr);
    assert_eq!(with.stdout, without);
}

#[test]
fn an_id_that_is_a_secret_is_shown_by_no_command() {
    let secret = format!("kT4x9{}", "Qz2ab");
    let item = format!("---\nid: feat:{secret}\ntitle: T\n---\nText.\n");
    let sandbox = Sandbox::configured(&[("work_items/x.md", &item)]);
    for command in ["list", "build", "check", "ready", "stats"] {
        for format in ["text", "json"] {
            let mut args = sandbox.command(&[command, "--format", format]);
            args.env("DB_PASSWORD", &secret);
            let said = run(args, "");
            assert!(!(said.stdout.clone() + &said.stderr).contains(&secret), "{command} {format}: {said:?}");
        }
    }
}
