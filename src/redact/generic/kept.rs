//! What a name does not announce, by what surrounds the name or the value: other things of that name, types, parameters,
//! tickets in lists.

use super::super::heuristics::{self, WordList};
use super::super::text::{contains_ignoring_case, last_line};
use super::Name;

/// Whether the text around a name says that it names something else: a section of a reference to a vault, an image, a
/// directory, a pass of a compiler, a public key, the command of an option.
pub(super) fn is_other_thing(text: &[u8], name: Name) -> bool {
    let word = &text[name.start..name.end];
    let before = &text[..name.start];
    let ends = |ends: &[&[u8]]| ends.iter().any(|end| before.ends_with(end));
    // `arn:aws:secretsmanager:…:secret:name`
    ends(&[b":"]) && word == b"secret"
        || is_image(text, name)
        // `checksum/secret: …` of a chart.
        || ends(&[b"checksum/"])
        // `dotnet user-secrets set "Name" …`, for which there is a rule of its own.
        || word == b"user-secrets"
        // `sealedSecret: …`, which only a cluster can open.
        || word.starts_with(b"sealed")
        // `$PWD:/work`, the directory that a shell is in.
        || word == b"PWD" && ends(&[b"$", b"${"])
        // `user.signingkey`, by which Git names a public key.
        || word.ends_with(b"user.signingkey")
        || word.ends_with(b"signingkey") && !text[name.end..].starts_with(b": ")
        // `ALL:!PSK:!SRP`, ciphers to leave out.
        || ends(&[b"!"]) && word.iter().all(u8::is_ascii_uppercase)
        // `Sec-WebSocket-Key: …`, which is sent in the clear.
        || word.ends_with(b"WebSocket-Key")
        // The statement of Python that does nothing.
        || word == b"pass" && text[name.end..].starts_with(b"\n") && before.trim_ascii_end().ends_with(b":")
        // `--- PASS: TestParse1`
        || word == b"PASS" && (ends(&[b"--- "]) || text[name.end..].starts_with(b": ["))
        // `did:key:z6Mk…`
        || word == b"key" && ends(&[b"did:"])
        // `ntor-onion-key …`, `onion-key ntor …`, the public keys of a directory.
        || word.ends_with(b"onion-key")
        || text[name.end..].starts_with(b" ntor ")
        // `/badge/tokens%20saved-60B`
        || ends(&[b"/badge/"])
        // `?p=BadCredentials`, an error.
        || [&b"Bad"[..], b"Invalid", b"Missing"].iter().any(|start| word.starts_with(start))
        // `--resume-session …`
        || name.flag && word.ends_with(b"-session") && word.len() > "--session".len()
        // `/register?inviteCode=…`, which brings its owner customers.
        || matches!(word, b"inviteCode" | b"invite_code" | b"invitecode") && is_referral(before)
        || is_result(text, name)
        || is_pass_of_program(text, name)
}

/// Whether the URL that `before` ends in invites to register.
fn is_referral(before: &[u8]) -> bool {
    let line = last_line(&before[before.len().saturating_sub(96)..]);
    let url = line.rsplit(|b| b.is_ascii_whitespace() || matches!(b, b'(' | b'"' | b'<')).next().unwrap_or_default();
    [&b"/register"[..], b"/invite", b"/referral", b"/signup", b"/sign-up"]
        .iter()
        .any(|part| memchr::memmem::find(url, part).is_some())
}

/// Whether a name is the cell of a table that says that a check passed, rather than the header of passwords.
fn is_result(text: &[u8], name: Name) -> bool {
    let cell = &text[name.start..name.end] == b"PASS"
        && text[..name.start].ends_with(b"| ")
        && text[name.end..].starts_with(b" |");
    cell && {
        let window = &text[name.end..text.len().min(name.end + 512)];
        let below = memchr::memchr(b'\n', window).map_or(&b""[..], |end| &window[end + 1..]);
        let rule = below.iter().take_while(|b| matches!(b, b'|' | b'-' | b':' | b' ')).count();
        rule < 6
    }
}

/// Whether a name is the last part of a path and its tag or port follows, as in the name of a container image:
/// `registry.example.org/team/token:1.2`.
fn is_image(text: &[u8], name: Name) -> bool {
    // `/password:…` after a blank is an option.
    name.start > 1
        && text[name.start - 1] == b'/'
        && !text[name.start - 2].is_ascii_whitespace()
        && matches!(text.get(name.end), Some(b':' | b'@'))
        && text.get(name.end + 1).is_some_and(|b| b.is_ascii_alphanumeric())
}

