//! Secrets of several lines.

use super::Block;
use crate::random::{Rng, base64};

/// Makes one block.
type Make = fn(&mut Rng) -> Block;

/// Name and maker.
pub(crate) static BLOCKS: &[(&str, Make)] = &[
    ("pem-rsa", |rng| pem(rng, "RSA PRIVATE KEY", 12, true)),
    ("pem-pkcs8", |rng| pem(rng, "PRIVATE KEY", 10, true)),
    ("pem-ec", |rng| pem(rng, "EC PRIVATE KEY", 3, true)),
    ("pem-dsa", |rng| pem(rng, "DSA PRIVATE KEY", 6, true)),
    ("pem-openssh", |rng| pem(rng, "OPENSSH PRIVATE KEY", 6, true)),
    ("pem-encrypted", |rng| pem(rng, "ENCRYPTED PRIVATE KEY", 10, true)),
    ("pem-truncated", |rng| pem(rng, "RSA PRIVATE KEY", 5, false)),
    ("pem-proc-type", proc_type),
    ("pem-elided", elided),
    ("pem-one-line", |rng| glued(rng, "RSA PRIVATE KEY", "\\n")),
    ("pem-spaces", |rng| glued(rng, "PRIVATE KEY", " ")),
    ("pgp-block", pgp),
    ("putty", putty),
    ("ssh2-encrypted", |rng| commercial(rng, "SSH2 ENCRYPTED PRIVATE KEY")),
    ("pem-in-base64", wrapped),
    ("pem-string-array", array),
    ("pem-concatenated", concatenated),
    ("service-account", service_account),
    ("name-value", |rng| lines(rng, "- name: DB_PASSWORD\n  value: «{p14}»")),
    ("name-value-quoted", |rng| lines(rng, "- name: API_TOKEN\n  value: \"«{a32}»\"")),
    ("aws-credentials", |rng| {
        lines(rng, "[default]\naws_access_key_id = «AKIA{w16}»\naws_secret_access_key = «{B40}»")
    }),
    ("pypirc", |rng| lines(rng, "[pypi]\nusername = deploy\npassword = «{q14}»")),
    ("netrc-lines", |rng| lines(rng, "machine api.example.org\n  login deploy\n  password «{a20}»")),
    ("docker-config", |rng| {
        lines(rng, "{\n  \"auths\": {\n    \"ghcr.io\": {\n      \"auth\": \"«{A}»\"\n    }\n  }\n}")
    }),
    ("compose-environment", |rng| lines(rng, "environment:\n  - POSTGRES_USER=app\n  - POSTGRES_PASSWORD=«{q14}»")),
    ("kubernetes-data", |rng| {
        lines(rng, "kind: Secret\nmetadata:\n  name: db\ndata:\n  password: «{e18}»\n  api-key: «{e24}»")
    }),
    ("kubernetes-string-data", |rng| lines(rng, "kind: Secret\nstringData:\n  password: «{q14}»")),
    ("yaml-folded", |rng| lines(rng, "password: >-\n  «{p16}»")),
    ("yaml-literal", |rng| lines(rng, "api_key: |\n  «{a40}»")),
    ("login-lines", |rng| lines(rng, "Username: admin\nPassword: «{W}»")),
    ("login-next-line", |rng| lines(rng, "Password:\n\n    «{p14}»")),
    ("markdown-pair", |rng| lines(rng, "**Username:** admin\n**Password:** «{W}»")),
    ("table-column", |rng| lines(rng, "| User | Password |\n|---|---|\n| admin | «{W}» |\n| reader | «{p12}» |")),
    ("html-form", |rng| {
        lines(
            rng,
            "<input type=\"text\" name=\"user\" value=\"admin\">\n<input type=\"password\" name=\"password\" value=\"«{q14}»\">",
        )
    }),
    ("plist", |rng| lines(rng, "<key>ApiToken</key>\n<string>«{a32}»</string>")),
    ("age-file", |rng| lines(rng, "# created: 2026-02-11T10:00:00Z\n«AGE-SECRET-KEY-1{z58}»")),
    ("seed-numbered", seed_numbered),
    ("settings-in-base64", |rng| {
        let settings = rng.fill("database:\n  user: app\n  password: {q14}\n  host: db.example.org\n");
        whole(base64(settings.as_bytes()).trim_end_matches('=').to_owned())
    }),
    ("token-in-base64-twice", |rng| {
        let settings = rng.fill("export GITHUB_VALUE=ghp_{a36}\nexport REGION=eu-west-1\n");
        whole(base64(base64(settings.as_bytes()).as_bytes()).trim_end_matches('=').to_owned())
    }),
    ("token-wrapped", |rng| {
        let (first, second) = (rng.fill("ghp_{a24}7"), rng.fill("4{a10}"));
        Block { text: format!("{first}\n{second}"), body: vec![format!("{first}\n{second}")] }
    }),
    ("kubernetes-any-key", |rng| {
        lines(
            rng,
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  config.yml: «{e18}»\nstringData:\n  x: «{q14}»",
        )
    }),
    ("kubernetes-json", |rng| {
        lines(rng, "{\"kind\": \"Secret\", \"data\": {\"x\": \"«{e18}»\"}, \"type\": \"Opaque\"}")
    }),
    ("unseal-keys", |rng| lines(rng, "Unseal Key 1: «{B43}=»\nUnseal Key 2: «{B43}=»\n\nInitial Root Token: «{U}»")),
    ("concatenated-in-json", |rng| {
        let (first, second) = (rng.fill("ghp_{a14}"), rng.fill("{a22}"));
        let text = format!(r#"{{"source": "const t = \"{first}\" + \"{second}\";"}}"#);
        Block { text, body: vec![first, second] }
    }),
    ("continued-in-cmd", |rng| {
        let (first, second) = (rng.fill("ghp_{a14}"), rng.fill("{a22}"));
        Block { text: format!("set VALUE={first}^\n{second}"), body: vec![first, second] }
    }),
];

fn body(rng: &mut Rng, count: usize) -> Vec<String> {
    let mut body: Vec<String> = (1..count).map(|_| rng.fill("{B64}")).collect();
    body.push(rng.fill("{B38}=="));
    body
}

fn pem(rng: &mut Rng, name: &str, count: usize, ends: bool) -> Block {
    let body = body(rng, count);
    let end = if ends { format!("\n-----END {name}-----") } else { String::new() };
    Block { text: format!("-----BEGIN {name}-----\n{}{end}", body.join("\n")), body }
}

fn commercial(rng: &mut Rng, name: &str) -> Block {
    let body = body(rng, 6);
    Block {
        text: format!("---- BEGIN {name} ----\nComment: \"deploy\"\n{}\n---- END {name} ----", body.join("\n")),
        body,
    }
}

fn proc_type(rng: &mut Rng) -> Block {
    let Block { text, body } = pem(rng, "RSA PRIVATE KEY", 8, true);
    let head = rng.fill("KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n\n");
    Block { text: text.replacen("KEY-----\n", &head, 1), body }
}

fn elided(rng: &mut Rng) -> Block {
    let Block { text, body } = pem(rng, "RSA PRIVATE KEY", 3, true);
    Block { text: text.replacen("\n-----END", "\n...\n-----END", 1), body }
}

fn glued(rng: &mut Rng, name: &str, by: &str) -> Block {
    let body = body(rng, 8);
    Block { text: format!("-----BEGIN {name}-----{by}{}{by}-----END {name}-----", body.join(by)), body }
}

fn pgp(rng: &mut Rng) -> Block {
    let Block { text, body } = pem(rng, "PGP PRIVATE KEY BLOCK", 9, true);
    let sum = rng.fill("\n={B4}\n-----END");
    let text = text.replacen("-----\n", "-----\nVersion: GnuPG v2\n\n", 1).replacen("\n-----END", &sum, 1);
    Block { text, body }
}

fn putty(rng: &mut Rng) -> Block {
    let (public, private) = (body(rng, 3), body(rng, 4));
    let mac = rng.fill("{h64}");
    let text = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: deploy\nPublic-Lines: 3\n{}\nPrivate-Lines: 4\n{}\n\
         Private-MAC: {mac}",
        public.join("\n"),
        private.join("\n")
    );
    Block { text, body: private }
}

