//! Where a workflow gets this program from: its source, at one commit.

/// A repository and a commit of it, from which a job builds the program.
///
/// Nothing is installed by its name from a registry: a name that this project has not registered is anybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RepoOrigin {
    repository: &'static str,
    commit: &'static str,
}

impl RepoOrigin {
    /// The origin of this program, as far as its build said it: releases do, other builds know at most the repository.
    pub(crate) const THIS: Self = Self {
        repository: match option_env!("CONTEXTPACK_REPOSITORY") {
            Some(repository) => repository,
            None => env!("CARGO_PKG_REPOSITORY"),
        },
        commit: match option_env!("CONTEXTPACK_COMMIT") {
            Some(commit) => commit,
            None => "",
        },
    };

    /// The URL of the repository; empty where it is not known, or not one that a workflow takes.
    pub(super) fn repository(self) -> &'static str {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/:-".contains(&b);
        let fits = self.repository.starts_with("https://") && self.repository.bytes().all(plain);
        if fits { self.repository } else { "" }
    }

    /// The commit's whole hash; empty where it is not known.
    pub(super) fn commit(self) -> &'static str {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let fits = matches!(self.commit.len(), 40 | 64) && self.commit.bytes().all(hex);
        if fits { self.commit } else { "" }
    }

    /// Whether a workflow can install the program without anything being filled in.
    pub(crate) fn is_known(self) -> bool {
        !self.repository().is_empty() && !self.commit().is_empty()
    }
}

/// What to fill in where the origin is not known.
pub(crate) const FILL_IN: &str = "set `CONTEXTPACK_REPOSITORY` and `CONTEXTPACK_COMMIT`, the https URL of contextpack's source and the whole hash of the commit to build; until then its jobs fail and say so";

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An origin that is known.
    pub(in super::super) const KNOWN: RepoOrigin = RepoOrigin {
        repository: "https://github.com/owner/contextpack",
        commit: "0123456789abcdef0123456789abcdef01234567",
    };
    /// One that is not.
    pub(in super::super) const UNKNOWN: RepoOrigin = RepoOrigin { repository: "", commit: "" };

    #[test]
    fn an_origin_is_an_encrypted_address_and_a_whole_hash() {
        assert!(KNOWN.is_known() && !UNKNOWN.is_known());
        for repository in
            ["", "http://x/y", "git@x:y", "https://x/${{ y }}", "https://x/\"y", "https://x/y\nz", "https://u@x/y"]
        {
            assert!(!RepoOrigin { repository, ..KNOWN }.is_known(), "{repository}");
        }
        for commit in ["", "main", "v0.1.0", "0123456", "0123456789ABCDEF0123456789ABCDEF01234567"] {
            assert!(!RepoOrigin { commit, ..KNOWN }.is_known(), "{commit}");
        }
    }
}
