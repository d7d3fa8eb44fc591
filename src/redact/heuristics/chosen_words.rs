//! Words that people choose for passwords, alone or joined, for places where hardly anything but a password can be.

use super::super::names;
use super::super::text::contains_ignoring_case;
use super::plain_phrases::{is_grammar, is_inflected, is_link, is_saying};
use super::words::{INVENTED, is_technical_name};
use super::{WordList, is_code, is_of_names, is_placeholder};

/// Whether `value` is a few words that marks join, with capitals or a number as people add them: `Walnut-Boat-7`,
/// `Lamp&Otter`, `drop-by-the-lake`.
pub(in super::super) fn is_joined_words(value: &[u8]) -> bool {
    is_joined_by_number(value) || is_joined_by_marks(value)
}

/// Whether `value` is two words with capitals and a number between them: `Lantern7Moss`.
fn is_joined_by_number(value: &[u8]) -> bool {
    let first = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let digits = value[first..].iter().take_while(|b| b.is_ascii_digit()).count();
    let (one, two) = (&value[..first], &value[first + digits..]);
    let word = |word: &[u8]| {
        word.len() >= 4
            && word[0].is_ascii_uppercase()
            && word[1..].iter().all(u8::is_ascii_lowercase)
            && is_plain_part(word)
    };
    (1..=4).contains(&digits) && value.len() <= 32 && word(one) && word(two)
}

fn is_joined_by_marks(value: &[u8]) -> bool {
    let is_mark =
        |b: &u8| matches!(b, b'-' | b'_' | b'.' | b'+' | b'&' | b'=' | b'\'' | b'~' | b'!' | b'#' | b'*' | b'/');
    if !(9..=48).contains(&value.len()) || !value.iter().any(is_mark) || value.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    let (mut parts, mut words, mut long, mut capitals, mut numbers, mut named, mut linked) = (0, 0, 0, 0, 0, 0, 0);
    for part in value.split(is_mark) {
        parts += 1;
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic() || !b.is_ascii()).count();
        let digits = part.len() - letters;
        // `4B`
        if digits > 0 && (2..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_alphanumeric) {
            numbers += 1;
            continue;
        }
        if part.is_empty()
            || digits > 4
            || !part[letters..].iter().all(u8::is_ascii_digit)
            || letters == 1 && !matches!(part, b"y" | b"e" | b"a" | b"o" | b"i")
        {
            return false;
        }
        let word = &part[..letters];
        let capital = word.first().is_some_and(|b| b.is_ascii_uppercase() || !b.is_ascii());
        let inner = word.iter().skip(1).any(u8::is_ascii_uppercase);
        if letters > 16 || inner {
            return false;
        }
        words += usize::from(letters > 0);
        long += usize::from(letters >= 3) + usize::from(letters >= 5);
        capitals += usize::from(capital);
        numbers += usize::from(digits > 0);
        let link = is_link(word) || letters <= 4 && is_grammar(word);
        linked += usize::from(link);
        named += usize::from(letters > 2 && !link && is_of_names(word));
    }
    let marked = capitals >= 2 || capitals >= 1 && numbers >= 1 || words >= 4 && !value.contains(&b'.');
    words >= 2
        && parts <= 7
        && long >= 3
        && marked
        // `Kettle/Lamp5`, but no path.
        && (!value.contains(&b'/') || capitals == words && numbers > 0)
        && named == 0
        && (linked == 0 || words >= 3 && words > linked + 1 || words >= 5 && words > linked || capitals >= 2)
        && value.last().is_some_and(|b| !is_mark(b))
        && value.iter().filter(|b| is_mark(b)).all(|b| *b == *value.iter().find(|b| is_mark(b)).unwrap_or(&b'-'))
        && !is_placeholder(value)
        && !is_code(value, true)
        && !is_technical_name(value)
}

