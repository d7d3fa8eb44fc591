//! Digests, ids, addresses, public keys and other long values that are public.

use super::Harmless;

pub(super) static DIGESTS: &[Harmless] = &[
    (
        "git-commit",
        &[
            "Fixed in {h40}.",
            "commit {h40}\nAuthor: Ann <ann@example.org>",
            "see {h7} and {h12}",
            "git show {h40}:src/main.rs",
            "cherry picked from commit {h40}",
        ],
    ),
    (
        "git-link",
        &[
            "https://github.com/acme/app/blob/{h40}/src/main.rs#L10-L20",
            "[here](https://github.com/acme/app/commit/{h40})",
            "https://github.com/acme/app/compare/{h40}...{h40}",
        ],
    ),
    (
        "git-submodule",
        &[" {h40} vendor/lib (v1.2.3-4-g{h7})", "160000 commit {h40}\tvendor/lib", "index {h7}..{h7} 100644"],
    ),
    (
        "container-digest",
        &[
            "image: ghcr.io/acme/app@sha256:{h64}",
            "FROM alpine:3.20@sha256:{h64}",
            "Digest: sha256:{h64}",
            "docker pull nginx@sha256:{h64}",
            "container {h64} exited with code 1",
            "container id {h12}",
        ],
    ),
    ("action-pin", &["- uses: actions/checkout@{h40} # v4.1.1", "uses: docker/login-action@{h40}"]),
    (
        "uuid",
        &[
            "id: {U}",
            "request {U} failed",
            "The run {U} took 4 s.",
            "/subscriptions/{U}/resourceGroups/app",
            "urn:uuid:{U}",
            "tenant_id = \"{U}\"",
            "correlation-id: {U}",
            "<Guid>{U}</Guid>",
        ],
    ),
    (
        "integrity",
        &[
            "integrity=\"sha384-{B64}\"",
            "\"integrity\": \"sha512-{B86}==\"",
            "integrity sha512-{B86}==",
            "<script src=\"https://cdn.example.org/a.js\" integrity=\"sha256-{B43}=\" crossorigin=\"anonymous\"></script>",
        ],
    ),
    (
        "cargo-lock",
        &[
            "[[package]]\nname = \"regex\"\nversion = \"1.10.2\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{h64}\"",
            "checksum = \"{h64}\"",
        ],
    ),
    (
        "npm-lock",
        &[
            "\"node_modules/token-types\": {\n  \"version\": \"4.2.1\",\n  \"resolved\": \"https://registry.npmjs.org/token-types/-/token-types-4.2.1.tgz\",\n  \"integrity\": \"sha512-{B86}==\"\n}",
        ],
    ),
    (
        "yarn-lock",
        &[
            "password-prompt@^1.1.2:\n  version \"1.1.3\"\n  resolved \"https://registry.yarnpkg.com/password-prompt/-/password-prompt-1.1.3.tgz#{h40}\"\n  integrity sha512-{B86}==",
        ],
    ),
    (
        "pip-hash",
        &[
            "requests==2.31.0 \\\n    --hash=sha256:{h64} \\\n    --hash=sha256:{h64}",
            "secretstorage==3.3.3 --hash=sha256:{h64}",
        ],
    ),
    ("go-sum", &["github.com/golang-jwt/jwt/v5 v5.2.0 h1:{B43}=", "golang.org/x/crypto v0.17.0/go.mod h1:{B43}="]),
    ("nix-hash", &["sha256 = \"sha256-{B43}=\";", "/nix/store/{l32}-openssl-3.0.12", "hash = \"sha256-{B43}=\";"]),
    (
        "checksum-file",
        &[
            "{h64}  app-linux-x86_64.tar.gz",
            "MD5 (app.zip) = {h32}",
            "SHA256(app.tgz)= {h64}",
            "sha1: {h40}",
            "| app.tgz | `{h64}` |",
        ],
    ),
    ("etag", &["ETag: \"{h32}\"", "If-None-Match: W/\"{h40}\"", "etag: W/\"{h8}-{a27}\""]),
    (
        "data-uri",
        &[
            "![dot](data:image/png;base64,iVBORw0KGgo{B300}==)",
            "url(data:font/woff2;base64,d09GMgABAAAAA{B400})",
            "<img src=\"data:image/gif;base64,R0lGODlhAQAB{B120}=\">",
        ],
    ),
    (
        "ssh-public-key",
        &[
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43} ann@laptop",
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{B340} deploy@ci",
            "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{B86}= bob",
        ],
    ),
    (
        "ssh-host-key",
        &[
            "github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43}",
            "|1|{B27}=|{B27}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43}",
            "ED25519 key fingerprint is SHA256:{B43}.",
            "256 SHA256:{B43} ann@laptop (ED25519)",
            "MD5:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}",
        ],
    ),
    (
        "public-pem",
        &[
            "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{B28}\n{B58}==\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\nMIID{B60}\n{B64}\n{B64}\n{B30}==\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE REQUEST-----\nMIIC{B60}\n{B64}\n-----END CERTIFICATE REQUEST-----",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQEN{B60}\n{B64}\n={B4}\n-----END PGP PUBLIC KEY BLOCK-----",
            "-----BEGIN PGP SIGNATURE-----\n\niQEz{B60}\n{B64}\n={B4}\n-----END PGP SIGNATURE-----",
        ],
    ),
    (
        "certificate-data",
        &[
            "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSU{B300}==",
            "caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSU{B200}==",
        ],
    ),
    (
        "public-key-values",
        &[
            "publicKey: {B43}=",
            "PublicKey = {B43}=",
            "age1{l58}",
            "minisign public key: RW{B54}",
            "pub_key = \"{h64}\"",
            "verify_key: {h64}",
            "DKIM: v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB{B180}AB",
        ],
    ),
    (
        "public-jwk",
        &[
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{b43}\",\"y\":\"{b43}\",\"kid\":\"one\"}",
            "{\"kty\":\"RSA\",\"n\":\"{b342}\",\"e\":\"AQAB\",\"use\":\"sig\"}",
        ],
    ),
    (
        "ethereum-address",
        &[
            "The token lives at 0x{h40}.",
            "| USDC | 0x{h40} |",
            "address token = 0x{h40};",
            "vitalik.eth resolves to 0x{h40}",
        ],
    ),
    (
        "ethereum-hash",
        &[
            "tx 0x{h64}",
            "bytes32 constant TYPEHASH = 0x{h64};",
            "https://etherscan.io/tx/0x{h64}",
            "The init code hash is `0x{h64}`.",
            "block {h64}",
            "keccak256(\"Permit(address owner)\") = 0x{h64}",
            "\"stateRoot\": \"0x{h64}\"",
            "topic: 0x{h64}",
        ],
    ),
    ("ethereum-bytecode", &["0x6080604052348015{h200}", "selector 0x{h8}", "calldata: 0xa9059cbb{h128}"]),
    ("bitcoin-address", &["Donate: bc1q{l38}", "1{533}", "3{533}", "xpub661MyMwAqRbcF{595}"]),
    ("cid", &["ipfs://Qm{544}", "bafybei{l52}", "https://ipfs.io/ipfs/bafybei{l52}/readme.md", "ar://{b43}"]),
    (
        "object-id",
        &[
            "_id: ObjectId(\"{h24}\")",
            "https://trello.com/c/{a8}/12-reader",
            "msg-id <{a20}@mail.example.org>",
            "trace_id={h32} span_id={h16}",
            "traceparent: 00-{h32}-{h16}-01",
            "X-Request-Id: {h32}",
            "x-amz-request-id: {u16}",
        ],
    ),
    (
        "aws-ids",
        &[
            "arn:aws:iam::{d12}:role/deploy",
            "arn:aws:secretsmanager:eu-west-1:{d12}:secret:app/db-{a6}",
            "vpc-{h17}",
            "ami-{h17}",
            "arn:aws:kms:eu-west-1:{d12}:key/{U}",
            "AWS_ACCOUNT_ID={d12}",
            "i-{h17} is unhealthy",
            "hosted zone Z{u20}",
        ],
    ),
    (
        "public-provider-ids",
        &[
            "G-{u10}",
            "UA-{d8}-1",
            "GTM-{u7}",
            "client_id: {d12}-{l32}.apps.googleusercontent.com",
            "{\"client_id\": \"{h20}\"}",
            "App ID: {d6}",
            "price_1{a23}",
            "cus_{a14}",
            "pi_3{a23}",
            "acct_1{a15}",
            "evt_1{a23}",
        ],
    ),
    (
        "publishable-key",
        &["pk_test_{a24}", "pk_live_{a24}", "STRIPE_PUBLISHABLE_KEY=pk_test_{a24}", "pk.eyJ1Ijoi{a60}.{b22}"],
    ),
    (
        "notion-drive-links",
        &[
            "https://www.notion.so/acme/Reader-{h32}",
            "https://docs.google.com/document/d/1{b43}/edit",
            "https://www.figma.com/file/{a22}/Reader",
            "https://youtu.be/{b11}",
        ],
    ),
    (
        "tracking-url",
        &[
            "https://example.org/a?utm_source=news&utm_campaign={h16}&fbclid=IwAR{b55}",
            "https://example.org/?gclid={b60}",
            "https://example.org/search?q=token+bucket&page=2&sort=desc",
        ],
    ),
    (
        "colors-versions",
        &[
            "color: #{h6}; background: #{h8};",
            "v{d2}.{d2}.{d2}-rc.1+{h7}",
            "1.2.3-20240102030405-{h12}",
            "pkg:npm/token-types@4.2.1",
            "node v20.11.1 (linux x64)",
        ],
    ),
    (
        "addresses",
        &[
            "{h2}:{h2}:{h2}:{h2}:{h2}:{h2}",
            "fe80::{h4}:{h4}:{h4}:{h4}%eth0",
            "2001:db8:{h4}:{h4}::1",
            "10.0.4.12:5432",
            "tel:+49 30 {d8}",
            "ISBN 978-3-16-148410-0",
        ],
    ),
    ("plain-base64", &["SGVsbG8sIHdvcmxkIQ==", "decodes to {T}", "echo {T} | base64 -d", "{T}"]),
    (
        "hexdump",
        &[
            "00000010  {h2} {h2} {h2} {h2} {h2} {h2} {h2} {h2}  |........|",
            "let magic = [0x{h2}, 0x{h2}, 0x{h2}, 0x{h2}];",
            "0x{h16}",
            "crc32 = 0x{h8}",
        ],
    ),
    (
        "file-names",
        &[
            "dist/assets/index-{a8}.js",
            "main.{h20}.chunk.js",
            "backup-20240211T101403Z-{h8}.tar.zst",
            "/var/lib/docker/overlay2/{h64}/merged",
            "objects/{h2}/{h38}",
        ],
    ),
    (
        "test-vectors",
        &[
            "SHA-256(\"abc\") = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "Merkle root {h64} of 12 leaves",
            "expected digest: {h64}",
            "assert_eq!(digest, \"{h64}\");",
        ],
    ),
];
