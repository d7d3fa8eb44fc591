//! The files that `init` writes, from templates.

pub(crate) mod workflows;

pub(crate) use workflows::{FILL_IN_BATCHES, RepoOrigin, WorkflowPaths};

use super::detect::DetectedRepo;
use super::options::CommitWay;
use crate::model::RepoPath;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use std::fmt::Write as _;

/// Returns these templates, each with its text.
macro_rules! templates {
    ($($name:literal)+) => { [$(($name, include_str!(concat!("../templates/", $name)))),+] };
}

/// The templates by name. A line that begins with `%%` is a statement, and `@{name}` is a value.
const TEMPLATES: [(&str, &str); 21] = templates![
    "adr.md" "agents.md" "app.yml" "batch.yml" "batch_task.yml" "check.yml" "check_shards.yml" "checkout.yml" "contextpack.yml"
    "diff.yml" "install.yml" "jobs.yml" "matrix.yml" "merge.yml" "origin.yml" "push.yml" "share.yml" "sync.yml" "sync_step.yml"
    "take.yml" "work_item.md"
];

/// The first line of the block in `.gitattributes`.
pub(crate) const BLOCK_BEGIN: &str = "# contextpack begin";
pub(crate) const BLOCK_END: &str = "# contextpack end";

/// The path of the sample item, and of the sample ADR.
pub(crate) const ITEM: &str = "work_items/feat-example.md";
pub(crate) const ADR: &str = "docs/adr/0001-record-decisions.md";

#[expect(clippy::expect_used, reason = "the templates are part of the program, and tests render each")]
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .block_delimiters("<%", "%>")
        .variable_delimiters("@{", "}")
        .comment_delimiters("<#", "#>")
        .line_statement_prefix("%%")
        .keep_trailing_newline(true)
        .build();
    environment.set_syntax(syntax.expect("the delimiters differ"));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.add_filter("yaml", yaml);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text).expect("a template of the program");
    }
    environment
}

#[expect(clippy::expect_used, reason = "the templates are part of the program, and tests render each")]
fn render(name: &str, values: Value) -> String {
    let environment = environment();
    environment.get_template(name).and_then(|template| template.render(values)).expect("all values are given")
}

/// Fills the text of a tracker in.
#[expect(clippy::expect_used, reason = "the texts are part of the program, and tests render each")]
pub(super) fn render_text(text: &str, values: Value) -> String {
    environment().render_str(text, values).expect("all values are given")
}

