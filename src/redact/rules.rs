//! The forms of tokens that providers publish: a table.

use super::judge;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// Raised whenever a built-in rule changes what it removes.
pub(super) const VERSION: u32 = 1;

/// What a record says of a finding.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The rule's name, `[a-z0-9-]+`.
    pub(super) name: &'static str,
    /// Why the text was removed.
    pub(super) reason: &'static str,
    /// Of labels on one place the lowest is shown.
    pub(super) rank: u8,
}

/// How far from its keyword a token reaches at most before it is extended to its word's end.
const REACH: usize = 1024;
/// The same where the match begins before its keyword, so that each window is searched as a whole.
const SHORT_REACH: usize = 128;

/// A token's form.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) label: Label,
    /// Lower case; each occurrence is a place to look at.
    pub(super) keywords: &'static [&'static str],
    /// Group 1, else the whole match, is the token.
    pattern: &'static str,
    /// How many bytes before the keyword the match may begin; 0: it begins with the keyword.
    back: usize,
    /// Whether letters and digits before the match rule it out.
    edge: bool,
    /// Whether letters and digits after it rule it out, rather than belong to it.
    exact: bool,
    /// Whether the value ends where the pattern does.
    whole: bool,
    /// What else must be true of the token.
    check: fn(&[u8]) -> bool,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    pub(super) const fn new(
        name: &'static str,
        reason: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self {
            label: Label { name, reason, rank: 1 },
            keywords,
            pattern,
            back: 0,
            edge: false,
            exact: false,
            whole: false,
            check: |token| !judge::is_sample(token),
            compiled: OnceLock::new(),
        }
    }

    pub(super) const fn edge(mut self) -> Self {
        self.edge = true;
        self
    }

    /// The value is not extended to its word's end.
    pub(super) const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    const fn exact(mut self) -> Self {
        self.edge = true;
        self.exact = true;
        self
    }

    pub(super) const fn back(mut self, bytes: usize) -> Self {
        self.back = bytes;
        self
    }

    pub(super) const fn check(mut self, check: fn(&[u8]) -> bool) -> Self {
        self.check = check;
        self
    }

    /// The pattern, compiled at its first use: most runs need a few only.
    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let pattern = match self.back {
                    0 => format!(r"\A(?:{})", self.pattern),
                    _ => self.pattern.to_owned(),
                };
                RegexBuilder::new(&pattern).unicode(false).size_limit(1 << 20).build().ok()
            })
            .as_ref()
    }

    /// The token at the keyword that stands at `hit`.
    pub(super) fn find(&self, text: &[u8], hit: usize) -> Option<(usize, usize)> {
        let from = hit.saturating_sub(self.back);
        if self.edge && self.back == 0 && !super::text::starts_token(text, from) {
            return None;
        }
        let reach = if self.back == 0 { REACH } else { SHORT_REACH };
        let window = &text[from..text.len().min(hit + reach)];
        let regex = self.regex()?;
        let found = match regex.captures_len() {
            1 => regex.find(window),
            _ => regex.captures(window).and_then(|groups| groups.get(1).or_else(|| groups.get(0))),
        }?;
        let (start, end) = (from + found.start(), from + found.end());
        let cut_off = self.exact && text.get(end).is_some_and(u8::is_ascii_alphanumeric);
        let runs_in = self.edge && self.back > 0 && !super::text::starts_token(text, start);
        (!cut_off && !runs_in && (self.check)(found.as_bytes())).then_some((start, end))
    }

    /// Whether what follows directly belongs to the token.
    pub(super) fn extends(&self) -> bool {
        !self.exact && !self.whole
    }
}

macro_rules! pattern_of {
    ($what:literal) => {
        concat!("matches the pattern of ", $what)
    };
}