/// Whether a name is one of the times that a program goes over its input: `2-pass`, `Second Pass`.
fn is_pass_of_program(text: &[u8], name: Name) -> bool {
    static ORDINALS: WordList = WordList::new("first second third fourth fifth final next last previous each every");
    let word = &text[name.start..name.end];
    let Some(lead) = word.len().checked_sub("pass".len()).filter(|at| word[*at..].eq_ignore_ascii_case(b"pass")) else {
        return false;
    };
    if lead > 0 {
        return word[lead - 1] == b'-' && word[..lead - 1].iter().all(u8::is_ascii_digit);
    }
    let line = last_line(&text[name.start.saturating_sub(16)..name.start]);
    line.strip_suffix(b" ").is_some_and(|line| {
        let letters = line.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        ORDINALS.has(&line[line.len() - letters..])
    })
}

/// Whether the value at `start..end` is none by what surrounds it, whichever way it was found.
pub(super) fn is_kept(text: &[u8], name: &[u8], start: usize, end: usize) -> bool {
    let value = &text[start..end];
    let after = &text[end..text.len().min(end + 24)];
    let before = text[..start].last();
    let code = before == Some(&b'`') && after.first() == Some(&b'`');
    let quoted = matches!(before, Some(b'"' | b'\'' | b'`'));
    // What follows the quote.
    let rest = after.get(1..).unwrap_or_default();
    let cut = text[start..end].split(|b| *b == b'\n').next().unwrap_or_default();
    is_ticket_of_list(text, start, end)
        || quoted && is_styling(&text[..start - 1])
        || is_assigned_later(cut)
        || is_fingerprint(name, value)
        // `:token:`P1:A``, a role of reStructuredText.
        || value.starts_with(b":") && memchr::memmem::find(value, b":`").is_some()
        // `123456:ABC...`, the beginning of a token.
        || value.len() <= 16 && value.contains(&b':') && [&b"..."[..], b":...", "\u{2026}".as_bytes()].iter().any(|rest| after.starts_with(rest))
        || quoted && name.eq_ignore_ascii_case(b"key") && (is_first_of_tuple(text, start, rest) || rest.starts_with(b": "))
        || code && is_receiver(text, name, start)
        || !quoted && text[..start].ends_with(b"` ") && is_noun(value)
        || name == b"pass" && text[..start].ends_with(b"pass', '")
        || code && (is_noun_next(rest) || is_listed_name(text, value, start, end))
        || (code || !quoted) && (is_type(value) || is_own_name(name, value))
        || !quoted && (is_optional(after) || is_name_next(name, after) && !heuristics::looks_random(value))
        // `const name = value;` on the line below a label.
        || !quoted && after.starts_with(b" = ") && value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        || code && (is_listed_field(text, start, rest) || is_parameter(value))
        || quoted && is_plain_cookie(name, value)
        // `eyJhbGci…`, the header of a token whose rest is left out
        || value.starts_with(b"eyJ") && !value.contains(&b'.') && after.starts_with(b"...")
        || !quoted && is_property(value)
        // `echo -n password | sha1sum`
        || value.ends_with(b"sum") && [&b"sha"[..], b"md5", b"b2", b"b3", b"ck"].iter().any(|start| value.starts_with(start))
        // `` .. _`GoogleAuth`: /guide/#auth ``, the target of a link
        || value.starts_with(b"/") && last_line(&text[start.saturating_sub(80)..start]).trim_ascii_start().starts_with(b".. _")
        || is_compressed_point(value)
        || is_locus_tag(value)
        || contains_ignoring_case(name, b"cookie") && value.iter().position(|b| *b == b'=').is_some_and(|at| value.len() - at < 8)
        // `loginWithUsernamePassword("bob@example.org", …)`
        || quoted && contains_ignoring_case(name, b"username") && value.contains(&b'@')
        || value.starts_with(b"$ANSIBLE_VAULT")
        // `crypt.crypt("pass", "$6$salt")`
        || value.starts_with(b"$") && value.ends_with(b"$salt")
        // `version="2022-02-16~experimental"`
        || text[..start].ends_with(b"version=\"")
        // `Bearer%20<token>`
        || value.ends_with(b"%20") && after.first() == Some(&b'<')
        || (code || !quoted) && (is_file(value) || is_system_or_size(value))
        // `email&#x2F;sms`, `server&#39;s`, `` id_token&#x60; ``
        || [&b"&#x2F;"[..], b"&#39", b"&#x60"].iter().any(|entity| memchr::memmem::find(value, entity).is_some())
}

