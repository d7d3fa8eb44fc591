//! Tests of names and values in all notations.

use super::*;
use crate::redact::canaries::{SEED, fill, scrub};

fn found_in(text: &str, strict: bool) -> Vec<&str> {
    let mut names = Names::default();
    let lower = text.to_ascii_lowercase();
    let mut hits: Vec<usize> = STEMS.iter().flat_map(|stem| lower.match_indices(stem).map(|(at, _)| at)).collect();
    hits.sort_unstable();
    let mut found = Vec::new();
    for hit in hits {
        names.find(text.as_bytes(), hit, strict, &mut |start, end, _| found.push((start, end)));
    }
    // `Authorization: token …` is found under both names.
    found.dedup();
    let found: Vec<&str> = found.into_iter().map(|(start, end)| &text[start..end]).collect();
    found
}

#[test]
fn values_are_found_in_every_notation() {
    for text in [
        "password = q7Rt5Kx9w",
        "DB_PASSWORD=q7Rt5Kx9w",
        "export API_KEY='q7Rt5Kx9w'",
        "\"clientSecret\": \"q7Rt5Kx9w\",",
        r#"{\"clientSecret\": \"q7Rt5Kx9w\"}"#,
        "secret_key_base: q7Rt5Kx9w # here",
        "**API key:** `q7Rt5Kx9w`",
        "**Password**: q7Rt5Kx9w.",
        "| ACCESS_TOKEN | q7Rt5Kx9w |",
        "| `ACCESS_TOKEN` | `q7Rt5Kx9w` |",
        "`API_KEY` = `q7Rt5Kx9w`",
        "`password=q7Rt5Kx9w`",
        "the password is `q7Rt5Kx9w` now",
        "const apiKey: string = \"q7Rt5Kx9w\";",
        "login --password q7Rt5Kx9w --user x",
        "<password>q7Rt5Kx9w</password>",
        "https://host/x?access_token=q7Rt5Kx9w&y=1",
        "Server=db;User Id=sa;Password=q7Rt5Kx9w;Encrypt=yes",
        "token: >-\n  q7Rt5Kx9w\n",
        "X-Api-Key: q7Rt5Kx9w",
        "Authorization: token q7Rt5Kx9w",
        "\"Authorization\": \"Bot q7Rt5Kx9w\"",
        "密码 password：password: q7Rt5Kx9w。",
        "password: “q7Rt5Kx9w”",
        "localStorage.setItem('token', 'q7Rt5Kx9w')",
        "API_KEY ::= \"q7Rt5Kx9w\"",
        "API_KEY :::= \"q7Rt5Kx9w\"",
        "$apiKey .= \"q7Rt5Kx9w\";",
        "apiKey = @\"q7Rt5Kx9w\";",
        "<apiKey>\n    q7Rt5Kx9w\n</apiKey>",
        "<Pass encoding=\"plain\">q7Rt5Kx9w</Pass>",
        "<Password><Value>q7Rt5Kx9w</Value></Password>",
        "<entry value='q7Rt5Kx9w' name='the_password' />",
        "<password> q7Rt5Kx9w </password>",
        "char secret[25] = \"q7Rt5Kx9w\";",
        "password.assign(\"q7Rt5Kx9w\", 9);",
    ] {
        assert_eq!(found_in(text, false), ["q7Rt5Kx9w"], "{text}");
    }
}

