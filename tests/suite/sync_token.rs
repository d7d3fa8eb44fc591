//! `sync` sends its token to the API only.

use crate::sandbox::{Run, Sandbox, run};
use crate::stand_in::{Said, StandIn, World};
use crate::sync::{TOKEN, command, issue, sandbox, small, synced};
use crate::sync_faults::first;
use serde_json::json;
use std::process::Command;

/// The token as it is, and as servers and proxies may repeat it: Base64 of header and credentials, percent, hexadecimal.
fn forms() -> Vec<String> {
    let percent: String = TOKEN.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut forms = vec![TOKEN.to_owned(), TOKEN.replace('-', "%2D"), percent];
    forms.push(TOKEN.bytes().map(|byte| format!("{byte:02X}")).collect());
    for before in ["", "Bearer ", "x-access-token:", "ab"] {
        forms.push(base64(&format!("{before}{TOKEN}")));
    }
    forms
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.as_bytes().chunks(3).flat_map(|chunk| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or_default()));
        let digit = move |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]);
        (0..4).map(move |at| if at <= chunk.len() { digit(at) } else { '=' })
    });
    digits.collect()
}

/// Fails if the output, or any file or file name of the repo, contains the token in any form.
fn assert_kept(sandbox: &Sandbox, run: &Run) {
    // The first and last digits of Base64 also depend on the bytes around the token.
    let inner = |form: &String| form.trim_end_matches('=')[form.len().min(24) - 12..form.len().min(24)].to_owned();
    let mut all = format!("{}{}", run.stdout, run.stderr);
    for (path, bytes) in sandbox.files() {
        all.push_str(&format!("\n{path}\n{}", String::from_utf8_lossy(&bytes)));
    }
    for form in forms() {
        assert!(!all.contains(&form) && !all.contains(&inner(&form)), "{form} in {all}");
    }
}

/// Sets the token in one of the ways in which it can come.
fn with_token(sandbox: &Sandbox, command: &mut Command, way: &str) {
    command.env_remove("CONTEXTPACK_GITHUB_TOKEN").env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    if way != "gh" {
        command.env(way, TOKEN);
        return;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = sandbox.beside("bin");
        std::fs::create_dir_all(&folder).unwrap();
        let gh = folder.join("gh");
        std::fs::write(&gh, format!("#!/bin/sh\n[ \"$1 $2\" = 'auth token' ] && echo '{TOKEN}'\n")).unwrap();
        std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    }
}

