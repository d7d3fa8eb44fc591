//! Values that refer to something instead of being secret: paths, URLs, hosts, files, packages, versions and ids.

use super::super::text::starts_ignoring_case;
use super::{WordList, is_hexadecimal_key, is_name, is_uuid};

/// Whether `value` is a path or a URL, to which the rules for URLs apply.
pub(super) fn is_path_or_url(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    // `kv/prod/db#password`, a field of a vault.
    let path = &value[..value.iter().position(|b| *b == b'#').unwrap_or(value.len())];
    let slashed = path.contains(&b'/') && is_name(path);
    // `/_lamp/registry/00a6b0…`
    let rooted = || {
        let word =
            |part: &&[u8]| part.len() >= 3 && part.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'));
        value[0] == b'/' && value[1..].split(|b| *b == b'/').take(2).filter(word).count() == 2
    };
    // `$API/v1/jobs`, also after another argument of a command.
    let variable = || {
        value.split(|b| *b == b'$').skip(1).any(|rest| {
            let name = rest.iter().take_while(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'{' | b'}')).count();
            name > 2 && rest.get(name) == Some(&b'/') && is_name(&rest[name..])
        })
    };
    const ROOTS: [&[u8]; 13] = [
        b"/api/", b"/v1/", b"/v2/", b"/dev/", b"/tmp/", b"/etc/", b"/var/", b"/run/", b"/home/", b"/srv/", b"/opt/",
        b"/usr/", b"/mnt/",
    ];
    // `@scope/name`, a package.
    let scoped = value[0] == b'@' && value.contains(&b'/') && is_name(&value[1..]);
    // `5/m/user`, a rate.
    let rate = || {
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let count = value.iter().take_while(|b| b.is_ascii_digit()).count();
        count > 0
            && matches!(
                value[count..],
                [b'/', b's' | b'm' | b'h' | b'd'] | [b'/', b's' | b'm' | b'h' | b'd', b'/' | b',', ..]
            )
    };
    // `asymmetric/EC/secp384r1.pem`
    let file = || {
        value.contains(&b'/')
            && is_host(value)
            && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.'))
    };
    // `~/data/session_20260909`
    let home = value.starts_with(b"~/")
        && value[2..].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.'));
    // `imap.example.com:993`, and `lamp-*.json`
    let port = value.iter().rposition(|b| *b == b':').is_some_and(|at| {
        at + 2 < value.len()
            && value[at + 1..].iter().all(u8::is_ascii_digit)
            && is_host(&value[..at])
            && value[..at].iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'))
    });
    let glob = value.contains(&b'*') && is_host(value);
    // `/path/to/key.p8`
    let shown = starts_ignoring_case(value, b"/path/") || starts_ignoring_case(value, b"path/to");
    // `%APPDATA%\Lamp\lamp.json`
    let windows = value[0] == b'%' && has(b"%\\");
    slashed
        || port
        || glob
        || shown
        || windows
        || home
        || rooted()
        || rate()
        || file()
        || scoped
        || ROOTS.iter().any(|root| value.starts_with(root))
        || variable()
        || [&b"/"[..], b"./", b"../", b"~/", b"~\\", b"\\\\", b"www.", b"@/"]
            .iter()
            .any(|start| value.starts_with(start))
            && is_name(&value[1..])
        || has(b"://")
        || (value.len() > 2 && value[1] == b':' && value[2] == b'\\')
}

/// Whether `value` ends as the name of a host or a file: `40sux9.apps.example.com`, `V2024_10_03__Token.sql`.
pub(in super::super) fn is_host(value: &[u8]) -> bool {
    static DOMAINS: WordList = WordList::new(
        "com net org io dev app uk jp eu cloud local internal lan sql json yml yaml md txt sh py rb js ts xml toml log csv html css bin gz tgz zip tar iso img jpg jpeg png gif svg pdf mp3 mp4 parquet avro egg whl jar rpm deb exe dll pem crt cer der p12 pfx jks kdbx kdb sqlite sqlite3 h5 ipynb conf cfg ini",
    );
    value.iter().rposition(|b| *b == b'.').is_some_and(|dot| DOMAINS.has(&value[dot + 1..]))
}

/// Whether `value` is an id whose letters say of what: `ctm_01h04vsc0qhwtsbsxh3422wjs4` with a time, or the `AC…` of Twilio.
fn is_prefixed_id(value: &[u8]) -> bool {
    let mark = value.iter().position(|b| *b == b'_');
    let timed = mark.is_some_and(|mark| {
        let (kind, number) = (&value[..mark], &value[mark + 1..]);
        (2..=4).contains(&kind.len())
            && !matches!(kind, b"sk" | b"key" | b"pat" | b"tok" | b"sec")
            && kind.iter().all(u8::is_ascii_lowercase)
            && number.len() == 26
            && number.starts_with(b"01")
            && number.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    });
    let sid = value.len() == 34
        && value[..2].iter().all(u8::is_ascii_uppercase)
        && &value[..2] != b"SK"
        && value[2..].iter().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    timed || sid
}

