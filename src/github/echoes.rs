//! The forms in which a server or a proxy may repeat a token: as it is, and as encodings write it.

/// Every form of a token that is looked for in texts, the longest first.
///
/// Of Base64 those digits that the token alone decides, at each of the three places where it can begin.
pub(super) fn echoes(token: &str) -> Vec<String> {
    let bytes = token.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let strict = super::listing::encoded(token).replace('-', "%2D").replace('.', "%2E").replace('_', "%5F");
    let mut forms = vec![token.to_owned(), super::listing::encoded(token), strict, hex.to_uppercase(), hex];
    forms.extend([percent.to_lowercase(), percent]);
    for start in 0..3 {
        let digits = base64(bytes, start);
        forms.extend([digits.replace('+', "-").replace('/', "_"), digits]);
    }
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms.dedup();
    forms
}

/// The digits of `bytes` in a text that has them after `start` bytes of something else.
fn base64(bytes: &[u8], start: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| u8::from(bytes[at / 8] & (0x80 >> (at % 8)) != 0);
    // The first digit that nothing before decides.
    let first = (6 - start * 8 % 6) % 6;
    let whole = (bytes.len() * 8).saturating_sub(first) / 6;
    let digit = |n: usize| (0..6).fold(0, |value, at| value << 1 | bit(first + n * 6 + at));
    (0..whole).map(|n| char::from(DIGITS[usize::from(digit(n))])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_wherever_the_token_begins() {
        // `printf 'x-access-token:zq7-planted-KX41' | base64` and so on, by another program.
        for told in [
            "eC1hY2Nlc3MtdG9rZW46enE3LXBsYW50ZWQtS1g0MQ==",
            "QmVhcmVyIHpxNy1wbGFudGVkLUtYNDE=",
            "dG9rZW4genE3LXBsYW50ZWQtS1g0MQ==",
            "enE3LXBsYW50ZWQtS1g0MQ==",
            "enE3LXBsYW50ZWQtS1g0MSBhbmQgbW9yZQ==",
            "YXpxNy1wbGFudGVkLUtYNDEgYW5kIG1vcmU=",
            "YWJ6cTctcGxhbnRlZC1LWDQxIGFuZCBtb3Jl",
            "zq7%2Dplanted%2DKX41",
            "%7a%71%37%2d%70%6c%61%6e%74%65%64%2d%4b%58%34%31",
            "7a71372d706c616e7465642d4b583431",
        ] {
            assert!(echoes("zq7-planted-KX41").iter().any(|form| told.contains(form.as_str())), "{told}");
        }
        assert!(echoes("a b+c").contains(&"a%20b%2Bc".to_owned()));
    }
}
