//! What stands directly after a name without a blank, in scripts that have none: `密钥（X）`, `共享密钥(PSK)为 X`, `密码暂时设成 X`.

use super::super::super::heuristics;
use super::super::later;
use super::super::separator::skip_blanks;
use super::candidate::ProseLabel;
use super::words::JOINED;

/// The longest text in brackets after a name, and the longest words between it and its value.
const MAX_BRACKET: usize = 160;
const MAX_JOINED: usize = 30;

/// What is in the brackets after a name.
pub(super) enum Bracketed {
    /// The value.
    Value(ProseLabel),
    /// A short name, such as `PSK`, up to the end of its brackets.
    Abbreviation(usize),
    /// Something else, or there are no brackets.
    None,
}

/// Reads the brackets that open at `at`: those of a Latin text only after a name in another script.
pub(super) fn after(text: &[u8], at: usize, foreign: bool) -> Bracketed {
    const OPENERS: [(&[u8], &[u8]); 2] = [("（".as_bytes(), "）".as_bytes()), (b"(", b")")];
    let rest = &text[at..text.len().min(at + MAX_BRACKET)];
    let Some((open, close)) =
        OPENERS.into_iter().find(|(open, _)| rest.starts_with(open) && (foreign || open.len() > 1))
    else {
        return Bracketed::None;
    };
    let Some(length) = memchr::memmem::find(&rest[open.len()..], close) else { return Bracketed::None };
    let (start, end) = later::trimmed(text, at + open.len(), at + open.len() + length);
    let value = &text[start..end];
    if value.is_empty() || !value.iter().all(u8::is_ascii_graphic) {
        return Bracketed::None;
    }
    if value.len() <= 8 && value.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'2' | b'3')) {
        return Bracketed::Abbreviation(at + open.len() + length + close.len());
    }
    let random =
        (heuristics::is_machine_made(value) || heuristics::is_hexadecimal_key(value)) && !heuristics::is_uuid(value);
    let chosen = later::is_strong(value) || later::is_plain(value) && heuristics::has_all_kinds(value);
    if !(random || chosen) {
        return Bracketed::None;
    }
    Bracketed::Value(ProseLabel::in_brackets(start, end, 0))
}

/// Returns the beginning of what follows words of such a script at `at` that end in one which leads to a value.
pub(super) fn after_joined(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + MAX_JOINED)];
    let length = window.iter().position(u8::is_ascii)?;
    let words = &window[..length];
    // Marks of a sentence end what was said of the name.
    let ends = ["。", "，", "、", "；", "（", "）", "「", "」", "：", "！"]
        .iter()
        .any(|mark| memchr::memmem::find(words, mark.as_bytes()).is_some());
    let leads = JOINED
        .iter()
        .chain(["に", "設定"].iter())
        .any(|joined| words.len() > joined.len() && words.ends_with(joined.as_bytes()));
    (leads && !ends && matches!(words[0], 0xe3..=0xed)).then(|| skip_blanks(text, at + length))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn values_are_found_without_blanks_between() {
        let value = fill("Qx7<a18>4z", SEED);
        for template in [
            "チャネルシークレット（@）から再発行",
            "密钥(@)已经发给对方。",
            "预共享密钥(PSK)为 @,请核对。",
            "パスワード（@）は変更済み",
            "密码暂时设成 @,登录后请修改。",
            "パスワードは仮に @ としました。",
        ] {
            let scrubbed = scrub(&template.replace('@', &value));
            assert!(!scrubbed.contains(&value), "{scrubbed}");
        }
    }

    #[test]
    fn what_only_describes_a_value_stays() {
        for text in [
            "パスワード（8文字以上）を入力",
            "密钥(JWT)已过期，令牌（OAuth2）无效",
            "密码错误 ABC12345 次",
            "トークン（session_token）を参照",
            "密码（SHA256）为 Base64 编码",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