/// Whether the code at `start` is the first of an item in a list of fields, each with its type: `` * `bundle_id` (int64): … ``.
fn is_listed_field(text: &[u8], start: usize, rest: &[u8]) -> bool {
    let before = &text[..start - 1];
    rest.starts_with(b" (") && [&b"\n* "[..], b"\n- ", b"  * ", b"  - "].iter().any(|item| before.ends_with(item))
}

/// Whether a value is a public key of secp256k1 as SEC 1 compresses it: `02…` or `03…` and 32 bytes.
fn is_compressed_point(value: &[u8]) -> bool {
    value.len() == 66 && matches!(value[..2], [b'0', b'2' | b'3']) && value.iter().all(u8::is_ascii_hexdigit)
}

/// Whether a value is the locus tag of a gene: `LK03_05520`.
fn is_locus_tag(value: &[u8]) -> bool {
    value.len() == 10
        && value[4] == b'_'
        && value[..4].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && value[5..].iter().all(u8::is_ascii_digit)
}

/// Whether a value is a setting with the name of a property: `org.gradle.jvmargs=-Xmx4g`.
fn is_property(value: &[u8]) -> bool {
    let Some(equals) = value.iter().position(|b| *b == b'=') else { return false };
    let name = &value[..equals];
    name.split(|b| *b == b'.').count() >= 3 && name.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b'-'))
}

/// Whether a value is a parameter with a switch or a small number: `encrypt=1`.
fn is_parameter(value: &[u8]) -> bool {
    let Some(equals) = value.iter().position(|b| *b == b'=') else { return false };
    value[..equals].iter().all(|b| b.is_ascii_lowercase() || *b == b'_') && value.len() - equals <= 3
}

/// Whether a value is that of cookies of which none is random: `seen=1; path=/`.
fn is_plain_cookie(name: &[u8], value: &[u8]) -> bool {
    contains_ignoring_case(name, b"cookie")
        && memchr::memmem::find(value, b"; ").is_some()
        && !value
            .split(|b| matches!(b, b';' | b'=' | b' ' | b','))
            .any(|part| part.len() >= 12 && heuristics::looks_random(part))
}

/// Whether `before` ends in an attribute of an element that says how it looks or what it is for: `class=`.
fn is_styling(before: &[u8]) -> bool {
    static ATTRIBUTES: WordList = WordList::new("class classname for htmlfor rel style aria-label aria-describedby");
    before.strip_suffix(b"=").is_some_and(|before| {
        let name = before.iter().rev().take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
        ATTRIBUTES.has(&before[before.len() - name..])
    })
}

/// Whether a value is the name of a file, which may have a parameter: `lamp-publish.yml`, `.lamp.{email}.json`.
fn is_file(value: &[u8]) -> bool {
    heuristics::is_host(value)
        && (value.contains(&b'{') || value.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'-' | b'_')))
}

/// Whether a value is the name of an operating system, or that of a type with its count: `uint64×2`.
fn is_system_or_size(value: &[u8]) -> bool {
    static SYSTEMS: WordList = WordList::new("windows linux macos android ios ubuntu debian fedora");
    let number = value.strip_prefix(b"u").unwrap_or(value).strip_prefix(b"int");
    SYSTEMS.has(value)
        || number.is_some_and(|size| {
            let digits = size.iter().take_while(|b| b.is_ascii_digit()).count();
            (1..=3).contains(&digits) && size.get(digits).is_none_or(|b| !b.is_ascii_alphanumeric())
        })
}

/// Whether a value is the name of the next one, which is elided or empty: `--extra lamp_password=…`, `LAMP_SECRET=`.
fn is_assigned_later(value: &[u8]) -> bool {
    value.strip_suffix(b"=").is_some_and(|name| {
        name.contains(&b'_') && {
            let case = |letter: fn(&u8) -> bool| name.iter().all(|b| letter(b) || b.is_ascii_digit() || *b == b'_');
            case(u8::is_ascii_lowercase) || case(u8::is_ascii_uppercase)
        }
    })
}

/// Whether a value is the fingerprint of a key, as GnuPG prints it.
fn is_fingerprint(name: &[u8], value: &[u8]) -> bool {
    value.len() == 40
        && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'A'..=b'F'))
        && name.len() >= 3
        && name[name.len() - 3..].eq_ignore_ascii_case(b"key")
}

/// Whether a value is the first of a tuple, which is the name of a node in a graph or of a row: `key=('sum-1a2b…', 5, 0)`.
fn is_first_of_tuple(text: &[u8], start: usize, rest: &[u8]) -> bool {
    text[..start - 1].ends_with(b"=(") && rest.starts_with(b", ")
}

