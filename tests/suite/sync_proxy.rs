//! `sync` over encrypted connections, direct and through a proxy.

use crate::sandbox::{Run, Sandbox, run};
use crate::stand_in::StandIn;
use crate::sync::{TOKEN, command, sandbox, small, snapshot};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The password of the proxy: no rule of redaction knows it.
const PASSWORD: &str = "prx-planted-JW73-canary";

/// A stand-in behind encryption: its address, and its certificate as a file would hold it.
struct Encrypted {
    server: StandIn,
    url: String,
    certificate: String,
}

impl Encrypted {
    fn new() -> Self {
        let server = StandIn::new(small());
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let answers = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, config) = (answers.clone(), Arc::clone(&config));
                std::thread::spawn(move || {
                    answers.talk(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
                });
            }
        });
        Self { server, url, certificate: made.cert.pem() }
    }

    fn command(&self, sandbox: &Sandbox, env: &[(&str, &str)]) -> std::process::Command {
        let file = sandbox.beside("certificate.pem");
        std::fs::write(&file, &self.certificate).unwrap();
        let mut command = command(sandbox, &self.server, &["--max-wait", "1ms"]);
        command.env("GITHUB_API_URL", &self.url).env("SSL_CERT_FILE", file).envs(env.iter().copied());
        command
    }

    fn sync(&self, sandbox: &Sandbox, env: &[(&str, &str)]) -> Run {
        let run = run(self.command(sandbox, env), "");
        let all = sandbox.files().into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<u8>>();
        let all = format!("{}{}{}", run.stdout, run.stderr, String::from_utf8_lossy(&all));
        assert!(!all.contains(TOKEN) && !all.contains(PASSWORD), "{all}");
        run
    }
}

/// A proxy that tunnels to this machine, or refuses with `status`; what it is told it keeps.
struct Proxy {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn new(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://someone:{PASSWORD}@{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = Arc::clone(&told);
                std::thread::spawn(move || tunnel(stream, status, &told));
            }
        });
        Self { url, heads }
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.heads.lock().unwrap())
    }
}

fn tunnel(stream: TcpStream, status: u16, told: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {}
    told.lock().unwrap().push(head.clone());
    let mut stream = stream;
    if status != 200 {
        let body = format!("{head} {PASSWORD}");
        let answer = format!("HTTP/1.1 {status} no {PASSWORD}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        return stream.write_all(answer.as_bytes()).unwrap();
    }
    let port = head.split([' ', ':']).nth(2).unwrap();
    let mut server = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stream.write_all(b"HTTP/1.1 200 here you are\r\n\r\n").unwrap();
    let (mut from, mut to) = (server.try_clone().unwrap(), stream.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ended = std::io::copy(&mut from, &mut to);
        let _ended = to.shutdown(Shutdown::Both);
    });
    let _ended = std::io::copy(&mut reader, &mut server);
    let _ended = server.shutdown(Shutdown::Both);
}

#[test]
fn a_proxy_of_the_environment_is_gone_through_as_a_tunnel() {
    let api = Encrypted::new();
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let (sandbox, proxy) = (sandbox(), Proxy::new(200));
        let run = api.sync(&sandbox, &[(name, &proxy.url)]);
        assert!(run.code == 0 && snapshot(&sandbox).len() == 4, "{name}: {}", run.stderr);
        let told = proxy.told();
        assert!(!told.is_empty() && told.iter().all(|head| head.starts_with("CONNECT localhost:")), "{told:?}");
        let low = told.concat().to_lowercase();
        assert!(low.contains("proxy-authorization: basic ") && !low.contains("\nauthorization"), "{told:?}");
        let bearer = format!("Bearer {TOKEN}");
        assert!(api.server.asked().iter().all(|asked| asked.authorization.as_deref() == Some(&*bearer)));
    }
}

#[test]
fn a_host_without_proxy_is_reached_directly() {
    let (api, proxy) = (Encrypted::new(), Proxy::new(200));
    for no in ["localhost", "example.com, localhost", "*"] {
        let sandbox = sandbox();
        let run = api.sync(&sandbox, &[("HTTPS_PROXY", &proxy.url), ("NO_PROXY", no)]);
        assert!(run.code == 0 && snapshot(&sandbox).len() == 4, "{no}: {}", run.stderr);
    }
    // Nor does what is not encrypted leave this machine.
    let sandbox = sandbox();
    let mut plain = command(&sandbox, &api.server, &[]);
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].iter().for_each(|name| drop(plain.env(name, &proxy.url).get_envs()));
    assert_eq!(run(plain, "").code, 0);
    assert!(proxy.told().is_empty());
}

#[test]
fn a_proxy_that_refuses_is_said_to() {
    let api = Encrypted::new();
    let gone = format!("http://someone:{PASSWORD}@127.0.0.1:9");
    for (url, message) in [
        (&*Proxy::new(407).url, "network: the proxy wants a name and a password"),
        (&*Proxy::new(403).url, "network: the proxy of the environment does not lead to the API"),
        (&*gone, "network: the proxy of the environment was not reached"),
        ("socks5://127.0.0.1:9", "network: the environment names a proxy of a kind that is not supported"),
    ] {
        let sandbox = sandbox();
        let run = api.sync(&sandbox, &[("HTTPS_PROXY", url)]);
        assert!(run.code == 1 && run.stderr.contains(message), "{message}: {}", run.stderr);
    }
}

#[test]
fn a_server_with_a_certificate_that_nobody_vouches_for_gets_nothing() {
    let (sandbox, api) = (sandbox(), Encrypted::new());
    let other = Encrypted::new();
    std::fs::write(sandbox.beside("other.pem"), &other.certificate).unwrap();
    let file = sandbox.beside("other.pem");
    let run = api.sync(&sandbox, &[("SSL_CERT_FILE", file.to_str().unwrap())]);
    assert!(run.code == 1 && run.stderr.contains("network: no encrypted connection came about"), "{}", run.stderr);
    assert!(api.server.asked().is_empty());
}