/// Words that say how a password is.
pub(super) static STATES: WordList = WordList::new(
    "quella quello questa questo esta este celle celui dieselbe dasselbe zmienione ustawia ustawione zmieniona cambiada cambiato modifi\u{e9} ge\u{e4}ndert \
    overridden throwaway disposable unver\u{e4}ndert vergeten gewijzigd veranderd aangepast ingesteld vereist ongewijzigd \
    none aucun aucune keine keiner kein ninguna ninguno nenhuma nenhum nessuna nessuno geen ingen inget ingenting brak unknown correct identical similar unchanged unsafe insecure secure private public secret standard simple \
    complex short simply obvious trivial easy hard clear plain visible hidden present absent random unique valid \
    alright okay good bad great plain unsafe insecure acceptable adequate suitable sufficient invalid correct incorrect expired required optional mandatory missing nothing something anything everything \
    whatever wherever somewhere elsewhere therefore already always however somehow tomorrow yesterday monday \
    tuesday wednesday thursday friday saturday sunday english german french falsch richtig bekannt unbekannt \
    identisch abgelaufen vergessen geheim sicher unsicher gesperrt korrekt ung\u{fc}ltig g\u{fc}ltig notwendig \
    inconnu faux correcte expir\u{e9} perdu identique correcto incorrecta incorrecto caducada caducado correcta \
    sbagliata scaduta corretta scaduto nuevo igual mesma errada expirada incorreta verlopen onbekend onjuist \
    verkeerd hetzelfde juist verplicht felaktigt forkert galt v\u{e4}\u{e4}r\u{e4}",
);

/// Whether `value` is one word that people choose as a password: none that speaks of passwords, programs or how
/// something is.
pub(in super::super) fn is_plain_word(value: &[u8]) -> bool {
    // Words for a password and a key, as labels of forms hold them.
    const LABELS: [&[u8]; 12] = [
        b"sleutel", b"kode", b"wacht", b"wort", b"schl", b"losen", b"parol", b"hesl", b"senha", b"contras", b"salas",
        b"nyckel",
    ];
    static ENDINGS: [&[u8]; 22] = [
        b"ert",
        b"ata",
        b"ato",
        b"ida",
        b"ido",
        b"uto",
        b"uta",
        b"\xc3\xa9",
        b"able",
        b"ible",
        b"ive",
        b"ous",
        b"ful",
        b"less",
        b"ical",
        b"ant",
        b"ent",
        b"lich",
        b"isch",
        b"haft",
        b"ado",
        b"ada",
    ];
    (6..=28).contains(&value.len())
        && is_plain_part(value)
        && value.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
        && value.iter().skip(1).all(|b| !b.is_ascii_uppercase())
        && !STATES.has(value)
        && !(is_inflected(value) && value[0].is_ascii_lowercase() && !value.ends_with(b"s"))
        && !value.ends_with(b"\xc3\xa9e")
        && !LABELS.iter().any(|label| contains_ignoring_case(value, label))
        && !ENDINGS.iter().any(|ending| value.ends_with(ending))
        && !value.iter().all(u8::is_ascii_hexdigit)
        && names::class_of(value).is_none()
}

/// Whether `value` is plain words with a hyphen between each two.
pub(in super::super) fn is_plain_pair(value: &[u8]) -> bool {
    (9..=40).contains(&value.len())
        && value.contains(&b'-')
        && value.split(|b| *b == b'-').all(|word| word.len() >= 3 && is_plain_part(word))
}

/// Whether `value` is two words with a capital each and a number between them: `Thistle9Meadow`.
pub(in super::super) fn is_numbered_pair(value: &[u8]) -> bool {
    let first = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let digits = value[first..].iter().take_while(|b| b.is_ascii_digit()).count();
    let words = [&value[..first], &value[first + digits..]];
    let capital =
        |word: &[u8]| word.len() >= 4 && word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    (1..=4).contains(&digits) && words.into_iter().all(|word| capital(word) && is_plain_part(word))
}