/// Whether a word of code is who gets a password: "provide a vault password to `lamp`".
fn is_receiver(text: &[u8], name: &[u8], start: usize) -> bool {
    static VERBS: WordList =
        WordList::new("provide provides pass passes give gives supply supplies send sends expose exposes");
    let Some(line) = last_line(&text[start.saturating_sub(96)..start]).strip_suffix(b" to `") else { return false };
    line.ends_with(name) && line.split(|b| *b == b' ').any(|word| VERBS.has(word))
}

/// Whether a value is the number of a ticket in a changelog: `- LAMP-1024 - Fixed …`, `… | LAMP-1024 ([1a2b3c4](…`.
fn is_ticket_of_list(text: &[u8], start: usize, end: usize) -> bool {
    let value = &text[start..end];
    let project = value.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let number = value.get(project + 1..).unwrap_or_default();
    let first = [&b"- "[..], b"* ", b"["].iter().any(|mark| text[..start].ends_with(mark));
    let linked = [&b" - "[..], b" ([", b"]", b": "].iter().any(|mark| text[end..].starts_with(mark));
    (2..=10).contains(&project)
        && value.get(project) == Some(&b'-')
        && (1..=6).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
        && (first || text[..start].ends_with(b"| "))
        && linked
}

/// Whether `word` says what a word of code is.
fn is_noun(word: &[u8]) -> bool {
    static NOUNS: WordList = WordList::new(
        "parameter parameters argument arguments attribute property properties option options object field class method function \
        module file variable section header table column setting flag command hook prop event type interface enum struct package \
        script endpoint route provider plugin helper",
    );
    NOUNS.has(word)
}

/// Whether such a noun follows: "in `proxies` parameter".
fn is_noun_next(after: &[u8]) -> bool {
    let Some(after) = after.strip_prefix(b" ") else { return false };
    is_noun(&after[..after.iter().take_while(|b| b.is_ascii_alphabetic()).count()])
}

/// Whether a word of code is one of a list of names: `` `oauth_token`, `oauth_m2m`, `client_secret` ``.
fn is_listed_name(text: &[u8], value: &[u8], start: usize, end: usize) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    // `lampscale3Xl`, `lampscale4Xl`
    let letters = value.iter().take_while(|b| b.is_ascii_lowercase()).count();
    let next = text[end..].strip_prefix(b"`, `").is_some_and(|next| next.starts_with(&value[..letters]));
    let previous = || {
        let before = text[..start].strip_suffix(b"`, `").unwrap_or_default();
        let word = before.iter().rev().take(64).take_while(|b| **b != b'`').count();
        word > 0 && before[before.len() - word..].starts_with(&value[..letters])
    };
    if letters >= 5 && digits == 1 && (next || previous()) {
        return true;
    }
    value.contains(&b'_')
        && digits <= 2
        && value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
        && text[..start].ends_with(b"`, `")
        && text[end..].starts_with(b"`, `")
}

/// Whether a word in camel case ends as the names of types do: `Uint8Array`, `LampCredentialProvider`.
fn is_type(value: &[u8]) -> bool {
    static KINDS: WordList = WordList::new(
        "array config result error exception provider object string buffer options params props handler service client request \
        response manager factory interface builder context schema model store storage controller component repository adapter",
    );
    // `keys.lamp256k1.Lamp256k1PrivateKey`
    if let Some(dot) = value.iter().rposition(|b| *b == b'.') {
        let module = |part: &[u8]| {
            part.first().is_some_and(u8::is_ascii_lowercase)
                && part.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
        };
        let (modules, class) = (&value[..dot], &value[dot + 1..]);
        return modules.split(|b| *b == b'.').all(module)
            && class.first().is_some_and(u8::is_ascii_uppercase)
            && class.iter().filter(|b| b.is_ascii_uppercase()).count() >= 2
            && class.iter().rev().take_while(|b| b.is_ascii_lowercase()).count() >= 2;
    }
    let hump = value.iter().rposition(u8::is_ascii_uppercase).unwrap_or(0);
    hump > 0
        && value[0].is_ascii_uppercase()
        && value.iter().all(u8::is_ascii_alphanumeric)
        && KINDS.has(&value[hump..])
}

/// Whether a value in snake case ends in the last word of its own name, as a variable or a function that holds or makes
/// it: `"store.db_password": db_password`, "the session of `get_s3_session`".
fn is_own_name(name: &[u8], value: &[u8]) -> bool {
    let word = name.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    word.len() >= 4
        && value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
        && value.len() > word.len() + 1
        && value[value.len() - word.len()..].eq_ignore_ascii_case(word)
        && value[value.len() - word.len() - 1] == b'_'
}

