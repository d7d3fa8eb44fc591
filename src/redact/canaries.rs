//! A secret of every rule's form, for tests. None stands here whole.

/// What the canaries of fixed tests are made of.
pub(super) const SEED: &str = "q7Rt5Kx9wZ1c3VbN8mLp2Jh6Gf4Ds0Ya";

/// A secret of each provider's form, made of `seed`: rule, text before, secret, text after.
fn tokens(seed: &str) -> Vec<(&'static str, String, String, String)> {
    let an = |n: usize| seed.bytes().cycle().take(n).map(char::from).collect::<String>();
    let hex = |n: usize| {
        seed.bytes().cycle().take(n).map(|b| char::from(b"0123456789abcdef"[usize::from(b) % 16])).collect::<String>()
    };
    let up = |n: usize| an(n).to_ascii_uppercase();
    let low = |n: usize| an(n).to_ascii_lowercase();
    let digits = |n: usize| seed.bytes().cycle().take(n).map(|b| char::from(b'1' + b % 9)).collect::<String>();
    let bare = |rule, secret| (rule, String::new(), secret, String::new());
    let after = |rule, before: &str, secret| (rule, before.to_owned(), secret, String::new());
    vec![
        bare("github-pat", format!("ghp_{}", an(36))),
        bare("github-pat", format!("github_pat_{}_{}", an(22), an(59))),
        bare("github-token", format!("ghs_{}", an(36))),
        bare("gitlab-token", format!("glpat-{}", an(20))),
        bare("aws-access-key-id", format!("AKIA{}", up(16))),
        bare("google-api-key", format!("AIza{}", an(35))),
        bare("google-oauth", format!("GOCSPX-{}", an(28))),
        bare("google-refresh-token", format!("1//0{}", an(60))),
        bare("slack-token", format!("xoxb-{}-{}-{}", digits(12), digits(12), an(24))),
        after("slack-webhook", "https://hooks.slack.com/services/", format!("T{}/B{}/{}", up(8), up(8), an(24))),
        bare("stripe-key", format!("sk_live_{}", an(24))),
        bare("twilio-key", format!("SK{}", hex(32))),
        bare("sendgrid-key", format!("SG.{}.{}", an(22), an(43))),
        bare("mailgun-key", format!("key-{}", hex(32))),
        bare("mailchimp-key", format!("{}-us12", hex(32))),
        bare("npm-token", format!("npm_{}", an(36))),
        bare("pypi-token", format!("pypi-AgEIcHlwaS5vcmc{}", an(60))),
        bare("rubygems-key", format!("rubygems_{}", hex(48))),
        bare("crates-io-token", format!("cio{}7", an(31))),
        bare("nuget-key", format!("oy2{}", low(43))),
        bare("docker-token", format!("dckr_pat_{}", an(27))),
        bare("heroku-key", format!("HRKU-{}", an(60))),
        bare("digitalocean-token", format!("dop_v1_{}", hex(64))),
        bare("databricks-token", format!("dapi{}", hex(32))),
        bare("anthropic-key", format!("sk-ant-api03-{}-{}", an(40), an(40))),
        bare("openai-key", format!("sk-proj-{}", an(48))),
        bare("openrouter-key", format!("sk-or-v1-{}", hex(64))),
        bare("huggingface-token", format!("hf_{}", an(34))),
        bare("groq-key", format!("gsk_{}", an(52))),
        bare("xai-key", format!("xai-{}", an(80))),
        bare("perplexity-key", format!("pplx-{}", an(48))),
        bare("replicate-token", format!("r8_{}", an(37))),
        bare("nvidia-key", format!("nvapi-{}", an(64))),
        bare("langsmith-key", format!("lsv2_pt_{}_{}", hex(32), hex(10))),
        bare("pinecone-key", format!("pcsk_{}", an(60))),
        bare("telegram-token", format!("{}:AA{}", digits(9), an(33))),
        bare("discord-token", format!("mfa.{}", an(84))),
        after("discord-webhook", "https://discord.com/api/webhooks/", format!("{}/{}", digits(18), an(68))),
        after("teams-webhook", "https://x.webhook.office.com/webhookb2/", format!("{}@{}", hex(36), hex(36))),
        after("zapier-webhook", "https://hooks.zapier.com/hooks/catch/", format!("{}/{}", digits(7), low(7))),
        bare("shopify-token", format!("shpat_{}", hex(32))),
        bare("square-token", format!("sq0atp-{}", an(22))),
        bare("atlassian-token", format!("ATATT3{}={}", an(150), up(8))),
        bare("linear-key", format!("lin_api_{}", an(40))),
        bare("notion-token", format!("ntn_{}", an(46))),
        bare("figma-token", format!("figd_{}", an(40))),
        bare("postman-key", format!("PMAK-{}-{}", hex(24), hex(34))),
        bare("new-relic-key", format!("NRAK-{}", up(27))),
        bare("sentry-token", format!("sntryu_{}", hex(64))),
        bare("vault-token", format!("hvs.{}", an(90))),
        bare("terraform-token", format!("{}.atlasv1.{}", an(14), an(67))),
        bare("doppler-token", format!("dp.pt.{}", an(43))),
        bare("age-secret-key", format!("AGE-SECRET-KEY-1{}", up(58))),
        bare("onepassword-token", format!("ops_eyJ{}", an(100))),
        bare("grafana-token", format!("glsa_{}_{}", an(32), hex(8))),
        bare("supabase-key", format!("sbp_{}", hex(40))),
        bare("planetscale-secret", format!("pscale_tkn_{}", an(43))),
        bare("fly-token", format!("fm2_{}", an(80))),
        bare("netlify-token", format!("nfp_{}", an(40))),
        bare("pulumi-token", format!("pul-{}", hex(40))),
        bare("buildkite-token", format!("bkua_{}", low(40))),
        bare("circleci-token", format!("CCIPAT_{}_{}", an(22), hex(40))),
        bare("dynatrace-token", format!("dt0c01.{}.{}", up(24), up(64))),
        bare("artifactory-key", format!("AKCp{}", an(69))),
        bare("easypost-key", format!("EZAK{}", an(54))),
        bare("azure-client-secret", format!("{}8Q~{}", an(3), an(34))),
        (("azure-sas"), "https://x/y?sv=1&sig=".to_owned(), an(43), "%3D&se=2".to_owned()),
        bare("contentful-token", format!("CFPAT-{}", an(43))),
        bare("sourcegraph-token", format!("sgp_{}", hex(40))),
        bare("readme-key", format!("rdme_{}", low(70))),
        bare("brevo-key", format!("xkeysib-{}-{}", hex(64), an(16))),
        bare("flutterwave-key", format!("FLWSECK_TEST-{}-X", an(32))),
        bare("tailscale-key", format!("tskey-auth-{}-{}", an(12), an(32))),
        bare("jwt", format!("eyJ{}.eyJ{}.{}", an(30), an(50), an(43))),
        (("jwk"), r#"{"kty":"OKP","d":""#.to_owned(), an(43), "\"}".to_owned()),
        after("bearer-token", "Authorization: Bearer ", format!("{}7a8b9c0d1e", an(30))),
        after("basic-auth", "authorization: Basic ", "dXNlcjpodW50ZXIyaHVudGVyMg==".to_owned()),
        after("command-line-password", "curl -u bob:", format!("{}3k", an(12))),
        (("url-password"), "postgres://app:".to_owned(), format!("{}4z", an(10)), "@db.host/x".to_owned()),
        after("password", "DB_PASSWORD=", format!("{}5q7", an(9))),
        after("secret", "client_secret: ", format!("{}5q7w8", an(20))),
        after("api-key", "\"api_key\": \"", format!("{}5q7w8", an(20))),
        after("token", "ACCESS_TOKEN=", format!("{}5q7w8", an(20))),
        after("credentials", "\"credentials\": \"", format!("{}5q7w8", an(20))),
        after("private-key-value", "PRIVATE_KEY=0x", hex(64)),
        after("aws-secret-access-key", "aws_secret_access_key = ", format!("{}/{}+{}8", an(13), an(12), an(13))),
        after("azure-key", "AccountKey=", format!("{}+/{}5==", an(40), an(40))),
        (
            "private-key",
            "> -----BEGIN RSA PRIVATE KEY-----\n> ".to_owned(),
            an(64),
            "\n> -----END RSA PRIVATE KEY-----".to_owned(),
        ),
    ]
}

/// A canary of every place that [`super::generic::SPOTS`] knows.
fn places(seed: &str) -> Vec<(&'static str, String, String, String)> {
    let an = |n: usize| seed.bytes().cycle().take(n).map(char::from).collect::<String>();
    let hex = |n: usize| {
        seed.bytes().cycle().take(n).map(|b| char::from(b"0123456789abcdef"[usize::from(b) % 16])).collect::<String>()
    };
    let up = |n: usize| an(n).to_ascii_uppercase();
    let digits = |n: usize| seed.bytes().cycle().take(n).map(|b| char::from(b'1' + b % 9)).collect::<String>();
    let base32 = |n: usize| "7".to_owned() + &up(n).replace(['0', '1', '8', '9'], "2");
    let around = |rule, before: &str, secret: String, after: &str| (rule, before.to_owned(), secret, after.to_owned());
    vec![
        around("database-password", "mysql -u root -p", an(11) + "3k", " shop"),
        around("shell-password", "sshpass -p ", an(11) + "3k", " ssh x"),
        around("registry-password", "docker login -u x -p ", an(11) + "3k", " host"),
        around("cache-password", "redis-cli -a ", an(11) + "3k", " ping"),
        around("sql-password", "IDENTIFIED BY '", an(11) + "3k", "';"),
        around("secure-string", "ConvertTo-SecureString \"", an(11) + "3k", "\" -AsPlainText"),
        around("snmp-community", "snmp-server community ", an(11) + "3k", " RO"),
        around("login-password", "login with bob / ", an(11) + "3k", " today"),
        around("basic-auth-password", "auth=(\"bob\", \"", an(11) + "3k", "\")"),
        around("cookie", "Cookie: theme=dark; x=", an(22) + "3k5", "; y=1"),
        around("passwords-file", "localhost:5432:shop:bob:", an(11) + "3k", ""),
        around("password-hash", "bob:$apr1$", an(30), " x"),
        around("http-password", "http -a bob:", an(11) + "3k", " host"),
        around("system-password", "echo 'bob:", an(11) + "3k", "' | chpasswd"),
        around("analysis-token", "sonar.login=", an(40), ""),
        around("database-login", "mysqli_connect('h', 'u', '", an(11) + "3k", "', 'd')"),
        around("signature", "?X-Amz-Signature=", hex(64), "&x=1"),
        around("request-signature", "AWS4-HMAC-SHA256 x, Signature=", hex(64), ""),
        around("digest-response", "response=\"", hex(32), "\""),
        around("aws-secret-key", &format!("AKIA{}: ", up(16)), an(18) + "/" + &an(18) + "7b9", ""),
        around("symmetric-key", r#"{"kty": "oct", "k": ""#, an(43), "\"}"),
        around("encoded-jwt", "", "ZXlK".to_owned() + &an(80), ""),
        around("one-time-seed", "MFA seed: ", base32(31), ""),
        around("telegram-url", "https://api.telegram.org/bot", digits(9) + ":" + &an(33), "/getMe"),
        around("recovery-codes", "Recovery codes: ", format!("{}-{}", hex(4) + "7", hex(5)), ""),
        around("snmp-password", "snmpwalk -v2c -c ", an(11) + "3k", " host"),
        around("totp-url", "otpauth://totp/x?secret=", base32(31), "&issuer=y"),
        around("pin", "PIN: ", digits(6), ""),
        around("wireless-password", "nmcli dev wifi connect x password ", an(11) + "3k", ""),
        around("ldap-password", "ldapsearch -D cn=x -w ", an(11) + "3k", " -b y"),
    ]
}

/// A canary of every rule.
pub(super) fn canaries(seed: &str) -> Vec<(&'static str, String, String, String)> {
    [tokens(seed), places(seed)].concat()
}
