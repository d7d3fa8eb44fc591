//! Secrets in sentences: "the password for staging is …", "use … as the password", `api key …`.

mod bracketed;
mod candidate;
mod context;
mod words;

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::phrases;
use super::super::rules::FindingLabel;
use super::super::text::{contains_ignoring_case, first_line};
use super::separator::{after_closers, below, is_quote, skip_blanks};
use super::span::{ValueSpan, quoted};
use super::{Name, OnFinding};
use super::{account_sentences, accounts, announced, later, mentioned};
use bracketed::Bracketed;
use candidate::{ProseLabel, ends_in_client, found_at, is_english};
pub(super) use context::{is_after_user, is_finnish};
use context::{
    is_compound, is_condition, is_inverted, is_of_digest, is_of_owner, is_own, is_pass, is_sibling, is_verb,
};
use words::{ADJECTIVES, ADVERBS, ARTICLES, BEFORE_NAMES, BETWEEN, COMPOUNDS, GIVEN, JOINED, PUBLIC, SUBJECTS, VERBS};

/// The largest distance of a value from its name in a sentence.
const MAX_DISTANCE: usize = 96;
/// The most words between the two.
const MAX_WORDS_BETWEEN: usize = 7;

/// Passes the secret of a class that a sentence gives for a name to `on_finding`.
pub(super) fn values(
    text: &[u8],
    name: Name,
    (class, label): (NameClass, &'static FindingLabel),
    on_finding: OnFinding<'_>,
) {
    let on_finding: OnFinding<'_> = &mut |start, end, label| {
        if !is_of_digest(text, name) {
            on_finding(start, end, label);
        }
    };
    let rest = first_line(&text[name.end..text.len().min(name.end + MAX_DISTANCE)]);
    let is_password = class == NameClass::Password && !is_verb(text, name);
    // Without a digit, a mark, a quote or words joined to one nothing looks like a secret but a password: this dismisses
    // most sentences.
    let odd = |b: &u8| {
        b.is_ascii_digit()
            || matches!(b, b'"' | b'\'' | b'`' | b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'-' | b'_' | 0xe2)
    };
    let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    if (is_password || rest.iter().any(odd) || rest.windows(2).any(hump))
        && let Some(mut candidate) = forward(text, name)
        && {
            candidate.phrase = text[name.start..name.end].to_ascii_lowercase().ends_with(b"phrase");
            candidate.given = GIVEN.iter().any(|word| text[..name.start].ends_with(word));
            candidate.after_user = candidate.given && is_after_user(text, name);
            candidate.of_owner = is_of_owner(text, name);
            candidate.connected |= candidate.words == 0 && is_inverted(text, name);
            candidate.after_client = ends_in_client(&text[..name.start]);
            candidate.english = is_english(text, name, candidate.found.start) && !is_condition(text, name);
            // `key "name": type`
            let keyed = class == NameClass::Hint && text[candidate.found.end..].get(1) == Some(&b':');
            // "move it from session to LAMP11Lib"
            let session =
                class == NameClass::Weak && text[name.start..name.end].to_ascii_lowercase().ends_with(b"session");
            let value = &text[candidate.found.start..candidate.found.end];
            !keyed
                && (!session || heuristics::is_machine_made(value) || heuristics::is_hexadecimal_key(value))
                && (class != NameClass::Hint || candidate.is_beside(text, name))
                && candidate.is_secret(text, class)
                && (candidate.connected || !is_verb(text, name))
                && !is_sibling(text, name, candidate.found)
        }
    {
        let found = (candidate.found.start, candidate.found.end);
        on_finding(found.0, found.1, label);
        mentioned::renewed(text, found).into_iter().for_each(|(start, end)| on_finding(start, end, label));
        return;
    }
    if is_password
        && !is_pass(text, name)
        && !is_compound(text, name)
        && let Some((start, end)) = account_sentences::password(text, name)
    {
        on_finding(start, end, label);
        return;
    }
    let is_token = |found: &ValueSpan| {
        let value = &text[found.start..found.end];
        class != NameClass::Weak
            || found.quoted
                && value.len() >= 24
                && heuristics::is_machine_made(value)
                && !value.iter().all(u8::is_ascii_hexdigit)
                && !heuristics::is_uuid(value)
    };
    if class != NameClass::Hint
        && let Some(found) = backward(text, name).filter(is_token)
        && (looks_secret(&text[found.start..found.end], class, found.quoted)
            || is_password && found.quoted && heuristics::is_plain_pair(&text[found.start..found.end]))
    {
        on_finding(found.start, found.end, label);
        return;
    }
    if class != NameClass::Hint
        && let Some((start, end)) = mentioned::random_before(text, name)
    {
        on_finding(start, end, label);
        return;
    }
    let ends = text.get(name.end + rest.len()).is_none_or(|b| *b == b'\n') || rest.len() == MAX_DISTANCE;
    if ends
        && !is_verb(text, name)
        && announced::is_followed(text, name)
        && let Some((start, end)) = announced::value(text, name, class)
    {
        on_finding(start, end, label);
        announced::others(text, (start, end), |start, end| on_finding(start, end, label));
        return;
    }
    if matches!(class, NameClass::Password | NameClass::Weak)
        && rest.trim_ascii_end().ends_with(b":")
        && !is_pass(text, name)
    {
        accounts::listed(text, name, class, on_finding);
    }
    if is_password && !is_compound(text, name) {
        later::values(text, name, |start, end| on_finding(start, end, label));
    }
    if ends
        && class != NameClass::Hint
        && let Some((start, end)) = mentioned::pointed_at(text, name, class != NameClass::Weak)
    {
        on_finding(start, end, label);
    }
    if rest.iter().any(u8::is_ascii_digit)
        && let Some((start, end)) = mentioned::random_after(
            text,
            name,
            !matches!(class, NameClass::Hint | NameClass::Weak) || is_own(text, name),
        )
    {
        on_finding(start, end, label);
        mentioned::renewed(text, (start, end)).into_iter().for_each(|(start, end)| on_finding(start, end, label));
    }
}

