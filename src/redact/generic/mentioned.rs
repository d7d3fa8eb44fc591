//! Values under names that only mention a secret, such as `my_password_service`, and values that a sentence only mentions
//! a secret before: only what can be nothing else counts.

use super::super::heuristics::{self, WordList};
use super::super::text::{contains_ignoring_case, first_line};
use super::span::quoted;
use super::{Name, later};

/// How far after a name in a sentence the value may be.
const MAX_DISTANCE: usize = 160;
/// The least length of what a machine made at random where only a sentence mentions a secret.
const MIN_RANDOM: usize = 16;

/// Whether a value is a secret even where its name only mentions one: `my_password_service`.
pub(super) fn is_unmistakable(value: &[u8]) -> bool {
    heuristics::is_noisy(value)
        || later::is_strong(value) && heuristics::has_all_kinds(value) && !heuristics::is_description(value)
}

/// Whether a name mentions a secret: `my_password_service`.
pub(super) fn says_secret(name: &[u8]) -> bool {
    [&b"pass"[..], b"secret", b"apikey", b"api_key"].iter().any(|word| contains_ignoring_case(name, word))
}

/// Returns the quoted text directly after a name, if no text but a password has its marks: `secret"…"`.
pub(super) fn noise_after(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let at = name.end + usize::from(text.get(name.end) == Some(&b' '));
    if !matches!(text.get(at), Some(b'"' | b'\'')) {
        return None;
    }
    let found = quoted(text, at).filter(|found| found.quoted && found.end < at + 128)?;
    let value = &text[found.start..found.end];
    (heuristics::is_noisy(value) && !heuristics::is_placeholder(value)).then_some((found.start, found.end))
}

