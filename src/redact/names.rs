//! Names of secrets: classifies names such as `DB_PASSWORD`, `apiKey` and `next_page_token`.

use super::heuristics::{NameClass, WordList};
use super::rules::FindingLabel;

const fn label(name: &'static str, reason: &'static str) -> FindingLabel {
    FindingLabel { name, reason, rank: 5 }
}

pub(super) static PASSWORD: FindingLabel = label("password", "is the value of a name that says password");
static SECRET: FindingLabel = label("secret", "is the value of a name that says secret");
pub(super) static KEY: FindingLabel = label("api-key", "is the value of a name that says API key or access key");
static PRIVATE_KEY: FindingLabel = label("private-key-value", "is the value of a name that says private key");
pub(super) static TOKEN: FindingLabel = label("token", "is the value of a name that says token");
static CREDENTIALS: FindingLabel = label("credentials", "is the value of a name that says credentials");
static AWS: FindingLabel = label("aws-secret-access-key", "is the value of a name that says AWS secret access key");
static AZURE: FindingLabel =
    label("azure-key", "is the value of a name that says Azure account key or shared access key");

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 8] =
    [&PASSWORD, &SECRET, &KEY, &PRIVATE_KEY, &TOKEN, &CREDENTIALS, &AWS, &AZURE];

