//! Contexts: the places of secrets in issues, decision records, comments and snippets.

use crate::kinds::{Kind, Shape};
use crate::places::{FINISHED, Finish, Lines, ROWS, Row};
use crate::random::Rng;

/// A context. Each template is for one shape of secrets; an empty one means that they do not occur there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub(crate) name: &'static str,
    /// For a secret that needs no key, at `{}`.
    token: &'static str,
    /// For a key and its value, at `{k}` and `{v}`.
    pair: &'static str,
    /// For a line of code or configuration, at `{}`.
    code: &'static str,
    /// For words, at `{}`.
    prose: &'static str,
    /// The text around each line of a block.
    block: Option<Lines>,
    /// The conversion of the whole text.
    finish: Finish,
}

/// A secret in a context.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) text: String,
    /// The name of the field whose value the text is, else empty.
    pub(crate) key: String,
    /// What must not survive.
    pub(crate) secrets: Vec<String>,
    /// The texts around the secret, whose words must survive.
    pub(crate) frame: Vec<String>,
}

/// Returns all contexts.
pub(crate) fn all() -> Vec<Context> {
    let context = |row: &Row, name, finish| {
        let (_, token, pair, code, prose, block) = *row;
        Context { name, token, pair, code, prose, block, finish }
    };
    let plain = ROWS.iter().map(|row| context(row, row.0, Finish::Nothing));
    let mut all: Vec<Context> = plain.chain(FINISHED.iter().map(|(name, how, row)| context(row, name, *how))).collect();
    all.push(Context {
        name: "field",
        token: "{}",
        pair: "{v}",
        code: "",
        prose: "",
        block: None,
        finish: Finish::Nothing,
    });
    all.push(Context {
        name: "two-on-a-line",
        token: "either {} or {} works",
        pair: "{k}={v} was {k}={v}",
        code: "",
        prose: "",
        block: None,
        finish: Finish::Nothing,
    });
    all
}

impl Context {
    /// Puts a secret of `kind` into this context; `None` if the two do not fit.
    pub(crate) fn case(&self, kind: &Kind, rng: &mut Rng) -> Option<Case> {
        let template = match kind.shape {
            Shape::Block(make) => return self.block_case(&make(rng), rng),
            Shape::Token(_) => self.token,
            Shape::Pair(..) => self.pair,
            Shape::Code(_) => self.code,
            Shape::Prose(_) => self.prose,
        };
        if template.is_empty() || matches!(kind.shape, Shape::Pair(key, form) if !fits(template, key, form)) {
            return None;
        }
        let key = if let Shape::Pair(key, _) = kind.shape { key } else { "" };
        let template = template.replace("{k}", key);
        let mut case = Case { text: String::new(), key: String::new(), secrets: Vec::new(), frame: Vec::new() };
        if self.name == "field" {
            case.key = if key.is_empty() { "note".to_owned() } else { key.to_owned() };
        }
        let slot = if key.is_empty() { "{}" } else { "{v}" };
        let mut parts = template.split(slot).peekable();
        let mut open = String::new();
        while let Some(part) = parts.next() {
            open.push_str(part);
            case.text.push_str(part);
            if parts.peek().is_none() {
                break;
            }
            let sample = kind.sample(rng)?;
            case.text.extend([&*sample.before, &*sample.secret, &*sample.after]);
            // The rest of an address may go with the secret.
            let loose = matches!(kind.shape, Shape::Token(_));
            case.frame.push(std::mem::take(&mut open) + if loose { "" } else { &sample.before });
            open = if loose { String::new() } else { sample.after };
            case.secrets.push(sample.secret);
        }
        case.frame.push(open);
        Some(self.finished(case, rng))
    }

    fn block_case(&self, block: &crate::kinds::Block, rng: &mut Rng) -> Option<Case> {
        let (start, before, after, end) = self.block?;
        let lines: Vec<String> = block.text.lines().map(|line| format!("{before}{line}{after}")).collect();
        let secrets = block.body.iter().map(|part| part.replace('\n', &format!("{after}\n{before}"))).collect();
        let text = format!("{start}{}{end}", lines.join("\n"));
        let case = Case { text, key: String::new(), secrets, frame: vec![start.to_owned(), end.to_owned()] };
        Some(self.finished(case, rng))
    }

    fn finished(&self, case: Case, rng: &mut Rng) -> Case {
        let change = |text: &str| match self.finish {
            Finish::Nothing | Finish::Long => text.to_owned(),
            Finish::Json => serde_json::Value::from(text).to_string().trim_matches('"').to_owned(),
            Finish::Windows => text.replace('\n', "\r\n"),
        };
        let mut done = Case {
            text: change(&case.text),
            key: case.key,
            secrets: case.secrets.iter().map(|text| change(text)).collect(),
            frame: case.frame.iter().map(|text| change(text)).collect(),
        };
        match self.finish {
            Finish::Json => done.text = format!("{{\"body\": \"{}\"}}", done.text),
            Finish::Long => {
                let (before, after) = (filler(rng), filler(rng));
                done.text = format!("{before} {} {after}", done.text);
                done.frame.extend([before, after]);
            }
            Finish::Nothing | Finish::Windows => {}
        }
        done
    }
}

/// Whether such a key, and a value of such a form, occur in this context.
fn fits(template: &str, key: &str, form: &str) -> bool {
    let label = !key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    let names = ["{k}=", "{k} =", "--{k}", "Setenv"].iter().any(|name| template.contains(name));
    let after = template.rsplit_once("{v}").and_then(|(_, after)| after.chars().next());
    let words = form.starts_with("{S");
    !(label && names || words && after.is_some_and(|c| !"\"'`”|<\n)*".contains(c)))
}

/// Makes a few hundred words without meaning.
pub(crate) fn filler(rng: &mut Rng) -> String {
    const WORDS: [&str; 16] = [
        "the", "reader", "waits", "until", "queue", "is", "empty", "and", "then", "writes", "its", "index", "to",
        "disk", "again", "slowly",
    ];
    (0..300).map(|_| WORDS[rng.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}