/// Returns what a machine made at random in the sentence after a name, where no word says that it is public: "REST token for
/// the sync (read only) is X". `exact`: whether the name means a secret, so that what has the length of a digest is one.
pub(super) fn random_after(text: &[u8], name: Name, exact: bool) -> Option<(usize, usize)> {
    let window = &text[name.end..text.len().min(name.end + MAX_DISTANCE)];
    let rest = first_line(window);
    // A part of a path, and the result of a call: `address('my secret seed') // …`.
    let is_result = memchr::memmem::find(rest, b") // ").is_some_and(|at| !rest[..at].contains(&b'('));
    if rest.first() == Some(&b'/') || is_result || name.start > 0 && text[name.start - 1] == b'/' {
        return None;
    }
    let mut at = 0;
    let mut before: &[u8] = b"";
    let mut sentences = 0;
    while at < rest.len() {
        at += rest[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = rest[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &rest[at..at + length];
        if length >= MIN_RANDOM {
            let (start, end) = later::trimmed(text, name.end + at, name.end + at + length);
            if is_random(&text[start..end], before, exact) {
                return Some((start, end));
            }
        }
        sentences += usize::from(ends_sentence(word));
        if sentences > 1 || is_public(word) || !is_plain(word) {
            return None;
        }
        before = word;
        at += length;
    }
    None
}

/// Returns what a machine made at random in the sentence before a name, where no word says that it is public: "Enter X when asked
/// for the client secret", "'X' was the auth token I used".
pub(super) fn random_before(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let low = name.start.saturating_sub(MAX_DISTANCE / 2);
    let line = super::super::text::last_line(&text[low..name.start]);
    // Most sentences have no number.
    if !line.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let mut end = line.len();
    let mut words = 0;
    while end > 0 && words <= 9 {
        let head = line[..end].trim_ascii_end();
        let length = head.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &head[head.len() - length..];
        end = head.len() - length;
        if word.is_empty() {
            return None;
        }
        let start = name.start - line.len() + end;
        let (start, stop) = later::trimmed(text, start, start + length);
        let value = &text[start..stop];
        let mixed = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
        let whole = end > 0 || text[..name.start - line.len()].last().is_none_or(|b| *b == b'\n');
        if value.len() >= MIN_RANDOM
            && mixed
            && whole
            && value.iter().all(u8::is_ascii_alphanumeric)
            && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
            && is_random(value, b"", false)
            && !line[..end].split(|b| *b == b' ').any(is_public)
        {
            return Some((start, stop));
        }
        words += 1;
        // `'azp': 'X', 'gty': 'client-credentials'`
        let field = word.ends_with(b":") || word.contains(&b'=') || matches!(word.first(), Some(b'"' | b'\'' | b'{'));
        if is_public(word) || field || !is_plain(word) && word != b"-" || ends_sentence(word) {
            return None;
        }
    }
    None
}

/// Returns what a machine made at random after the words at the beginning of the next line that point back to the line
/// of a name: "It uses an API token.", "The current one: X". `exact`: as for [`random_after`].
pub(super) fn pointed_at(text: &[u8], name: Name, exact: bool) -> Option<(usize, usize)> {
    let line = first_line(&text[name.end..text.len().min(name.end + MAX_DISTANCE)]);
    let end = name.end + line.len();
    let below = &text[end..text.len().min(end + MAX_DISTANCE)];
    let lead = below.iter().take(6).take_while(|b| matches!(b, b'\n' | b'\r' | b'>' | b' ')).count();
    let next = first_line(&below[lead..]);
    // "One run: …" points to nothing.
    let mut words = next.split(|b| *b == b' ').take(3).map(|word| word.strip_suffix(b":").unwrap_or(word)).skip(1);
    if !words.any(|word| word == b"one") {
        return None;
    }
    if line.split(|b| *b == b' ').any(is_public) {
        return None;
    }
    let colon = memchr::memmem::find(next, b": ")?;
    let lead = end + lead + colon + 2;
    let plain = |word: &[u8]| is_plain(word) && !is_public(word);
    if !next[..colon].split(|b| *b == b' ').all(plain) {
        return None;
    }
    let length = text[lead..].iter().take(MAX_DISTANCE).take_while(|b| !b.is_ascii_whitespace()).count();
    let (start, end) = later::trimmed(text, lead, lead + length);
    is_random(&text[start..end], b":", exact).then_some((start, end))
}

/// Returns what a machine made in the same form as `start..end` and a sentence gives for what replaced it: "the old one was
/// X, the new one is Y".
pub(super) fn renewed(text: &[u8], (start, end): (usize, usize)) -> Option<(usize, usize)> {
    let value = &text[start..end];
    let made = |value: &[u8]| {
        (heuristics::is_machine_made(value) || heuristics::is_hexadecimal_key(value)) && !heuristics::is_uuid(value)
    };
    let digits = |value: &[u8]| value.iter().all(u8::is_ascii_hexdigit);
    if value.len() < MIN_RANDOM || !made(value) {
        return None;
    }
    let rest = first_line(&text[end..text.len().min(end + MAX_DISTANCE)]);
    let (mut at, mut said) = (0, false);
    while at < rest.len() {
        at += rest[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = rest[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &rest[at..at + length];
        let (left, right) = later::trimmed(text, end + at, end + at + length);
        let other = &text[left..right];
        if said && other.len() == value.len() && other != value && digits(other) == digits(value) && made(other) {
            return Some((left, right));
        }
        let bare = word.strip_suffix(b",").or_else(|| word.strip_suffix(b":")).unwrap_or(word);
        said |= RENEWED.has(bare)
            || !word.is_ascii()
                && ["新", "旧", "舊"].iter().any(|new| memchr::memmem::find(word, new.as_bytes()).is_some());
        if is_public(word) {
            return None;
        }
        at += length;
    }
    None
}

/// Words of a sentence that say that what follows is no secret.
static PUBLIC: WordList = WordList::new(
    "id ids uuid hash hashes digest digests commit commits sha sha1 sha256 sha512 md5 fingerprint fingerprints checksum public \
    pr\u{fc}fsumme somme suma somma сумма хеш номер nummer n\u{fa}mero num\u{e9}ro version signature etag nonce salt cache request trace span build revision object file path branch tag address",
);
/// Words directly before the value of a secret.
static LEADS: WordList = WordList::new(
    "that's it's is are was use uses using to with: ist lautet war est \u{e9}tait es era \u{e9} \u{e8} jest is \u{e4}r var \u{2014} \u{2013} \
    \u{431}\u{44b}\u{43b} \u{44d}\u{442}\u{43e} \
    i.e. namely viz. n\u{e4}mlich sprich d.h. dvs. dwz. tzn. tj. cio\u{e8} soit c'est-\u{e0}-dire",
);
/// The ends of such words in scripts that blanks do not divide into words.
const JOINED_LEADS: [&str; 6] = ["\u{4e3a}", "\u{662f}", "\u{306f}", "\u{304c}", "\u{ff1a}", "\u{70ba}"];
/// Words between a value and the one that replaces it.
static RENEWED: WordList = WordList::new(
    "new old now neu neue neuer neues neuen alt alte altes jetzt nouveau nouvelle ancien ancienne maintenant nuevo nueva antiguo antigua ahora \
    novo nova antigo antiga agora nuovo nuova vecchio vecchia ora nieuw nieuwe oud oude nu ny nya nytt gamla gammal nowy nowe nowa stary \
    stare teraz \u{43d}\u{43e}\u{432}\u{44b}\u{439} \u{43d}\u{43e}\u{432}\u{430}\u{44f} \u{441}\u{442}\u{430}\u{440}\u{44b}\u{439} \u{442}\u{435}\u{43f}\u{435}\u{440}\u{44c}",
);

/// Whether a word, in brackets or not, says that what follows is no secret.
fn is_public(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"(").unwrap_or(word);
    let end = word.iter().rposition(|b| !matches!(b, b')' | b':' | b'.' | b',' | b';')).map_or(0, |last| last + 1);
    let word = &word[..end];
    PUBLIC.has(word) || [&b"-id"[..], b"_id", b"Id"].iter().any(|id| word.ends_with(id))
}

/// Whether a word is one of a sentence rather than of data or a program.
fn is_plain(word: &[u8]) -> bool {
    !word.iter().any(|b| matches!(b, b'"' | b'{' | b'}' | b'<' | b'>' | b'=' | b'$' | b'\\'))
}

fn ends_sentence(word: &[u8]) -> bool {
    matches!(word, [.., b'.' | b'!' | b'?' | b';'])
}

/// Whether a value is random: in both cases with digits, or hexadecimal where a verb or a colon leads to it.
fn is_random(value: &[u8], before: &[u8], exact: bool) -> bool {
    let joined = || !before.is_ascii() && JOINED_LEADS.iter().any(|lead| before.ends_with(lead.as_bytes()));
    let led = || before.ends_with(b":") || LEADS.has(before) || joined();
    let mixed = value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_digit);
    // Names of classes that mean a secret: a digest would be named one.
    if exact && led() && matches!(value.len(), 40 | 64) && heuristics::is_hexadecimal_key(value) {
        return !heuristics::is_placeholder(value);
    }
    let capitals = value.len() >= 24
        && !value.iter().any(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'))
        && !value.iter().all(u8::is_ascii_hexdigit);
    let repeats = value.windows(4).any(|run| run.iter().all(|b| *b == run[0]));
    value.len() >= MIN_RANDOM
        && !repeats
        && (mixed || capitals || led())
        && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
        && heuristics::is_machine_made(value)
        && !heuristics::is_uuid(value)
        && !is_worded(value)
}

/// Whether a value has words in it, as the names of functions and curves, or is an assignment: `NID_secp384r1`,
/// `Lifetime32Dim46Base8`, `notAfter=2024-05-27`.
fn is_worded(value: &[u8]) -> bool {
    // Base64 may begin with a slash; the first part of a path is shorter than a key.
    let base64 = |part: &[u8]| part.len() >= MIN_RANDOM && heuristics::has_all_kinds(part);
    let rest = value.strip_prefix(b"/").filter(|rest| rest.split(|b| *b == b'/').any(base64)).unwrap_or(value);
    let first = rest.split(|b| matches!(b, b'_' | b'/' | b'-')).next().unwrap_or_default();
    let runs = value.split(|b| !b.is_ascii_lowercase()).filter(|run| run.len() >= 4);
    let (count, length) = runs.fold((0, 0), |(count, length), run| (count + 1, length + run.len()));
    let padding = value.iter().rev().take_while(|b| **b == b'=').count();
    count >= 2 && length * 5 >= value.len() * 2
        || first.len() < value.len() && first.iter().all(u8::is_ascii_alphabetic)
        || value[..value.len() - padding].contains(&b'=')
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn random_values_in_the_sentence_of_a_name_are_found() {
        let (mixed, key) = (fill("Qx7<a24>4z", SEED), fill("<h31>7", SEED));
        for template in [
            "REST token for the schedule sync (read only) is `@`, stored in it",
            "El token que nos dio el proveedor es @ y caduca en junio.",
            "We rotated the credentials on Tuesday. The new one is @.",
        ] {
            let scrubbed = scrub(&template.replace('@', &mixed));
            assert!(!scrubbed.contains(&mixed), "{scrubbed}");
        }
        for template in [
            "the auth token we use for it is @. You",
            "The API key is unchanged, i.e. @.",
            "API-nyckeln till den, dvs. @.",
            "Event with routing key @, phone rang",
            "appid @ from both",
        ] {
            let scrubbed = scrub(&template.replace('@', &key));
            assert!(!scrubbed.contains(&key), "{scrubbed}");
        }
    }

    #[test]
    fn random_values_on_a_line_that_points_back_are_found() {
        for (template, value) in [
            ("It uses an API token with Zone:Edit.\nCurrent one (until May): @\n", fill("Qx7<a34>4z", SEED)),
            ("> Which API token?\n\nThe one from my profile: `@` for anna", fill("<h31>7", SEED)),
        ] {
            let scrubbed = scrub(&template.replace('@', &value));
            assert!(!scrubbed.contains(&value), "{scrubbed}");
        }
        for template in [
            "It uses an API token.\nThe one commit: @\n",
            "The token hash changed.\nThe old one: @\n",
            "Access tokens are logged.\nOne run: @\n",
            "It uses an API token.\nOne more:\n@\n",
        ] {
            let text = template.replace('@', &fill("<h31>7", SEED));
            assert_eq!(scrub(&text), text);
        }
    }

    #[test]
    fn what_replaces_a_random_value_is_found() {
        let (old, new) = (fill("<h39>7", SEED), fill("<h38>2b", SEED));
        for template in [
            "The old `client_secret` is @, the new one is #.",
            "O `client_secret` antigo era @ e foi revogado; o novo, #, vale agora.",
            "Det gamla `client_secret` var @, det nya är #.",
            "旧的 `client_secret` 是 @,新的是 #。",
        ] {
            let scrubbed = scrub(&template.replace('@', &old).replace('#', &new));
            assert!(!scrubbed.contains(&old) && !scrubbed.contains(&new), "{scrubbed}");
        }
        let text = format!("The `client_secret` is {old}, now fixed in commit {new}.");
        assert!(scrub(&text).contains(&new));
    }

    #[test]
    fn values_of_other_languages_and_layouts_are_found() {
        let password = fill("Wq<a9>-4z", SEED);
        let letters = "QmVyTBxWue".chars().rev().collect::<String>();
        for (template, value) in [
            ("als Startkennwort hab ich @ gesetzt, bitte ändern", &password),
            ("Het robotaccount heeft als geheim @.", &fill("Qx7<a24>4z", SEED)),
            ("La chiave attuale, generata con openssl, è `@`; va ruotata.", &fill("/1<a18>4z/x<a30>7Kq", SEED)),
            ("Writing [{grant_type=[password], username=[anna], password=[@], id=[x]}]", &"Otter#5".repeat(2)),
            ("neue App, Client-ID abc123, Client Secret @\n", &letters),
        ] {
            let scrubbed = scrub(&template.replace('@', value));
            assert!(!scrubbed.contains(value.as_str()), "{scrubbed}");
        }
        for text in [
            "grant_type=[password], password=[optional], password=[a, b], x[password=[0]]",
            "Das Passwort hab ich vergessen, als Passwort hab ich nichts gesetzt.",
            "the client secret GetObject, Client Secret Management",
            "the key files in /usr/local/share/Application2024/Keystore64Data are read",
        ] {
            assert_eq!(scrub(text), text);
        }
    }

    #[test]
    fn what_is_public_or_has_words_stays() {
        let key = fill("<h31>7", SEED);
        for text in [
            format!("The token was fixed in commit {key}, its checksum (md5): {key}"),
            "Secret `tls-wildcard` now has notAfter=2024-05-27.".to_owned(),
            "private keys: get0_EC_KEY, NID_X9_62_prime256v1, NID_secp384r1".to_owned(),
            "the key lifetime of `SIGAbortingTargetSumLifetime32Dim46Base8` in it".to_owned(),
            "curl -H \"Authorization: Bearer $TOKEN\" \"$API/v1/jobs\" in zsh".to_owned(),
            format!("\"https://host.example/x/secrets/circleci/detector.go\": \"{key}{key}\",\n"),
            "aws get-usage-plan-key --usage-plan-id a1b2c3 --key-id 1NbjQzMReAkeEQPNAW8r3dXsU2rDD7fc7f2Sipnu"
                .to_owned(),
            "a key extraction function, see Arm documentation00000000000CeLoad".to_owned(),
        ] {
            assert_eq!(scrub(&text), text);
        }
    }
}
