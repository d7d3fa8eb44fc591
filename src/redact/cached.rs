//! A scrubbing result that a cache can store.

use super::{Clean, Piece, Removal, Scrubbed};
use crate::model::{Digest, Digester, RemovedLines};
use serde::{Deserialize, Serialize};

/// The result of [`Redactor::scrub`](super::Redactor::scrub), stored for the next time that the same pieces occur.
///
/// It holds no raw text: only what changed, and that as it was after scrubbing. Reading one from bytes makes no
/// text [`Clean`]: [`CachedScrub::restore`] does, after it has checked who wrote it and for which pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedScrub {
    /// A keyed digest of `outcome`.
    proof: Digest,
    /// A [`ScrubOutcome`], encoded.
    #[serde(with = "serde_bytes")]
    outcome: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct ScrubOutcome {
    /// The scrubbed text of each piece; `None` if scrubbing left it unchanged.
    texts: Vec<Option<String>>,
    removals: Vec<Removal>,
    /// The pieces that lost line ends, and where.
    removed_lines: Vec<(usize, Vec<RemovedLines>)>,
}

impl Scrubbed {
    /// Encodes this result of scrubbing `pieces` for a cache; `None` if it cannot be encoded.
    ///
    /// `key` has to begin with a secret of the cache and to name the pieces, their path, the settings and the version
    /// of the program: it is what [`CachedScrub::restore`] trusts.
    pub fn cached(&self, pieces: &[Piece<'_>], key: &Digester) -> Option<CachedScrub> {
        let changed = |(text, piece): (&Clean, &Piece<'_>)| (text.as_str() != piece.text).then(|| text.to_string());
        let outcome = ScrubOutcome {
            texts: self.texts.iter().zip(pieces).map(changed).collect(),
            removals: self.removals.clone(),
            removed_lines: self
                .removed_lines
                .iter()
                .cloned()
                .enumerate()
                .filter(|(_, lines)| !lines.is_empty())
                .collect(),
        };
        let outcome = postcard::to_allocvec(&outcome).ok()?;
        Some(CachedScrub { proof: key.clone().part(&outcome).digest(), outcome })
    }
}

impl CachedScrub {
    /// Returns the result that was cached for `pieces` under `key`; `None` if it was cached under another key or has
    /// been changed since.
    pub fn restore(self, pieces: &[Piece<'_>], key: &Digester) -> Option<Scrubbed> {
        if key.clone().part(&self.outcome).digest() != self.proof {
            return None;
        }
        let outcome: ScrubOutcome = postcard::from_bytes(&self.outcome).ok()?;
        if outcome.texts.len() != pieces.len() || outcome.removals.iter().any(|removal| removal.piece >= pieces.len()) {
            return None;
        }
        let mut removed_lines = vec![Vec::new(); pieces.len()];
        for (piece, lines) in outcome.removed_lines {
            *removed_lines.get_mut(piece)? = lines;
        }
        let texts = outcome.texts.into_iter().zip(pieces).map(|(changed, piece)| match changed {
            None => Clean::scrubbed(piece.text),
            Some(text) => Clean::scrubbed(text),
        });
        Some(Scrubbed { texts: texts.collect(), removals: outcome.removals, removed_lines })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config::RedactionSettings;
    use crate::redact::Redactor;

    #[test]
    fn a_cached_result_is_restored_whole_and_holds_no_secret() {
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let text = format!("first\n{token}\nlast");
        let pieces = [Piece { key: "title", text: "T", line: 1 }, Piece { key: "body", text: &text, line: 2 }];
        let scrubbed = Redactor::new(&RedactionSettings::default()).scrub("a.md", &pieces);
        let key = Digester::default().part("key");
        let cached = scrubbed.cached(&pieces, &key).unwrap();
        let bytes = postcard::to_allocvec(&cached).unwrap();
        let has = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
        assert!(!has(&token) && has("[REDACTED:"));
        assert_eq!(cached.clone().restore(&pieces[..1], &key), None);
        assert_eq!(cached.restore(&pieces, &key).unwrap(), scrubbed);
    }

    #[test]
    fn only_the_holder_of_the_key_makes_cached_text_clean() {
        let pieces = [Piece { key: "body", text: "text", line: 1 }];
        let scrubbed = Redactor::new(&RedactionSettings::default()).scrub("a.md", &pieces);
        let key = Digester::default().part("key");
        let cached = scrubbed.cached(&pieces, &key).unwrap();
        assert_eq!(cached.clone().restore(&pieces, &Digester::default().part("another key")), None);
        let outcome =
            ScrubOutcome { texts: vec![Some("raw".to_owned())], removals: Vec::new(), removed_lines: Vec::new() };
        let forged = CachedScrub { outcome: postcard::to_allocvec(&outcome).unwrap(), ..cached };
        assert_eq!(forged.restore(&pieces, &key), None);
    }
}