/// Finds the value after a name and the words between.
fn forward(text: &[u8], name: Name) -> Option<ProseLabel> {
    let (touching, _) = after_closers(text, name.end);
    let mut at = skip_blanks(text, touching);
    let mut words = 0;
    // How many words of a proper name may still follow.
    let mut named = 0;
    let limit = name.end + MAX_DISTANCE;
    if at == touching {
        let rest = &text[at..];
        // "the password, X, was"
        if rest.starts_with(b", ") {
            let marked = |b: &u8| !b.is_ascii_alphabetic() && *b != b',';
            // Names of classes are listed so as well.
            let word = &text[name.start..name.end];
            let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
            let ends = |end: usize| text.get(end).is_none_or(|b| !matches!(b, b' ' | b'(' | b')'));
            return found_at(text, at + 2, 0, false).filter(|it| {
                (it.found.quoted || ends(it.found.end) && !word.windows(2).any(hump))
                    && text[it.found.start..it.found.end].iter().any(marked)
            });
        }
        let foreign = !text[name.end - 1].is_ascii();
        let at = match bracketed::after(text, at, foreign) {
            Bracketed::Value(found) => return Some(found),
            Bracketed::Abbreviation(end) => end,
            Bracketed::None => at,
        };
        let rest = &text[at..];
        if foreign && ["「", "『"].iter().any(|open| rest.starts_with(open.as_bytes())) {
            return found_at(text, at, 0, true);
        }
        if foreign && let Some(next) = bracketed::after_joined(text, at) {
            return found_at(text, next, 0, true);
        }
        let joined = JOINED.iter().find(|joined| rest.starts_with(joined.as_bytes())).map(|joined| joined.len());
        let joined = joined.or_else(|| (foreign && rest.first()?.is_ascii_alphanumeric()).then_some(0))?;
        return found_at(text, skip_blanks(text, at + joined), 0, true);
    }
    // "pw's X"
    if text[name.end..].starts_with(b"'s ") {
        return after_verb(text, name, name.end + 3, (false, 0));
    }
    // After words of these scripts a blank is a mark.
    let label = &text[name.end.saturating_sub(3).max(name.start)..name.end];
    if matches!(label, [0xe3..=0xed, ..]) && text.get(at).is_some_and(u8::is_ascii_alphanumeric) {
        return found_at(text, at, 0, true);
    }
    while words <= MAX_WORDS_BETWEEN && at < limit {
        let curly = [&b"(\xe2\x80\x98"[..], b"(\xe2\x80\x9c"].iter().any(|open| text[at..].starts_with(open));
        if text.get(at) == Some(&b'(') && (curly || is_quote(text.get(at + 1))) {
            return found_at(text, at + 1, words, !is_pass(text, name));
        }
        // "the secret of the user `automation`: X"
        if named > 0
            && let Some(owner) = quoted(text, at).filter(|owner| owner.quoted && text[at] == b'`')
            && text[owner.end..].starts_with(b"`: ")
        {
            return found_at(text, skip_blanks(text, owner.end + 2), words, true);
        }
        if is_quote(text.get(at)) || ["“", "„", "«"].iter().any(|open| text[at..].starts_with(open.as_bytes())) {
            // "the password for 'lamp' is …"
            static OWNERS: WordList = WordList::new("for of f\u{fc}r von pour de para per di voor van f\u{f6}r til do");
            if let Some(owner) = quoted(text, at).filter(|found| found.quoted)
                && OWNERS.has(last_word(text[..at].trim_ascii_end()))
                && text.get(owner.end + 1) == Some(&b' ')
            {
                at = skip_blanks(text, owner.end + 1);
                words += 1;
                continue;
            }
            // "at the 'overrides' level"
            let article = ARTICLES.has(last_word(text[..at].trim_ascii_end()));
            return found_at(text, at, words, words > 0 && !article && !is_pass(text, name));
        }
        let word = word_at(text, at)?;
        let next = skip_blanks(text, at + word.len());
        let plain = word.strip_suffix(b":").unwrap_or(word);
        // "The default password (X) …"
        if word.starts_with(b"(") && words <= 3 && !is_pass(text, name) {
            let (start, end) = later::trimmed(text, at, at + word.len());
            let value = &text[start..end];
            let closed = matches!(text.get(end), Some(b')' | b','));
            let random = closed && heuristics::is_machine_made(value) && !heuristics::is_uuid(value);
            let chosen =
                words == 0 && (later::is_strong(value) || later::is_plain(value) && heuristics::has_all_kinds(value));
            if closed && (random || chosen) {
                return Some(ProseLabel::in_brackets(start, end, words));
            }
        }
        // "to pass to `f`"; elsewhere the word is a verb in Polish.
        if plain == b"to" && is_pass(text, name) {
            return None;
        }
        // `token id=…`
        if word.iter().position(|b| *b == b'=').is_some_and(|at| COMPOUNDS.has(&word[..at])) {
            return None;
        }
        let verb = VERBS.has(plain) || plain == b"on" && is_finnish(text, name);
        if verb && let Some(candidate) = after_verb(text, name, next, (word.ends_with(b":"), words)) {
            return Some(candidate);
        }
        let bracketed = word.starts_with(b"(");
        let inner = plain.strip_prefix(b"(").unwrap_or(plain);
        let inner = inner.strip_suffix(b")").unwrap_or(inner);
        let spelled =
            inner.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'/' | b'\'') || !b.is_ascii());
        let foreign = !inner.is_empty() && inner.iter().all(|b| !b.is_ascii());
        if words > 0 && PUBLIC.has(inner.strip_suffix(b":").unwrap_or(inner)) {
            return None;
        }
        if spelled
            && (bracketed || named > 0 || foreign || BETWEEN.has(inner) || BEFORE_NAMES.has(inner))
            && (named > 0 || !COMPOUNDS.has(inner))
        {
            if word.ends_with(b":")
                && let Some(end) = saying_end(text, next)
            {
                return Some(ProseLabel::in_brackets(next, end, words));
            }
            if word.ends_with(b":") || text.get(next) == Some(&b':') && next == at + word.len() {
                return found_at(text, next, words, true);
            }
            // French puts a blank before the colon.
            if text[next..].starts_with(b": ") {
                return found_at(text, skip_blanks(text, next + 1), words, true);
            }
            if words == 0 && ADJECTIVES.has(inner) {
                at = next;
                continue;
            }
            if BEFORE_NAMES.has(inner) {
                named = 2;
            } else if !ARTICLES.has(inner) {
                named = usize::saturating_sub(named, 1);
            }
            words += 1;
            at = next;
            continue;
        }
        let chain = || {
            heuristics::is_word_chain(inner, 3)
                || ends_in_client(&text[..name.start]) && heuristics::is_mixed_letters(later::trimmed_word(inner))
                || heuristics::is_joined_words(inner)
                || spelled && is_after_user(text, name) && {
                    let word = later::trimmed_word(inner);
                    heuristics::is_plain_word(word) || heuristics::is_plain_pair(word)
                }
        };
        if words == 0 && (!spelled || chain()) {
            return found_at(text, at, 0, false);
        }
        // "als Kennwort hab ich X gesetzt"
        if !spelled && heuristics::has_all_kinds(inner) && SUBJECTS.has(last_word(text[..at].trim_ascii_end())) {
            return found_at(text, at, words, true);
        }
        if words <= 1
            && word[0].is_ascii_uppercase()
            && spelled
            && let Some(candidate) = found_at(text, next, words, false)
            && heuristics::is_machine_made(&text[candidate.found.start..candidate.found.end])
            && candidate.found.start == at + word.len() + 1
            && !COMPOUNDS.has(inner)
        {
            return Some(candidate);
        }
        return if spelled && !COMPOUNDS.has(inner) { after_colon(text, at) } else { None };
    }
    None
}

