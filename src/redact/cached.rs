//! What scrubbing gave, in a form that can be put away and used again for the same texts.

use super::{Clean, Piece, Removal, Scrubbed};
use crate::model::RemovedLines;
use serde::{Deserialize, Serialize};

/// The outcome of [`Redactor::scrub`](super::Redactor::scrub) for pieces that whoever keeps it can tell apart.
///
/// It holds no raw text: of a piece that nothing was taken out of it says only that, and of the
/// others it has what remained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedScrub {
    /// Piece by piece what scrubbing changed it to; nothing where it stayed as it was.
    texts: Vec<Option<String>>,
    removals: Vec<Removal>,
    /// The pieces that lost line ends, and where.
    folds: Vec<(usize, Vec<RemovedLines>)>,
}

impl Scrubbed {
    /// What has to be kept of it beside `pieces`, which it was made of.
    pub fn kept(&self, pieces: &[Piece<'_>]) -> CachedScrub {
        let changed = |(text, piece): (&Clean, &Piece<'_>)| (text.as_str() != piece.text).then(|| text.to_string());
        CachedScrub {
            texts: self.texts.iter().zip(pieces).map(changed).collect(),
            removals: self.removals.clone(),
            folds: self.folds.iter().cloned().enumerate().filter(|(_, folds)| !folds.is_empty()).collect(),
        }
    }
}

impl CachedScrub {
    /// What scrubbing `pieces` gave. They have to be the very texts, under the same path, settings and
    /// version, that it was kept for: that they passed the door once is all that makes them clean.
    ///
    /// Nothing where they cannot be, because there are more or fewer of them.
    pub fn restored(self, pieces: &[Piece<'_>]) -> Option<Scrubbed> {
        if self.texts.len() != pieces.len() {
            return None;
        }
        let mut folds = vec![Vec::new(); pieces.len()];
        for (piece, lost) in self.folds {
            *folds.get_mut(piece)? = lost;
        }
        if self.removals.iter().any(|removal| removal.piece >= pieces.len()) {
            return None;
        }
        let texts = self.texts.into_iter().zip(pieces).map(|(changed, piece)| match changed {
            None => Clean::vouched(piece.text),
            Some(text) => Clean::vouched(text),
        });
        Some(Scrubbed { texts: texts.collect(), removals: self.removals, folds })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config::RedactionSettings;
    use crate::redact::Redactor;

    #[test]
    fn what_was_kept_gives_the_same_and_holds_no_secret() {
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let text = format!("first\n{token}\nlast");
        let pieces = [Piece { key: "title", text: "T", line: 1 }, Piece { key: "body", text: &text, line: 2 }];
        let scrubbed = Redactor::new(&RedactionSettings::default()).scrub("a.md", &pieces);
        let kept = scrubbed.kept(&pieces);
        let json = serde_json::to_string(&kept).unwrap();
        assert!(!json.contains(&token) && json.contains("[REDACTED:"), "{json}");
        assert_eq!(kept.clone().restored(&pieces[..1]), None);
        assert_eq!(kept.restored(&pieces).unwrap(), scrubbed);
    }
}
