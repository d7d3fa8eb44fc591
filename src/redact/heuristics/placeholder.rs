//! Placeholders for secrets: masks, variables, references, samples.

use super::super::text::{contains_ignoring_case, starts_ignoring_case};
use super::MAX_BYTES;
use super::WordList;
use super::said::is_said;

/// Words that only a placeholder contains, anywhere in it.
const PARTS: &str = "example placeholder changeme change-me change_me changeit replaceme replace_ \
    replace- redacted xxxxxx dummy insert_ insert- undefined required optional letmein";

/// Words that only a placeholder contains as a whole word between separators.
static WORDS: WordList = WordList::new("your here todo tbd fixme foo bar baz foobar xxx xxxx xxxxx sample");

/// Whether `value` is a placeholder: empty, masked, elided, a variable, a reference, `changeme`.
pub(in super::super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let bare = value.len() <= 2
        || value.len() >= 5 && value.iter().all(|b| *b == value[0])
        || value.iter().all(|b| matches!(b, b'x' | b'X' | b' '))
        || value.iter().all(|b| matches!(b, b'x' | b'X' | b'*' | b'.' | b'_' | b'-' | b'#' | b'?' | b'0'))
        || value.iter().all(|b| !b.is_ascii());
    // `@db.password@`, which a build fills in
    let filled = value.len() > 4
        && (value.starts_with(b"@") && value.ends_with(b"@") || value.starts_with(b"##") && value.ends_with(b"##"));
    // `**MASKED VALUE**`
    let censored = value.len() > 8 && value.starts_with(b"**") && value.ends_with(b"**");
    bare || filled
        || value.starts_with(b"xxxxx")
        // `YourApiKey`
        || value.starts_with(b"Your") && value.iter().all(u8::is_ascii_alphabetic) && names_thing(value)
        // `whsec_...`, the prefix of a token
        || value.strip_suffix(b"...").is_some_and(|prefix| prefix.len() <= 10)
        // `uv run python lamp.py`, a command.
        || value.contains(&b' ') && value.rsplit(|b| *b == b' ').next().is_some_and(super::is_host)
        // `cargo clippy --fix`, a command.
        || memchr::memmem::find(value, b" --").is_some_and(|at| value.get(at + 3).is_some_and(u8::is_ascii_lowercase))
        // `[Name](page.md)`
        || value[0] == b'[' && memchr::memmem::find(value, b"](").is_some()
        || is_name_of_variable(value)
        || is_called_password(value)
        || is_title_of_password(value)
        || censored
        || is_periodic(value)
        || is_reference(value)
        || is_algorithm(value)
        || is_algorithm(value.split(|b| matches!(b, b',' | b' ')).next().unwrap_or_default())
        || is_elided(value)
        || is_sequence(value)
        || has_placeholder_word(value)
        || is_instruction(value)
        || is_said(value)
}

/// Whether a value ends in a word for a password or a key.
fn names_thing(value: &[u8]) -> bool {
    let ends = |word: &[u8]| value.len() > word.len() && value[value.len() - word.len()..].eq_ignore_ascii_case(word);
    [&b"key"[..], b"token", b"secret", b"password", b"passwd", b"pass", b"pwd"].iter().any(|word| ends(word))
}

/// Words for a password or a key, in the languages of the phrases that stand for one.
static THINGS: WordList = WordList::new(
    "password pass pwd secret token key passwort kennwort schluessel schl\u{fc}ssel mdp mot cl\u{e9} cle contrase\u{f1}a contrasena clave secreto \
    senha chave segredo parola chiave segreto wachtwoord sleutel geheim l\u{f6}senord losenord nyckel has\u{142}o haslo klucz sekret \
    \u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c} \u{43a}\u{43b}\u{44e}\u{447} parol adgangskode kodeord passord salasana heslo sifre",
);
/// Words of a phrase that says what to put in place of it: whose password, where, or to do so.
static ASKING: WordList = WordList::new(
    "your here dein deine deinem ihr ihre euer hier eintragen eingeben ersetzen einsetzen votre ton ta ici mettre mettez inserer remplacer \
    remplacez saisir tu su aqui aqu\u{ed} pon poner ponga introduce introduzca inserta sustituir reemplazar seu sua teu tua coloque \
    insira digite substitua substituir tuo suo qui inserisci inserire sostituire sostituisci metti uw jouw je vul invullen \
    vervang invoeren din ditt h\u{e4}r har ange skriv ers\u{e4}tt tw\u{f3}j twoj twoje tutaj tu wpisz wstaw podaj \u{432}\u{430}\u{448} \u{442}\u{432}\u{43e}\u{439} \
    \u{437}\u{434}\u{435}\u{441}\u{44c} \u{432}\u{432}\u{435}\u{434}\u{438}\u{442}\u{435} vash tvoy zdes vvedite",
);
/// "Change me" in other languages, without what joins the words.
static CHANGE: WordList = WordList::new(
    "\u{e4}ndern bitte\u{e4}ndern bitteaendern aendern mich\u{e4}ndern \u{e4}nderemich aenderemich changezmoi changemoi \u{e0}changer achanger \u{e0}remplacer \
    aremplacer c\u{e1}mbiame cambiame cambiaesto c\u{e1}mbialo cambialo cambiar cambiaresto porcambiar mudeme mudeisto mudeaqui troqueme \
    troqueisto alterar altereme cambiami dacambiare verandermij wijzigmij wijzigdit veranderdit bytutmig \u{e4}ndramig zmie\u{144}mnie \
    zmienmnie zmie\u{144}to zmiento \u{438}\u{437}\u{43c}\u{435}\u{43d}\u{438}\u{43c}\u{435}\u{43d}\u{44f} \u{43f}\u{43e}\u{43c}\u{435}\u{43d}\u{44f}\u{439}\u{43c}\u{435}\u{43d}\u{44f} smenimenya",
);

