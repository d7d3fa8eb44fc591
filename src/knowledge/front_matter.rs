//! The front matter of a redacted text.

use crate::model::{Node, Value};
use crate::records::{FrontMatterFault, ReadFrontMatter, read_front_matter};
use crate::redact::Clean;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct FrontMatter {
    pairs: Vec<(String, Node<String>)>,
    pub fault: Option<FrontMatterFault>,
    /// The text between the fences, which all values are read out of.
    yaml: Clean,
    pub body: Clean,
    pub body_line: u32,
}

impl FrontMatter {
    pub fn read(text: &Clean) -> Self {
        let ReadFrontMatter { place, pairs, fault } = read_front_matter(text);
        let (yaml, below, line) = match place {
            Some(place) => (text.slice(place.yaml), text.slice(place.body..text.len()), place.body_line),
            None => (Clean::default(), text.clone(), 1),
        };
        let blank = below.lines().take_while(|line| line.trim().is_empty()).count();
        let body_line = line + u32::try_from(blank).unwrap_or(u32::MAX);
        Self { pairs, fault, yaml, body: below.trimmed(), body_line }
    }

    pub fn pairs(&self) -> &[(String, Node<String>)] {
        &self.pairs
    }

    pub fn keys(&self) -> impl Iterator<Item = (&str, u32)> {
        self.pairs.iter().map(|(name, node)| (name.as_str(), node.line))
    }

    /// Returns the value of the first of these keys that there is, in any case.
    pub fn value(&self, names: &[&str]) -> Option<&Node<String>> {
        let of_name = |name: &&str| self.pairs.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        names.iter().find_map(of_name).map(|(_, node)| node)
    }

    /// Returns the first of these keys whose value is a text that is not empty, with its line.
    pub fn text(&self, names: &[&str]) -> Option<(Clean, u32)> {
        let node = self.value(names)?;
        let text = scalar(node).map(str::trim).filter(|text| !text.is_empty())?;
        // The parser read it out of the redacted front matter.
        Some((self.yaml.read_out_visible(text)?, node.line))
    }

    /// Returns the texts of a list, or of a single text with commas between them; those in parentheses divide none.
    pub fn list(&self, name: &str) -> Vec<Clean> {
        let texts: Vec<&str> = match self.value(&[name]).map(|node| &node.value) {
            Some(Value::Scalar { text, .. }) => {
                let mut depth = 0;
                let divides = |c: char| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    c == ',' && depth <= 0
                };
                text.split(divides).collect()
            }
            Some(Value::List(nodes)) => nodes.iter().filter_map(scalar).collect(),
            _ => Vec::new(),
        };
        let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
        texts.filter_map(|text| self.yaml.read_out_visible(text)).collect()
    }

    /// Returns the fields that are none of `known`, by their names.
    pub fn others(&self, known: &[&str]) -> BTreeMap<Clean, Node<Clean>> {
        let clean = |text: &str| self.yaml.read_out_visible(text);
        let fields = self.pairs.iter().filter(|(name, node)| !known.contains(&&**name) && node.value != Value::Null);
        let fields = fields.filter_map(|(name, node)| {
            Some((clean(name)?, node.map(name, &mut |_, text, _| clean(text.trim()).unwrap_or_default())))
        });
        fields.collect()
    }
}

/// Returns the text of a node that is one.
pub(super) fn scalar(node: &Node<String>) -> Option<&str> {
    if let Value::Scalar { text, .. } = &node.value { Some(text) } else { None }
}
