//! Values that say what they are, whatever their name: amounts, series, commands, descriptions, public keys, code points.

use super::WordList;

/// Whether `value` says by its form or its words what it is, and that is no secret.
pub(super) fn is_said(value: &[u8]) -> bool {
    is_amount(value)
        || is_series(value)
        || is_choice(value)
        || is_command(value)
        || is_described(value)
        || is_multibase_key(value)
        || is_public_point(value)
        || is_identity_of_object(value)
        || is_key_combination(value)
        || is_glob_of_names(value)
        || is_advisory(value)
        || is_method(value)
        // `ss || ct || label`, what is put together.
        || value.windows(4).any(|part| part == b" || ")
        || is_encoded_structure(value)
        // `U+E0001-U+E007F`
        || value.starts_with(b"U+") && value.get(2..6).is_some_and(|point| point.iter().all(u8::is_ascii_hexdigit))
        // `&#x2717;`, one character.
        || value.starts_with(b"&#") && value.iter().position(|b| *b == b';') == Some(value.len() - 1)
        // `0xPrivateKey`
        || value.starts_with(b"0x") && value.len() > 6 && value[2..].iter().all(u8::is_ascii_alphabetic) && !value[2..].iter().all(u8::is_ascii_hexdigit)
        // `").update(method="`, what stands between two strings.
        || value.starts_with(b")") && value.ends_with(b"=")
        // `}]&config={`, the same of JSON in a URL.
        || matches!(value[0], b'}' | b']') && value.ends_with(b"{")
}

/// Whether `value` is an amount, a range of amounts or a rate: `~60K-80K`, `$0.40/page/month`.
fn is_amount(value: &[u8]) -> bool {
    let approximate = value.strip_prefix(b"~").or_else(|| value.strip_prefix("\u{2248}".as_bytes()));
    let money = approximate.unwrap_or(value).strip_prefix(b"$");
    if approximate.is_none() && money.is_none() {
        return false;
    }
    let rest = money.or(approximate).unwrap_or(value);
    let of_amount = |b: &u8| {
        b.is_ascii_digit() || matches!(b, b'.' | b',' | b'k' | b'K' | b'm' | b'M' | b'B' | b'$' | b'-') || !b.is_ascii()
    };
    let length = rest.iter().take_while(|b| of_amount(b)).count();
    let (amount, unit) = rest.split_at(length);
    let word = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
    amount.first().is_some_and(u8::is_ascii_digit)
        && (!amount.iter().all(u8::is_ascii_digit) || !unit.is_empty())
        && (unit.is_empty() || unit[0] == b'/' && unit[1..].split(|b| *b == b'/').all(word))
}

/// Whether `value` is a series of numbers, or of one name with numbers: `10/11/12/14px`, `T1+T2+T3`.
fn is_series(value: &[u8]) -> bool {
    let digits = |part: &[u8]| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    let unit = value.iter().rev().take(3).take_while(|b| b.is_ascii_lowercase()).count();
    let numbers = || value[..value.len() - unit].split(|b| *b == b'/');
    if numbers().count() >= 4 && numbers().all(digits) {
        return true;
    }
    let numbered = || value.split(|b| *b == b'+');
    let name = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    (1..=6).contains(&name)
        && numbered().count() >= 3
        && numbered().all(|part| part.starts_with(&value[..name]) && digits(&part[name..]) && part.len() <= name + 2)
}

/// Whether `value` is three proper names or more, one of which is meant: `Python/Go/Rust`.
fn is_choice(value: &[u8]) -> bool {
    let title = |name: &[u8]| {
        (2..=12).contains(&name.len()) && name[0].is_ascii_uppercase() && name[1..].iter().all(u8::is_ascii_lowercase)
    };
    let names = || value.split(|b| *b == b'/');
    names().count() >= 3 && names().all(title)
}

/// Whether `value` is a command with an argument to put in, or its option with a variable: `lamp-secrets add VAR_NAME`.
fn is_command(value: &[u8]) -> bool {
    let argument = |word: &[u8]| {
        let word = word.strip_prefix(b"[").and_then(|word| word.strip_suffix(b"]")).unwrap_or(word);
        word.len() >= 5 && word.contains(&b'_') && word.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
    };
    let variable = |word: &[u8]| {
        let word = word.strip_prefix(b"\"").unwrap_or(word);
        word.len() > 3 && word[0] == b'$' && word[1].is_ascii_uppercase()
    };
    value.len() <= 256
        && value.contains(&b' ')
        && (value.split(|b| *b == b' ').skip(1).any(argument)
            || value.starts_with(b"--") && value.split(|b| *b == b' ').skip(1).any(variable)
            || is_generator(value))
}

/// Whether `value` is the command that makes a secret: `openssl rand -hex 32`.
fn is_generator(value: &[u8]) -> bool {
    static PROGRAMS: WordList = WordList::new(
        "openssl pwgen uuidgen head python python3 node php ruby perl docker kubectl ssh-keygen base64 dd gpg htpasswd vault",
    );
    let mut words = value.split(|b| *b == b' ');
    words.next().is_some_and(|program| PROGRAMS.has(program))
        && words.any(|word| word.len() >= 2 && word[0] == b'-' && word[1].is_ascii_alphabetic())
}

/// Whether `value` describes what is to stand there: `base64 encoded random bytes`.
fn is_described(value: &[u8]) -> bool {
    static WORDS: WordList = WordList::new(
        "base64 hex encoded random randomly generated bytes characters chars string long key secret token password value",
    );
    value.len() <= 96 && value.split(|b| *b == b' ').filter(|word| WORDS.has(word)).count() >= 3
}

