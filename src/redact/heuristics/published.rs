//! Secrets that everybody has: of the accounts and emulators that tools for development start with, of standards and of
//! the first pages of documentation.

const PUBLISHED: [&[u8]; 31] = [
    // The accounts of Hardhat and Anvil, of the phrase "test test … junk".
    b"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    b"59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    b"5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    b"7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    b"47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    b"8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
    b"92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
    b"4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    b"dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
    b"2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
    // The emulators of Azure's storage and of Cosmos DB.
    b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    b"C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
    // The keys for tests of reCAPTCHA and Turnstile.
    b"6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe",
    b"1x0000000000000000000000000000000AA",
    b"2x0000000000000000000000000000000AA",
    b"3x0000000000000000000000000000000AA",
    // RFC 6749, 6750, 7617, 6455 and 6238, and the UUID that most examples have.
    b"2YotnFZFEjr1zCsicMWpAA",
    b"tGzv3JOkF0XG5Qx2TlKWIA",
    b"SplxlOBeZQQYbYS6WxSbIA",
    b"7Fjfp0ZBr1KtDRbnfVdmIw",
    b"gX1fBat3bV",
    b"mF_9.B5f-4.1JqM",
    b"czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    b"czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3",
    b"QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    b"QWxhZGRpbjpPcGVuU2VzYW1l",
    b"dGhlIHNhbXBsZSBub25jZQ==",
    b"550e8400-e29b-41d4-a716-446655440000",
    // The first pages of Stripe's documentation and of two sites about signed tokens.
    b"sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    b"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    b"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ",
];

/// Whether `value` is a secret that is published, so that it opens nothing that is not open.
pub(in super::super) fn is_published(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    value.len() >= 10 && PUBLISHED.iter().any(|known| known.eq_ignore_ascii_case(value))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn published_secrets_stay_wherever_they_are() {
        for value in super::PUBLISHED {
            let value = String::from_utf8_lossy(value);
            for text in [
                format!("secret key: {value}"),
                format!("api_key = \"{value}\"\n"),
                format!("Authorization: Bearer {value}"),
            ] {
                assert_eq!(scrub(&text), text);
            }
        }
    }
}