/// Whether `value` is a phrase that says what to write in its place, in other languages than English: `sua-senha-aqui`,
/// `votre_mot_de_passe`, `cambia-esto`.
pub(in super::super) fn is_instruction(value: &[u8]) -> bool {
    if !(6..=48).contains(&value.len()) || value.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let joint = |b: &u8| matches!(b, b'-' | b'_' | b'.' | b' ');
    let parts = || value.split(joint);
    if parts().any(|part| THINGS.has(part)) && parts().any(|part| ASKING.has(part)) {
        return true;
    }
    let joined: Vec<u8> = value.iter().filter(|b| !joint(b)).copied().collect();
    CHANGE.has(&joined)
}

/// Whether `value` is words of which one says that it is a password, or that it is no real one: `la-tua-password-123`,
/// `not-a-real-one-1`.
fn is_called_password(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let words = value[..value.len() - digits].strip_suffix(b"-").unwrap_or(value);
    let has = |any: &[&[u8]]| words.split(|b| *b == b'-').any(|word| any.contains(&word));
    digits <= 3
        && words.iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
        && words.split(|b| *b == b'-').count() >= 3
        && (has(&[b"password", b"passwort", b"passwd"]) || has(&[b"not"]) && has(&[b"real", b"secret", b"valid"]))
}

/// Whether `value` is the name of what is to stand there: `MYSQL_ROOT_PWD`.
fn is_name_of_variable(value: &[u8]) -> bool {
    static SECRETS: WordList = WordList::new("pass password passwd passphrase pwd pw secret token key");
    let letters = |mark: u8| value.iter().all(|b| b.is_ascii_lowercase() || *b == mark);
    let last = |mark: u8| value.rsplit(|b| *b == mark).next().unwrap_or_default();
    // `johns_password`, `not-my-real-password`
    if letters(b'_') && value.contains(&b'_') && SECRETS.has(last(b'_'))
        || letters(b'-') && value.contains(&b'-') && last(b'-') == b"password"
    {
        return true;
    }
    value.contains(&b'_')
        && value[0].is_ascii_uppercase()
        && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        && value.iter().filter(|b| b.is_ascii_digit()).count() <= 1
        && value.rsplit(|b| *b == b'_').next().is_some_and(|last| SECRETS.has(last))
}

/// Whether `value` says whose password is to stand there: `DBPassword`, `YourPassword`.
fn is_title_of_password(value: &[u8]) -> bool {
    static OWNERS: WordList = WordList::new("db user your my the new old current account login database server");
    value
        .strip_suffix(b"Password")
        .is_some_and(|owner| OWNERS.has(owner) && owner.first().is_some_and(u8::is_ascii_uppercase))
}

fn is_elided(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    has(b"...") || has("…".as_bytes()) || has(b"****") || has("••".as_bytes()) || has(b"[REDACTED:")
}