/// Finds the value after the colon that ends the few plain words at `at`: "the key of both gateways: X". Nothing follows
/// it, and a machine or a careful person made it.
fn after_colon(text: &[u8], at: usize) -> Option<ProseLabel> {
    let window = &text[at..text.len().min(at + 64)];
    memchr::memchr(b':', window)?;
    let end = window.iter().position(|b| matches!(b, b'\n' | b'.' | b',' | b';' | b'=' | b'(' | b'"' | b'`' | b'|'));
    let colon = memchr::memmem::find(&window[..end.unwrap_or(window.len())], b": ")?;
    let plain =
        |word: &[u8]| word.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b'-' | b'\''));
    let lead = &window[..colon];
    if !lead.split(|b| *b == b' ').all(|word| plain(word) && !COMPOUNDS.has(word)) {
        return None;
    }
    let candidate = found_at(text, skip_blanks(text, at + colon + 1), 1, true)?;
    let value = &text[candidate.found.start..candidate.found.end];
    let rest = text[candidate.found.end..].iter().find(|b| !matches!(b, b' ' | b'`' | b'*' | b'.' | b'"' | b'\''));
    let made = heuristics::is_machine_made(value) && !heuristics::is_uuid(value)
        || later::is_strong(value)
        || heuristics::is_mixed_letters(value)
        || heuristics::is_numbered_pair(value)
        || !lead.contains(&b' ') && later::is_plain(value);
    (rest.is_none_or(|b| *b == b'\n') && made).then_some(candidate)
}

