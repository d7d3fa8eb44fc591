//! Passwords that are put together from words, as people and password managers do: `blue-otter-lamp`, `riverStoneLamp7`.
//!
//! Identifiers look the same, so only their words tell: those of code, of user interfaces and of settings name things.

use super::super::text::contains_ignoring_case;
use super::{is_code, is_placeholder, words};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Words of interfaces: `password-input-field`.
const OF_INTERFACES: &str = "account action body button cell checkbox col column component confirm confirmation confirmed \
    container content control dialog edit email error errors fail failed failure field footer forgot forgotten form \
    grid group header help hide hint icon info input item label layout link list lock login logout mail menu message \
    messages meter modal option page panel picker placeholder popup profile recover recovery register registration \
    repeat reset retype row screen select session show sign signin signup strength style submit success tab table \
    template text title toast toggle tooltip unlock username validation validator verified verify verification view \
    visibility warning widget wrapper";

/// Words of code: `userInputReader`.
const OF_CODE: &str = "abstract access adapter algorithm api app application arg args array assert attribute attr base bool \
    boolean buffer builder byte bytes call callback char check checker class client code const constant context controller \
    count create created credential credentials css current data decode decoded decoder decrypt decrypted delete deleted \
    dest destination dict digest dir directory encode encoded encoder encrypt encrypted encryption entity event \
    exception expected extension factory fallback fixture flag float fn folder format func function get getter handle handler \
    helper hex html http https id ids impl import index init initial instance int integer interface item iterator \
    js json kind length level lib limit line load loader local locale log logger loop mapper max method middleware \
    min mock mode model module mutation node null number object obj old on operation options output package param \
    parameter params parser path pattern payload pointer policy prefix previous process prop property props protocol \
    provider proxy query queue raw read reader ref reference regex render renderer request required resolver \
    resource response result return role route router rule run runner salt schema scope script selector send \
    sent serializer set setter setting settings setup size source spec stage state static status store struct style \
    suffix sync syntax system table target task temp temporary tmp trait transform type uint undefined update updated uri url \
    util utils uuid validate var variable version wallet warn web working worker wrapper write writer xml yaml \
    authentication authenticate authenticator authorization authorize authorized unauthorized device \
    hashed hasher hashing secure unsafe strategy grant scheme oauth oauth2 oidc saml jwt ldap sso mfa otp totp";

/// Words of deployments: `app-db-prod`.
const OF_DEPLOYMENTS: &str = "agent aws azure backup bucket build cache cd cert certificate certs chart ci cluster \
    com consul controller cron daemon db deploy deployment dev development elastic elasticsearch endpoint example external \
    gateway gcp git github gitlab grafana helm iam image ingress jenkins job k8s kafka keycloak kubernetes lb main managed \
    master minio mongodb monitoring namespace network nginx node observability operator org pipeline pod postgresql \
    preprod primary private prod production prometheus public pull push qa rabbitmq rds region registry release replica \
    repo repository rsa rotate rotation s3 secondary service shared sql ssh ssl ssm staging storage terraform tls \
    volume vpc zone issuer letsencrypt acme opaque kv store";

/// Words of documents: `see-the-wiki`.
const OF_DOCUMENTS: &str = "above auto automatically below bundle chapter docs documentation document enter first generated guide \
    insert last manual masked multi needed new next omitted only page please put readme redacted removed replace section see \
    several shown single stored tbd todo unknown unused wiki free less based like level safe only friendly protected";

/// Whether `value` is at least `least` words joined by hyphens, underscores, dots or capitals, a number among them
/// counted, and none of them is a word of code, interfaces, deployments or documents.
pub(in super::super) fn is_word_chain(value: &[u8], least: usize) -> bool {
    if !(10..=64).contains(&value.len())
        || !value.iter().any(u8::is_ascii_lowercase)
        || value.iter().any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.'))
    {
        return false;
    }
    // `group.consumer.session.timeout.ms`, a property.
    let dots = value.iter().filter(|b| **b == b'.').count();
    if dots >= 3 && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'.') {
        return false;
    }
    // `cmf.ManagePortal`
    let mixed = value.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    if dots > 0 && mixed {
        return false;
    }
    let (mut words, mut numbers, mut named, mut short) = (0, 0, 0, 0);
    for part in value.split(|b| matches!(b, b'-' | b'_' | b'.')) {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let digits = part.len() - letters;
        if part.is_empty() || digits > 4 || !part[letters..].iter().all(u8::is_ascii_digit) {
            return false;
        }
        numbers += usize::from(digits > 0);
        for word in humps(&part[..letters]) {
            if word.len() > 14 {
                return false;
            }
            if word.len() < 3 {
                short += 1;
                continue;
            }
            named += usize::from(is_of_names(word));
            words += 1;
        }
    }
    // Among many words one may be among those of names by chance.
    let plain = named == 0 || named == 1 && words >= 4 && !speaks_of_secrets(value);
    let linked = short == 0 || words >= 3 && short * 3 <= words;
    plain && linked && words >= 2 && words + numbers.min(1) >= least && !is_placeholder(value) && !is_code(value, false)
}

/// Splits letters before each capital.
pub(super) fn humps(letters: &[u8]) -> impl Iterator<Item = &[u8]> {
    letters.chunk_by(|before, next| !(before.is_ascii_lowercase() && next.is_ascii_uppercase()))
}

