//! Runs `tests/cases/redact.yml`: what each reader of redaction makes of a text.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::examples::{SEED, fill};
use super::hidden::target::kept_length;
use super::judge::{AssignedValue, judge};
use super::names::{Class, class_of, words_of};
use super::view::View;
use super::{Environment, Redactor, base64, entity, invisible, letters};
use ::base64::Engine as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

#[derive(Deserialize)]
struct Cases {
    texts: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    marked: BTreeMap<String, Vec<String>>,
    hidden: Vec<String>,
    variables: BTreeMap<String, Vec<String>>,
    hostile: BTreeMap<String, Vec<String>>,
}

fn cases() -> Cases {
    serde_yaml::from_str(include_str!("redact.yml")).unwrap()
}

/// Fills the holes of a text, and encodes what stands between `⟦` and `⟧`, inner pairs first.
fn filled(template: &str) -> String {
    let mut text = fill(template, SEED);
    while let Some(end) = text.find('⟧') {
        let start = text[..end].rfind('⟦').unwrap();
        let inner = &text[start + '⟦'.len_utf8()..end];
        let encode = |bytes: &[u8]| ::base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes);
        let code = if let Some(wide) = inner.strip_prefix("UTF-16 ") {
            encode(&wide.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        } else if let Some(long) = inner.strip_prefix("wrapped ") {
            encode(long.as_bytes()).as_bytes().chunks(48).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n  ")
        } else {
            encode(inner.as_bytes())
        };
        text.replace_range(start..end + '⟧'.len_utf8(), &code);
    }
    text
}

/// Returns the text that is left and the removals, or nothing if all of it is visible.
fn visible(text: &str) -> Vec<String> {
    let found = Redactor::built_in().visible_text("x.json", text);
    assert!(!found.removals.is_empty() || found.text == text, "{text:?}");
    let removals = found.removals.into_iter().map(|it| format!("{}: {} {}", it.line, it.rule, it.count));
    let removals: Vec<String> = removals.collect();
    (!removals.is_empty()).then_some(found.text).into_iter().chain(removals).collect()
}

fn judged(text: &str) -> Vec<String> {
    let value = AssignedValue { text: text.as_bytes(), is_quoted: false, is_whole: true };
    let classes = [Class::Password, Class::Secret, Class::Key, Class::Token, Class::Weak].into_iter();
    classes.filter(|class| judge(*class, &value).is_secret).map(|class| format!("{class:?}")).collect()
}

fn read(reader: &str, text: &str) -> Vec<String> {
    match reader {
        "view" => View::decoded(text).map(|view| view.text.into_owned()).into_iter().collect(),
        "hidden" => visible(text),
        "entity" => {
            let read = match text.as_bytes()[0] {
                b'&' => entity::html(text.as_bytes()),
                b'%' => entity::percent(text.as_bytes()),
                _ => entity::escape(text.as_bytes()),
            };
            read.map(|(length, character)| format!("{length} {character}")).into_iter().collect()
        }
        "decode" => vec![base64::decode(text.as_bytes()).escape_ascii().to_string()],
        "letters" => {
            let (random, name) = (letters::are_random(text.as_bytes()), letters::is_name(text.as_bytes()));
            [(random, "random"), (name, "name")].into_iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect()
        }
        "names" => class_of(text.as_bytes()).map(|class| format!("{class:?}")).into_iter().collect(),
        "words" => words_of(text.as_bytes()).into_iter().collect(),
        "judge" => judged(text),
        _ => {
            let explained = Redactor::built_in().explain(text).into_iter().map(|it| {
                let name = it.name.map(|(name, class)| format!(" of {name} ({class})")).unwrap_or_default();
                let end = if it.is_removed { "is removed".to_owned() } else { format!("stays: {}", it.value) };
                format!("{}: {}{name} {end}", it.line, it.rule)
            });
            explained.collect()
        }
    }
}

fn ranges(reader: &str, text: &str) -> Vec<Range<usize>> {
    match reader {
        "target" => std::iter::once(kept_length(text)..text.len()).collect(),
        "invisible" => {
            let found = invisible(text);
            let mut left = text.to_owned();
            found.iter().rev().for_each(|range| left.replace_range(range.clone(), ""));
            assert!(invisible(&left).is_empty(), "{text:?}");
            found
        }
        _ => Redactor::built_in().places(text).into_iter().map(|(range, _)| range).collect(),
    }
}