/// Finds the value after `is` and the like; `None` if one more plain word follows.
fn after_verb(text: &[u8], name: Name, mut next: usize, (mut colon, words): (bool, usize)) -> Option<ProseLabel> {
    while let Some(word) = word_at(text, next).filter(|word| ADVERBS.has(word) || word.ends_with(b":")) {
        colon = word.ends_with(b":");
        next = skip_blanks(text, next + word.len());
    }
    let at = match text.get(next) {
        Some(b'\n') if colon => below(text, next)?,
        _ => next,
    };
    let of_phrase = || contains_ignoring_case(&text[name.start..name.end], b"phrase");
    if let Some(end) = saying_end(text, at).or_else(|| phrase_end(text, at).filter(|_| of_phrase())) {
        let found = ValueSpan { start: at, end, quoted: true };
        return Some(ProseLabel {
            found,
            connected: true,
            words,
            given: true,
            phrase: true,
            after_user: false,
            of_owner: false,
            after_client: false,
            english: false,
        });
    }
    let candidate = found_at(text, at, words, true)?;
    let value = &text[candidate.found.start..candidate.found.end];
    if !candidate.found.quoted
        && let Some(end) = phrases::words_end(text, at)
    {
        return Some(ProseLabel { found: ValueSpan { start: at, end, quoted: true }, ..candidate });
    }
    (candidate.found.quoted
        || !value.iter().all(u8::is_ascii_alphabetic)
        || heuristics::is_word_chain(value, 3)
        || heuristics::is_joined_words(value)
        || heuristics::is_plain_word(value))
    .then_some(candidate)
}

/// Returns the end of the saying of four words or more that is all of a clause from `at` on, and no statement about a
/// passphrase: "the passphrase is stored in the safe".
fn phrase_end(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + MAX_DISTANCE)];
    let length = window.iter().position(|b| matches!(b, b',' | b'.' | b'\n' | b';' | b'(' | b':'))?;
    let clause = window[..length].trim_ascii_end();
    let words = clause.split(|b| *b == b' ');
    let state = words.clone().next().is_some_and(heuristics::is_stated);
    (words.count() >= 4 && !state && heuristics::is_saying(clause)).then_some(at + clause.len())
}

