//! Names of repos before and after the paths and numbers of ADRs that are theirs.

use crate::mentions::vocabulary::{means, pattern};
use crate::model::is_repo_name;
use regex::Regex;
use std::sync::LazyLock;

const NEAR: usize = 160;
const WORDS_BEFORE: usize = 3;

static DIRECTLY: LazyLock<Regex> = LazyLock::new(|| pattern("repo directly before"));
static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern("repo before"));
static BEFORE_VERB: LazyLock<Regex> = LazyLock::new(|| pattern("repo before a verb"));
static LISTED: LazyLock<Regex> = LazyLock::new(|| pattern("repo in a list"));
static AFTER: LazyLock<Regex> = LazyLock::new(|| pattern("repo after"));

pub(super) fn repo_directly_before(before: &str) -> Option<String> {
    name_in(&DIRECTLY, near_end(before))
}

/// Returns the repo that a path between two texts is said to be of, if there is a name that looks like one.
pub(super) fn repo_of_path(before: &str, after: &str) -> Option<String> {
    let before = near_end(before);
    // Most words before a path are no names, and few words are between a name and its path.
    let words = before.rsplit([' ', '\u{a0}']).filter(|word| word.contains(char::is_alphanumeric));
    let before = if words.take(WORDS_BEFORE).any(|word| word.contains(has_form)) { before } else { "" };
    // After a verb, and in `In o/r, x/a.go`, only `owner/name` is clear enough.
    let is_owned = |name: &String| is_repo_name(name);
    let verb = BEFORE_VERB.captures(before).filter(|found| means("verb of a repo", &found["verb"]));
    let before = if verb.is_some() {
        name_in(&BEFORE_VERB, before).filter(is_owned)
    } else if before.trim_end_matches(['"', '(', '`', '*', ' ', '\u{a0}']).ends_with(',') {
        name_in(&LISTED, before).filter(is_owned)
    } else {
        name_in(&BEFORE, before)
    };
    before.or_else(|| name_in(&AFTER, &after[..after.floor_char_boundary(NEAR)]).filter(is_owned))
}

fn near_end(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR))..]
}

/// Returns the name that a pattern finds, unless it is a word such as `and/or`, `TASK-12`, `v2` or `docs/adr`.
fn name_in(place: &Regex, text: &str) -> Option<String> {
    let found = place.captures(text)?.get(1)?;
    let name = found.as_str();
    // In other scripts words need no space between them, but a letter before the name is a part of it.
    let has_form = name.contains(has_form) && !text[..found.start()].ends_with(char::is_alphanumeric);
    let parts = name.split(['-', '/', '_', '.']);
    let first = parts.clone().next().unwrap_or_default().to_ascii_lowercase();
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_number = parts.clone().next_back().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    let is_word = is_number
        || begins(&first)
        || first.strip_prefix('v').is_some_and(begins)
        || first.starts_with("adr")
        || means("prefix", &first)
        || means("alternative", &name.to_ascii_lowercase());
    (has_form && !is_word).then(|| name.to_owned())
}

/// Returns whether a name with this character looks like that of a repo.
fn has_form(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '/' | '_')
}
