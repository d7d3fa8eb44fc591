//! Words for passwords, keys and tokens in other languages.

use super::super::heuristics::NameClass;
use super::super::names;
use super::super::rules::FindingLabel;

/// A word that names a secret. Both cases are listed where they differ outside ASCII.
#[derive(Debug)]
pub(in super::super) struct Word {
    pub(in super::super) word: &'static str,
    pub(super) class: NameClass,
    pub(super) label: &'static FindingLabel,
}

const fn password(word: &'static str) -> Word {
    Word { word, class: NameClass::Password, label: &names::PASSWORD }
}

const fn token(word: &'static str) -> Word {
    Word { word, class: NameClass::Token, label: &names::TOKEN }
}

const fn key(word: &'static str) -> Word {
    Word { word, class: NameClass::Key, label: &names::KEY }
}

/// The words; those of ASCII letters alone are among the stems of names.
pub(in super::super) static LABELS: [Word; 143] = [
    password("mot de passe"),
    password("contrase\u{f1}a"),
    password("contrase\u{d1}a"),
    password("palavra-passe"),
    password("has\u{142}o"),
    password("has\u{142}em"),
    password("l\u{f6}senord"),
    password("l\u{d6}senord"),
    password("\u{15f}ifre"),
    password("\u{15e}ifre"),
    password("jelsz\u{f3}"),
    password("parol\u{103}"),
    password("m\u{1ead}t kh\u{1ea9}u"),
    password("kata sandi"),
    password("пароль"),
    password("Пароль"),
    password("ПАРОЛЬ"),
    password("пароля"),
    password("парола"),
    password("Парола"),
    password("лозинка"),
    password("Лозинка"),
    password("密码"),
    password("密碼"),
    password("口令"),
    password("パスワード"),
    password("暗証番号"),
    password("비밀번호"),
    password("암호"),
    password("패스워드"),
    password("पासवर्ड"),
    password("รหัสผ่าน"),
    password("كلمة المرور"),
    password("كلمة السر"),
    password("סיסמה"),
    password("סיסמא"),
    password("κωδικός"),
    password("Κωδικός"),
    token("令牌"),
    token("口令牌"),
    token("トークン"),
    token("토큰"),
    token("токен"),
    token("Токен"),
    token("jeton d'acc\u{e8}s"),
    key("密钥"),
    key("密鑰"),
    key("秘钥"),
    key("金鑰"),
    key("シークレット"),
    key("秘密鍵"),
    key("キー"),
    key("비밀키"),
    key("api 키"),
    key("ключ api"),
    key("api-ключ"),
    key("API-ключ"),
    key("секретный ключ"),
    key("Секретный ключ"),
    key("cl\u{e9} d'api"),
    key("cl\u{e9} api"),
    key("cl\u{e9} secr\u{e8}te"),
    key("clave de api"),
    key("clave secreta"),
    key("chave de api"),
    key("chave secreta"),
    password("비번"),
    password("p/w"),
    key("chiave api"),
    key("klucz api"),
    key("ключ доступу"),
    key("zugangsschl\u{fc}ssel"),
    key("schl\u{fc}ssel"),
    // Spelled with letters of another alphabet that look the same.
    password("ssword"),
    password("passw\u{43e}rd"),
    password("p\u{430}ssw\u{43e}rd"),
    password("\u{440}assword"),
    password("паролі"),
    password("Паролі"),
    password("motdepasse"),
    password("parola chiave"),
    password("parola d'ordine"),
    password("비밀 번호"),
    password("暗号"),
    password("合言葉"),
    token("jeton d'api"),
    token("jeton d\u{2019}api"),
    token("jeton d\u{2019}acc\u{e8}s"),
    token("访问令牌"),
    token("存取權杖"),
    token("アクセストークン"),
    token("액세스 토큰"),
    token("zugriffstoken"),
    token("zugangstoken"),
    token("jeton secret"),
    token("toegangstoken"),
    token("\u{e5}tkomsttoken"),
    key("cl\u{e9} de l'api"),
    key("cl\u{e9} d\u{2019}api"),
    key("cl\u{e9} priv\u{e9}e"),
    key("clave de la api"),
    key("clave api"),
    key("chave da api"),
    key("chave api"),
    key("chiave segreta"),
    key("chiave dell'api"),
    key("api-sleutel"),
    key("api-nyckel"),
    key("api-n\u{f8}gle"),
    key("api-n\u{f8}kkel"),
    key("api-avain"),
    key("kl\u{ed}\u{10d} api"),
    key("api kl\u{ed}\u{10d}"),
    key("klucz do api"),
    key("api anahtar\u{131}"),
    key("ключ доступа"),
    // Labels of two words whose second is none.
    key("access code"),
    key("invite code"),
    key("invitation code"),
    key("auth code"),
    key("join code"),
    key("pairing code"),
    key("enrollment code"),
    key("enrolment code"),
    key("community string"),
    key("session cookie"),
    key("signing value"),
    key("shared value"),
    key("Ключ доступа"),
    key("API ключ"),
    key("api ключ"),
    key("апи ключ"),
    key("Ключ доступу"),
    key("Ключ API"),
    key("Ключ к API"),
    key("ключ к api"),
    key("ключ апи"),
    key("секретний ключ"),
    key("訪問キー"),
    key("アクセスキー"),
    key("엑세스 키"),
    key("액세스 키"),
    key("비밀 키"),
];

impl Word {
    /// Whether the word at `start` is not part of another: no Latin letter precedes a Latin word.
    pub(super) fn is_whole_at(&self, text: &[u8], start: usize) -> bool {
        let latin = self.word.as_bytes()[0].is_ascii_alphabetic();
        !(latin && start.checked_sub(1).is_some_and(|at| text[at].is_ascii_alphabetic()))
    }
}