/// The table, in no particular order; where two match one place the longer one covers both.
pub(super) static RULES: [Rule; 77] = [
    Rule::new("github-pat", pattern_of!("a GitHub personal access token"), &["ghp_", "github_pat_"], r"ghp_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}"),
    Rule::new("github-token", pattern_of!("a GitHub app, user or refresh token"), &["gho_", "ghu_", "ghs_", "ghr_"], r"gh[ousr]_[A-Za-z0-9_]{20,}"),
    Rule::new("gitlab-token", pattern_of!("a GitLab token"), &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"], r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{18,}[A-Za-z0-9_-]"),
    Rule::new("aws-access-key-id", pattern_of!("an AWS access key id"), &["akia", "asia", "abia", "acca"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}").exact().check(|token| !token.ends_with(b"EXAMPLE") && !judge::is_sample(token)),
    Rule::new("google-api-key", pattern_of!("a Google API key"), &["aiza"], r"AIza[A-Za-z0-9_-]{35}"),
    Rule::new("google-oauth", pattern_of!("a Google OAuth secret or token"), &["gocspx-", "ya29."], r"GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}"),
    Rule::new("google-refresh-token", pattern_of!("a Google refresh token"), &["1//0"], r"1//0[A-Za-z0-9_-]{40,}").edge(),
    Rule::new("slack-token", pattern_of!("a Slack token"), &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-"], r"xox[abceoprsd]-[A-Za-z0-9%/+-]{10,}|xoxe\.xox[bp]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    Rule::new("slack-webhook", pattern_of!("a Slack webhook"), &["hooks.slack.com/", "hooks.slack-gov.com/"], r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})"),
    Rule::new("stripe-key", pattern_of!("a Stripe secret key"), &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}"),
    Rule::new("twilio-key", pattern_of!("a Twilio API key"), &["sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb", "skc", "skd", "ske", "skf"], r"SK[0-9a-f]{32}").exact(),
    Rule::new("sendgrid-key", pattern_of!("a SendGrid API key"), &["sg."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}").edge(),
    Rule::new("mailgun-key", pattern_of!("a Mailgun API key"), &["key-"], r"key-[0-9a-f]{32}").exact(),
    Rule::new("mailchimp-key", pattern_of!("a Mailchimp API key"), &["-us"], r"[0-9a-f]{32}-us[0-9]{1,2}").back(32).exact(),
    Rule::new("npm-token", pattern_of!("an npm token"), &["npm_"], r"npm_[A-Za-z0-9]{30,}"),
    Rule::new("pypi-token", pattern_of!("a PyPI token"), &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}"),
    Rule::new("rubygems-key", pattern_of!("a RubyGems API key"), &["rubygems_"], r"rubygems_[a-f0-9]{40,}"),
    Rule::new("crates-io-token", pattern_of!("a crates.io token"), &["cio"], r"cio[A-Za-z0-9]{32}").exact().check(|token| token.iter().any(u8::is_ascii_digit) && !judge::is_sample(token)),
    Rule::new("nuget-key", pattern_of!("a NuGet API key"), &["oy2"], r"oy2[a-z0-9]{43}").exact(),
    Rule::new("docker-token", pattern_of!("a Docker Hub token"), &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    Rule::new("heroku-key", pattern_of!("a Heroku API key"), &["hrku-"], r"HRKU-[A-Za-z0-9_-]{30,}"),
    Rule::new("digitalocean-token", pattern_of!("a DigitalOcean token"), &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[por]_v1_[a-f0-9]{40,}"),
    Rule::new("databricks-token", pattern_of!("a Databricks token"), &["dapi"], r"dapi[0-9a-f]{32}(?:-[0-9])?").exact(),
    Rule::new("anthropic-key", pattern_of!("an Anthropic API key"), &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{20,}").edge(),
    Rule::new("openai-key", pattern_of!("an OpenAI API key"), &["sk-"], r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{20,}").edge(),
    Rule::new("openrouter-key", pattern_of!("an OpenRouter API key"), &["sk-or-"], r"sk-or-[A-Za-z0-9_-]{20,}").edge(),
    Rule::new("huggingface-token", pattern_of!("a Hugging Face token"), &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{30,}").edge(),
    Rule::new("groq-key", pattern_of!("a Groq API key"), &["gsk_"], r"gsk_[A-Za-z0-9]{40,}").edge(),
    Rule::new("xai-key", pattern_of!("an xAI API key"), &["xai-"], r"xai-[A-Za-z0-9]{60,}").edge(),
    Rule::new("perplexity-key", pattern_of!("a Perplexity API key"), &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    Rule::new("replicate-token", pattern_of!("a Replicate token"), &["r8_"], r"r8_[A-Za-z0-9]{30,}").edge(),
    Rule::new("nvidia-key", pattern_of!("an NVIDIA API key"), &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{40,}"),
    Rule::new("langsmith-key", pattern_of!("a LangSmith API key"), &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}(?:_[a-f0-9]{10})?"),
    Rule::new("pinecone-key", pattern_of!("a Pinecone API key"), &["pcsk_"], r"pcsk_[A-Za-z0-9_]{40,}"),
    Rule::new("telegram-token", pattern_of!("a Telegram bot token"), &[":aa"], r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}").back(10).exact(),
    Rule::new("discord-token", pattern_of!("a Discord token"), &["mfa."], r"mfa\.[A-Za-z0-9_-]{80,}").edge(),
    Rule::new("discord-webhook", pattern_of!("a Discord webhook"), &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/([0-9]{15,}/[A-Za-z0-9_-]{40,})"),
    Rule::new("teams-webhook", pattern_of!("a Microsoft Teams webhook"), &["webhook.office.com/"], r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{60,})"),
    Rule::new("zapier-webhook", pattern_of!("a Zapier webhook"), &["hooks.zapier.com/"], r"hooks\.zapier\.com/hooks/catch/([0-9]+/[a-z0-9]{5,})"),
    Rule::new("shopify-token", pattern_of!("a Shopify token"), &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    Rule::new("square-token", pattern_of!("a Square token"), &["sq0atp-", "sq0csp-", "eaaa"], r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{60}").edge(),
    Rule::new("atlassian-token", pattern_of!("an Atlassian API token"), &["atatt3", "atctt3", "atbb"], r"AT[AC]TT3[A-Za-z0-9_=-]{50,}|ATBB[A-Za-z0-9]{24,}").edge(),
    Rule::new("linear-key", pattern_of!("a Linear API key"), &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    Rule::new("notion-token", pattern_of!("a Notion token"), &["ntn_", "secret_"], r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}").edge(),
    Rule::new("figma-token", pattern_of!("a Figma token"), &["figd_", "figo_", "figp_", "figu_", "figr_"], r"fig[dopur]_[A-Za-z0-9_-]{30,}"),
    Rule::new("postman-key", pattern_of!("a Postman API key"), &["pmak-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Rule::new("new-relic-key", pattern_of!("a New Relic key"), &["nrak-", "nrii-", "nraa-"], r"NR(?:AK|II|AA)-[A-Za-z0-9_-]{20,}"),
    Rule::new("sentry-token", pattern_of!("a Sentry token"), &["sntrys_", "sntryu_"], r"sntrys_[A-Za-z0-9+/=_-]{30,}|sntryu_[a-f0-9]{40,}"),
    Rule::new("vault-token", pattern_of!("a Vault token"), &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{20,}").edge(),
    Rule::new("terraform-token", pattern_of!("a Terraform Cloud token"), &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}").back(14),
    Rule::new("doppler-token", pattern_of!("a Doppler token"), &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{39,}[A-Za-z0-9_-]").edge(),
    Rule::new("age-secret-key", pattern_of!("an age secret key"), &["age-secret-key-"], r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Za-z]{50,}"),
    Rule::new("onepassword-token", pattern_of!("a 1Password service token"), &["ops_eyj"], r"ops_eyJ[A-Za-z0-9_-]{60,}"),
    Rule::new("grafana-token", pattern_of!("a Grafana token"), &["glsa_", "glc_eyj"], r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{30,}"),
    Rule::new("supabase-key", pattern_of!("a Supabase key"), &["sbp_", "sb_secret_"], r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}").edge(),
    Rule::new("planetscale-secret", pattern_of!("a PlanetScale secret"), &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{31,}[A-Za-z0-9_=-]"),
    Rule::new("fly-token", pattern_of!("a Fly.io token"), &["fm1_", "fm1r_", "fm1a_", "fm2_", "fo1_"], r"f(?:m1r?|m1a|m2|o1)_[A-Za-z0-9+/=_-]{40,}").edge(),
    Rule::new("netlify-token", pattern_of!("a Netlify token"), &["nfp_"], r"nfp_[A-Za-z0-9]{36,}").edge(),
    Rule::new("pulumi-token", pattern_of!("a Pulumi token"), &["pul-"], r"pul-[a-f0-9]{40}").exact(),
    Rule::new("buildkite-token", pattern_of!("a Buildkite token"), &["bkua_"], r"bkua_[a-z0-9]{40}").edge(),
    Rule::new("circleci-token", pattern_of!("a CircleCI token"), &["ccipat_", "cciprj_"], r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}"),
    Rule::new("dynatrace-token", pattern_of!("a Dynatrace token"), &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."], r"dt0[cs][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{60,}"),
    Rule::new("artifactory-key", pattern_of!("an Artifactory key"), &["akcp", "cmvmdgtuo"], r"AKCp[A-Za-z0-9]{50,}|cmVmdGtuO[A-Za-z0-9]{50,}").edge(),
    Rule::new("easypost-key", pattern_of!("an EasyPost key"), &["ezak", "eztk"], r"EZ[AT]K[A-Za-z0-9]{54}").exact(),
    Rule::new("azure-client-secret", pattern_of!("a Microsoft Entra client secret"), &["q~"], r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-]").back(4),
    Rule::new("azure-sas", pattern_of!("an Azure shared access signature"), &["sig="], r"(?:[?&;]|\\u0026)sig=([A-Za-z0-9%/+]{40,}={0,2})").back(6),
    Rule::new("contentful-token", pattern_of!("a Contentful token"), &["cfpat-"], r"CFPAT-[A-Za-z0-9_-]{40,}"),
    Rule::new("sourcegraph-token", pattern_of!("a Sourcegraph token"), &["sgp_"], r"sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}").edge(),
    Rule::new("readme-key", pattern_of!("a ReadMe API key"), &["rdme_"], r"rdme_[a-z0-9]{70}").edge(),
    Rule::new("brevo-key", pattern_of!("a Brevo API key"), &["xkeysib-"], r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule::new("flutterwave-key", pattern_of!("a Flutterwave secret key"), &["flwseck"], r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    Rule::new("tailscale-key", pattern_of!("a Tailscale key"), &["tskey-"], r"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
    Rule::new("jwt", "matches the pattern of a JSON Web Token", &["eyj"], r"eyJ[A-Za-z0-9_-]{8,}(?:\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})").edge().check(|_| true),
    Rule::new("jwk", "is the private part of a JSON Web Key", &[r#""d":"#, r#""d" :"#], r#""d" ?: ?"([A-Za-z0-9_-]{40,})""#),
    Rule::new("bearer-token", "follows `Bearer` as in an authorization header", &["bearer"], r#"(?i:bearer)["'`]{0,2}[ \t:=]{1,3}["'`]{0,2}([A-Za-z0-9._~+/=-]{11,}[A-Za-z0-9_~+/=-])"#).edge().check(|token| judge::looks_secret(token, judge::Class::Token, true)),
    Rule::new("basic-auth", "follows `Basic` as in an authorization header", &["basic "], r"(?i:basic) {1,2}([A-Za-z0-9+/]{8,}={0,2})").edge().check(is_basic),
    Rule::new("command-line-password", "is the password of a user named on a command line", &["-u ", "-u'", "-u\"", "--user ", "--user=", "--proxy-user "], r#"(?:-u|--user|--proxy-user)[ =]?\\?["']?[A-Za-z0-9._@-]{1,64}:([^\s"'`<>|;\\]{3,})"#).edge().check(|value| judge::looks_secret(value, judge::Class::Password, true)),
];

/// Whether `token` is Base64 of `user:password`.
fn is_basic(token: &[u8]) -> bool {
    let decoded = decode(token);
    let colon = decoded.iter().position(|b| *b == b':');
    decoded.iter().all(|b| (0x20..0x7f).contains(b))
        && colon.is_some_and(|at| !judge::is_placeholder(&decoded[at + 1..]) || decoded[at + 1..].len() > 3)
}

/// The bytes that Base64 of either alphabet stands for, up to the first character that is none.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((held >> bits) & 0xff) as u8);
        }
        held &= 0xffff;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_compiles_and_every_keyword_is_in_lower_case() {
        for rule in &RULES {
            assert!(rule.regex().is_some(), "{}", rule.label.name);
            assert!(!rule.keywords.is_empty());
            assert!(rule.keywords.iter().all(|word| *word == word.to_ascii_lowercase()), "{}", rule.label.name);
        }
    }

    #[test]
    fn names_are_unique_and_fit_into_a_marker() {
        let names: BTreeSet<_> = RULES.iter().map(|rule| rule.label.name).collect();
        assert_eq!(names.len(), RULES.len());
        assert!(
            names
                .iter()
                .all(|name| { name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') })
        );
    }

    #[test]
    fn base64_is_decoded_in_both_alphabets() {
        assert_eq!(decode(b"dXNlcjpwYXNzd29yZA=="), b"user:password");
        assert_eq!(decode(b"-_-_"), decode(b"+/+/"));
    }
}