/// Whether a word occurs in names rather than in passwords.
pub(in super::super) fn is_of_names(word: &[u8]) -> bool {
    let word = word.to_ascii_lowercase();
    let names = names();
    names.contains(word.as_slice())
        || word.strip_suffix(b"s").is_some_and(|word| names.contains(word))
        || [&b"passw"[..], b"passphr", b"secret", b"token", b"kennwort", b"contras", b"wachtw"]
            .iter()
            .any(|part| word.windows(part.len()).any(|window| window == *part))
}

/// Whether a value holds a word for secrets, which no password does but many names and samples do.
fn speaks_of_secrets(value: &[u8]) -> bool {
    [&b"pass"[..], b"pwd", b"secret", b"token", b"key", b"auth", b"cred", b"user", b"your"]
        .iter()
        .any(|part| contains_ignoring_case(value, part))
}

/// Returns the words of all lists, which are too many to read for each word.
fn names() -> &'static BTreeSet<&'static [u8]> {
    static NAMES: OnceLock<BTreeSet<&[u8]>> = OnceLock::new();
    NAMES.get_or_init(|| {
        [OF_INTERFACES, OF_CODE, OF_DEPLOYMENTS, OF_DOCUMENTS]
            .iter()
            .flat_map(|list| list.split(' '))
            .map(str::as_bytes)
            .chain(words::of_documents())
            .collect()
    })
}

/// Whether `value` is noise of all kinds of characters, blanks among them, as a generator of salts makes it.
pub(in super::super) fn is_noise(value: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let count = |class: fn(&u8) -> bool| value.iter().filter(|b| class(b)).count();
    let mut marks: Vec<u8> = value.iter().copied().filter(u8::is_ascii_punctuation).collect();
    marks.sort_unstable();
    marks.dedup();
    const SYNTAX: &[&[u8]] = &[b"${", b"{{", b"<%", b"A-Z", b"a-z", b"\\w", b"\\d", b"...", b"://"];
    (24..=256).contains(&value.len())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && count(u8::is_ascii_digit) >= 2
        && marks.len() >= 6
        && count(u8::is_ascii_whitespace) * 8 <= value.len()
        && !value.contains(&b'\n')
        && !(value[0] == b'^' && value.iter().any(|b| matches!(b, b'[' | b'(' | b'\\') || value.ends_with(b"$")))
        && !SYNTAX.iter().any(|part| value.windows(part.len()).any(|window| window == *part))
}

/// Whether `value` is the name of a model or a release: words, numbers, and short units such as `4o` or `8x7b`.
pub(in super::super) fn is_release_name(value: &[u8]) -> bool {
    let is_separator = |b: &u8| matches!(b, b'-' | b'_' | b'.' | b'/' | b':' | b'@');
    let (mut parts, mut words, mut units, mut dated) = (0, 0, 0, false);
    for part in value.split(is_separator) {
        parts += 1;
        dated |= part.len() == 8 && part.starts_with(b"20") && part.iter().all(u8::is_ascii_digit);
        let letters = part.iter().filter(|b| b.is_ascii_alphabetic()).count();
        let digits = part.len() - letters;
        if part.is_empty() || !part.iter().all(u8::is_ascii_alphanumeric) {
            return false;
        } else if letters == 0 {
            // A number, or the day of a release.
            if digits > 4 && !(digits == 8 && part.starts_with(b"20")) {
                return false;
            }
        } else if digits == 0 {
            let plain = super::is_name(part);
            words += usize::from(letters >= 3 && plain);
            // Short names, such as that of a form of poem, need not read like words.
            if !plain && (letters > 8 || !part[1..].iter().all(u8::is_ascii_lowercase)) {
                return false;
            }
        } else if super::is_name(part) && digits <= 3 {
            words += usize::from(letters >= 3);
        } else if part.len() <= 4 && letters <= 2 {
            units += 1;
        } else {
            return false;
        }
    }
    (parts >= 3 || dated) && words * 5 >= parts.min(5) && units <= 2 && words + 1 >= units && value.len() <= 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_plain_words_are_passwords() {
        for value in
            ["blue-otter-lamp", "riverStoneLamp", "copper_candle_42", "Tiger.maple.2019", "monkey-silver-monkey"]
        {
            assert!(is_word_chain(value.as_bytes(), 3), "{value}");
        }
    }

    #[test]
    fn names_of_things_are_no_chains() {
        for value in [
            "password-input-field",
            "userInputReader",
            "app-db-prod",
            "see-the-wiki",
            "loginFormView",
            "auth.errors.invalid",
            "mdi-lock-outline",
            "blue-otter",
            "BLUE_OTTER_LAMP",
            "oneword",
            "existing-grafana-credentials",
            "getCurrentTokenValue",
        ] {
            assert!(!is_word_chain(value.as_bytes(), 3), "{value}");
        }
    }

    #[test]
    fn models_and_releases_are_names() {
        for value in [
            "gpt-4o-mini-2024-07-18",
            "claude-3-5-sonnet-20241022",
            "mixtral-8x7b-instruct-v0.1",
            "meta-llama/Llama-3.1-70B-Instruct",
            "anthropic.claude-3-haiku-20240307-v1:0",
            "gpt-4.1-nano",
        ] {
            assert!(is_release_name(value.as_bytes()), "{value}");
        }
        for value in ["x8Kq2Lm9Pz4Rt6Vw", "k3d9-x82h-q9w8-m2n4", "pat-8f3kq91x-zz", "abc-Xk29fjQ81-def"] {
            assert!(!is_release_name(value.as_bytes()), "{value}");
        }
    }
}