/// Whether a few characters are repeated, after `0x` or not: `4646…`, `deadbeefdeadbeef…`.
fn is_periodic(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    let counted = [&b"01234567890123456"[..], b"12345678901234567"].iter().any(|start| value.starts_with(start));
    if counted || matches!(value, b"0123456789abcdef" | b"1234567890abcdef") {
        return true;
    }
    // `session-12345678901234567890123456`
    let counted = |run: &[u8]| matches!(run, b"1234567890123" | b"9876543210987");
    if value.len() > 13 && value.windows(13).any(counted) {
        return true;
    }
    // `0123456789abcdef` again and again.
    if value.len() > 16 && value.chunks(16).all(|part| b"0123456789abcdef".starts_with(part)) {
        return true;
    }
    // `0x00…03`
    let zeros = value.iter().take_while(|b| **b == b'0').count();
    if value.len() >= 32 && value.len() - zeros <= 4 {
        return true;
    }
    let repeats = |period: &usize| value.iter().zip(&value[*period..]).all(|(a, b)| a == b);
    // `12345678901234567890`
    let longest = if value.iter().all(u8::is_ascii_digit) { 10 } else { 8 };
    // `someToken1234567890`
    if value.len() <= 40 && value.windows(10).any(|run| run == b"1234567890") {
        return true;
    }
    // `aaaabbbbcccc0000`
    let fours = value.len() >= 16 && value.chunks(4).all(|part| part.iter().all(|b| *b == part[0]));
    fours || value.len() >= 16 && ((1..=longest).any(|period| repeats(&period)) || counts_up(value))
}

/// Whether the bytes of hexadecimal digits count up: `00010203…`, `00112233…`.
fn counts_up(value: &[u8]) -> bool {
    let digit = |b: u8| char::from(b).to_digit(16);
    let byte = |pair: &[u8]| Some(digit(pair[0])? * 16 + digit(pair[1])?);
    let (first, second) = (byte(&value[..2]), byte(&value[2..4]));
    let (Some(first), Some(second)) = (first, second) else { return false };
    let step = second.wrapping_sub(first) & 0xff;
    value.len().is_multiple_of(2)
        && matches!(step, 0x01 | 0x11 | 0xff)
        && value.chunks_exact(2).zip(value[2..].chunks_exact(2)).all(|(one, next)| {
            byte(one).zip(byte(next)).is_some_and(|(one, next)| next.wrapping_sub(one) & 0xff == step)
        })
}

/// Whether `value` is a sequence such as `12345678`, `ABCDEFGHIJKLMN` or, of up to 10 characters, `aaaaaa`.
fn is_sequence(value: &[u8]) -> bool {
    value.len() <= 36
        && [0_i16, 1].iter().filter(|step| **step == 1 || value.len() <= 10).any(|step| {
            value.windows(2).all(|pair| {
                let rise = i16::from(pair[1]) - i16::from(pair[0]);
                rise == *step || (pair[0] == b'9' && pair[1] == b'0' && *step == 1)
            })
        })
}

/// Whether `value` is a variable, a template parameter or a lookup.
fn is_reference(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    // A SealedSecret begins with the length of the key that encrypts it.
    let sealed = value.len() >= 120 && value.starts_with(b"Ag") && matches!(value[2], b'A'..=b'D');
    let dollar_name = value[0] == b'$'
        && value.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b':')
        && value[1..].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-'));
    let percent_name = value.len() > 2
        && value[0] == b'%'
        && value[value.len() - 1] == b'%'
        && value[1..value.len() - 1].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    // Jenkins puts what it has encrypted into braces.
    let brackets = matches!((value[0], value[value.len() - 1]), (b'<', b'>') | (b'{', b'}') | (b'[', b']'))
        && !(value.len() >= 24 && super::is_machine_made(&value[1..value.len() - 1]));
    const LOOKUPS: &[&[u8]] = &[
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"import.meta",
        b"env.",
        b"env:",
        b"env(",
        b"env[",
        b"secrets.",
        b"var.",
        b"vars.",
        b"local.",
        b"data.",
        b"inputs.",
        b"params.",
        b"config.",
        b"self.",
        b"this.",
        b"args.",
        b"req.",
        b"request.",
        b"ctx.",
        b"module.",
        b"arn:",
        b"op://",
        b"vault:",
        b"ssm:",
        b"secret:",
        b"file:",
        b"sha256:",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha512:",
        b"projects/",
        b"enc[",
        b"{cipher}",
        b"!ref",
        b"!sub",
        b"!secret",
        b"!vault",
        b"!env",
        b"resolve:",
        b"aws:",
        b"awssm",
        b"gcp:",
        b"sm://",
        b"keyring:",
        b"data:",
    ];
    // `%(password)s`, `:password`, `&lt;password&gt;`, `#password-field`.
    let named = matches!(value[0], b':' | b'@' | b'#') && value.len() > 2 && super::is_name(&value[1..]) && {
        value[1..].iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-' | b'.'))
    };
    // `AKIA…/20200513/us-east-1/s3/aws4_request`, what a signature of AWS is made for.
    let scope = value.ends_with(b"aws4_request");
    let formatted = scope || value.starts_with(b"%(") || value.starts_with(b"&lt;") || value.starts_with(b"%s");
    // A signed token that anyone may read, as its name says.
    let public = value.len() > 10 && value[0] == b'v' && value[2..].starts_with(b".public.");
    // `password=.*` of a pattern, `password=@file` of a command.
    let pattern = value.starts_with(b".*") || value.starts_with(b".+");
    let file = value[0] == b'@' && super::is_name(&value[1..]) && value.contains(&b'.');
    dollar_name
        || sealed
        || named
        || formatted
        || public
        || pattern
        || file
        || percent_name
        || brackets
        || is_template(value, b"${", b"}")
        || has(b"$(")
        || is_template(value, b"{{", b"}}")
        || has(b"#{")
        || (has(b"<") && has(b">"))
        || LOOKUPS.iter().any(|lookup| starts_ignoring_case(value, lookup))
}

