//! The value that a sentence may give for a name, and whether it looks secret there.

use super::super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::Name;
use super::super::separator::Separator;
use super::super::span::{ValueSpan, bare, ends_clause, quoted};

/// The value that a sentence gives for a name.
pub(super) struct ProseLabel {
    pub(super) found: ValueSpan,
    /// Whether a word or a mark connects it to the name, and how many words are between.
    pub(super) connected: bool,
    pub(super) words: usize,
    /// Whether the name follows `with` or `and`.
    pub(super) given: bool,
    /// Whether the name says that the value has several words.
    pub(super) phrase: bool,
    /// Whether a user is named before the name: "user x, password".
    pub(super) after_user: bool,
    /// Whether the name says whose password it is: "phone password".
    pub(super) of_owner: bool,
    /// Whether the name is that of a client's secret.
    pub(super) after_client: bool,
    /// Whether the name and the word before the value are English, whose adjectives are known.
    pub(super) english: bool,
}

impl ProseLabel {
    fn new(found: ValueSpan, words: usize, connected: bool) -> Self {
        Self {
            found,
            connected,
            words,
            given: false,
            phrase: false,
            after_user: false,
            of_owner: false,
            after_client: false,
            english: false,
        }
    }

    /// The value in brackets at `start..end`, `words` words after its name: "the password (X)".
    pub(super) fn in_brackets(start: usize, end: usize, words: usize) -> Self {
        Self { given: true, ..Self::new(ValueSpan { start, end, quoted: true }, words, true) }
    }

