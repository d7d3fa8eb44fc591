//! The origin from which workflows install the program.

/// A repository, and a commit of it, from which a job builds the program, or the archive of a release of that commit.
///
/// The program is not installed by name from a registry, where anyone could register a name that this project has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RepoOrigin {
    repository: &'static str,
    commit: &'static str,
    /// The SHA-256 of the release's archive for Linux on x64.
    sha256: &'static str,
}

impl RepoOrigin {
    /// The origin of this program, if it was set at build time: releases set it, other builds know at most the repository.
    ///
    /// No program can hold the digest of its own archive. A release builds the archive that workflows install first, and the
    /// others with its digest.
    pub(crate) const THIS: Self = Self {
        repository: match option_env!("CONTEXTPACK_REPOSITORY") {
            Some(repository) => repository,
            None => env!("CARGO_PKG_REPOSITORY"),
        },
        commit: match option_env!("CONTEXTPACK_COMMIT") {
            Some(commit) => commit,
            None => "",
        },
        sha256: match option_env!("CONTEXTPACK_SHA256") {
            Some(sha256) => sha256,
            None => "",
        },
    };

    /// Returns the URL of the repository; empty if it is unknown or not safe in a workflow.
    pub(super) fn repository(self) -> &'static str {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/:-".contains(&b);
        let fits = self.repository.starts_with("https://") && self.repository.bytes().all(plain);
        if fits { self.repository } else { "" }
    }

    /// Returns the full hash of the commit; empty if it is unknown.
    pub(super) fn commit(self) -> &'static str {
        if matches!(self.commit.len(), 40 | 64) && is_hex(self.commit) { self.commit } else { "" }
    }

    /// Returns the version of the release and the SHA-256 of its archive; both empty if the program is of no release.
    pub(super) fn release(self) -> (&'static str, &'static str) {
        let is_release = self.is_known() && self.sha256.len() == 64 && is_hex(self.sha256);
        if is_release { (env!("CARGO_PKG_VERSION"), self.sha256) } else { ("", "") }
    }

    /// Returns whether a workflow can install the program without manual edits.
    pub(crate) fn is_known(self) -> bool {
        !self.repository().is_empty() && !self.commit().is_empty()
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
pub(super) mod samples {
    use super::RepoOrigin;

    pub(in crate::init::starter) const KNOWN: RepoOrigin = RepoOrigin {
        repository: "https://github.com/owner/contextpack",
        commit: "0123456789abcdef0123456789abcdef01234567",
        sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    };
    pub(in crate::init::starter) const UNKNOWN: RepoOrigin = RepoOrigin { repository: "", commit: "", sha256: "" };
}

#[cfg(test)]
mod tests {
    use super::samples::{KNOWN, UNKNOWN};
    use super::*;

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
        assert_eq!(KNOWN.release(), (env!("CARGO_PKG_VERSION"), KNOWN.sha256));
        for other in [
            RepoOrigin { commit: "", ..KNOWN },
            RepoOrigin { sha256: "", ..KNOWN },
            RepoOrigin { sha256: KNOWN.commit, ..KNOWN },
            RepoOrigin { sha256: "\"${{ x }}90abcdef0123456789abcdef0123456789abcdef0123456789abcdef012", ..KNOWN },
        ] {
            assert_eq!(other.release(), ("", ""), "{other:?}");
        }
    }
}