/// Returns the class of secret that `name` announces, and its label; `None` if its value need not be secret.
pub(super) fn class_of(name: &[u8]) -> Option<(NameClass, &'static FindingLabel)> {
    let words = words(without_widget(name));
    // That of an assembly of .NET, by which others name it; the public key of a server that sends notifications.
    if name.eq_ignore_ascii_case(b"publickeytoken") || name.eq_ignore_ascii_case(b"applicationserverkey") {
        return None;
    }
    // Of a compiler or an algorithm: `single-pass`, `InlineLoweringPass`.
    static PASSES: WordList =
        WordList::new("single one two three multi first second third final next by all optimizer compiler");
    static PLACES: WordList =
        WordList::new("staging billing hosting mailing printing accounting marketing reporting monitoring");
    if let [.., before, last] = &words[..]
        && last == "pass"
        && (PASSES.has(before.as_bytes()) && name.contains(&b'-')
            || matches!(before.as_str(), "forward" | "backward" | "render" | "lowering")
            || before.ends_with("ing")
                && !PLACES.has(before.as_bytes())
                && name[0].is_ascii_uppercase()
                && !name.contains(&b'_'))
    {
        return None;
    }
    // `IsFirstPass`, a question.
    static QUESTIONS: WordList = WordList::new("is has should can will must did does");
    if words.len() > 1
        && QUESTIONS.has(words[0].as_bytes())
        && (words.len() > 2 || !matches!(words[0].as_str(), "is" | "has"))
    {
        return None;
    }
    // `secret_key_base`, `PASSWORD_PROD`, `apiKeyValue` still name the secret itself.
    static AFTERWORDS: WordList = WordList::new(
        "base value val string plain plaintext text raw b64 base64 hex prod production dev \
        staging stage test live old new current default primary secondary confirmation confirm repeat again equals assign",
    );
    let count = words.iter().rposition(|word| !AFTERWORDS.has(word.as_bytes()) && !word.is_empty())? + 1;
    let words = &words[..count];
    let last = words.last()?.as_str();
    let before = words.len().checked_sub(2).map_or("", |at| words[at].as_str());
    let joined = words.concat();
    let ends = |ends: &[&str]| ends.iter().any(|end| joined.ends_with(end));
    // Words that `pass` is written together with: `sshpass`, but not `compass`.
    static OWNERS: WordList = WordList::new(
        "db ssh user root admin smtp mail ftp my mysql pg store key bind proxy auth login rds redis \
        mongo wp remote ldap imap svn git app api srcstore deststore srckey destkey",
    );
    // Words before `token` that make it a part of a text or a position in a list.
    static NO_TOKENS: WordList = WordList::new(
        "public next page continuation cancel cancellation stop pad bos eos unk sep mask special max \
        min per erc20 native design sequence sync resume start first last starting idempotency lock change forward backward pagination tik sub pre un bpe",
    );
    Some(
        if ends(&[
            "password",
            "passwd",
            "passphrase",
            "passcode",
            "passwort",
            "kennwort",
            "passord",
            "requirepass",
            "masterauth",
        ]) || matches!(last, "pass" | "pwd" | "pw" | "psk" | "kennwort" | "wachtwoord" | "senha" | "heslo")
            || FOREIGN.has(last.as_bytes())
            || last == "community" && matches!(before, "snmp" | "ro" | "rw")
            || ends(&["rootpw", "adminpw", "userpw", "dbpw"])
            || is_misspelled(last.as_bytes())
            || last == "passe" && before != "passe"
            || matches!(last, "psw" | "bindpw" | "clave" | "key_string" | "wpapsk")
            || ends(&["wpakey", "wpa2key", "wpa3key", "wifikey", "networkkey", "presharedkey", "radiussecret"])
            || name.eq_ignore_ascii_case(b"shared secret")
            || last.strip_suffix("pass").is_some_and(|owner| OWNERS.has(owner.as_bytes()))
            || last.ends_with("pwd")
        {
            (NameClass::Password, &PASSWORD)
        } else if ends(&["privatekey", "privkey", "privatekeysigner"]) || before == "private" && last == "key" {
            (NameClass::PrivateKey, &PRIVATE_KEY)
        } else if ends(&["secretaccesskey", "awssecretkey", "awssecret"]) {
            (NameClass::Secret, &AWS)
        } else if last == "secret" && matches!(before, "aes" | "mac" | "ephemeral") {
            // Derived for one session; protocol specifications print them as test vectors.
            return None;
        } else if ends(&["secret", "secretkey", "secreto"]) {
            (NameClass::Secret, &SECRET)
        } else if ends(&["accountkey", "sharedaccesskey", "storagekey"]) {
            (NameClass::Key, &AZURE)
        } else if ends(&[
            "apikey",
            "accesskey",
            "authkey",
            "encryptionkey",
            "signingkey",
            "masterkey",
            "sharedkey",
            "servicekey",
            "licensekey",
            "applicationkey",
            "appkey",
            "hmackey",
            "jwtkey",
            "subscriptionkey",
            "adminkey",
            "deploykey",
            "integrationkey",
            "ingestkey",
            "apppassword",
            "apischluessel",
            "claveapi",
            "apiclave",
            "chaveapi",
            "cleapi",
            "chiaveapi",
            "noncekey",
            "aeskey",
            "deskey",
            "mungekey",
            "localkey",
            "secretkeyspec",
            "functionskey",
            "consumerkey",
            "clientkey",
            "sdkkey",
            "serverkey",
            "writekey",
            "readkey",
            "functionkey",
            "validationkey",
            "decryptionkey",
            "unsealkey",
            "loggedinkey",
            "webhookkey",
        ]) {
            (NameClass::Key, &KEY)
        } else if last.ends_with("token") {
            if NO_TOKENS.has(before.as_bytes())
                || last.strip_suffix("token").is_some_and(|no| NO_TOKENS.has(no.as_bytes()))
            {
                return None;
            }
            if joined.contains("privatekey") {
                return Some((NameClass::PrivateKey, &PRIVATE_KEY));
            }
            (if matches!(joined.as_str(), "token" | "thetoken") { NameClass::Weak } else { NameClass::Token }, &TOKEN)
        } else if last == "pk" && words.len() > 1 && is_environment(name) {
            (NameClass::PrivateKey, &PRIVATE_KEY)
        } else if last == "sk" && words.len() > 1 {
            (NameClass::Secret, &SECRET)
        } else if last == "key" && words.len() > 1 && is_environment(name) && !OTHER_KEYS.has(before.as_bytes()) {
            (NameClass::Key, &KEY)
        } else if last == "key" && !OTHER_KEYS.has(before.as_bytes())
            || last.strip_suffix("key").is_some_and(|owner| {
                !owner.is_empty() && !OTHER_KEYS.has(owner.as_bytes()) && !NO_OWNERS.has(owner.as_bytes())
            })
            || matches!(
                last,
                "pat" | "authtok" | "apitok" | "appid" | "sig" | "apikeys" | "licence" | "license"
            )
            // What signs a request lets others send it; the signature of a document, commit or token is public.
            || last == "signature" && (words.len() == 1 || matches!(before, "amz" | "goog" | "access" | "url" | "request"))
            || ends(&["secretid", "bindcredentials", "hookurl", "accesscode"])
            || last == "login" && name.contains(&b'.')
            || last == "priv" && before == "snmp"
            || last == "cred" && words.len() > 1
            || matches!(last, "api" | "access") && words.len() > 1 && is_environment(name)
        {
            (NameClass::Hint, &KEY)
        } else if joined == "authinfo"
            || last == "code" && ENTRANCES.has(before.as_bytes())
            || last.strip_suffix("code").is_some_and(|before| ENTRANCES.has(before.as_bytes()))
        {
            (NameClass::Key, &KEY)
        } else if last == "pepper"
            || ends(&["passwordsalt", "authsalt", "hashsalt", "cookiesalt"])
            || last == "seed" && SEEDED.has(before.as_bytes())
        {
            (NameClass::Secret, &SECRET)
        } else if last == "sid" && before == "connect" {
            (NameClass::Token, &TOKEN)
        } else if matches!(last, "hmac" | "sid") || last == "refresh" && words.len() == 1 {
            (NameClass::Hint, &TOKEN)
        } else if matches!(last, "session" | "sessionid" | "sessid" | "phpsessid" | "jsessionid") {
            (NameClass::Weak, &TOKEN)
        } else if matches!(last, "jwt" | "cookie" | "salt") && words.len() > 1 {
            (if words[0].starts_with("secret") { NameClass::Secret } else { NameClass::Token }, &SECRET)
        } else if matches!(
            last,
            "auth"
                | "authorization"
                | "session"
                | "sessionid"
                | "sessid"
                | "phpsessid"
                | "jsessionid"
                | "credential"
                | "credentials"
                | "creds"
                | "secrets"
                | "tokens"
                | "passwords"
        ) {
            (NameClass::Weak, &CREDENTIALS)
        } else {
            return says_secret(words).then_some((NameClass::Hint, &SECRET));
        },
    )
}