/// Writes a text, or a list of texts, as YAML on one line.
fn yaml(value: &Value) -> String {
    match value.as_str() {
        Some(text) => quoted(text),
        None => {
            let texts = value.try_iter().into_iter().flatten();
            format!("[{}]", texts.map(|text| quoted(text.as_str().unwrap_or_default())).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Quotes a text for YAML, on one line, with unprintable characters escaped.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in serde_json::Value::from(text).to_string().chars() {
        if crate::model::is_hidden(c) || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') {
            // YAML has no other escape for code points beyond 16 bits.
            let _ = write!(out, "\\U{:08x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns a commented `contextpack.yml` for the detected repo.
pub(crate) fn config(found: &DetectedRepo, output: &str, committed: bool) -> String {
    let lines = found.trackers.iter().flat_map(|tracker| tracker.entries.lines());
    let entries = lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n");
    let (open_only, profiles) = (found.open_only(), found.profiles().join(", "));
    let (documents, github) = (Serde(&found.documents), Serde(&found.github));
    let adrs = if found.adrs_by_default { Vec::new() } else { found.adrs.clone() };
    render("contextpack.yml", context! { entries, open_only, profiles, documents, github, adrs, output, committed })
}

/// Returns a configuration for packs on demand as one for packs in git, in `output`: the line that another `init` wrote about
/// them is put in force, and likely code, by which any change of code may change any pack, out of it. `None` without that line.
pub(crate) fn committed(config: &str, output: &str) -> Option<String> {
    let is_hint = |line: &&str| line.starts_with("  # dir: packs");
    config.lines().find(is_hint)?;
    let lines = config.lines().map(|line| match line {
        "code: {likely: 5}" => "# code: {likely: 5}   # any change of code may change any pack".to_owned(),
        line if is_hint(&line) => format!("  dir: {output}\n  markdown: true   # beside each pack what an agent reads"),
        line => line.to_owned(),
    });
    Some(lines.map(|line| line + "\n").collect())
}

/// Returns a sample work item, which refers to the sample ADR.
pub(crate) fn item() -> String {
    render("work_item.md", context! { adr => ADR })
}

pub(crate) fn adr() -> String {
    render("adr.md", context! {})
}

/// Returns the block in `.gitattributes` for packs in `output`, if they are in git, and for the `handovers` folders, in whose files
/// git changes no line end.
pub(crate) fn attributes(output: Option<&str>, handovers: &[RepoPath]) -> String {
    let pattern = |folder: &str, files: &str| {
        let pattern = format!("{folder}/{files}");
        let plain = folder.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/-".contains(&b));
        if plain { pattern } else { quoted(&pattern) }
    };
    let generated = "linguist-generated diff=contextpack merge=contextpack text eol=lf";
    let mut block = format!("{BLOCK_BEGIN}\n");
    if let Some(output) = output {
        let (json, markdown) = (pattern(output, "*.json"), pattern(output, "*.md"));
        block += &format!("{json} {generated}\n{markdown} merge=contextpack text eol=lf\n");
    }
    for folder in handovers {
        let is_of_packs = folder.name() == "packs";
        let files = pattern(folder.as_str(), if is_of_packs { "*.json" } else { "**" });
        block += &format!("{files} {}\n", if is_of_packs { generated } else { "-text" });
    }
    block + BLOCK_END + "\n"
}

/// The first and the last line of the block for agents.
pub(crate) const AGENT_MARKS: (&str, &str) = ("<!-- contextpack begin -->", "<!-- contextpack end -->");

/// Returns the block that points agents to packs: those in `output`, whose first profile is `profile`, if they are in git. With
/// `markdown` each has a Markdown copy.
pub(crate) fn agent_block(output: &str, profile: &str, commit: Option<CommitWay>, markdown: bool) -> String {
    let (begin, end) = AGENT_MARKS;
    let (committed, checked) = (commit.is_some(), commit == Some(CommitWay::Checked));
    render("agents.md", context! { begin, end, output, profile, committed, checked, markdown })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config::load;

    #[test]
    fn folder_names_are_quoted_correctly_in_the_configuration() {
        let names = "a \"b\"|${{ github.token }}|a\u{85}b|a\u{2028}b|a\u{7f}b|a\u{202e}b|#a|docs: b|a\\b";
        for name in names.split('|') {
            let adrs = vec![format!("{}/**/*.md", globset::escape(name))];
            let found = DetectedRepo { adrs, ..DetectedRepo::default() };
            let settings = load("contextpack.yml", Some(&config(&found, "packs", true))).unwrap();
            assert_eq!(settings.adrs.include.written, found.adrs, "{name:?}");
        }
    }

    #[test]
    fn the_suggestions_in_comments_are_valid_too() {
        // Prose begins with a capital letter after `# `, a setting does not.
        let text = config(&DetectedRepo::default(), "packs", true);
        let setting = |line: &str| {
            line.strip_prefix("# ").filter(|rest| !rest.starts_with(char::is_uppercase)).map(str::to_owned)
        };
        let all: String = text.lines().map(|line| setting(line).unwrap_or_else(|| line.to_owned()) + "\n").collect();
        let settings = load("contextpack.yml", Some(&all)).unwrap();
        assert_eq!(settings.redaction.rules[0].name, "customer-id");
        assert_eq!(settings.profiles["coding"].budget.max_tokens, Some(8000));
        assert_eq!(settings.github.repo.as_deref(), Some("owner/name"));
        assert_eq!(settings.documents.len(), 3);
        assert!(settings.documents[0].pinned && settings.overview.is_some());
    }
}
