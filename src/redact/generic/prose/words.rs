//! Words of sentences around the names and values of secrets, in many languages.

use super::super::super::heuristics::WordList;

/// Words and marks that introduce the value of a name.
pub(super) static VERBS: WordList = WordList::new(
    "is was been sido été stata stato gewesen are be ist war lautet lauten est es será sera é è är er je jest to auf c'est → ➜ -> => — – - = := 是 为 \
    為 は equals это \
    bude bylo bylo: było byla etait était era fue foi sigue siendo blev bliver blir oli теперь тепер \
    var reste resta blijft bleibt zostaje остаётся остается был была mis puse puesto coloquei ficou messo impostata impostato ingesteld \
    satte ustawiłem ustawiłam ustawiono поставил поставила поставили задал задала",
);
/// Who sets a password, directly before it where the verb stands at the end: "als Kennwort hab ich X gesetzt".
pub(super) static SUBJECTS: WordList = WordList::new("ich wir ik wij jag");
/// Words between such a word and the value.
pub(super) static ADVERBS: WordList = WordList::new(
    "always immer altijd alltid now currently still just set to : this the following generated created for changed word simply siendo sendo desormais désormais maintenant toujours ahora siempre todavía aun aún agora ainda ora ancora adesso sempre nu \
    nog steeds jetzt noch immer weiterhin fortfarande stadig fortsatt nyt edelleen teraz nadal wciąż stále teď nyní hala hâlâ şimdi теперь сейчас пока тепер зараз",
);
/// Like [`VERBS`], in scripts that put no blank before them.
pub(super) const JOINED: &[&str] = &[
    "是",
    "为",
    "為",
    "は",
    "が",
    "는",
    "은",
    "이",
    "가",
    "改成了",
    "改成",
    "改为",
    "改為",
    "已改为",
    "换成了",
    "现在是",
    "仍是",
    "还是",
    "設為",
    "设为",
    "设置为",
    "设成",
    "设了",
    "設成",
    "设定为",
    "设成了",
    "을",
    "를",
    "を",
];
/// Words after a name that make it part of another: the hash of a password is no password.
pub(super) static COMPOUNDS: WordList = WordList::new(
    "hash hashes hashed hashing length policy policies file files field fields name names id ids \
    address addresses type types format manager managers rotation count limit limits expiry expires expiration size \
    version versions rule rules page form prompt strength flow flows endpoint endpoints url standard contract \
    contracts symbol supply balance price requirements requirement can cannot will would may \
    has have had and or not never no required optional stored derived based generation generator store storage \
    algorithm algorithms object class component hook function method plugin attribute property parameter prop module interface element \
    widget scheme schedule derivation exchange pair pairs material server provider service",
);
/// Words after "key of" and the like that say whose key it is, so that it is no secret.
pub(super) static PUBLIC: WordList = WordList::new(
    "cache caché hash hachage digest prüfsumme projet proyecto projekt projekts projektu progetto projeto produit producto",
);
/// Words that may come between a name and its value.
pub(super) static BETWEEN: WordList = WordList::new(
    "dort hier drin l\u{e0} ici l\u{ed} ah\u{ed} all\u{ed} aqu\u{ed} daar tam tutaj ha siempre toujours sempre immer altijd should must for of on in at to the a an our my your this that here now currently set changed reset \
    db database admin root staging stage prod production dev test server user account instance environment env \
    cluster box machine host used which we i you also still just für want need get got from them us sent gave der den dem die das zum pour le la les du de \
    para el los con von d'ordine d'accesso di accesso \
    dele dela seu sua suyo suya his her their its ihr sein son sa lui everywhere had has again first initial initially temporary temp provisional old new provvisoria provvisorio temporanea temporaneo \
    iniziale attuale nuova vecchia provisoire temporaire actuel nouveau ancien chiave startowe tymczasowe nowe stare \
    temporal inicial actual nueva nuevo antigua provisória temporária atual nova tijdelijk tijdelijke nieuwe oude vorläufig \
    temporär tillfälligt nytt midlertidig ny nyt väliaikainen uusi geçici yeni root-user \
    ich hab habe haben wir j'ai ai on nous avons he hemos yo ho abbiamo heb ik hebben jag har vi quedó antigo anterior vorige \
    gamla nya tidigare poprzedni poprzednie stary nowy старый новый прежний нового временный временно précédent precedente wlan wifi wi-fi wpa wpa2 vpn nas \
    que vous tu m'avez m'as m'a nous avez avait avons envoy\u{e9} donn\u{e9} transmis communiqu\u{e9} fourni re\u{e7}u che hai mandato dato inviato",
);
/// What precedes a name whose value follows it directly: "user x, password y".
pub(super) const GIVEN: &[&[u8]] = &[
    b"with ",
    b"using ",
    b"and ",
    b", ",
    b"; ",
    b"/ ",
    b"und ",
    b"mit ",
    b"et ",
    b"avec ",
    b"con ",
    b" y ",
    b" e ",
    b" come ",
    b"and the ",
    b"with the ",
    b"share the ",
    b"shares the ",
    b" als ",
    b" som ",
    b" comme ",
    b" como ",
];
/// Words after a name that only describe its value.
pub(super) static ADJECTIVES: WordList = WordList::new(
    "temporary temp initial provisional default new old current provvisoria provvisorio temporanea temporaneo iniziale \
    attuale nuova vecchia provisoire temporaire actuel nouveau ancien startowe tymczasowe nowe stare temporal inicial actual nueva \
    nuevo antigua provis\u{f3}ria provisoria tempor\u{e1}ria atual nova tijdelijk tijdelijke nieuwe oude vorl\u{e4}ufig tempor\u{e4}r tillf\u{e4}lligt \
    nytt midlertidig ny antigo anterior precedente poprzednie poprzedni stary nowy vorige gamla nya старый новый прежний временный \
    v\u{e4}liaikainen uusi ge\u{e7}ici yeni simply just",
);
/// Words that may be followed by a proper name.
pub(super) static BEFORE_NAMES: WordList = WordList::new(
    "for of on to in at für pour para de du des del della dello di do da dos das von vom na voor för dla per \
    till til hos ved w z od k ke pro fürs ins im zum zur al alla au aux bij op van por um",
);
/// Words between these and the proper name.
pub(super) static ARTICLES: WordList =
    WordList::new("the a an my our your this that der die das den dem il lo la le gli os as het de");