#[test]
fn prose_code_and_limits_have_no_value_to_find() {
    for text in [
        "The token: a word that names a value.",
        "password: required",
        "getAccessToken() returns it",
        "let token = self.session.next_token();",
        "tokens: 4000",
        "max_tokens = 128000",
        "nextPageToken: q7Rt5Kx9w1",
        "secret_name: prod-db-2024-main",
        "secret: bytes32",
        "`token == address(0)`",
        "password: ${DB_PASSWORD_1}",
        "password: <password1>",
        "token = process.env.TOKEN_1",
        "author: someone (@name123)",
        "authority: 2001db8",
        "| Token | 32 bytes of it |",
        "password_required: true",
        "key: q7Rt5Kx9w",
        "https://host/graph/badge.svg?token=Q7RT5KX9WZ",
        "redis://:<password>@localhost",
        "private_key: Ed448PrivateKey",
        "PrivateKey|Ed25519PublicKey",
        "const PASS8: tcflag_t = 134217728;",
        "public_key: q7Rt5Kx9w",
        "token: [REDACTED:token]",
    ] {
        assert_eq!(found_in(text, false), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_name_that_only_mentions_a_password_has_an_unmistakable_value() {
    for value in ["q7Rt!5Kx9w", "ab{{c}d)ef${g]hij(kl[mn>-_$#op}}"] {
        for text in [
            format!("my_password_service = \"{value}\""),
            format!("<the_password_field>{value}</the_password_field>"),
            format!("<entry value=\"{value}\" name=\"the_password_entry\" />"),
            format!("if (\"{value}\" !== my_password_service) {{"),
        ] {
            let named = !text.contains("_field");
            assert_eq!(found_in(&text, false).contains(&value), named, "{text}");
        }
    }
    for text in ["password_service = \"q7Rt5Kx9w\"", "secret_end = secret.last();", "let secret_parts = [a, b()](c)"] {
        assert_eq!(found_in(text, false), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn in_a_record_the_name_of_a_field_is_enough() {
    assert_eq!(found_in("title: x\npassword: correct horse # old\n", true), ["correct horse"]);
    assert_eq!(found_in(r#"{"a":1,"client_secret":"plainword","b":2}"#, true), ["plainword"]);
    assert_eq!(found_in("password: changeme\npassword_required: true\ntokens: 4000\n", true), Vec::<&str>::new());
    assert_eq!(field("password", "correct horse").unwrap().name, "password");
    assert_eq!(field("API key", "plain-word").unwrap().name, "api-key");
    assert_eq!(field("tokens", "4000"), None);
    assert_eq!(field("auth", "oauth2"), None);
    assert_eq!(field("title", "q7Rt5Kx9w"), None);
    for (name, plain) in
        [("key", "agent:coder:main"), ("key", "feat:cache"), ("signature", "ErUBCkYIBRgCIkDx4q7Rt5Kx9w")]
    {
        assert_eq!(field(name, plain), None, "{name}");
    }
}

#[test]
fn names_ids_and_versions_in_documents_stay() {
    for text in [
        // Names of tools, classes, packages, functions and fields.
        "Keep auth for the `planner_20250712` tool.",
        "Add Role Credentials to S3ToQueueTransfer and back",
        "from lamp_cloud import CloudCredentials, S3Lamp\n",
        "class Sha1Auth(BasicAuth): ...\napp = Lamp(auth=Sha1Auth)\n",
        "plain types (`httpBasicAuth`, `oAuth2Api`)",
        "import password from '@lamp/password';\n",
        "from lamp import SigningKey, CURVE384p\n",
        "'socket', 'spwd', 'sqlite3', 'stat'",
        "fields = ['email*', 'password1*', 'password2*']",
        "properties `first_pass`, `next_pass_name` and `count`",
        "secret webhooks:\n  - **Lamp.Item** / **Lamp.Order**: `unit_price_decimal`\n",
        "- **Lamp**: for admins keep `lamp-orm` / `lamp-orm-migration` in step",
        "admin: `count_and_sum` / `try_count_and_sum`",
        "var first_id_key = first_id_keys.curve25519;",
        "enc.from_tiktoken(\"lamp100k_base\")",
        "connect(password=conf.get(\"lampstore\", \"password\"))",
        "ffi.new(\"uint8_t[]\", password)",
        "- Proxy-pass `#[allow]` attributes",
        "| Code | Meaning |\n| --- | --- |\n| LAMPDEP012 | gone |\n| LAMPDEP013 | moved |\n",
        "| `lampAuthCredentials` | [`LampCredentials`](auth/lamp-token.md) | The object |\n",
        "| make.userName() | Generate a username | \"robin.moore14\" |",
        // Ids, rates, versions, files and hosts.
        "\"ClientToken\": \"5b1d7a34-9c0e-4e2f-8a6b-0d3c9f7e1a28\"",
        "--request-token 5b1d7a34-9c0e-4e2f-8a6b-0d3c9f7e1a28",
        "\"ServiceCredential\": {\n  \"CreateDate\": \"2024-10-01T04:31:41Z\",\n  \"ServiceUserName\": \"lamp-at-123456789012\"\n}",
        "\"key\": \"change1_0.6995461115147918\"",
        "Start session with SessionId: Kim-Lee-07a16060613c408b5",
        "\"ObjectKey\": \"img-81f2a7c09b3d4e56f.bin\"",
        "lamp\tuser-session\t1.14.10-1~lamp12u1\nlamp\tlogin\t1:4.13+dfsg1-1\n",
        "works without `res.cookie` (connect@3)",
        "``\"change_password\"`` (default: ``\"5/m/user\"``)",
        "public key for the private key ``asymmetric/EC/secp384r1-seed.pem``.",
        "CVE-2024-49272 / GHSA-3jp2-3mrg-2vxc: a login flaw",
        "user of <3986#section-4.4> and RSASSA-PKCS#1v1.5",
        "the user types:\ncore1#copy flash:\nedge-rtr1#config term\n",
        "WeakInfo::IsFirstPass 615c19d9e03d4be2049c10db0151edbc3b229246",
        "Pin the hook, use the bot in (:pull:`1133`)",
        "frames with close code 1003 of the door",
        // Placeholders and commands.
        "lamp://AppName:APIKey@FromPhone and lamp://:api_token@host.example.org/",
        "mysql -u root -pLAMP_ROOT_PWD -e \"create schema x\"",
        "{\"secret\":\"**NOT FOR LOGS**\"}",
        "USER=root PASSWORD= FILTER=integration npm test",
        "lamp-mq -u \"amqp://guest:guest@localhost/\" -q \"lamps\"",
        "Clippy pass: `cargo clippy --fix --all-targets`",
        "pwgen-0.3-py2.7.egg\npydeploy-0.2.1-py2.7.egg\n",
        // Sentences that go on, conditions and negations.
        "it also did not raise what it should when the username and password are not present on Legacy\nclients.",
        "If the password is unicode, it is converted first.",
        "the value is kept in ``options.passphrase`` (at the 'overrides'\nlevel.)",
        "the field will be changed when they change their password, thus restoring prior behavior.\n",
        "(email, name, refresh token, recovery/2FA code, ...)",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn values_are_found_behind_what_says_whose_they_are() {
    let id = fill("<h8>-<h4>-4<h3>-a<h3>-<h12>", SEED);
    for (template, value) in [
        ("SNMP: read community `@`; v3 is off", "gr44nfield-ro"),
        ("the SNMP community string is `@`", "gr44nfield-ro"),
        ("Automation-Secret des Users `backup`: @\n", id.as_str()),
        ("client secret for the app `billing`: @\n", id.as_str()),
        ("- enable secret: @\n", "kT4_meadow"),
        ("le mot de passe provisoire que vous m'avez envoy\u{e9} est @, merci", "Hirondelle-74-bleu"),
        ("Use qa@example.org with @ \u{2013} not your own", "Copper+Heron+27"),
        ("\"Jwt\": { \"Issuer\": \"https://id.example\", \"Key\": \"@\" }", "a-small-fox-signs-every-ticket-2021"),
    ] {
        let scrubbed = scrub(&template.replace('@', value).replace(&format!("qa{value}"), "qa@"));
        assert!(!scrubbed.contains(value), "{scrubbed}");
    }
    for text in [
        "our community `gr44nfield-ro` and the read community `public`",
        "the secret of the user `backup`: stored in the vault",
        "- enable secret: required\n- client secret: see_vault1\n",
        "\"token\": { \"group\": \"a\", \"key\": \"a-small-fox-signs-every-ticket-2021\" }",
        "\"Sort\": { \"Order\": \"asc\", \"Key\": \"a-small-fox-signs-every-ticket-2021\" }",
        "the login works with Chrome+Firefox+Safari17",
        "It runs with Copper+Heron+27 on board",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn a_long_token_is_removed_whole() {
    let token = fill(&"<a40>".repeat(60), SEED);
    for template in ["\"authorizationToken\": \"@\",", "access_token=@\n", "export API_TOKEN='@'"] {
        let scrubbed = scrub(&template.replace('@', &token));
        assert!(!scrubbed.contains(&token[token.len() - 40..]), "{}", scrubbed.len());
    }
}

#[test]
fn two_words_are_found_where_only_a_password_can_be() {
    for (template, value) in [
        ("- DB_PASS: @\n", "granite-swallow"),
        ("run `export DB_PASS=@` first", "granite-swallow"),
        ("requirepass @\n", "granite-swallow"),
        ("Grafana: http://10.2.0.4:3000 (admin / @)", "granite-swallow"),
        ("keystore password `@`, alias upload", "sunnyterrace"),
        ("creds: ops / @\n", "granite-swallow"),
        ("The fixture has \"@\" as password for all", "granite-swallow"),
        ("All users share the password @.", "granite-swallow-2"),
        ("Deploy key passphrase: @\n", "amber kettle lantern"),
        ("network \"Fair\", password: \"@\"", "amber tower 48"),
    ] {
        let scrubbed = scrub(&template.replace('@', value));
        assert!(!scrubbed.contains(value), "{scrubbed}");
    }
    for text in [
        "  DB_PASSWORD: vault-managed\n",
        "- DB_PASS: read-only\n",
        "Set `LDAP_BIND_PASSWORD=plain-text` never",
        "password case-insensitive\n",
        "Use \"read-only\" as password and share the password policy-2",
        "passphrase: words stored elsewhere",
        "keystore password `required` since 2.0",
        "the wifi password rotates every friday 13",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn passwords_in_more_notations_are_found() {
    let value = fill("Kq7<a9>x4", SEED);
    for template in [
        "|| Host || Login || Password ||\n| lamp1 | anna | @ |\n",
        "+------+----------+\n| user | password |\n+======+==========+\n| anna | @ |\n+------+----------+\n",
        "pass => q{@},",
        "static_auth_secret: Some(\n    \"@\",\n),",
        "LAMP_USER\nanna\nLAMP_PASSWORD\n@\nLAMP_QUEUE\nlow\n",
        "Server=lamp.example;User ID=anna;Password=@;Encrypt=True;",
        "password: <@>",
        "password: {{@}}",
        "{\"password\": [\"@\"]}",
        "lamp.exe /password:@",
        "args:\n  - --password\n  - @\n",
        "password: \u{1b}[31m@\u{1b}[0m",
        "lautet das Passwort @.",
        "初期パスワード「@」も",
    ] {
        let clean = scrub(&template.replace('@', &value));
        assert!(!clean.contains(&value), "{clean}");
    }
    for (text, password) in [
        ("Passwort: Almabtrieb§2024", "Almabtrieb"),
        ("password: \"Camembert£Rôti\"", "Camembert"),
        ("Environment=\"LAMP_ADMIN_PASS=kurz & knapp 12\"", "knapp"),
        ("…;User ID=anna;Password=Lamp_Watt(h)77;Encrypt=True;", "Watt"),
        ("логин inspektor, пароль: Снегопад-42", "Снегопад"),
    ] {
        assert!(!scrub(text).contains(password), "{text}");
    }
}