/// Whether `value` is a public key with its kind in front, as decentralized identifiers and wallets write it: `z6Mk…`, `xpub…`.
fn is_multibase_key(value: &[u8]) -> bool {
    const KINDS: [&[u8]; 8] = [b"z6Mk", b"z6LS", b"zQ3s", b"zDna", b"xpub", b"ypub", b"zpub", b"tpub"];
    value.len() >= 44 && KINDS.iter().any(|kind| value.starts_with(kind)) && value.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether `value` is a public key of the curve P-256 in Base64 for URLs: its first byte says that two coordinates follow.
fn is_public_point(value: &[u8]) -> bool {
    let digits = value.strip_suffix(b"=").unwrap_or(value);
    digits.len() == 87
        && digits[0] == b'B'
        && matches!(digits[1], b'A'..=b'P')
        && digits.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/'))
}

/// Whether `value` is an object as Java prints it: `org.example.Token@3f2a1b7c`.
fn is_identity_of_object(value: &[u8]) -> bool {
    let Some(at) = value.iter().rposition(|b| *b == b'@') else { return false };
    let (class, hash) = (&value[..at], &value[at + 1..]);
    let name = class.rsplit(|b| matches!(b, b'.' | b'$')).next().unwrap_or_default();
    (1..=8).contains(&hash.len())
        && hash.iter().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
        && name.len() < class.len()
        && name.first().is_some_and(u8::is_ascii_uppercase)
        && class[0].is_ascii_lowercase()
        && class.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'$' | b'_'))
}

/// Whether `value` is keys that are pressed together: `Ctrl+Alt+Del`.
fn is_key_combination(value: &[u8]) -> bool {
    static KEYS: WordList =
        WordList::new("ctrl control alt cmd command shift option meta super win strg umschalt maj may\u{fa}s");
    value.iter().position(|b| *b == b'+').is_some_and(|at| KEYS.has(&value[..at]))
        && value.split(|b| *b == b'+').all(|key| !key.is_empty() && key.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether `value` stands for all names that begin or end alike: `decrypt_*`, `*SECRET`.
fn is_glob_of_names(value: &[u8]) -> bool {
    let upper = |name: &[u8]| name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    value.strip_prefix(b"*").is_some_and(upper)
        || value.len() > 4 && value.strip_suffix(b"*").is_some_and(upper)
        || value
            .strip_suffix(b"_*")
            .or_else(|| value.strip_suffix(b"-*"))
            .is_some_and(|name| name.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-')))
}

/// Whether `value` is the number of an advisory: `GHSA-396q-4vc8-28x9`, `CVE-2024-12345`.
fn is_advisory(value: &[u8]) -> bool {
    const KINDS: [&[u8]; 8] = [b"GHSA-", b"CVE-", b"CWE-", b"RUSTSEC-", b"PYSEC-", b"OSV-", b"GLSA-", b"DSA-"];
    KINDS.iter().any(|kind| value.starts_with(kind))
        && value.len() <= 24
        && value[4..].iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'A'..=b'Z'))
}

/// Whether `value` is a method of a class as documentation names it: `LampKey#lampAddress`.
fn is_method(value: &[u8]) -> bool {
    let Some(mark) = value.iter().position(|b| *b == b'#') else { return false };
    let (class, method) = (&value[..mark], &value[mark + 1..]);
    class.first().is_some_and(u8::is_ascii_uppercase)
        && method.first().is_some_and(u8::is_ascii_lowercase)
        && class.iter().chain(method).all(u8::is_ascii_alphabetic)
        && class[1..].iter().any(u8::is_ascii_uppercase)
        && method.iter().any(u8::is_ascii_uppercase)
}

/// Whether `value` begins as what closes or divides JSON in a URL: `%7D%5D&config=%7B`.
fn is_encoded_structure(value: &[u8]) -> bool {
    [&b"%7D"[..], b"%5D", b"%2C%22", b"%22%2C", b"%22%7D", b"%22%3A"].iter().any(|mark| value.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::is_said;

    #[test]
    fn amounts_series_commands_and_public_keys_say_what_they_are() {
        for value in [
            "~$16\u{2013}50k",
            "~50/result",
            "$0.40/secret/month",
            "~60K-80K",
            "10/11/12/14/16/20px",
            "T1+T2+T3",
            "Python/Go/Rust",
            "lamp-secrets add VAR_NAME [SECRET_NAME]",
            "base64 encoded random bytes",
            "z6MkrBdNdwUPnXDVD1DCxedzVVBpaGi8aSmoXFAeKNgtAer8",
            "--lamp-password \"$PASSWORD\"",
            "0xPrivateKey",
            "&#x2717;",
            "U+E0001-U+E007F",
            "openssl rand -hex 32",
            "BL7ELU24fJTAlH5Kyl8N6BDCac8u8li_U5PIwG963MOvdYs9s7LSzj8x_7v7RFdLZ9Eap50PiiyF5K0TDAis7t0",
            "org.lamp.lexer.Token@3f2a1b7c",
            "Ctrl+Alt+Del",
            "decrypt_*",
            "*SECRET",
            "GHSA-396q-4vc8-28x9",
            "CVE-2024-12345",
            "LampWildcardKey#lampAddress",
            "ssA || ssB || label",
            "%7D%5D&config=%7B",
        ] {
            assert!(is_said(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn passwords_of_such_parts_are_none() {
        for value in [
            "~Otter77",
            "$1984Lamp",
            "12/05/1984",
            "A1+B2+C3",
            "otter lamp 42",
            "$ecret99",
            "my lamp password is long",
            "Otter@2024",
            "lamp.otter@77",
            "head over heels",
            "Alto+River+77",
            "lamp*",
        ] {
            assert!(!is_said(value.as_bytes()), "{value}");
        }
    }
}
