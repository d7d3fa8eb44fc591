//! Passphrases of plain words with blanks between them, and how they differ from sentences.

use super::super::letters;
use super::super::names;
use super::super::seed_words::SeedWords;
use super::chosen_words::STATES;
use super::{WordList, is_of_names};

/// Words that hold sentences together, and verbs and adjectives of sentences about passwords, in several languages. A
/// passphrase has none of them.
static SENTENCE: WordList = WordList::new(
    "the and for with from are was not has its which they were been would their these those your our his her him she \
    who whom than them but yet nor some many every neither per via after against because since through till toward \
    unless whether while whose within how why out got had have did does doing done being having says said seen known \
    unknown need needs wants like looks take takes took taken gave given gives put puts keep keeps kept shows shown tried \
    tries try works worked working went came comes called asks asked told tell tells think thinks changed forgot forget \
    forgotten please thanks thank sorry hello okay wrong invalid expired old bad weak blank missing set sets get gets getting \
    make makes made using used uses look see ask let lets say don't doesn't can't won't isn't it's that's lost broken stolen \
    siehe sieht steht liegt h\u{e4}ngt klebt frag fragen voir affich\u{e9} demander demandez vedi chiedi chiedere v\u{e9}ase pedir pregunta \
    zie vraag se fr\u{e5}ga sp\u{f8}r zobacz zapytaj viz leaked rotate rotated written wrote stuck fails failed fail login log logs logged sign signed enter entered type typed \
    typing paste pasted copy copied click save saved store stored send sent read reads reading \
    lower upper case letters characters chars digits words spaces \
    der die das und oder von f\u{fc}r auf bei nach aus dem den des ein eine einen einem einer nicht noch nur auch wie wer \
    ist sind war hat haben wird kann muss soll sollte bitte beim zum zur \u{fc}ber unter wenn dann aber als durch gegen ohne seit \
    sein seine mein meine dein unser ihr ihre alle alles neue neuen neues alte altes bereits leider schon immer wieder jetzt \
    les une pour par sur dans avec est sont pas plus que qui votre notre leur cette ces mais donc sans sous chez tout toute tous \
    nouveau nouvelle ancien ancienne doit peut faut \
    los las una por para con sin del est\u{e1} son como pero este esta ese esa hay tiene debe puede nueva nuevo vieja antes \
    gli della dello degli delle nel nella sono era non che questa questo deve pu\u{f2} nuova vecchia anche ancora \
    com sem n\u{e3}o dos uma nas nos pelo pela essa esse tem foi muito mais ainda \
    het een van voor niet zijn die dat ook naar maar moet kan wordt werd heeft oude nieuwe deze onze mijn \
    och att det som f\u{f6}r fr\u{e5}n till inte ett har kan ska skal m\u{e5} ikke fra til den nye gamle eller jag jeg \
    ett\u{e4} mutta kun jos \
    si\u{119} nie jest oraz dla przez",
);

/// Words of sentences that lists for passphrases have too: hardly one in four of them.
static SOFT: WordList = WordList::new(
    "this that you will can could should may must shall just only even still more most much any each all both either \
    other another same such own about above again before behind below between beyond down during into near off onto over \
    past then there they under until upon when where what here without very too now once again always never often also \
    first last next one two three right left correct good long short strong empty different current want give show \
    work call change reset check open close use add new",
);

/// Whether `phrase` is a few words that a passphrase is made of, rather than a sentence or a description: small letters
/// with one blank between two words, and perhaps a number at the end.
pub(in super::super) fn is_plain_phrase(phrase: &[u8]) -> bool {
    let (mut words, mut doubtful, mut repeated) = (0, 0, 0);
    let mut before: &[u8] = b"";
    let mut listed = true;
    for word in phrase.split(|b| *b == b' ') {
        if word.iter().all(u8::is_ascii_digit) {
            if words < 3 || word.is_empty() {
                return false;
            }
            continue;
        }
        if word.len() < 3 || !word.iter().all(u8::is_ascii_lowercase) || SENTENCE.has(word) {
            return false;
        }
        repeated += usize::from(word == before);
        before = word;
        words += 1;
        let known = SeedWords::get().index(word).is_some();
        listed &= known;
        doubtful += usize::from(SOFT.has(word) || is_inflected(word) || !known && is_of_names(word));
    }
    let sample = phrase.starts_with(b"correct horse");
    // Four groups of four letters are the password of an application.
    let (odd, pairs) = letters::odd_pairs(phrase);
    odd * 4 < pairs && words >= 3 && doubtful * if listed { 3 } else { 4 } <= words && repeated == 0 && !sample
}