fn wrapped(rng: &mut Rng) -> Block {
    let Block { text, .. } = pem(rng, "RSA PRIVATE KEY", 6, true);
    let code = base64(text.as_bytes());
    Block { text: code.clone(), body: vec![code] }
}

fn array(rng: &mut Rng) -> Block {
    let Block { text, body } = pem(rng, "RSA PRIVATE KEY", 6, true);
    let rows: Vec<String> = text.lines().map(|line| format!("  \"{line}\",")).collect();
    Block { text: format!("const key = [\n{}\n].join(\"\\n\");", rows.join("\n")), body }
}

fn concatenated(rng: &mut Rng) -> Block {
    let Block { text, body } = pem(rng, "EC PRIVATE KEY", 4, true);
    let rows: Vec<String> = text.lines().map(|line| format!("    \"{line}\\n\"")).collect();
    Block { text: format!("String key =\n{};", rows.join(" +\n")), body }
}

fn service_account(rng: &mut Rng) -> Block {
    let Block { text, body } = glued(rng, "PRIVATE KEY", "\\n");
    let id = rng.fill("{h40}");
    let text = format!(
        "{{\n  \"type\": \"service_account\",\n  \"project_id\": \"acme-prod\",\n  \"private_key_id\": \"{id}\",\n  \
         \"private_key\": \"{text}\\n\",\n  \"client_email\": \"ci@acme-prod.iam.gserviceaccount.com\"\n}}"
    );
    Block { text, body }
}

fn seed_numbered(rng: &mut Rng) -> Block {
    let phrase = rng.phrase(12);
    let rows: Vec<String> = phrase.split(' ').zip(1..).map(|(word, n)| format!("{n}. {word}")).collect();
    let text = format!("Recovery phrase:\n{}", rows.join("\n"));
    Block { body: vec![rows.join("\n")], text }
}

/// A text that is secret as a whole.
fn whole(text: String) -> Block {
    Block { body: vec![text.clone()], text }
}

/// Lines without holes; the secrets are between `«` and `»`.
fn lines(rng: &mut Rng, template: &str) -> Block {
    let (mut text, mut body) = (String::new(), Vec::new());
    for (n, part) in template.split(['«', '»']).enumerate() {
        let part = rng.fill(part);
        text.push_str(&part);
        if n % 2 == 1 {
            body.push(part);
        }
    }
    Block { text, body }
}