/// The ways in which a token can come.
const WAYS: &[&str] = match cfg!(unix) {
    true => &["CONTEXTPACK_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "gh"],
    false => &["CONTEXTPACK_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
};

#[test]
fn a_server_that_repeats_the_token_is_not_repeated() {
    let elsewhere = StandIn::new(World::default());
    for (at, form) in forms().into_iter().enumerate() {
        let echo = json!({"message": format!("no: {form}"), "documentation_url": form, "url": form});
        let away = format!("{}/{form}", elsewhere.url);
        for status in [401, 403, 500, if at % 2 == 0 { 302 } else { 307 }] {
            let said = Said::new(status, &echo).header("x-echo", &form).header("etag", &form).header("location", &away);
            let way = WAYS[at % WAYS.len()];
            let (sandbox, server) = (sandbox(), StandIn::new(small()));
            let path = if at % 2 == 0 { "/repos/o/r" } else { "/issues?" };
            server.world().fault = first(path, usize::MAX, said);
            let mut command = command(&sandbox, &server, &["--max-wait", "1ms", "-v"]);
            with_token(&sandbox, &mut command, way);
            let run = run(command, "");
            assert_eq!(run.code, 1, "{way}: {}", run.stderr);
            assert_kept(&sandbox, &run);
            let sent = server
                .asked()
                .iter()
                .filter(|a| a.authorization.as_deref() == Some(&*format!("Bearer {TOKEN}")))
                .count();
            assert!(sent > 0, "{way}");
        }
    }
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn a_token_in_every_text_of_every_answer_stays_outside() {
    for (at, form) in forms().into_iter().enumerate() {
        for before in ["", "-"] {
            let mut world = small();
            world.strange = true;
            if at == 0 {
                // With a second page.
                (10..120).for_each(|number| world.part("o/r", 1, number));
            }
            world.echo = Some(format!("{before}{form}"));
            let (sandbox, server) = (sandbox(), StandIn::new(world));
            for args in [&["--format", "json"][..], &["1", "p/q#9"]] {
                let mut command = command(&sandbox, &server, &[&["--max-wait", "1ms"], args].concat());
                with_token(&sandbox, &mut command, WAYS[at % WAYS.len()]);
                let run = run(command, "");
                assert!(matches!(run.code, 0 | 1), "{run:?}");
                assert_kept(&sandbox, &run);
            }
            assert!(sandbox.has(".contextpack/cache"), "{form}");
        }
    }
}

#[test]
fn links_and_redirects_to_other_hosts_carry_no_token_there() {
    let elsewhere = StandIn::new(small());
    let mut world = small();
    (10..=120).for_each(|number| world.part("o/r", 1, number));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    // The stand-in's links name another host, and are followed by their paths on this one.
    let run = synced(&sandbox, &server, &[]);
    assert!(server.asked().iter().any(|asked| asked.path.contains("page=2")), "{}", run.stderr);
    // A redirect to that host is never followed.
    for path in ["/issues?", "/issues/1/sub_issues", "/issues/1/comments"] {
        let away = Said::new(302, &json!({})).header("location", format!("{}/repos/o/r", elsewhere.url));
        server.world().fault = first(path, usize::MAX, away);
        std::fs::remove_dir_all(sandbox.root().join(".contextpack")).unwrap();
        let run = crate::sync::sync(&sandbox, &server, &["--max-wait", "1ms"]);
        assert!(run.code == 1 && run.stderr.contains("redirects to another host"), "{path}: {}", run.stderr);
    }
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn a_token_that_somebody_pasted_enters_no_snapshot() {
    let mut world = small();
    world.strange = true;
    world.issue("o/r", 1)["body"] = format!("see {TOKEN}").into();
    world.issue("o/r", 1)["new_field"] = json!({"deep": [TOKEN], "url": "https://x"});
    world.comment("o/r", 1, TOKEN, "NONE");
    world.issue("o/r", 2)["title"] = TOKEN.into();
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").extra["new_field"], json!({"deep": ["[REDACTED:token]"]}));
    for (path, bytes) in sandbox.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(TOKEN), "{path}");
    }
}

#[test]
fn without_a_token_a_warning_says_what_that_costs() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    let mut command = command(&sandbox, &server, &[]);
    // An installed `gh` has no account in this home.
    command.env_remove("CONTEXTPACK_GITHUB_TOKEN").env("PATH", "");
    let run = run(command, "");
    assert!(run.code == 0 && run.stderr.contains("[anonymous-sync]"), "{run:?}");
    assert!(server.asked().iter().all(|asked| asked.authorization.is_none()));
}

/// A repo whose configuration names this host, and `sync` in it with this environment and nothing else that could answer.
fn asks_of(host: &str, environment: &[(&str, &str)]) -> Run {
    let config = format!("github: {{repo: o/r, host: \"{host}\"}}\n");
    let sandbox = Sandbox::with(&[("contextpack.yml", &config)]);
    let mut command = sandbox.command(&["sync", "--max-wait", "1ms"]);
    command.env("PATH", "").envs(environment.iter().copied());
    let run = run(command, "");
    assert_kept(&sandbox, &run);
    run
}

const VARIABLES: [&str; 5] =
    ["CONTEXTPACK_GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];

#[test]
fn no_token_is_sent_to_a_host_that_only_the_configuration_names() {
    let elsewhere = [("GITHUB_API_URL", "https://api.github.com"), ("GITHUB_SERVER_URL", "https://github.com")];
    for host in ["evil.example", "github.com.evil.example", "127.0.0.1:9", "evil.ghe.com", "github.com:9"] {
        for name in VARIABLES {
            let environments = [&[][..], &elsewhere, &[("GH_HOST", "ghe.example"), ("GITHUB_ACTIONS", "false")]];
            // Names of hosts differ in how they are read, environments in what is asked: one host meets all of them.
            for more in environments.into_iter().take(if host == "evil.example" { 3 } else { 1 }) {
                // Of these the host is asked without any: they are for other servers.
                if !(name.contains("ENTERPRISE") && host.ends_with(".ghe.com")) {
                    let run = asks_of(host, &[more, &[(name, TOKEN)]].concat());
                    assert_eq!(run.code, 2, "{name} {more:?} {run:?}");
                    let expected_message =
                        format!("`{name}` is not sent to `{host}`: only `github.host` of the configuration names");
                    let help = format!("set `GH_HOST={host}` if that host is meant, or run `gh auth login --hostname");
                    assert!(run.stderr.contains(&expected_message) && run.stderr.contains(&help), "{run:?}");
                }
                let actions = [more, &elsewhere, &[(name, TOKEN), ("GITHUB_ACTIONS", "true")]].concat();
                let run = asks_of(host, &actions);
                let expected_message = "only `github.host` of the configuration names that host";
                let help = format!("set `GH_HOST: {host}` in the workflow's `env`");
                assert!(
                    run.code == 2 && run.stderr.contains(expected_message) && run.stderr.contains(&help),
                    "{run:?}"
                );
            }
        }
    }
    let run = asks_of("evil.example", &[("GITHUB_ACTIONS", "true")]);
    assert!(run.code == 2 && run.stderr.contains("nothing is requested from `evil.example` in a workflow"), "{run:?}");
    // github.com itself, on the runner of another server.
    let runner = [("GITHUB_ACTIONS", "true"), ("GITHUB_SERVER_URL", "https://ghe.example"), ("GITHUB_TOKEN", TOKEN)];
    assert_eq!(asks_of("github.com", &runner).code, 2);
}

#[test]
fn a_token_is_sent_to_a_host_that_the_environment_names() {
    // There is no server: only the attempt to connect can be observed.
    for (name, value) in [
        ("GH_HOST", "127.0.0.1:9"),
        ("GITHUB_SERVER_URL", "https://127.0.0.1:9"),
        ("GITHUB_API_URL", "https://127.0.0.1:9/api/v3"),
    ] {
        for actions in ["", "true"] {
            for token in VARIABLES {
                let run = asks_of("127.0.0.1:9", &[(name, value), (token, TOKEN), ("GITHUB_ACTIONS", actions)]);
                assert!(run.code == 1 && run.stderr.contains("network: the connection was refused"), "{name} {run:?}");
                assert!(!run.stderr.contains("[anonymous-sync]"), "{run:?}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn gh_is_asked_for_what_it_stored_and_not_for_what_variables_say() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with(&[("contextpack.yml", "github: {repo: o/r, host: \"127.0.0.1:9\"}\n")]);
    let gh = sandbox.beside("bin/gh");
    std::fs::create_dir_all(gh.parent().unwrap()).unwrap();
    // As the real one does: variables win over what is stored.
    let variables = VARIABLES.map(|name| format!("${{{name}}}")).concat();
    let script = |stored: &str| format!("#!/bin/sh\nt=\"{variables}\"\n[ -n \"$t\" ] || t='{stored}'\necho \"$t\"\n");
    for (stored, code) in [("", 2), ("own-token-0123456789", 1)] {
        std::fs::write(&gh, script(stored)).unwrap();
        std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
        for name in VARIABLES {
            let mut command = sandbox.command(&["sync", "--max-wait", "1ms"]);
            command.env("PATH", gh.parent().unwrap()).env(name, TOKEN);
            let run = run(command, "");
            assert_eq!(run.code, code, "{name}: {run:?}");
        }
    }
}
