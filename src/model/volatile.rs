//! Fields that a tracker changes by itself, and that say nothing about the work.

/// Words of a name that says when something was done to a record.
const DONE: [&str; 36] = [
    "accessed",
    "activity",
    "added",
    "archived",
    "change",
    "changed",
    "closed",
    "compacted",
    "completed",
    "create",
    "created",
    "creation",
    "deleted",
    "edited",
    "exported",
    "fetched",
    "generated",
    "imported",
    "indexed",
    "locked",
    "merged",
    "modification",
    "modified",
    "modify",
    "opened",
    "pushed",
    "refreshed",
    "reopened",
    "resolved",
    "saved",
    "synced",
    "touched",
    "update",
    "updated",
    "viewed",
    "written",
];

/// Words of such a name besides.
const WHEN: [&str; 12] =
    ["at", "date", "datetime", "epoch", "last", "ms", "on", "time", "timestamp", "ts", "utc", "when"];

/// Names of times that say nothing of what they are the time of.
const TIMES: [&str; 4] = ["lastseen", "mtime", "ctime", "timestamp"];

/// Nouns whose number a tracker counts.
const COUNTED: [&str; 20] = [
    "attachment",
    "comment",
    "dependency",
    "dependent",
    "downvote",
    "favorite",
    "follower",
    "like",
    "note",
    "reaction",
    "reply",
    "star",
    "subscriber",
    "thumb",
    "upvote",
    "view",
    "viewer",
    "vote",
    "voter",
    "watcher",
];

/// Words of a count besides.
const COUNT: [&str; 7] = ["count", "counts", "num", "number", "of", "total", "totals"];

/// Names of what a tracker keeps for itself, whatever the value.
const INTERNAL: [&str; 9] = [
    "activelockreason",
    "contenthash",
    "etag",
    "locked",
    "lockreason",
    "lockstate",
    "lockversion",
    "nodeid",
    "rowversion",
];

/// Returns whether the field `name` with the value `text` changes with every sync of a tracker, or is of use to its
/// programs only: times of creation and change, counts of comments and votes, locks, node ids, URLs of APIs.
///
/// What a person plans stays: due, start and target dates, milestones, estimates.
pub fn is_volatile(name: &str, text: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    if INTERNAL.contains(&joined.as_str()) {
        return true;
    }
    let text = text.trim();
    let all = |known: &[&str]| words.iter().all(|word| known.contains(&word.as_str()));
    let counted = |word: &String| COUNTED.iter().any(|noun| is_form_of(word, noun));
    let is_time = TIMES.contains(&joined.as_str())
        || words.iter().any(|word| DONE.contains(&word.as_str())) && all(&[&DONE[..], &WHEN[..]].concat());
    let is_count =
        words.iter().any(counted) && words.iter().all(|word| counted(word) || COUNT.contains(&word.as_str()));
    is_time && is_point_in_time(text)
        || is_count && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        || is_api_url(&words, text)
}

/// Divides a name into words in lower case: at every sign, and at capital letters within.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && after_small {
            words.push(String::new());
        }
        after_small = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a word is the singular or plural of a noun.
fn is_form_of(word: &str, noun: &str) -> bool {
    word == noun
        || word.strip_suffix('s') == Some(noun)
        || word.strip_suffix("ies").is_some_and(|stem| noun.strip_suffix('y') == Some(stem))
}

/// Returns whether a text is a date, a date with a time, or seconds or milliseconds since 1970.
fn is_point_in_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if digits(bytes) {
        return matches!(bytes.len(), 8 | 10 | 13 | 16);
    }
    let numbers = bytes.split(|byte| !byte.is_ascii_digit()).filter(|part| !part.is_empty());
    // The zone and the month may be words, as in `Tue, 3 Feb 2026 10:00:00 +0000`.
    let has_year = numbers.clone().any(|number| number.len() == 4);
    has_year && numbers.count() >= 2 && text.len() <= 48 && !text.contains(['\n', '/', '#']) || is_slashed(bytes)
}

/// Returns whether a text begins with a date such as `2/3/2026`.
fn is_slashed(bytes: &[u8]) -> bool {
    let date = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
    let parts: Vec<&[u8]> = date.split(|byte| *byte == b'/').collect();
    parts.len() == 3 && parts.iter().all(|part| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
}

/// Returns whether a text is a URL that programs read.
fn is_api_url(name: &[String], text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let named = name.last().is_some_and(|word| matches!(word.as_str(), "url" | "uri" | "self" | "href" | "link"));
    let host = rest.split('/').next().unwrap_or_default();
    named && (host.starts_with("api.") || rest.contains("/api/") || rest.contains("/rest/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_counts_locks_and_programs_urls_are_volatile_under_any_spelling() {
        for (name, text) in [
            ("created_at", "2026-02-03T10:00:00Z"),
            ("updatedAt", "2026-02-03 10:00"),
            ("updated", "2026-02-03"),
            ("Last Modified", "Tue, 3 Feb 2026 10:00:00 +0000"),
            ("updated_date", "2026-02-03 10:12"),
            ("created", "1770112800"),
            ("dateLastActivity", "2026-02-03T10:00:00.000Z"),
            ("closed_at", "2/3/2026"),
            ("comment_count", "4"),
            ("comments", "4"),
            ("votes", "17"),
            ("dependency_count", "2"),
            ("numReplies", "2"),
            ("locked", "false"),
            ("active_lock_reason", "spam"),
            ("node_id", "I_kwDOAbc"),
            ("content_hash", "abc"),
            ("comments_url", "https://api.github.com/repos/o/r/issues/5/comments"),
            ("self", "https://tracker.example/rest/api/2/issue/1"),
        ] {
            assert!(is_volatile(name, text), "{name}: {text}");
        }
    }

    #[test]
    fn plans_and_texts_are_not_volatile() {
        for (name, text) in [
            ("due_date", "2026-02-03"),
            ("dueOn", "2026-02-03"),
            ("start_date", "2026-02-03"),
            ("target-date", "2026-02-03"),
            ("last-call-deadline", "2026-02-03"),
            ("date", "2026-02-03"),
            ("milestone", "2026-02"),
            ("estimate", "8"),
            ("estimated_minutes", "90"),
            ("created_by", "ada"),
            ("created", "by the team in 2026, see notes"),
            ("comments", "Two things to note."),
            ("change", "Reads 2 files"),
            ("closed", "true"),
            ("url", "https://github.com/o/r/issues/5"),
            ("number", "5"),
            ("update", "needed in 3 places"),
            ("id", "20260203"),
        ] {
            assert!(!is_volatile(name, text), "{name}: {text}");
        }
    }
}
