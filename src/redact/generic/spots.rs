//! Places where a password stands without a name: options of commands, statements of SQL, files
//! of accounts.

use super::super::judge::{self, NameClass, looks_secret};
use super::super::rules::TokenRule;

const COMMAND: &str = "is a password on a command line";
const STATEMENT: &str = "is set as a password by this statement";
const ACCOUNT: &str = "is the password of an account beside it";

fn is_password(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Password, true) || judge::is_chosen(value)
}

fn is_quoted_password(value: &[u8]) -> bool {
    is_password(value) || judge::is_passphrase(value, NameClass::Password)
}

fn is_random(value: &[u8]) -> bool {
    value.len() >= 16 && looks_secret(value, NameClass::Weak, true)
}

fn is_pin(value: &[u8]) -> bool {
    !judge::is_placeholder(value) && !value.windows(2).all(|pair| pair[0] == pair[1])
}

const fn rule(
    name: &'static str,
    reason: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> TokenRule {
    TokenRule::new(name, reason, keywords, pattern).edge().spaced().bounded().after_forms().check(is_password)
}

/// The places.
pub(in super::super) static SPOTS: [TokenRule; 41] = [
    rule("database-password", COMMAND, &["mysql", "mariadb"], r"(?i)(?:mysql|mariadb)(?:dump|admin|import|sh)?[ \t][^\n|;]{0,80}?[ \t]-p['\x22]?([^\s'\x22`|;&<>]{6,})"),
    rule("shell-password", COMMAND, &["sshpass "], r"sshpass[ \t]+-p[ =]?[\x22']?([^\s'\x22`|;&<>]{4,})"),
    rule("registry-password", COMMAND, &["docker login", "podman login", "registry login", "buildah login", "az login", "oc login"], r"[a-z]+ login[^\n|;]{0,100}?[ \t](?:-p|--password)[ =]?[\x22']?([^\s'\x22`|;&<>]{4,})"),
    rule("cache-password", COMMAND, &["redis-cli "], r"redis-cli[ \t][^\n|;]{0,80}?-a[ =]?[\x22']?([^\s'\x22`|;&<>]{4,})"),
    rule("sql-password", STATEMENT, &["identified by", "identified with"], r"(?i)identified (?:with [a-z0-9_]+ )?(?:by|as)(?: password)? ['\x22]([^'\x22\n]{4,})['\x22]").check(is_quoted_password),
    rule("secure-string", STATEMENT, &["convertto-securestring"], r"(?i)ConvertTo-SecureString(?: -AsPlainText| -Force| -String){0,3} ['\x22]([^'\x22\n]{4,})['\x22]").check(is_quoted_password),
    rule("snmp-community", STATEMENT, &["snmp-server community", "rocommunity", "rwcommunity"], r"(?:snmp-server community|r[ow]community6?)[ \t]+([^\s'\x22`|;&<>]{4,})"),
    rule("login-password", ACCOUNT, &["zugangsdaten", "identifiants", "credenziali", "credenciales", "inloggegevens", "přihlašovací údaje", "ログイン情報", "아이디/비밀번호", "login with", "log in with", "login as", "log in as", "logged in with", "sign in with", "signin with", "login using", "log in using", "logging in with", "login:", "credentials:", "creds:", "credentials are", "creds are"], r"(?i)(?:log(?:ged|ging)?[ -]?in|sign[ -]?in|cred(?:ential)?s|zugangsdaten|identifiants|credenziali|credenciales|inloggegevens|p\xc5\x99ihla\xc5\xa1ovac\xc3\xad \xc3\xbadaje|\xe3\x83\xad\xe3\x82\xb0\xe3\x82\xa4\xe3\x83\xb3\xe6\x83\x85\xe5\xa0\xb1|\xec\x95\x84\xec\x9d\xb4\xeb\x94\x94/\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8)(?::| with| as| using| are):?[ \t]+[*`'\x22]{0,2}[A-Za-z0-9._@+-]{2,60}[*`'\x22]{0,2}(?:[ \t]?[/:,|][ \t]?|[ \t]+and[ \t]+|,?[ \t]+(?:with |and )?(?:the )?(?:password|pass|pw):?[ \t]+)[*`'\x22]{0,2}([^\s'\x22`|<>]{5,}[^\s'\x22`|<>.,;:!?)\]}*_])").check(|value| looks_secret(value, NameClass::Password, false)),
    rule("basic-auth-password", STATEMENT, &["credentials(", "credential(", "basic_auth ", "auth(", "auth=(", "auth = (", "login(", "authenticate("], r"(?i)(?:basic_)?(?:auth|login|authenticate|credentials?)(?: ?= ?)?[( ](?:[A-Za-z_.]{1,30}, ?)?['\x22][^'\x22\n]{1,64}['\x22], ?['\x22]([^'\x22\n]{5,})['\x22]").inside().check(|value| looks_secret(value, NameClass::Password, false)),
    rule("cookie", "is a session in a cookie", &["cookie:"], r"(?i)cookie:[^\n]{0,200}?[A-Za-z0-9_.-]{1,40}=([A-Za-z0-9%._~+/=-]{16,})").check(is_random),
    rule("passwords-file", ACCOUNT, &[":5432:", ":5433:", ":6432:", ":3306:", ":*:"], r"[A-Za-z0-9.*_-]+:(?:[0-9]{2,5}|\*):[A-Za-z0-9*_-]+:[A-Za-z0-9.*_@-]+:([^\s:'\x22`|<>]{5,})").back(64),
    rule("http-password", COMMAND, &["http -a", "https -a", "http --auth"], r"https? (?:-a|--auth)[ =]['\x22]?[A-Za-z0-9._@-]{1,64}:([^\s'\x22`|;&<>]{4,})"),
    rule("system-password", COMMAND, &["chpasswd"], r"echo ['\x22]?[A-Za-z0-9._-]{1,32}:([^\s'\x22|]{4,})['\x22]? *\| *(?:sudo )?chpasswd").back(120),
    rule("analysis-token", "is the login of a code analysis", &["sonar.login"], r"sonar\.login['\x22]?[ \t]*[=:,][ \t]*['\x22]?([A-Za-z0-9_]{20,})").check(|_| true),
    rule("database-login", STATEMENT, &["connect(", "pdo(", "getconnection(", "wifi.begin("], r"(?i)(?:get|wifi\.)?(?:connect|connection|pdo|begin)\((?:(?:['\x22][^'\x22\n]{0,120}['\x22]|[A-Za-z0-9_.]{1,40}), ?){1,3}['\x22]([^'\x22\n]{5,})['\x22]").check(|value| looks_secret(value, NameClass::Password, false)),
    rule("request-signature", "is the signature of a request", &["aws4-hmac-sha256"], r"AWS4-HMAC-SHA256[^\n]{0,300}?Signature=([0-9a-f]{64})").check(|_| true),
    rule("digest-response", "answers for a password", &["response=\""], r"response=\x22([0-9a-f]{32,64})\x22").check(|_| true),
    rule("aws-secret-key", "follows an AWS access key id", &["akia", "asia"], r"(?:AKIA|ASIA)[A-Z0-9]{16}(?:[^A-Za-z0-9/+]|/ ){1,16}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)").check(|value| looks_secret(value, NameClass::Secret, true)),
    rule("symmetric-key", "is the secret of a JSON Web Key", &["\"kty\""], r"\x22kty\x22 ?: ?\x22oct\x22[^}]{0,200}?\x22k\x22 ?: ?\x22([A-Za-z0-9_-]{16,})\x22").check(|_| true),
    rule("one-time-seed", "is the seed of one-time passwords", &["mfa seed", "totp seed", "2fa seed", "otp seed", "totp secret", "mfa secret", "2fa secret", "otp secret", "authenticator key", "authenticator secret"], r"(?i)(?:seed|secret|key)[`*]{0,3}(?: key)?(?::| is|=)?[ \t]*[`*'\x22]{0,3}([A-Z2-7]{4,8}(?: ?[A-Z2-7]{4,8}){2,12}|[a-z2-7]{16,64})").back(2).check(|value| value.iter().any(u8::is_ascii_digit) || (value.len() >= 16 && !value.contains(&b' '))),
    rule("telegram-url", "is the token of a Telegram bot in a URL", &["api.telegram.org/bot", "api.telegram.org/file/bot"], r"(?i)api\.telegram\.org/(?:file/)?bot([0-9]{6,12}:[A-Za-z0-9_-]{20,})").check(|_| true),
    rule("recovery-codes", "are codes to recover an account", &["recovery code", "backup code"], r"(?i)(?:recovery|backup) codes?[^\n:]{0,40}:[ \t]*\n{0,2}((?:[ \t]*[-*>`]{0,2}[ \t]*(?:[0-9]{1,2}[.)] )?(?:[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,3}|[0-9]{4} [0-9]{4}|[0-9]{8,10})`?,?[ \t]*\n?){1,20})").check(|value| value.iter().any(u8::is_ascii_digit)),
    rule("snmp-password", STATEMENT, &["snmp-server user", "snmpwalk ", "snmpget ", "snmpset "], r"(?:snmp-server user [^\n]{0,60}? (?:md5|sha)|snmp[a-z]+ [^\n]{0,60}?-c) ([^\s'\x22`|;&<>]{4,})"),
    rule("totp-url", "is the seed of one-time passwords", &["otpauth://"], r"otpauth://[^\s'\x22<>]{0,200}?secret=([A-Za-z2-7]{12,})").check(|_| true),
    rule("pin", "is the number of a name that says PIN", &["pin:", "pin=", "pin is ", "pin code", "pin `", "pin**", "pin |", "pin`"], r"(?i)pin(?: code)?[`*]{0,3} ?(?:is|:|=|\|)? ?[`*]{0,3} ?[`*\x22]{0,3}([0-9]{4,8})\b").check(is_pin),
    rule("wireless-password", STATEMENT, &["key-mgmt.psk", "wifi-sec.psk", "nmcli "], r"nmcli [^\n|;]{0,80}?password ['\x22]?([^\s'\x22`|;&<>]{6,})"),
    rule("ldap-password", COMMAND, &["ldapsearch ", "ldapmodify ", "ldapadd ", "ldapwhoami "], r"ldap[a-z]+ [^\n|;]{0,160}?-w[ =]?['\x22]?([^\s'\x22`|;&<>]{4,})"),
    rule("piped-password", COMMAND, &["-stdin"], r"echo (?:-n )?['\x22]?([^\s'\x22`|<>]{5,})['\x22]? *\|[^\n|]{0,80}?-stdin").back(120),
    rule("command-secret", COMMAND, &["secret set ", "secret-string", "encrypt_string "], r"(?:secret set [A-Za-z0-9_]+ (?:--body|-b)[ =]|secret-string[ =]|encrypt_string )['\x22]?([^\s'\x22`|;&<>]{5,})"),
    rule("command-password", COMMAND, &["htpasswd -", "sqlcmd ", "mongosh ", "mongo --", "mongodump ", "7z ", "net use ", "rabbitmqctl ", "smbclient "], r"(?:htpasswd -[a-zA-Z]*b[a-zA-Z]* \S+ \S+ |(?:sqlcmd|mongosh|mongo|mongodump) [^\n|;]{0,100}? -[pP][ =]?|7z [^\n|;]{0,40}? -p|net use [^\n|;]{0,80}?/user:\S+ |rabbitmqctl (?:add_user|change_password) \S+ |smbclient [^\n|;]{0,80}?-U \S+%)['\x22]?([^\s'\x22`|;&<>]{5,})"),
    rule("signing-secret", "signs tokens", &["jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode("], r"jwt\.[a-z]+\([^\n'\x22]{1,60}?, ?['\x22]([^'\x22\n]{8,})['\x22]").check(|value| looks_secret(value, NameClass::Secret, true)),
    rule("wifi-code", "is the password of a wireless network", &["wifi:"], r"WIFI:[^\n]{0,60}?P:([^;\s]{6,})"),
    rule("config-login", ACCOUNT, &["user = \""], r"user = \x22[A-Za-z0-9._@-]{1,64}:([^\x22\n]{5,})\x22"),
    rule("router-key", STATEMENT, &["tacacs-server ", "radius-server "], r"(?:tacacs|radius)-server (?:host [^\s]+ )?key (?:[0-9] )?([^\s'\x22`|;&<>]{6,})"),
    rule("wallet-key", "is the private key of a wallet", &["wif"], r"(?i:wif)[^\n0-9A-Za-z]{1,12}(?:is )?[`*'\x22]{0,3}([5KL][1-9A-HJ-NP-Za-km-z]{50,51})").check(|_| true),
    rule("source-name-password", ACCOUNT, &["@tcp(", "@unix("], r"[A-Za-z0-9_.-]{1,40}:([^\s@:'\x22`]{4,})@(?:tcp|unix)\(").back(100),
    rule("oracle-password", ACCOUNT, &["oracle:thin:", "oracle:oci:", "sqlplus "], r"(?:oracle:(?:thin|oci):|sqlplus )[A-Za-z0-9_.]{1,40}/([^\s@'\x22`]{4,})@"),
    rule("rsa-key-value", "is a part of a private key", &["<d>", "<p>", "<q>", "<dp>", "<dq>", "<inverseq>"], r"(?i)<(?:d|p|q|dp|dq|inverseq)>([A-Za-z0-9+/=]{40,})</").check(is_random),
    rule("client-key", "is given to a client as its key", &["wandb login ", "snyk auth ", "setapikey ", "cohere.client(", "algoliasearch(", "client('ac", "client(\"ac", "createhmac(", "secretkeyspec(", "fernet("], r"(?i)(?:wandb login |snyk auth |setapikey |cohere\.client\(|algoliasearch\(['\x22][A-Z0-9]{6,16}['\x22], ?|client\(['\x22]ac[0-9a-f]{32}['\x22], ?|createhmac\(['\x22][a-z0-9-]{3,12}['\x22], ?|secretkeyspec\(|fernet\(b?)['\x22]?([A-Za-z0-9+/=_-]{16,})").inside().check(|value| looks_secret(value, NameClass::Key, true)),
    rule("webhook", "is the address of a webhook", &["/hooks/"], r"/hooks/([a-z0-9]{26})\b").inside().check(|value| value.iter().any(u8::is_ascii_digit)),
    rule("command-login", COMMAND, &["mosquitto_pub ", "mosquitto_sub ", "smbmap ", "zip -", "openssl enc ", "lftp ", "sudo -s"], r"(?:mosquitto_[ps]ub [^\n|;]{0,80}? -P |smbmap [^\n|;]{0,60}? -p |zip -[a-zA-Z]*P |openssl enc [^\n|;]{0,80}? -k |lftp [^\n|;]{0,20}?-u [A-Za-z0-9._-]{1,40},)['\x22]?([^\s'\x22`|;&<>]{5,})"),
];