/// Whether a parameter of a template stands in `value` between `open` and `close`, or is cut off there.
fn is_template(value: &[u8], open: &[u8], close: &[u8]) -> bool {
    let find = |text: &[u8], part: &[u8]| text.windows(part.len()).position(|window| window == part);
    let Some(start) = find(value, open) else { return false };
    let inner = &value[start + open.len()..];
    !super::has_mismatched_brackets(&inner[..find(inner, close).unwrap_or(inner.len())])
}

/// The names of ciphers and the like with which the name of an algorithm begins.
const CIPHERS: &[&[u8]] = &[
    b"AES",
    b"ARIA",
    b"CAMELLIA",
    b"CHACHA",
    b"XCHACHA",
    b"SALSA",
    b"XSALSA",
    b"DES",
    b"SM4",
    b"RSA",
    b"PBE",
    b"PBKDF",
    b"ECDH",
    b"HMAC",
    b"SHA",
];

/// Whether `value` names an algorithm: `AES-256-GCM`, `RSA/ECB/PKCS1Padding`.
fn is_algorithm(value: &[u8]) -> bool {
    let parted = value.iter().any(|b| matches!(b, b'-' | b'_' | b'/'));
    let long = |part: &[u8]| part.iter().filter(|b| b.is_ascii_digit()).count() > 6;
    if [&b"ChaCha20"[..], b"Poly1305"].iter().any(|name| memchr::memmem::find(value, name).is_some()) {
        return value.len() <= 24;
    }
    (6..=48).contains(&value.len())
        && parted
        && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'+'))
        && CIPHERS.iter().any(|cipher| value.starts_with(cipher))
        && !value.split(|b| !b.is_ascii_alphanumeric()).any(long)
}

fn has_placeholder_word(value: &[u8]) -> bool {
    let short = &value[..value.len().min(MAX_BYTES)];
    if PARTS.split(' ').any(|word| contains_ignoring_case(short, word.as_bytes())) {
        return true;
    }
    // Base64 contains separators too, so only short values are split.
    short.len() <= 64 && short.split(|b| matches!(b, b'-' | b'_' | b'.' | b' ')).any(|part| WORDS.has(part))
}

/// Whether a provider's token is shown as a sample: `ghp_xxxxxxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`.
///
/// Stricter than [`is_placeholder`], since a text in the form of a provider's token is rarely anything else.
pub(in super::super) fn is_sample(token: &[u8]) -> bool {
    const SAMPLES: &[&[u8]] =
        &[b"example", b"placeholder", b"redacted", b"xxxxxx", b"your-", b"your_", b"changeme", b"000000000000"];
    SAMPLES.iter().any(|word| contains_ignoring_case(token, word)) || token.windows(3).any(|window| window == b"...")
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn phrases_that_ask_for_a_value_are_placeholders_in_each_language() {
        for text in [
            "sua-senha-aqui",
            "TU_CLAVE_AQUI",
            "votre_mot_de_passe_ici",
            "dein-passwort",
            "uw-wachtwoord-hier",
            "inserisci-password",
            "twoje_haslo",
            "ditt_lösenord_här",
            "ваш_пароль",
            "cambia-esto",
            "byt-ut-mig",
            "zmien_mnie",
            "da-cambiare",
        ] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn words_that_people_choose_are_none() {
        for text in
            ["otter-hier-lampe", "la-nonna-cucina", "senha-do-mar-azul", "tua-laguna-verde", "clave-otter77-aqui"]
        {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }
}
