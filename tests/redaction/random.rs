//! Seeded randomness, and values made from short templates.

const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const HEX_UPPER: &[u8] = b"0123456789ABCDEF";
const DIGITS: &[u8] = b"0123456789";
const URL64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const STD64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32: &[u8] = b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const MARKED: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!@#$%^*?+-_.~";
const URL_SAFE: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.~!";

/// Words that people build passwords from.
const PASSWORD_WORDS: [&str; 20] = [
    "Winter", "Summer", "Monkey", "Dragon", "Coffee", "Berlin", "Orange", "Thunder", "Purple", "Falcon", "Guitar",
    "Rocket", "Silver", "Tiger", "Banana", "Shadow", "Pepper", "Castle", "Marble", "Wizard",
];
/// Words of pass phrases and seed phrases; all stand in the BIP-39 list.
const PHRASE_WORDS: [&str; 32] = [
    "abandon", "anchor", "basket", "canyon", "cherry", "copper", "desert", "dolphin", "eagle", "engine", "fabric",
    "forest", "galaxy", "garlic", "hammer", "hockey", "island", "jungle", "kitten", "ladder", "magnet", "mango",
    "napkin", "oxygen", "panther", "pencil", "puzzle", "rabbit", "saddle", "timber", "velvet", "zebra",
];

/// A small generator; the same seed gives the same values everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Makes a generator whose seed is made of names, so that a new kind does not change the values of others.
    pub(crate) fn of(names: &[&str], number: usize) -> Self {
        let mut seed = 0xcbf2_9ce4_8422_2325 ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for byte in names.iter().flat_map(|name| name.bytes().chain([0])) {
            seed = (seed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Self(seed)
    }

    /// Returns the next number (splitmix64).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Picks one of several.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Makes random bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }

    /// Makes characters of an alphabet, of every class that a value of this length would have.
    fn chars(&mut self, alphabet: &[u8], count: usize) -> String {
        loop {
            let text: String = (0..count).map(|_| alphabet[self.below(alphabet.len())] as char).collect();
            let wants = |class: fn(&u8) -> bool, has: bool| count < 8 || !alphabet.iter().any(class) || has;
            let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            if wants(u8::is_ascii_digit, text.bytes().any(|b| b.is_ascii_digit()))
                && wants(u8::is_ascii_lowercase, text.bytes().any(|b| b.is_ascii_lowercase()))
                && wants(u8::is_ascii_uppercase, text.bytes().any(|b| b.is_ascii_uppercase()))
                && ends(text.chars().next())
                && ends(text.chars().last())
            {
                return text;
            }
        }
    }

    /// Makes some words of a pass phrase.
    pub(crate) fn phrase(&mut self, count: usize) -> String {
        (0..count).map(|_| PHRASE_WORDS[self.below(PHRASE_WORDS.len())]).collect::<Vec<_>>().join(" ")
    }

    /// Makes words joined by capitals, as an identifier is.
    fn camel(&mut self, count: usize) -> String {
        let words = self.phrase(count);
        let mut words = words.split(' ');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
    }

    /// Makes a password as people do: a word or two, digits, a mark.
    pub(crate) fn human(&mut self) -> String {
        let word = self.pick(&PASSWORD_WORDS);
        let other = self.pick(&PASSWORD_WORDS).to_lowercase();
        let digits = self.below(9_000) + 1_000;
        let mark = self.pick(&["!", "#", "$", "?", "%"]);
        match self.below(4) {
            0 => format!("{word}{digits}{mark}"),
            1 => format!("{}{other}{digits}", word.to_lowercase()),
            2 => format!("{word}-{other}-{}", digits % 100 + 100),
            _ => format!("{}{digits}{mark}", word.replace('e', "3").replace('a', "@")),
        }
    }

    /// Makes `user:password` in Base64 as for a basic authorization.
    fn basic(&mut self) -> String {
        let pair = self.fill("deploy:{p14}");
        base64(pair.as_bytes())
    }

    /// Makes a signed web token.
    fn jwt(&mut self) -> String {
        let subject = self.fill("{d10}");
        let head = base64_url(br#"{"alg":"HS256","typ":"JWT"}"#);
        let claims = base64_url(format!(r#"{{"sub":"{subject}","role":"admin","iat":1516239022}}"#).as_bytes());
        format!("{head}.{claims}.{}", base64_url(&self.bytes(32)))
    }

    fn uuid(&mut self) -> String {
        self.fill("{h8}-{h4}-4{h3}-a{h3}-{h12}")
    }

    /// Fills a template: `{a36}` is 36 letters and digits, `{d4-8}` four to eight digits, and so on;
    /// braces around anything else stay as they are.
    pub(crate) fn fill(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let slot = rest.find('}').and_then(|end| Some((self.slot(&rest[1..end])?, end + 1)));
            let (value, used) = slot.unwrap_or_else(|| ("{".to_owned(), 1));
            text.push_str(&value);
            rest = &rest[used..];
        }
        text + rest
    }

    fn slot(&mut self, slot: &str) -> Option<String> {
        match slot {
            // These two prevent a template from looking like the secret that it makes.
            "0" => return Some(String::new()),
            "P" => return Some("PRIVATE".to_owned()),
            "W" => return Some(self.human()),
            "U" => return Some(self.uuid()),
            "A" => return Some(self.basic()),
            "T" => {
                let text = self.fill("the reader waits {d3} ms for the queue, then it writes its index ({S6})");
                return Some(base64(text.as_bytes()));
            }
            "J" => return Some(self.jwt()),
            "N" => return Some(base64_url(self.fill("{d18}").as_bytes())),
            _ => {}
        }
        let (class, size) = (slot.chars().next()?, slot.get(1..)?);
        let count = match size.split_once('-') {
            Some((low, high)) => {
                let (low, high): (usize, usize) = (low.parse().ok()?, high.parse().ok()?);
                low + self.below(high + 1 - low)
            }
            None => size.parse().ok()?,
        };
        let alphabet = match class {
            'a' => ALNUM,
            'l' => LOWER,
            'u' => UPPER,
            'h' => HEX,
            'H' => HEX_UPPER,
            'd' => DIGITS,
            'b' => URL64,
            'B' => STD64,
            'c' => LETTERS,
            'C' => CAPITALS,
            'w' => BASE32,
            '5' => BASE58,
            'z' => BECH32,
            'p' => MARKED,
            'q' => URL_SAFE,
            'e' => return Some(base64(&self.bytes(count))),
            'S' => return Some(self.phrase(count)),
            'v' => return Some(self.phrase(count).replace(' ', "-")),
            'V' => return Some(self.camel(count)),
            _ => return None,
        };
        Some(self.chars(alphabet, count))
    }
}

/// Encodes standard Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let sextet = (group >> (18 - 6 * n)) & 63;
            text.push(if n <= chunk.len() { STD64[sextet as usize] as char } else { '=' });
        }
    }
    text
}

/// Encodes Base64 for URLs, without padding.
pub(crate) fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}