    pub(super) fn is_secret(&self, text: &[u8], class: NameClass) -> bool {
        let value = &text[self.found.start..self.found.end];
        let looks = looks_secret(value, class, self.found.quoted)
            || (self.found.quoted && self.connected && heuristics::is_passphrase(value, class))
            || (self.found.quoted
                && self.phrase
                && heuristics::is_passphrase(value, class)
                && value.iter().filter(|b| **b == b' ').count() >= 3)
            || self.is_chain(value, class)
            || self.is_joined(text, value, class)
            || self.is_word(text, value, class)
            || (class == NameClass::Weak && heuristics::is_hexadecimal_key(value));
        if class == NameClass::Hint
            || class == NameClass::Weak && !self.connected && !self.found.quoted && self.words > 0
        {
            return heuristics::is_machine_made(value);
        }
        // `client secret XyzKwQrTbV`
        if self.words == 0
            && class == NameClass::Secret
            && self.after_client
            && ends_clause(text, self.found.end)
            && (heuristics::is_mixed_letters(value) || heuristics::looks_random(value))
        {
            return true;
        }
        // `client secret 123e4567-…`, "the secret of the user is 123e4567-…"
        if (self.words == 0 || self.connected) && matches!(class, NameClass::Secret) && heuristics::is_uuid(value) {
            return true;
        }
        let plain = class == NameClass::Weak || !self.connected || (self.words > 0 && class != NameClass::Password);
        let chosen = class == NameClass::Password && value.len() >= 8 && heuristics::has_all_kinds(value);
        // `with password pepper99`: no other noun follows.
        let given = class == NameClass::Password
            && self.given
            && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
            && value.len() >= 8;
        let hexadecimal = heuristics::is_hexadecimal_key(value);
        let after = text.get(self.found.end).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        // `user ADMIN pass GWMMSP6PBW`, from a sticker.
        let printed = class == NameClass::Password
            && self.after_user
            && self.words == 0
            && (8..=16).contains(&value.len())
            && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && value.iter().any(u8::is_ascii_digit)
            && value.iter().any(u8::is_ascii_uppercase);
        if printed && !self.connected {
            return true;
        }
        // "session password x7q3mm,": letters and digits mixed, of which no word is made.
        let scattered = class == NameClass::Password
            && self.words == 0
            && (6..=16).contains(&value.len())
            && value.iter().all(u8::is_ascii_alphanumeric)
            && value.split(u8::is_ascii_digit).filter(|part| !part.is_empty()).count() >= 2
            && value.split(|b| !b.is_ascii_digit()).filter(|part| !part.is_empty()).count() >= 2
            && !heuristics::is_name(value)
            && ends_clause(text, self.found.end);
        // "AES, password dump!ling$"
        let marked = class == NameClass::Password
            && self.words == 0
            && value.len() >= 8
            && value.iter().filter(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*')).count() >= 2
            && value.iter().any(u8::is_ascii_alphabetic)
            && ends_clause(text, self.found.end);
        if (scattered || marked) && looks {
            return true;
        }
        let number = class == NameClass::Password && self.words == 0 && value.iter().all(u8::is_ascii_digit) && after;
        let given = number || given;
        let given = given
            || self.is_chain(value, class)
            || self.is_joined(text, value, class)
            || self.is_word(text, value, class);
        // `db-credentials version=12`: a pair of its own.
        let pair = !self.connected
            && value
                .iter()
                .position(|b| *b == b'=')
                .is_some_and(|at| heuristics::is_name(&value[..at]) && !heuristics::has_all_kinds(&value[at..]));
        looks
            && !pair
            && (!plain || self.found.quoted || chosen || given || hexadecimal || heuristics::looks_random(value))
    }
}

impl ProseLabel {
    /// Whether the value follows directly a name that no sentence has, or that has two words: `relay_cred X`, `routing key X`.
    pub(super) fn is_beside(&self, text: &[u8], name: Name) -> bool {
        let word = &text[name.start..name.end];
        let ends = text
            .get(self.found.end)
            .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'`' | b',' | b'.' | b';' | b')'));
        let lower = word.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'));
        self.words == 0
            && self.found.start == name.end + 1
            && ends
            && (word.contains(&b' ')
                || word.eq_ignore_ascii_case(b"appid")
                || lower && word.iter().any(|b| matches!(b, b'_' | b'-'))
                || word[0].is_ascii_lowercase()
                    && word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()))
    }

    /// Whether the value is words that a mark joins, as people choose them, after `is` or at the end of its clause.
    pub(super) fn is_joined(&self, text: &[u8], value: &[u8], class: NameClass) -> bool {
        class == NameClass::Password
            && (self.connected || self.given || self.words == 0 && ends_clause(text, self.found.end))
            && heuristics::is_joined_words(value)
    }

    /// Whether the value is a word or a saying that people choose: in quotes after `is`, or one word that ends the clause.
    pub(super) fn is_word(&self, text: &[u8], value: &[u8], class: NameClass) -> bool {
        if class != NameClass::Password {
            return false;
        }
        // `Kennwort „…“`, `phone password "…"`
        if self.found.quoted && self.words == 0 && !self.connected {
            return heuristics::is_saying(value)
                || heuristics::is_saying_with_digits(value)
                || self.of_owner && heuristics::is_plain_word(value);
        }
        if !self.connected {
            return self.words == 0
                && self.given
                && ends_clause(text, self.found.end)
                && self.after_user
                && (heuristics::is_plain_word(value)
                    || heuristics::is_plain_pair(value)
                    || heuristics::is_parted(value));
        }
        if self.found.quoted {
            return heuristics::is_plain_word(value)
                || heuristics::is_saying(value)
                || heuristics::is_plain_pair(value);
        }
        self.english && ends_clause(text, self.found.end) && value.is_ascii() && heuristics::is_plain_word(value)
    }

    /// Whether the value is a password of several words that nothing but a value can be: after `is` or `with`.
    pub(super) fn is_chain(&self, value: &[u8], class: NameClass) -> bool {
        class == NameClass::Password && (self.connected || self.given) && heuristics::is_word_chain(value, 3)
    }
}

/// Returns the value at `at`, quoted or up to a blank.
pub(super) fn found_at(text: &[u8], at: usize, words: usize, connected: bool) -> Option<ProseLabel> {
    let marks = text[at.min(text.len())..].iter().take(3).take_while(|b| **b == b'*').count();
    let at = at + marks;
    let found = quoted(text, at).unwrap_or_else(|| bare(text, at, Separator::Words));
    (found.start < found.end).then(|| ProseLabel::new(found, words, connected))
}

/// Whether `before` ends in a word before which a secret is a client's: `client secret`.
pub(super) fn ends_in_client(before: &[u8]) -> bool {
    [&b"client "[..], b"Client ", b"client-", b"Client-"].iter().any(|word| before.ends_with(word))
}

/// Whether a name is an English word for a password, and so is the verb or adverb before its value.
pub(super) fn is_english(text: &[u8], name: Name, value: usize) -> bool {
    static VERBS: WordList = WordList::new("is was it's still now currently just simply word be");
    let lead = super::last_word(text[value.saturating_sub(16)..value].trim_ascii_end());
    let label = &text[name.start..name.end];
    [&b"password"[..], b"passphrase", b"passcode", b"pass", b"pw", b"pwd"]
        .iter()
        .any(|word| label.eq_ignore_ascii_case(word))
        && VERBS.has(lead.strip_suffix(b":").unwrap_or(lead))
}