/// Words that hold names and sayings together as well as sentences.
static LINKS: WordList = WordList::new(
    "the and for with from or no not of in on at to a an my is are am i we der die das und oder von auf bei dem den des ein eine \
    mit im am zum zur mein meine dein ist heisst hei\u{df}t \u{fc}ber unter le la les de du des un une et au aux en el los las y \
    con del il lo gli e di da sul sulla nel o os as um uma em do dos het een van voor op onder og p\u{e5} med till och i ved \
    by near beside one two three four five six seven eight nine ten little big red blue old new good very first last over under",
);

/// Whether `value` is a saying or a short description that a person took for a password: at least three words, of which
/// two or more have a meaning of their own and none is about passwords.
pub(in super::super) fn is_saying(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    // The flags of a command.
    if memchr::memmem::find(value, b" --").is_some() {
        return false;
    }
    let (mut words, mut content, mut doubtful) = (0, 0, 0);
    for word in value.split(|b| *b == b' ') {
        let spelled = !word.is_empty()
            && word.len() <= 20
            && word.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, 0xc3 | 0xc5 | 0x80..=0xbf))
            && word.iter().skip(1).all(|b| !b.is_ascii_uppercase());
        words += 1;
        if !spelled || words > 9 {
            return false;
        }
        if words == 1 && STATES.has(word) {
            return false;
        }
        if LINKS.has(word) {
            continue;
        }
        // The German lake, unless somebody is told to look.
        let lake = word == b"see" && words > 2;
        if !lake && (is_grammar(word) || is_of_names(word) || names::class_of(word).is_some()) {
            return false;
        }
        content += usize::from(word.len() >= 3);
        doubtful += usize::from(is_inflected(word));
    }
    let link = value
        .split(|b| *b == b' ')
        .next()
        .is_some_and(|word| matches!(word, b"is" | b"are" | b"not" | b"to" | b"or" | b"in" | b"of"));
    words >= 3 && value.len() >= 10 && content >= 2 && doubtful * 2 <= content && !link
}

/// Whether a word at the beginning of a clause tells how something is or where: "stored", "always", "on".
pub(in super::super) fn is_stated(word: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 4] = [b"ed", b"ept", b"ing", b"ly"];
    static PLACES: WordList =
        WordList::new("on in at with not no under known left set hidden written stuck given sent shown also the a an");
    STATES.has(word) || PLACES.has(word) || is_grammar(word) || ENDINGS.iter().any(|end| word.ends_with(end))
}

/// Whether a word holds names and sayings together.
pub(super) fn is_link(word: &[u8]) -> bool {
    LINKS.has(word)
}

/// Whether a word holds sentences together, or is one of those about passwords.
pub(super) fn is_grammar(word: &[u8]) -> bool {
    SENTENCE.has(word) || SOFT.has(word)
}

/// Whether a word has an ending of verbs, adverbs and plurals.
pub(super) fn is_inflected(word: &[u8]) -> bool {
    word.len() >= 5
        && [&b"ing"[..], b"ed", b"ly", b"tion", b"sion", b"ment", b"able", b"ies", b"ers", b"ors", b"ness", b"ity"]
            .iter()
            .any(|ending| word.ends_with(ending))
        || word.len() >= 5 && word.ends_with(b"s") && !word.ends_with(b"ss") && !word.ends_with(b"us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_grammar_are_passphrases() {
        for phrase in
            ["otter lamp river stone", "copper velvet igloo anchor maple", "tiger moon basket", "lamp otter river 42"]
        {
            assert!(is_plain_phrase(phrase.as_bytes()), "{phrase}");
        }
    }

    #[test]
    fn sentences_and_descriptions_are_none() {
        for phrase in [
            "ask the admin team",
            "same like last year",
            "minimum eight characters required",
            "sent by mail yesterday",
            "needs upper case letters",
            "tiger  moon basket",
            "otter lamp",
            "otter otter otter otter",
            "server database cluster backup",
        ] {
            assert!(!is_plain_phrase(phrase.as_bytes()), "{phrase}");
        }
    }
}
