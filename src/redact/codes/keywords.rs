//! The words that announce codes, by what they announce.

/// What a label announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum CodeKind {
    /// Codes to recover an account, on the lines below as well.
    Recovery,
    /// A number of four to eight digits.
    Pin,
    /// The same where the line names what it opens.
    Access,
    /// Groups of capitals and digits.
    Licence,
    /// Base32.
    Seed,
    /// Four groups of four letters, as mail providers make them.
    Application,
}

/// The keywords of each kind with bars between them, ASCII letters in lower case.
pub(in super::super) const KEYWORDS: [(CodeKind, &str); 5] = [
    (
        CodeKind::Recovery,
        "recovery code|backup code|back-up code|backup-code|backupcode|recovery-code|recoverycode|\
        recovery_code|backup_code|scratch code|emergency code|rescue code|wiederherstellungscode|ersatzcode|\
        notfallcode|codes de secours|code de secours|codes de récupération|code de récupération|\
        digos de recupera|digo de recupera|digos de respaldo|codici di recupero|codici di backup|\
        codice di recupero|herstelcode|back-upcode|terställningskod|reservkod|gendannelseskode|\
        gjenopprettingskode|palautuskood|varakood|kody zapasowe|kody odzyskiwania|kod zapasowy|ložní kód|\
        kurtarma kod|yedek kod|восстановления|езервные коды|езервні коди|відновлення|恢复代码|备用码|恢复码|備用代碼|\
        リカバリーコード|バックアップコード|복구 코드|백업 코드|recovery key|recovery-key|wiederherstellungsschl|\
        clé de récupération|clave de recuperaci|chave de recupera|chiave di recupero|herstelsleutel|återställningsnyck|\
        gendannelsesnøgle|gjenopprettingsnøk|palautusavain|klucz odzyskiwania|obnovovací klíč|kurtarma anahtar|\
        \" totp_auth|two-step login|two-step verif|2-step backup|bitwarden recover|recovery sheet|2fa reset|2fa backup|mfa backup|emergency sheet|\
        notfallblatt|恢复密钥|回復キー|復旧キー|복구 키",
    ),
    (
        CodeKind::Pin,
        "pincode|pin-code|pin code|pin number|pin for|pin of|pin to|pin is|pin für|pin der|pin del|pin de |\
        pin di |pin da |pin voor|pin til|pin do |pin k |pin для|pin от|pin:|pin =|pin=|-pin| pin |(pin|puk|\
        sperrcode|verrou|tastensperre|bildschirmsperre|displaysperre|entsperrcode|code de verrouillage|código de bloqueo|\
        codice di sblocco|sblocco|vergrendel|skærmlås|skärmlås|-pin\n|_pin\n| pin\n| : code |copier: code|printer: code|alarm: code|door: code|gate: code|safe: code|garage: code|locker: code|keybox: code|tresor: code|kopierer: code|drucker: code|tür: code|\
        copieur : code|imprimante : code|alarme : code|porte : code|portail : code|coffre : code|tablette : code|copier, code|printer, code|alarm, code|kopierer, code|tresor, code|door, code|tresorcode|tresor code|tablet code|printer code|\
        code pin|alarm code|alarmcode|alarm_code|door_code|gate_code|lock_code|pin_code|door code|gate code|entry code|keypad code|keypad is|keypad wants|keypad takes|alarm panel|locker code|safe code|\
        safe combination|combination lock|combination|access code|voicemail pin|türcode|torcode|zugangscode|zugangs-pin|\
        digicode|code de la porte|code porte|code de l'alarme|code alarme|code copieur|code d'accès|\
        digo de la puerta|digo de la alarma|digo da porta|digo do alarme|codice porta|codice allarme|\
        deurcode|toegangscode|portkod|larmkod|dørkode|ovikoodi|kod do|kod k |код от|код двери|пин-код|\
        Пин-код|ПИН|пин код|пін-код|门禁码|门禁密码|暗証番号|핀 번호|현관|unlock code|passcode|geheimzahl|kopieercode|\
        print code|copier code|host key|hostkey|installer code|master code|user code|lock code|lockbox|kenncode|unlocks with|unlock with|alarm off with|\npin |gerätecode|code de déverrouillage|código de desbloqueo|ontgrendelcode|\
        upplåsningskod|röstbrevlådekod|brevlådekod|mailbox-code|mailboxcode|code de la messagerie|code messagerie|code vocal|\
        digo del buz|digo da caixa postal|codice della segreteria|codice segreteria|voicemailcode|voicemail-code|voicemail code|\
        kod do poczty gł|голосовой почты|留守番電話|语音信箱|key safe|keysafe|\
        code kopieer|kopierercode|kopiercode|kopierer-pin|schlüsseltresor|sleutelkluis|boîte à clés",
    ),
    (
        CodeKind::Licence,
        "product key|licence key|license key|licence-key|license-key|license_key|licence_key|licensekey|\
        serial key|cd key|cd-key|activation key|activation code|licence:|license:|\nlicence |\nlicense |licence:**|licence code|\
        license code|registration key|registration code|lizenzschl|produktschl|aktivierungsschl|\
        aktivierungscode|de licence|de produit|de licencia|de producto|de licença|di licenza|\
        licentiesleutel|productcode|licentiecode|licensnyckel|produktnyckel|licensnøgle|lisensnøkkel|\
        serial:|-serial |-serial=|s/n |s/n:|serial no|digo de activaci|codice di attivazione|activeringscode|kod aktywacyjny|--serial |seriennummer|numéro de série|número de serie|numero di serie|serienummer|codice |code d'activation|\
        enter exactly|klucz licen|klucz produktu|licenční kl|lisans anahtar|ключ продукта|лицензионный ключ|\
        ліцензійний ключ|许可证|激活码|序列号|产品密钥|プロダクトキー|ライセンスキー|라이선스 키|제품 키|windows 1|windows server 20|office 20|\
        key from|upgrade key|serial number / licence|licence =|license =|licence number",
    ),
    (
        CodeKind::Seed,
        "otp_seed|totp_seed|otp-seed|mfa_seed|setup key|setup-key|setupkey|setup code|mfa seed|totp|2fa|otp seed|otp secret|mfa secret|mfa key|\
        otp key|authenticator|oathtool|manual entry|enter this key|einrichtungsschl|zwei-faktor|\
        clé de configuration|double authentification|clave de configuraci|autenticador|autenticatore|\
        chiave di configurazione|instellingssleutel|installatiesleutel|konfigurationsnyckel|\
        klucz konfiguracji|kurulum anahtar|ключ настройки|аутентификатор|身份验证器|两步验证|セットアップキー|설정 키|\
        mfa: |root mfa|mfa device|mfa for |mfa is |the seed|seed that|seed:|base32|totp-seed|startwert|geheimcode|two-step|2-step|zweiter faktor|\
        deuxième facteur|segundo factor|two-factor|two factor|second factor|google auth|authy|the qr|qr code|qr-code|qrcode|código qr|codice qr|code qr|\
        by hand instead",
    ),
    (
        CodeKind::Application,
        "app password|app-password|app_password|apppassword|app-specific password|application password|\
        app passwort|app-passwort|anwendungspasswort|mot de passe d'application|mot de passe d’application|\
        contraseña de aplicaci|senha de app|senha de aplicativo|password per le app|password per l'app|\
        app-wachtwoord|applösenord|appadgangskode|hasło aplikacji|uygulama şifre|пароль приложения|应用专用密码|\
        应用密码|アプリ パスワード|アプリパスワード|앱 비밀번호|gmail",
    ),
];
