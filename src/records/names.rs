//! The id and the title of an item: from its fields, from a template, from its text, or from the name of its file.

use crate::config::{Template, TemplatePart};
use crate::markdown::Outline;
use crate::model::{Code, Diagnostic, RepoPath};
use crate::records::build::{ItemContext, RawRecord};
use crate::records::fields::{Fields, NAMES, text_of};
use crate::records::lines::label;

pub(super) fn id(
    fields: &Fields<'_>,
    record: &RawRecord,
    context: &ItemContext<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> String {
    match &context.source.id {
        Some(template) => match fill(template, fields, context.path, str::to_owned) {
            Ok(id) => return id,
            Err(field) => {
                let message = format!("the item has no `{field}`, which the id of its source is made of");
                let fault = Diagnostic::on_line(Code::InvalidItem, context.path, record.line, message);
                diagnostics.push(fault.help(format!("its id is its path; add `{field}`, or exclude the file")));
            }
        },
        None => {
            let named = ["id", "stable_id"].into_iter().find_map(|name| fields.text(name));
            if let Some(id) = named {
                return id;
            }
        }
    }
    let place = if record.before > 0 { format!(".{}", record.before + 1) } else { String::new() };
    if context.alone { context.path.to_string() } else { format!("{}:{}{place}", context.path, record.line) }
}

/// Returns the field, else the template of the source, else the title of the text, else the name of the file or its folder.
pub(super) fn title(fields: &Fields<'_>, body: &str, id: &str, context: &ItemContext<'_>) -> String {
    let template = || fill(context.source.title.as_ref()?, fields, context.path, in_words).ok();
    let name = || if context.alone { in_words(name_of(context.path)) } else { id.to_owned() };
    fields.text("title").or_else(template).or_else(|| title_of(body)).unwrap_or_else(name)
}

/// Returns the template with its holes filled, or the name of the field that is missing. `spelled` spells names of files.
fn fill(
    template: &Template,
    fields: &Fields<'_>,
    path: &RepoPath,
    spelled: impl Fn(&str) -> String,
) -> Result<String, String> {
    let mut text = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Text(literal) => text.push_str(literal),
            TemplatePart::Hole(name) => {
                let value = match name.as_str() {
                    "path" => Some(path.to_string()),
                    "dir" => Some(path.dir().to_owned()),
                    "stem" => Some(spelled(path.stem())),
                    "folder" => Some(spelled(folder(path))).filter(|name| !name.is_empty()),
                    "digits" => digits(path.stem()).or_else(|| digits(folder(path))),
                    name => fields.named(name).find_map(text_of).or_else(|| text_of(&fields.inner(name)?)),
                };
                text.push_str(&value.ok_or_else(|| name.clone())?);
            }
        }
    }
    if text.is_empty() { Err("id".to_owned()) } else { Ok(text) }
}

/// Returns the name of the folder of a file.
fn folder(path: &RepoPath) -> &str {
    path.dir().rsplit('/').next().unwrap_or_default()
}

/// Returns the first digits of a name.
fn digits(name: &str) -> Option<String> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    Some(name[start..].chars().take_while(char::is_ascii_digit).collect())
}

/// Returns the name that tells a file from others: that of its folder if the file's own is one that any folder may have.
fn name_of(path: &RepoPath) -> &str {
    let stem = path.stem();
    let is_usual = NAMES.has("usual", &stem.to_ascii_lowercase()) && !folder(path).is_empty();
    if is_usual { folder(path) } else { stem }
}

/// Returns the words of a file's name, without the numbers in front: `0002-rfc-process` → `rfc process`.
fn in_words(name: &str) -> String {
    let is_separator = |c: char| matches!(c, '-' | '_' | '.' | ' ');
    let mut words = name;
    while let Some(rest) = words.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(is_separator)
        && rest.contains(char::is_alphabetic)
    {
        words = rest;
    }
    let words: Vec<&str> = words.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { name.to_owned() } else { words.join(" ") }
}

/// Returns the title of a text: its only heading of the first level, if nothing but fields and comments is above it.
fn title_of(text: &str) -> Option<String> {
    let outline = Outline::read(text);
    let mut first_level = outline.headings.iter().filter(|heading| heading.level == 1);
    let heading = first_level.next().filter(|heading| !heading.title.trim().is_empty())?;
    let is_only = first_level.next().is_none();
    let is_field = |line: &str| line.trim().is_empty() || label(line).is_some();
    let above = outline.blocks.get(..heading.block)?.iter().filter_map(|block| text.get(block.range.clone()));
    let mut above = above.filter(|block| !(block.starts_with("<!--") && block.trim_end().ends_with("-->")));
    (is_only && above.all(|block| block.lines().all(is_field))).then(|| heading.title.trim().to_owned())
}
