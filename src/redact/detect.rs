//! Detection: one pass over a text for keywords, then the rules that belong to them.

use super::calls::Callee;
use super::codes::{self, CodeKind};
use super::commands::Command;
use super::generic::{self, HEADERS, Header, LABELS, Names, Word};
use super::keywords::Keywords;
use super::rules::{self, FindingLabel, Provider, TokenRule};
use super::tables::Marks;
use super::text::WordEnds;
use super::{
    assembled, calls, commands, keys, kubernetes, networks, parts, phrase_layouts, phrases, places, sampled, url,
};
use std::borrow::Cow;
use std::sync::OnceLock;

pub(super) static URL_PASSWORD: FindingLabel =
    FindingLabel { name: "url-password", reason: "is the password or token of a URL", rank: 3 };

/// The rule of a finding.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleRef {
    BuiltIn(&'static FindingLabel),
    /// A user's rule, by its index in the configuration.
    User(usize),
}

/// The place of a secret in a text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: RuleRef,
}

/// What to run where a keyword occurs.
#[derive(Debug, Clone, Copy)]
enum KeywordTarget {
    Rule(&'static TokenRule),
    Name,
    LoginFile,
    UserFile,
    PartConstant,
    PartHalf,
    PartSum,
    Word(&'static Word),
    KeyBlock,
    KeyEnd,
    Putty,
    Wrapped,
    KeyBody,
    Provider(&'static Provider),
    Phrase,
    PhraseWords,
    PhraseEntries,
    PhrasePlate,
    Code(CodeKind),
    Network,
    Pair,
    JoinedPair,
    AccountList,
    Kubernetes,
    Call(&'static Callee),
    WordList,
    Command(&'static Command),
    Grouped,
    PlainPhrase,
    Header(&'static Header),
    OldLabel,
    /// A word of a notation, by its number.
    Notation(usize),
}

/// Returns the keywords of all built-in rules, collected at the first text.
fn keywords() -> &'static Keywords<KeywordTarget> {
    static KEYWORDS: OnceLock<Keywords<KeywordTarget>> = OnceLock::new();
    KEYWORDS.get_or_init(|| {
        let mut words: Vec<(Cow<'static, str>, KeywordTarget)> = Vec::new();
        for rule in rules::token_rules() {
            words.extend(rule.keywords().map(|word| (word, KeywordTarget::Rule(rule))));
        }
        let mut fixed: Vec<(&str, KeywordTarget)> = Vec::new();
        for provider in rules::providers() {
            fixed.extend(provider.words.iter().map(|word| (*word, KeywordTarget::Provider(provider))));
        }
        fixed.extend(LABELS.iter().map(|word| (word.word, KeywordTarget::Word(word))));
        fixed.extend(calls::CALLEES.iter().map(|callee| (callee.word, KeywordTarget::Call(callee))));
        fixed.extend(commands::COMMANDS.iter().map(|command| (command.word, KeywordTarget::Command(command))));
        fixed.extend(Marks::words().map(|(word, number)| (word, KeywordTarget::Notation(number))));
        fixed.extend(HEADERS.iter().map(|header| (header.word, KeywordTarget::Header(header))));
        fixed.extend(generic::STEMS.iter().map(|stem| (*stem, KeywordTarget::Name)));
        fixed.extend(generic::LOGIN_FILES.iter().map(|word| (*word, KeywordTarget::LoginFile)));
        fixed.extend(generic::USER_FILES.iter().map(|word| (*word, KeywordTarget::UserFile)));
        fixed.extend(parts::CONSTANTS.iter().map(|word| (*word, KeywordTarget::PartConstant)));
        fixed.extend(parts::HALVES.iter().map(|word| (*word, KeywordTarget::PartHalf)));
        fixed.extend(parts::SUMS.iter().map(|word| (*word, KeywordTarget::PartSum)));
        fixed.extend(phrases::KEYWORDS.iter().map(|word| (*word, KeywordTarget::Phrase)));
        for (kind, keywords) in codes::KEYWORDS {
            fixed.extend(keywords.split('|').map(|word| (word, KeywordTarget::Code(kind))));
        }
        fixed.extend(networks::KEYWORDS.iter().map(|word| (*word, KeywordTarget::Network)));
        fixed.push((generic::SLASH, KeywordTarget::Pair));
        fixed.extend(generic::ACCOUNTS.iter().map(|word| (*word, KeywordTarget::JoinedPair)));
        fixed.extend(generic::LISTS.iter().map(|word| (*word, KeywordTarget::AccountList)));
        fixed.extend(phrases::WEAK_KEYWORDS.iter().map(|word| (*word, KeywordTarget::PhraseWords)));
        fixed.extend(phrase_layouts::ENTRIES.iter().map(|word| (*word, KeywordTarget::PhraseEntries)));
        fixed.extend(phrase_layouts::PLATES.iter().map(|word| (*word, KeywordTarget::PhrasePlate)));
        fixed.extend(kubernetes::KEYWORDS.iter().map(|word| (*word, KeywordTarget::Kubernetes)));
        fixed.extend(commands::GROUPED.iter().map(|word| (*word, KeywordTarget::Grouped)));
        fixed.extend(generic::PLAIN_PHRASE_KEYWORDS.iter().map(|word| (*word, KeywordTarget::PlainPhrase)));
        fixed.extend(generic::OLD_LABELS.iter().map(|word| (*word, KeywordTarget::OldLabel)));
        fixed.extend(codes::ACCESS_KEYWORDS.iter().map(|word| (*word, KeywordTarget::Code(CodeKind::Access))));
        fixed.extend(keys::BODIES.iter().map(|word| (*word, KeywordTarget::KeyBody)));
        fixed.extend(keys::WRAPPED.iter().map(|word| (*word, KeywordTarget::Wrapped)));
        fixed.extend([
            (keys::BEGIN, KeywordTarget::KeyBlock),
            (keys::BEGIN_SSH2, KeywordTarget::KeyBlock),
            (keys::END, KeywordTarget::KeyEnd),
            (keys::PUTTY, KeywordTarget::Putty),
            (assembled::LIST, KeywordTarget::WordList),
        ]);
        words.extend(fixed.into_iter().map(|(word, target)| (word.into(), target)));
        Keywords::new(&words)
    })
}

/// Returns what the built-in rules find in `text`, in no order; findings may overlap. Adds the places of other notations to
/// `marks`.
///
/// `strict`: the text is a record rather than prose, see [`Names::find`].
pub(super) fn built_in_marked(text: &[u8], strict: bool, marks: &mut Marks) -> Vec<Finding> {
    search(text, strict, 0, marks)
}

#[cfg(test)]
pub(super) fn built_in(text: &[u8], strict: bool) -> Vec<Finding> {
    built_in_at(text, strict, 0)
}

/// Like [`built_in_marked`], for a text that was put together from parts of another: nothing is put together in it.
pub(super) fn built_in_once(text: &[u8]) -> Vec<Finding> {
    built_in_at(text, false, 1)
}

/// Like [`built_in_marked`], for a text that was decoded `depth` times.
pub(super) fn built_in_at(text: &[u8], strict: bool, depth: usize) -> Vec<Finding> {
    search(text, strict, depth, &mut Marks::default())
}

fn search(text: &[u8], strict: bool, depth: usize, marks: &mut Marks) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Of two rules for one place the first counts, and a form says more than the name of a provider nearby.
    let mut near_providers = Vec::new();
    sampled::find(text, depth, &mut findings);
    let mut names = Names::new(depth == 0);
    let mut ends = WordEnds::default();
    let mut key_end = 0;
    let mut object_end = 0;
    let mut entries_end = 0;
    let mut codes_end = 0;
    let mut phrase_end = 0;
    places::find(text, &mut |start, end, label| {
        findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
    });
    url::each_secret(text, |start, end| findings.push(Finding { start, end, rule: RuleRef::BuiltIn(&URL_PASSWORD) }));
    keywords().find_each(text, |at, hit_end, target| {
        let found = match target {
            KeywordTarget::Rule(rule) => rule.find(text, at).map(|(start, end)| {
                let end = if rule.extends() { ends.end(text, end) } else { end };
                (start, end, &rule.label)
            }),
            KeywordTarget::Name | KeywordTarget::Word(_) => {
                let mut on_finding =
                    |start, end, label| findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
                match target {
                    KeywordTarget::Word(word) => names.labelled(text, at, word, &mut on_finding),
                    _ => names.find(text, at, strict, &mut on_finding),
                }
                None
            }
            KeywordTarget::Notation(number) => {
                marks.add(number, hit_end);
                None
            }
            KeywordTarget::Kubernetes => {
                if at >= object_end {
                    object_end = kubernetes::values(text, at, hit_end, |start, end| {
                        findings.push(Finding { start, end, rule: RuleRef::BuiltIn(&kubernetes::VALUE) })
                    });
                }
                None
            }
            KeywordTarget::Call(callee) => {
                calls::secrets(text, (at, hit_end), callee, |start, end, label| {
                    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                });
                None
            }
            KeywordTarget::Command(command) => {
                commands::secrets(text, (at, hit_end), command, |start, end, label| {
                    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                });
                None
            }
            KeywordTarget::PlainPhrase => {
                // `zkLogin: …`
                let is_part = text[at] | 0x20 == b'l' && at > 0 && text[at - 1].is_ascii_alphanumeric();
                if at >= phrase_end && !is_part {
                    phrase_end = generic::plain_phrase(text, hit_end, |start, end, label| {
                        findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                    });
                }
                None
            }
            KeywordTarget::OldLabel => {
                generic::replaced_passwords(text, at, hit_end, |start, end, label| {
                    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                });
                None
            }
            KeywordTarget::Header(header) => {
                let mut on_finding =
                    |start, end, label| findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
                names.column(text, (at, hit_end), header, &mut on_finding);
                None
            }
            KeywordTarget::Grouped => {
                commands::grouped(text, at, |start, end, label| {
                    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                });
                None
            }
            KeywordTarget::WordList => {
                assembled::list(text, at, &mut |start, end, label| {
                    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                });
                None
            }
            // A block holds no other block: skipping what it covers keeps the pass linear.
            KeywordTarget::KeyBlock if at >= key_end => {
                keys::block(text, at).map(|(start, end)| (start, end, &keys::BLOCK))
            }
            KeywordTarget::KeyEnd if at >= key_end => {
                keys::rest(text, at).map(|(start, end)| (start, end, &keys::BLOCK))
            }
            KeywordTarget::Putty if at >= key_end => {
                keys::putty(text, at).map(|(start, end)| (start, end, &keys::BLOCK))
            }
            KeywordTarget::Wrapped if at >= key_end => keys::wrapped(text, at),
            KeywordTarget::KeyBody if at >= key_end => {
                keys::bare(text, at).map(|(start, end)| (start, end, &keys::BLOCK))
            }
            KeywordTarget::KeyBlock
            | KeywordTarget::KeyEnd
            | KeywordTarget::Putty
            | KeywordTarget::Wrapped
            | KeywordTarget::KeyBody => None,
            KeywordTarget::Provider(provider) => {
                let found = provider.find(text, at, hit_end);
                near_providers.extend(found.map(|(start, end)| Finding {
                    start,
                    end,
                    rule: RuleRef::BuiltIn(&provider.label),
                }));
                None
            }
            KeywordTarget::PhraseEntries => {
                if at >= entries_end {
                    entries_end = phrase_layouts::entries(text, at, &mut findings).unwrap_or(entries_end);
                }
                None
            }
            KeywordTarget::Code(kind) => {
                if kind != CodeKind::Recovery || at >= codes_end {
                    let end = codes::find(text, (at, hit_end), kind, &mut |start, end, label| {
                        findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) })
                    });
                    codes_end = end.unwrap_or(codes_end);
                }
                None
            }
            KeywordTarget::Network => networks::key(text, hit_end).map(|(start, end)| (start, end, networks::LABEL)),
            KeywordTarget::Pair | KeywordTarget::JoinedPair | KeywordTarget::AccountList => {
                let mut on_finding =
                    |start, end, label| findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
                match target {
                    KeywordTarget::Pair => generic::account_pair(text, at, &mut on_finding),
                    KeywordTarget::AccountList => generic::account_list(text, at, hit_end, &mut on_finding),
                    _ => generic::joined_pair(text, (at, hit_end), &mut on_finding),
                }
                None
            }
            KeywordTarget::LoginFile
            | KeywordTarget::UserFile
            | KeywordTarget::PartConstant
            | KeywordTarget::PartHalf
            | KeywordTarget::PartSum => {
                in_parts(text, (at, hit_end), target, depth, &mut findings);
                None
            }
            KeywordTarget::PhraseWords => {
                phrases::listed_words(text, hit_end).map(|(start, end)| (start, end, phrases::LABEL))
            }
            KeywordTarget::PhrasePlate => {
                phrase_layouts::abbreviated(text, hit_end, &mut findings);
                None
            }
            KeywordTarget::Phrase => phrases::words(text, hit_end)
                .or_else(|| phrases::listed_words(text, hit_end))
                .map(|(start, end)| (start, end, phrases::LABEL)),
        };
        if let Some((start, end, label)) = found {
            if label.rank == keys::BLOCK.rank {
                key_end = key_end.max(end);
            }
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
        }
    });
    findings.append(&mut near_providers);
    findings
}

/// Adds the secrets in files without labels and those in parts, at the keyword `at..end` of `target`.
///
/// Apart from the loop over all keywords, which is slower when it holds this.
#[inline(never)]
fn in_parts(text: &[u8], (at, end): (usize, usize), target: KeywordTarget, depth: usize, findings: &mut Vec<Finding>) {
    let mut on_finding = |start, end, label| findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
    match target {
        KeywordTarget::LoginFile => generic::login_file(text, at, end, &mut on_finding),
        KeywordTarget::UserFile => generic::user_file(text, end, &mut on_finding),
        // Nothing is put together in what was put together.
        _ if depth > 0 => {}
        KeywordTarget::PartConstant => parts::constants(text, (at, end), &mut on_finding),
        KeywordTarget::PartHalf => parts::halves(text, (at, end), &mut on_finding),
        _ => parts::sum(text, at, &mut on_finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_take_bounded_time() {
        for part in [
            "token=",
            "ghp_",
            "-----END PRIVATE KEY-----",
            "LS0tLS1CRUdJTi",
            "-us",
            "://a:b@",
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            "password=\"",
            "key key ",
            "-u a:",
            "Basic ",
            "the password is ",
            "| password ",
            "| password |\n|---|\n",
            "password,",
            "user,password\n1,2\n",
            "name: password\nvalue: ",
            "password:\n\n",
            "password {",
            "echo x | -stdin",
            "sk_a_live_",
            "hmac.new(",
            "curl -su ",
            "(echo a;) | passwd ",
            "vault kv put a=b ",
            "token=b + c\n",
            "token=\"$a$b\"",
            "login(\"",
            "wallet([1,",
            "密码",
            "word 1: able ",
            "{\"w\":\"able\"}",
            "steel plate able acid ",
            "recovery codes abcd1-efgh2\n",
            "PIN for the door ",
            "wifi key / ",
            "admin / otter ",
            "passwords:\n- a: b\n",
            "what is the password\nit's ",
            "able acid army arrow\nmax: ",
            "k1 = \"abcdefgh1\"; ",
            "first half: ab1 ",
            "a + b ",
            "two lines\n\nab\n",
            "users`\na:b\n",
            "key = [1, ",
            "| pass | a ",
            "set(\"a\", key: \"password\") ",
            "password = b64(a) ",
        ] {
            let text = part.repeat((1 << 16) / part.len());
            let started = std::time::Instant::now();
            built_in(text.as_bytes(), true);
            // Quadratic work takes minutes.
            assert!(started.elapsed().as_secs() < 20, "{part}: {:?}", started.elapsed());
        }
    }
}