/// Returns the name of what a field of a form holds: `passwordController.text` holds a password, and so does what
/// `passwordField.setText(…)` puts there.
pub(super) fn without_widget(name: &[u8]) -> &[u8] {
    static CONTENTS: WordList = WordList::new(
        "text value settext setvalue fill type typetext sendkeys send_keys settextvalue stringvalue entertext clearandtype \
        replacetext content string",
    );
    const WIDGETS: [&[u8]; 14] = [
        b"controller",
        b"textfield",
        b"textbox",
        b"field",
        b"input",
        b"box",
        b"edit",
        b"edittext",
        b"textedit",
        b"entry",
        b"element",
        b"locator",
        b"ctrl",
        b"ctl",
    ];
    let Some(dot) = name.iter().rposition(|b| *b == b'.').filter(|dot| CONTENTS.has(&name[dot + 1..])) else {
        return name;
    };
    let held = &name[..dot];
    let widget = WIDGETS
        .iter()
        .filter(|widget| held.len() > widget.len() && held[held.len() - widget.len()..].eq_ignore_ascii_case(widget));
    widget.max_by_key(|widget| widget.len()).map_or(name, |widget| &held[..held.len() - widget.len()])
}

/// Whether a word of a name says password, secret or key and none of those after it what is told of it instead:
/// `password_service`, but not `password_hash`.
fn says_secret(words: &[String]) -> bool {
    static SECRETS: WordList = WordList::new("password passwd passphrase pass secret secrete apikey");
    static PROPERTIES: WordList = WordList::new(
        "hash hashes hashed digest sha sha1 sha256 sha512 md5 bcrypt id ids uuid guid name names arn ref reference file path url uri link \
        checksum version etag policy rule rules length size min max field input form page reset label hint regex pattern format type kind date \
        time expiry expires age count index salt iv nonce public encrypted cipher manager store provider request response event class \
        scanning scanner detection key keys token tokens",
    );
    let glued = |word: &str| (9..=16).contains(&word.len()) && word.contains("apikey");
    let at = words.iter().rposition(|word| SECRETS.has(word.as_bytes()) || glued(word));
    let pair = || words.windows(2).rposition(|pair| pair[0] == "api" && pair[1] == "key").map(|at| at + 1);
    at.or_else(pair).is_some_and(|at| {
        !words[at + 1..].iter().any(|word| PROPERTIES.has(word.as_bytes()))
            && words[..at].iter().all(|word| word != "no" && word != "is")
    })
}

/// Words before `code` in names of what lets somebody in.
static ENTRANCES: WordList = WordList::new(
    "authorization authorisation epp transfer access invite invitation auth join pairing enrollment enrolment registration",
);

/// What is derived from a seed that is secret.
static SEEDED: WordList =
    WordList::new("encryption csrf signing master jwt session secret crypto hmac key token auth cookie totp otp");