/// Returns the end of the saying that is all of a clause from `at` on: "the password is gato con botas, user x".
pub(in super::super) fn saying_end(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + MAX_DISTANCE)];
    let length =
        window.iter().position(|b| matches!(b, b',' | b'.' | b'\n' | b';' | b'(' | b':')).unwrap_or(window.len());
    let clause = window[..length].trim_ascii_end();
    let closes = !matches!(window.get(length), Some(b':'));
    let saying = heuristics::is_saying(clause) || heuristics::is_saying_with_digits(clause);
    (closes && is_told(text, at, at + length) && saying).then_some(at + clause.len())
}

/// Whether the words from `start` to `end` are a literal: "still" or "now" is before them, or how they are spelled after them.
fn is_told(text: &[u8], start: usize, end: usize) -> bool {
    static STILL: WordList = WordList::new(
        "still now siendo sendo ancora ora maintenant toujours jetzt noch weiterhin nu nog steeds agora ainda ahora fortfarande \
        stadig fortsatt nyt teraz nadal nyn\u{ed} st\u{e1}le",
    );
    const SPELLED: [&[u8]; 14] = [
        b"space",
        b"lower",
        b"spazi",
        b"minusc",
        b"espac",
        b"espa\xc3\xa7",
        b"leerzeichen",
        b"klein",
        b"spatie",
        b"mellanslag",
        b"mellemrum",
        b"mellomrom",
        b"words",
        b"mezer",
    ];
    let before = last_word(text[start.saturating_sub(24)..start].trim_ascii_end());
    let after = line_part(text, end);
    STILL.has(before) || SPELLED.iter().any(|word| contains_ignoring_case(after, word))
}

/// Returns the next few bytes of the line at `at`.
fn line_part(text: &[u8], at: usize) -> &[u8] {
    let part = &text[at.min(text.len())..text.len().min(at + 40)];
    first_line(part)
}

/// Returns the word at `at`, up to a blank; `None` at the end of a sentence.
fn word_at(text: &[u8], at: usize) -> Option<&[u8]> {
    let length = text[at..].iter().take(MAX_DISTANCE).take_while(|b| !b.is_ascii_whitespace()).count();
    (length > 0).then(|| &text[at..at + length])
}

/// Finds the value before a name: "… is the password", "use … as password".
fn backward(text: &[u8], name: Name) -> Option<ValueSpan> {
    static LINKS: WordList = WordList::new("as is = comme als");
    static OWNERS: WordList =
        WordList::new("the a an my our your admin root db database default new temporary temp initial user api (the");
    let low = name.start.saturating_sub(MAX_DISTANCE);
    let low = text[low..name.start].iter().rposition(|b| *b == b'\n').map_or(low, |end| low + end + 1);
    let before = text[low..name.start].trim_ascii_end();
    let mut end = before.len();
    for _ in 0..4 {
        let word = last_word(&before[..end]);
        end -= word.len();
        if word.is_empty() || end == 0 {
            return None;
        }
        let left = before[..end].trim_ascii_end().len();
        if LINKS.has(word) {
            let after = word_at(text, skip_blanks(text, name.end)).unwrap_or_default();
            let value = last_word(&before[..left]);
            let start = low + left - value.len();
            return (!COMPOUNDS.has(after)).then(|| trimmed(text, start, start + value.len()));
        }
        // "as the Zendesk token"
        if !OWNERS.has(word) && !word[0].is_ascii_uppercase() {
            return None;
        }
        end = left;
    }
    None
}

fn last_word(text: &[u8]) -> &[u8] {
    let length = text.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count();
    &text[text.len() - length..]
}

/// Returns a word without the quotes and marks around it.
fn trimmed(text: &[u8], mut start: usize, mut end: usize) -> ValueSpan {
    let mark = |b: u8| matches!(b, b'"' | b'\'' | b'`' | b'*' | b',' | b'(' | b')');
    let quoted = start < end && matches!(text[start], b'"' | b'\'' | b'`');
    while start < end && mark(text[start]) {
        start += 1;
    }
    while start < end && mark(text[end - 1]) {
        end -= 1;
    }
    ValueSpan { start, end, quoted }
}