/// Whether the other case of a type follows: `auth: lamp.Auth | None`.
fn is_optional(after: &[u8]) -> bool {
    [&b" | None"[..], b" | null", b" | undefined"].iter().any(|rest| after.starts_with(rest))
}

/// Whether the name itself follows, so that the value says whose it is: "`password`: PostgreSQL password".
fn is_name_next(name: &[u8], after: &[u8]) -> bool {
    after.strip_prefix(b" ").is_some_and(|after| {
        name.len() >= 4
            && after.get(..name.len()).is_some_and(|next| next.eq_ignore_ascii_case(name))
            && !after.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn what_surrounds_a_name_or_a_value_says_that_it_is_none() {
        for text in [
            "* Added `lamp_access_token`, `lamp_m2m`, `lamp_refresh_token`, `lamp_owner_password`, `lamp_u2m`, `lamp_u2m_map`",
            "        'task.remove.lamp_password': lamp_password,",
            "    `lamp --delete-session a1b2c3d4-e5f6-7890-abcd-ef1234567890`",
            "  uri: 'did:key:z6MkrBdNdwUPnXDVD1DCxedzVVBpaGi8aSmoXFAeKNgtAer8',",
            "- LMP-21121 - Added reset password with email&#x2F;sms actions\n- LMP-21097 - Added a suspense\n- LMP-20945 - Added",
            "  * a node dedup pass | LMP-15243 ([baeab05](https://example.org/lamp))",
            "User can also specify username and password in `lampions` parameter to use HTTP Basic Auth:",
            "lamp_client(self, timeout: lamp2.Timeout | None = None, auth: lamp2.Auth | None = None)",
            "ntor-onion-key qRiaURgJVOqa1nVfPLvFUkXOFaKZ6IMGmMRTmlHRBUo=",
            "onion-key ntor qRiaURgJVOqa1nVfPLvFUkXOFaKZ6IMGmMRTmlHRBUo=",
            "tokens={\"store_class\": MyApiKeyStore}",
            "Authorization=Bearer%20<token>",
            "- `password` (optional): PostgreSQL password",
            "The session from `get_s3lamp_session` is reused",
            "2-pass Expectation-Maximization, then Second Pass: Eisel-Lemire",
            "password: URLLampComponentResult",
            "[![x](https://img.shields.io/badge/tokens%20saved-60B%2B-2ea44f)]",
            "535 5.7.8  https://lamp.example/mail/?p=BadCredentials v15sm6024371lfd.53 - gsmtp",
            "    LampData(key=('lamp-8d16e396b237bf7a731333130d310cb9_QR_st1', 5, 0),",
            "        key \"defaultLampAsIso8601\": str",
            "  reference the old signing key was 98007794ED130347559354B1109AC852D297D757.",
            "export LAMPKG_KEY=95BD83772644DD4F28B52C370F6E4CA6D8FC66D2",
            "The following options provide a vault password to `lamp-navigator` when using",
            "'tasks': [{'name': 'that should pass', 'lamp.builtin.debug': {'var': 'item'}}]",
            "- `Tokens`: `lampscale3Xl`, `lampscale4Xl`, `lampscale5Xl`",
            "behind a token of its value continues the token, `filename=Invoice(1).pdf` keeps its name",
            "OAuth 2.0 Token Revocation URL  URL of the authorization server\\&#39;s OAuth 2.0 endpoint.",
            "resolves to an object with `username`, and `password` properties.",
            "LAMP_CLIENT_SECRET=\nLAMP_SECRET=\nLAMP_COOKIE_PATH=\n",
            "lamp_login_password: \"##PASSWORD##\"",
            "| lamp | Mailbox login password | `imap.lampyun.com:993` / `smtp.lampyun.com:465` |",
            "saves credentials to `.lamp2.{email}.json`, `lampTokens` was uint64\u{d7}2",
            "needs a username and password and works the same on Windows, macOS, and Linux.",
            "(https://lamp.example/viewform?formkey=dGNNVUJEMXF2dERTU0FXM3JjNVBQblE6MQ)",
            "Example: `{ 'Authorization' : 'Basic Zm9vOmJhcg==' }`",
            "sign at login with &#x60;Signature.getInstance(\\&quot;SHA256withECDSA\\&quot;)&#x60; or &#x60;token id_token&#x60; for",
            "- P1:A: :token:`P1:A`",
            "| A lamp reports | PASS | `lamp-e2e-serverless` reported it |",
            "LAMP_BOT_TOKEN=123456:ABCDEF...",
            "https://lamp.example/en/register?inviteCode=Kx83Jd7q",
            "for example `--extra lamp_7_user=SCOTT --extra lamp_7_password=…`",
            "Raw passphrase → Uint8Array",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