/// Words for passwords in other languages, with the endings that sentences give them.
static FOREIGN: WordList = WordList::new(
    "passordet passordene adgangskode adgangskoden kodeord kodeordet salasana salasanan salasanaa salasanaksi \
    hesla heslem heslu parola parolas parolan parolayi senhas wachtwoorden kennworts clave claves contrasena contrasenya haslo hasla haslem sifre sifresi \
    jelszo geslo lozinka lozinku mdp passordets",
);

/// Whether a word is `password` with one letter too many, too few or different, whatever their order.
fn is_misspelled(word: &[u8]) -> bool {
    if !(7..=9).contains(&word.len())
        || !word.starts_with(b"pa")
        || !word.ends_with(b"d") && !word.ends_with(b"r")
        || !word.contains(&b'w')
    {
        return false;
    }
    let count = |word: &[u8], letter: u8| word.iter().filter(|b| **b == letter).count();
    let differs = |letter: u8| count(word, letter).abs_diff(count(b"password", letter));
    (b'a'..=b'z').map(differs).sum::<usize>() <= 2
}

/// Words before `KEY` in names whose values are not secret.
static OTHER_KEYS: WordList = WordList::new(
    "public publishable pub site primary foreign partition sort cache host msg idempotency object row group index range \
    hash ssh registry s3 map lookup search issue project ordering shard dedup translation i18n config video youtube document doc page post image product sku idem composite \
    hot short shortcut arrow press json dict sha license reporter template component element event property field param query column \
    attribute theme locale message metric s3object address match change pagination",
);

/// What precedes `key` in words that have nothing to do with keys, and in the scheme of a URL.
static NO_OWNERS: WordList = WordList::new("form mon tur don hoc joc whis tpm dns");

/// Whether `name` is that of a key, and its other words name neither a public key nor what is known by a digest.
pub(super) fn is_of_secret_key(name: &[u8]) -> bool {
    // What is known by a digest, and keys that are public.
    static OTHERS: WordList = WordList::new(
        "verify verifying verification validator verkey pub node peer identity account address contract state \
        block tx transaction trie merkle leaf root asset content blob chunk tree entity record lookup unique dedupe item file \
        recipient remote device ed25519 x25519 curve25519 wg wireguard box raft consensus proposer staking tracking etag \
        query request result artifact layer build step run job task fingerprint minisign tuf keyid expected",
    );
    let named = name.len() > 4 && name[name.len() - 3..].eq_ignore_ascii_case(b"key");
    let before = &name[..name.len().saturating_sub(3)];
    let start = |at: usize| at > 0 && before[at].is_ascii_uppercase() && before[at - 1].is_ascii_lowercase();
    let humps = (0..before.len()).rev().find(|at| start(*at)).unwrap_or(0);
    let parts = before.split(|b| !b.is_ascii_alphanumeric()).chain([&before[humps..]]);
    let other = parts.into_iter().any(|part| OTHERS.has(part));
    named && !other
}

/// Whether `name` is spelled like an environment variable.
fn is_environment(name: &[u8]) -> bool {
    // `process.env.ACME_KEY`
    let name = name.strip_prefix(b"process.env.").or_else(|| name.strip_prefix(b"--")).unwrap_or(name);
    name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Splits a name into words in lower case, at separators and capitals, without digits at the end of a word.
fn words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, byte) in name.iter().enumerate() {
        let next = name.get(at + 1);
        let previous = at.checked_sub(1).map(|at| name[at]);
        let hump = byte.is_ascii_uppercase()
            && (previous.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                || previous.is_some_and(|b| b.is_ascii_uppercase()) && next.is_some_and(u8::is_ascii_lowercase));
        if hump || !byte.is_ascii_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if byte.is_ascii_alphanumeric() {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    words.push(word);
    for word in &mut words {
        let kept = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        // `PASS8` is a constant of its own; `password1` is a password.
        if kept > 4 && word != "base64" {
            word.truncate(kept);
        }
    }
    words.retain(|word| !word.is_empty() && !word.bytes().all(|b| b.is_ascii_digit()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_classified_by_their_words() {
        for (name, expected) in [
            ("AWS_SECRET_ACCESS_KEY", Some("aws-secret-access-key")),
            ("dbPasswordProd", Some("password")),
            ("SMTP_PASS", Some("password")),
            ("AccountKey", Some("azure-key")),
            ("APIKey", Some("api-key")),
            ("compass", None),
            ("token_type", None),
            ("secretName", None),
            ("monkey", None),
            ("cancellationToken", None),
        ] {
            assert_eq!(class_of(name.as_bytes()).map(|(_, label)| label.name), expected, "{name}");
        }
    }
}
