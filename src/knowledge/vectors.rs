//! Vectors that say what texts mean, made by a program of the user's, and compared in integers: every machine ranks alike.

use crate::model::{Digest, RepoPath};
use crate::redact::{Clean, CleanBuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const MAX_DIMENSIONS: usize = 4_096;
/// What is added to ranks before they are fused, so that the first few differ little: the usual value.
const SMOOTHING: u64 = 60;

/// The vectors of texts, by the digests of these.
#[derive(Debug, Clone, Default)]
pub struct Vectors(pub BTreeMap<Digest, Vec<i8>>);

/// The direction of a query, with the vectors that it is compared with.
#[derive(Debug, Clone, Copy)]
pub struct QueryMeaning<'a> {
    query: &'a [i8],
    vectors: &'a Vectors,
}

/// Returns the text of a document or a query that a vector is made from: its parts, a line each.
pub fn embedded_text<'t>(parts: impl IntoIterator<Item = &'t Clean>) -> Clean {
    let mut text = CleanBuf::new();
    for part in parts {
        text.text(part).lit("\n");
    }
    text.finish().trimmed()
}

impl Vectors {
    /// Reads a line, with numbers of the type `N`, which are integers in the file.
    pub fn read<N: DeserializeOwned>(line: &str) -> Result<(Digest, Vec<N>), String> {
        let VectorLine { digest, vector } =
            serde_json::from_str(line).map_err(|error| format!("this is no vector: {error}"))?;
        let digest = Digest::parse(&digest).ok_or("`digest` is not `sha256:` and 64 hex digits")?;
        match vector.len() {
            1..=MAX_DIMENSIONS => Ok((digest, vector)),
            length => Err(format!("`vector` has {length} numbers, and not 1 to {MAX_DIMENSIONS}")),
        }
    }

    /// Reads a line that a program made, and scales its numbers, so that the largest is 127 or -127.
    pub fn made(line: &str) -> Result<(Digest, Vec<i8>), String> {
        let (digest, vector) = Self::read::<f64>(line)?;
        let largest = vector.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
        if largest <= 0.0 {
            return Err("all numbers of `vector` are 0, so that it has no direction".to_owned());
        }
        let scaled = vector.iter().map(|number| (number / largest * f64::from(i8::MAX)).round() as i8);
        Ok((digest, scaled.collect()))
    }

    /// Returns the lines of the file, sorted by digest.
    pub fn lines(&self) -> String {
        let line = |(digest, vector): (&Digest, &Vec<i8>)| {
            format!("{}\n", json!({"digest": digest.to_string(), "vector": vector}))
        };
        self.0.iter().map(line).collect()
    }

    /// Returns the meaning of a query; `None` if there is no vector of its text.
    pub fn meaning(&self, query: &[Clean]) -> Option<QueryMeaning<'_>> {
        let digest = || Digest::of(&*embedded_text(query));
        let query = if self.0.is_empty() { None } else { self.0.get(&digest()) }?;
        Some(QueryMeaning { query, vectors: self })
    }
}

impl QueryMeaning<'_> {
    /// Returns the positions of the documents, given by the digests of their texts and their paths, whose vectors lead in the
    /// query's direction, the nearest first.
    pub(super) fn nearest<'d>(&self, documents: impl Iterator<Item = (Option<Digest>, &'d RepoPath)>) -> Vec<usize> {
        let measured = |(at, (digest, path)): (usize, (Option<Digest>, &'d RepoPath))| {
            let vector = self.vectors.0.get(&digest?)?;
            let cosine = product(self.query, vector).filter(|product| *product > 0)?;
            Some((cosine.pow(2), product(vector, vector)?, path, at))
        };
        let mut found: Vec<_> = documents.enumerate().filter_map(measured).collect();
        // Cosines by their squares, as fractions: no rounding decides. The query's length is the same in all of them.
        found.sort_by(|(a, a_length, a_path, _), (b, b_length, b_path, _)| {
            (b * a_length).cmp(&(a * b_length)).then_with(|| a_path.cmp(b_path))
        });
        found.into_iter().map(|(.., at)| at).collect()
    }
}

/// Returns the scalar product of two vectors; `None` if they have not as many dimensions.
fn product(a: &[i8], b: &[i8]) -> Option<i128> {
    let products = a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b));
    (a.len() == b.len()).then(|| products.sum::<i64>().into())
}

/// Fuses two rankings of positions by the reciprocals of ranks, and returns each position with its rank by meaning. Of two with
/// one score, which are often each other's mirror image, the nearer by meaning is first.
pub(super) fn fused(by_words: &[usize], by_meaning: &[usize]) -> Vec<(usize, Option<u32>)> {
    let mut scores: BTreeMap<usize, (u64, Option<u32>)> = BTreeMap::new();
    let score = |rank: u32| (1 << 60) / (SMOOTHING + u64::from(rank));
    for (rank, at) in (1..).zip(by_words) {
        scores.entry(*at).or_default().0 += score(rank);
    }
    for (rank, at) in (1..).zip(by_meaning) {
        let (total, meaning) = scores.entry(*at).or_default();
        (*total, *meaning) = (*total + score(rank), Some(rank));
    }
    let mut fused: Vec<_> = scores.into_iter().collect();
    fused.sort_by_key(|(_, (score, meaning))| (Reverse(*score), meaning.unwrap_or(u32::MAX)));
    fused.into_iter().map(|(at, (_, meaning))| (at, meaning)).collect()
}

#[derive(Deserialize)]
struct VectorLine<N> {
    digest: String,
    vector: Vec<N>,
}