/// Whether a value is two words in small letters around a digit or two: `coffee4guests`.
pub(in super::super) fn is_parted(value: &[u8]) -> bool {
    let first = value.iter().take_while(|b| b.is_ascii_lowercase()).count();
    let digits = value[first..].iter().take_while(|b| b.is_ascii_digit()).count();
    let second = &value[first + digits..];
    first >= 4
        && (1..=2).contains(&digits)
        && second.len() >= 3
        && second.iter().all(u8::is_ascii_lowercase)
        && is_plain_part(&value[..first])
        && (is_plain_part(second) || first >= 6)
}

/// Whether `word` is letters and none of the words of names, sentences and samples.
pub(in super::super) fn is_plain_part(word: &[u8]) -> bool {
    word.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
        && !is_of_names(word)
        && !is_grammar(word)
        && !INVENTED.iter().any(|part| contains_ignoring_case(word, part))
        && !is_placeholder(word)
}

/// Whether `value` is one word or a few, joined by marks or apart, that a person may have chosen for a password.
pub(in super::super) fn is_plain_words(value: &[u8]) -> bool {
    is_marked_words(value) || is_spaced_words(value)
}

/// Whether a value is one word, or some that marks join, as people choose them.
pub(in super::super) fn is_marked_words(value: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        let digits = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = &part[..part.len() - digits];
        let short = word.len() <= 2 && word.iter().all(u8::is_ascii_alphabetic);
        digits <= 4 && (short || is_plain_part(word))
    };
    let is_mark = |b: &u8| matches!(b, b'-' | b'_' | b'.' | b'&' | b'+' | b'\'');
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let parts = value.split(is_mark).count();
    let marked = (2..=5).contains(&parts) || value.last().is_some_and(u8::is_ascii_digit);
    is_plain_word(value)
        || is_joined_words(value)
        || marked
            && (7..=40).contains(&value.len())
            && letters >= 5
            && value.iter().any(u8::is_ascii_lowercase)
            && value.split(is_mark).all(is_part)
}

/// Whether `value` is two words or more with a number after them, or with digits for some of their letters: `otter lamp 44`,
/// `n0rth wind and sun`.
pub(in super::super) fn is_saying_with_digits(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let words = value[..value.len() - digits].trim_ascii_end();
    if (1..=4).contains(&digits) {
        return value.len() > digits + words.len() && words.contains(&b' ') && is_spaced_words(words)
            || is_numbered_phrase(value);
    }
    let letter = |at: usize| match words[at] {
        b'0' => b'o',
        b'1' => b'l',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        other => other,
    };
    let inside =
        |at: &usize| words[*at].is_ascii_digit() && at.checked_sub(1).is_some_and(|at| words[at].is_ascii_lowercase());
    let written = (0..words.len()).filter(inside).count();
    (1..=4).contains(&written) && is_saying(&(0..words.len()).map(letter).collect::<Vec<u8>>())
}

/// Whether `value` is two to four words in small letters and a number after them: `marble kite 1974`.
pub(in super::super) fn is_numbered_phrase(value: &[u8]) -> bool {
    static DATES: WordList = WordList::new(
        "january february march april may june july august september october november december january monday tuesday \
        wednesday thursday friday saturday sunday week day year version page step chapter section since until length",
    );
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let Some(words) = value[..value.len() - digits].strip_suffix(b" ") else { return false };
    let plain = |word: &[u8]| {
        word.len() >= 4
            && word.iter().all(|b| b.is_ascii_lowercase() || !b.is_ascii())
            && is_plain_part(word)
            && !(word.len() > 5 && is_inflected(word))
            && !STATES.has(word)
            && !DATES.has(word)
            && names::class_of(word).is_none()
    };
    (2..=4).contains(&digits)
        && (2..=4).contains(&words.split(|b| *b == b' ').count())
        && words.split(|b| *b == b' ').all(plain)
}

/// Whether a value is two words or more that are no sentence.
pub(in super::super) fn is_spaced_words(value: &[u8]) -> bool {
    let pair = value.split(|b| *b == b' ').count() == 2
        && value.split(|b| *b == b' ').all(|word| word.len() >= 4 && is_plain_word(word));
    pair || is_saying(value)
}