fn marked(reader: &str, text: &str) -> String {
    let mut marked = text.to_owned();
    for range in ranges(reader, text).into_iter().rev().filter(|range| !range.is_empty()) {
        marked.insert(range.end, '»');
        marked.insert(range.start, '«');
    }
    marked.replace("»«", "")
}

#[test]
fn texts_are_read_as_the_cases_say() {
    let cases = cases();
    let mut wrong = Vec::new();
    for (reader, texts) in &cases.texts {
        for (text, expected) in texts {
            let expected: Vec<String> = expected.iter().map(|part| fill(part, SEED)).collect();
            let found = read(reader, &fill(text, SEED));
            if found != expected {
                wrong.push((reader, text, expected, found));
            }
        }
    }
    for (reader, text) in cases.marked.iter().flat_map(|(reader, texts)| texts.iter().map(move |text| (reader, text))) {
        let expected = filled(text);
        let found = marked(reader, &expected.replace(['«', '»'], ""));
        if found != expected {
            wrong.push((reader, text, vec![expected], vec![found]));
        }
    }
    assert!(wrong.is_empty(), "reader, text, expected, found: {wrong:#?}");
}

#[test]
fn what_is_not_seen_is_removed_and_the_rest_stays() {
    let is_wrong = |text: &&String| {
        let left = visible(text).into_iter().next().unwrap_or_default();
        let count = |text: &str| text.matches("VIS").count();
        left.is_empty() || left.contains("HID") || count(&left) != count(text) || !visible(&left).is_empty()
    };
    let hidden = cases().hidden;
    let wrong: Vec<_> = hidden.iter().filter(is_wrong).map(|text| (text, visible(text))).collect();
    assert!(wrong.is_empty(), "text, left: {wrong:#?}");
}

#[test]
fn values_of_secret_variables_are_found() {
    for (variable, texts) in cases().variables {
        let variable = fill(&variable, SEED);
        let (name, value) = variable.split_once('=').unwrap();
        let found = Environment::new([(name.to_owned(), value.to_owned())].into_iter());
        assert_eq!(found.is_empty(), texts.is_empty(), "{variable}");
        assert!(!format!("{found:?}").contains(value), "{found:?}");
        for text in texts.iter().map(|text| fill(text, SEED)) {
            let (start, whole) = (text.find('«').map(|start| (name, start)), text.replace(['«', '»'], ""));
            assert_eq!(found.find(&whole), start, "{variable}: {text}");
            let mut masked = text.split(['«', '»']).collect::<Vec<_>>();
            masked.get_mut(1).into_iter().for_each(|value| *value = "[REDACTED:environment-secret]");
            assert_eq!(found.mask(&whole), masked.concat(), "{variable}: {text}");
        }
    }
}

/// One in a hundred has `/` where a path has it, and no digit.
#[test]
fn every_random_key_of_aws_is_a_secret() {
    const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/+";
    let mut state = 2026_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        BASE64[(state >> 58) as usize]
    };
    for _ in 0..5_000 {
        let key: Vec<u8> = (0..40).map(|_| next()).collect();
        for class in [Class::Password, Class::Secret, Class::Key] {
            let value = AssignedValue { text: &key, is_quoted: false, is_whole: true };
            assert!(judge(class, &value).is_secret, "{class:?} {}", key.escape_ascii());
        }
    }
}

/// Quadratic work takes minutes.
#[test]
fn hostile_texts_take_bounded_time() {
    let hostile = cases().hostile;
    for piece in &hostile["rules"] {
        let started = Instant::now();
        Redactor::built_in().line(&piece.repeat((1 << 16) / piece.len()));
        assert!(started.elapsed().as_secs() < 20, "{piece}: {:?}", started.elapsed());
    }
    for piece in &hostile["hidden"] {
        let left = visible(&piece.repeat(100_000 / piece.len())).into_iter().next().unwrap_or_default();
        assert_eq!(visible(&left), [""; 0], "{piece}");
    }
    kept_length(&"/a b".repeat(100_000));
}