/// Whether `value` is the field of an object in a program: `wave2lamp.book_size`.
pub(in super::super) fn is_field(value: &[u8]) -> bool {
    let spelled = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_lowercase)
            && part.last().is_some_and(u8::is_ascii_lowercase)
            && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    value.contains(&b'.')
        && value.iter().filter(|b| b.is_ascii_digit()).count() <= 1
        && value.split(|b| *b == b'.').all(spelled)
}

/// Whether `value` is words and short numbers in lower case, four at least, as models and releases are named:
/// `lamp-3-5-small-latest`.
pub(super) fn is_slug(value: &[u8]) -> bool {
    let number = |part: &[u8]| part.len() <= 2 && part.iter().all(u8::is_ascii_digit);
    let word = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    let parts = || value.split(|b| *b == b'-');
    parts().count() >= 4
        && parts().all(|part| number(part) || word(part))
        && parts().filter(|part| word(part)).count() >= 2
}

/// Whether `value` is letters and the number that AWS gives to a resource: `Jane-Roe-07a16060613c408b5`.
pub(in super::super) fn is_resource_id(value: &[u8]) -> bool {
    if is_prefixed_id(value) || is_unique_id(value) || is_numbered_path(value) {
        return true;
    }
    let Some(mark) = value.iter().rposition(|b| *b == b'-') else { return false };
    let number = &value[mark + 1..];
    number.len() == 17
        && number[0] == b'0'
        && number.iter().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
        && value[..mark].iter().all(|b| b.is_ascii_alphabetic() || *b == b'-')
}

/// Whether `value` is the id that AWS gives to a user, a role, a group or a policy; its keys begin otherwise.
fn is_unique_id(value: &[u8]) -> bool {
    const KINDS: [&[u8]; 8] = [b"AROA", b"AIDA", b"AGPA", b"AIPA", b"ANPA", b"ANVA", b"ASCA", b"APKA"];
    (20..=21).contains(&value.len())
        && KINDS.iter().any(|kind| value.starts_with(kind))
        && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// Whether `value` is a record by its kind and its UUID: `Product2/7e0b4fa5-…`.
fn is_numbered_path(value: &[u8]) -> bool {
    let Some(slash) = value.iter().rposition(|b| *b == b'/') else { return false };
    let kind = &value[..slash];
    is_uuid(&value[slash + 1..])
        && kind.len() >= 3
        && kind.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'-'))
}

/// Whether `value` is a package with its version, or an issue of a repository: `connect@3`, `left-pad@1.3.0`, `lamp#12`.
pub(super) fn is_package(value: &[u8]) -> bool {
    value.iter().position(|b| matches!(b, b'@' | b'#')).is_some_and(|at| {
        let version = &value[at + 1..];
        at > 1
            && value[..at].iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
            && version.first().is_some_and(u8::is_ascii_digit)
            && version.iter().all(|b| b.is_ascii_digit() || *b == b'.')
    })
}

/// Whether `value` is words and a digest, as the key of a cache: `node-modules-x64-d70f…`.
pub(super) fn ends_in_digest(value: &[u8]) -> bool {
    let Some(mark) = value.iter().rposition(|b| *b == b'-') else { return false };
    let digest = &value[mark + 1..];
    matches!(digest.len(), 40 | 64) && is_hexadecimal_key(digest) && value[..mark].iter().any(u8::is_ascii_alphabetic)
}

/// Whether `value` begins with a date and a time: `2026-05-07T09:42:01Z`.
pub(super) fn is_time(value: &[u8]) -> bool {
    let mut shape = value.iter().zip(b"0000-00-00T00:00");
    value.len() >= 16 && shape.all(|(b, form)| if *form == b'0' { b.is_ascii_digit() } else { b == form })
}

/// Whether `value` is the version of a package: `1.14.10-1~deb12u1`, `1:4.13+dfsg1-1`.
pub(super) fn is_version(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"v").unwrap_or(value);
    let epoch = value.iter().take_while(|b| b.is_ascii_digit()).count();
    epoch > 0
        && matches!(value.get(epoch), Some(b'.' | b':'))
        && value.get(epoch + 1).is_some_and(u8::is_ascii_digit)
        && value.contains(&b'.')
        && value
            .iter()
            .all(|b| b.is_ascii_digit() || b.is_ascii_lowercase() || matches!(b, b'.' | b':' | b'+' | b'~' | b'-'))
}

/// Whether `value` is words and the version of the last: `core-python3.14`.
pub(super) fn is_named_version(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| b.is_ascii_lowercase() || **b == b'-').count();
    let version = &value[name..];
    name >= 3
        && version.contains(&b'.')
        && version
            .split(|b| *b == b'.')
            .all(|part| (1..=2).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
}

/// Whether `value` is the name of a cookie, which browsers know by its start: `__Secure-1LAMP`.
pub(super) fn is_name_of_cookie(value: &[u8]) -> bool {
    [&b"__Secure-"[..], b"__Host-"].iter().any(|start| {
        value.strip_prefix(*start).is_some_and(|name| {
            name.len() <= 16 && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        })
    })
}
