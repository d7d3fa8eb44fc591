//! Passwords of plain words: `bluewhale`, `three blind geckos`, `Ceniza.y.Tiza`.
//!
//! Everything is named by words, so these are judged only where a clear label announces a password and nothing but a value
//! can stand; and only words count that neither programs, settings, interfaces nor documents have there.

use super::chains::{humps, is_of_names};
use super::words::says_document;
use super::{WordList, is_code, is_placeholder};

/// The least and the largest length of such a password.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=64;
/// The most words of one.
const MAX_WORDS: usize = 10;

/// Words for a password, as labels are translated.
static PASSWORDS: WordList = WordList::new(
    "kennwort passwort kodeord kode adgangskode wachtwoord contrase\u{f1}a contrasenya clave senha palavra-passe parola \
    l\u{f6}senord salasana has\u{142}o heslo \u{15f}ifre sifre jelszo geslo lozinka parool slapta\u{17e}odis parole \
    chiave code codice c\u{f3}digo pincode geheim geheimnis",
);
/// Programs, services and roles, whose name is their first password, and other words that stand for a password.
static NAMES: WordList = WordList::new(
    "wordpress nextcloud drupal joomla gitea gitlab keycloak rabbitmq mariadb postgres postgresql mongodb elastic \
    elasticsearch kibana grafana zabbix airflow superset metabase minio influxdb clickhouse cassandra oracle sqlserver \
    debezium temporal camunda liferay jenkins nexus sonar sonarqube harbor vault consul django laravel symfony rails \
    nodejs python ubuntu debian vagrant raspberry raspbian toor calvin cisco ubnt alpine homeassistant mosquitto \
    supabase strapi directus hasura ghost moodle odoo openldap freeipa guacamole portainer traefik pihole plex \
    jellyfin emby transmission qbittorrent syncthing paperless immich vaultwarden bitwarden unifi opnsense pfsense \
    proxmox truenas synology qnap onepassword lastpass keepass dashlane keychain wallet gnome-keyring libsecret \
    manager operator developer supervisor superuser administrator sysadmin webmaster someone somebody anyone anything \
    whatever something nothing everything abcdef abcdefg abcdefgh qwerty asdfgh zxcvbn hunter correct horse battery staple \
    biometric biometrics fingerprint credential credentials certificate keytab kerberos digest bcrypt scrypt argon \
    plaintext cleartext ciphertext base asterisk asterisks bullet bullets stdin stdout prompt interactive inline literal \
    unchanged unspecified unavailable unsupported unneeded irrelevant sensitive confidential visible invisible mandatory \
    alphanumeric numeric printable ascii unicode lowercase uppercase encoded escaped plain obscured obfuscated concealed \
    inherit ignore omit disable enable delegate request require supply specify choose select generate create update \
    password passwords secrets optional conditional boolean integer struct option result vector buffer slice bytes \
    text varchar nvarchar char binary memory storage session cookie header body payload form field argument variable",
);

/// Words with which a text begins that says where a password is, or how it is.
static POINTERS: WordList = WordList::new(
    "ask see same in from at on via like use check look stored kept known as ditto siehe wie bei frag gleich gleiches steht \
    voir demander comme dans chez ver como en preguntar igual zie vraag bij vedi chiedere come presso se fr\u{e5}ga \
    patrz zapytaj sent given not no none please contact get read with only must should via per",
);

/// Whether `value` is one word or a few that a person may have chosen for a password, and that names neither what a password
/// is, nor where it comes from, nor a program.
pub(in super::super) fn is_plain_words(value: &[u8]) -> bool {
    if !LENGTHS.contains(&value.len()) || is_placeholder(value) || is_code(value, false) || PASSWORDS.has(value) {
        return false;
    }
    let (mut words, mut letters, mut named) = (0, 0, 0);
    for part in value.split(|b| matches!(b, b' ' | b'-' | b'_' | b'.' | b'&' | b'+')) {
        let digits = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let spelled = &part[..part.len() - digits];
        if part.is_empty()
            || digits > 4
            || !spelled.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii() || *b == b'\'')
        {
            return false;
        }
        for word in humps(spelled) {
            if says_document(word) || NAMES.has(word) {
                return false;
            }
            named += usize::from(is_of_names(word));
            words += 1;
            letters += word.len();
        }
    }
    let cased = value.iter().any(|b| b.is_ascii_lowercase() || !b.is_ascii());
    // In phrases there are words of sentences: `drop-it-like-its-hot`. `ask Linda` says where the password is.
    let own = named == 0 || words >= 3 && named * 2 <= words;
    let points =
        value.split(|b| !b.is_ascii_alphabetic() && b.is_ascii()).next().is_some_and(|word| POINTERS.has(word));
    let own = own && !(words > 1 && points);
    cased && own && (1..=MAX_WORDS).contains(&words) && letters >= 5 && (words > 1 || !describes(value))
}

/// Whether a single word says what a password is like rather than being one: `encrypted`, `changeable`.
fn describes(word: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 14] = [
        b"ed", b"able", b"ible", b"ive", b"ing", b"less", b"ful", b"ally", b"tion", b"tional", b"ity", b"ment",
        b"lich", b"iert",
    ];
    let letters = &word[..word.len() - word.iter().rev().take_while(|b| b.is_ascii_digit()).count()];
    ENDINGS.iter().any(|ending| letters.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_passwords() {
        for value in [
            "bluewhale",
            "Sonnenblume",
            "three blind geckos",
            "creeper_no_more",
            "Ceniza.y.Tiza",
            "sonne \u{fc}ber dem see",
            "drop-it-like-its-hot",
            "R\u{fc}bezahl",
            "tiger-lily",
            "Schraubstock&Feile",
        ] {
            assert!(is_plain_words(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn names_states_and_translations_are_none() {
        for value in [
            "required",
            "encrypted",
            "Kennwort",
            "contrase\u{f1}a",
            "postgres",
            "nextcloud",
            "see-the-wiki",
            "userInput",
            "password",
            "your password",
            "my-secret-pw",
            "BLUEWHALE",
            "getpass.getpass",
            "varchar",
            "at least eight characters",
            "db.password",
        ] {
            assert!(!is_plain_words(value.as_bytes()), "{value}");
        }
    }
}
