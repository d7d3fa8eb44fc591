//! Connections to the API: encrypted, direct or through a proxy.

use super::{ApiBase, TransportError};
use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioExecutor;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use std::fmt;
use std::time::Duration;

/// The time limit for establishing a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// The proxies that the environment names, read as curl and git do.
///
/// A proxy is used as a tunnel for encrypted connections only, so that it sees neither requests nor the token.
/// Unencrypted connections go to this machine only, and need no proxy.
#[derive(Clone, Default)]
pub struct Proxies {
    /// `HTTPS_PROXY`.
    pub https: String,
    /// `ALL_PROXY`, used if `HTTPS_PROXY` is not set.
    pub all: String,
    /// `NO_PROXY`: the hosts and networks that are reached directly.
    pub no: String,
}

impl Proxies {
    /// Returns the names and passwords in the addresses, which must not be shown.
    pub fn secrets(&self) -> impl Iterator<Item = String> {
        let parts = |url: &str| -> Vec<String> {
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            let user = rest.rsplit_once('@').map(|(user, _)| user.to_owned());
            let password =
                user.as_deref().and_then(|user| user.split_once(':')).map(|(_, password)| password.to_owned());
            user.into_iter().chain(password).collect()
        };
        [parts(&self.https), parts(&self.all)].into_iter().flatten()
    }

    /// Returns the proxy for an API, if any.
    fn proxy_for(&self, api: &Uri) -> Option<Intercept> {
        let matcher = Matcher::builder().https(&*self.https).all(&*self.all).no(&*self.no).build();
        matcher.intercept(api).filter(|_| api.scheme_str() == Some("https"))
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies").field("no", &self.no).finish_non_exhaustive()
    }
}

/// Creates a client of an API. It must be called inside the runtime that will use the client.
pub(super) fn client(api: &ApiBase, proxies: &Proxies) -> Result<Octocrab, TransportError> {
    let broken = |what: &str| TransportError { what: what.to_owned() };
    let origin: Uri = api.origin.parse().map_err(|_| broken("the address of the API is none"))?;
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECT));
    let Some(proxy) = proxies.proxy_for(&origin) else {
        return over(encrypted(tcp)?, origin);
    };
    if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) {
        return Err(broken("the environment names a proxy of a kind that is not supported; use an `http://` one"));
    }
    // The connection to the proxy may be encrypted too.
    let mut tunnel = Tunnel::new(proxy.uri().clone(), encrypted(tcp)?);
    if let Some(auth) = proxy.basic_auth() {
        tunnel = tunnel.with_auth(auth.clone());
    }
    over(encrypted(tunnel)?, origin)
}

/// Wraps a connector with encryption for `https` addresses, with the certificates that the system trusts.
fn encrypted<C>(connector: C) -> Result<HttpsConnector<C>, TransportError> {
    let provider = rustls::crypto::ring::default_provider();
    let builder = HttpsConnectorBuilder::new().with_provider_and_native_roots(provider).map_err(|_| {
        TransportError { what: "no encrypted connection can be made: are there root certificates?".to_owned() }
    })?;
    Ok(builder.https_or_http().enable_http1().wrap_connector(connector))
}

fn over<C: Connect + Clone + Send + Sync + 'static>(connector: C, origin: Uri) -> Result<Octocrab, TransportError> {
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let builder = OctocrabBuilder::new_empty().with_service(client).with_layer(&BaseUriLayer::new(origin));
    match builder.with_auth(AuthState::None).build() {
        Ok(crab) => Ok(crab),
        Err(never) => match never {},
    }
}
