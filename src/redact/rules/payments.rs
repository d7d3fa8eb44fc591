//! Payments, commerce and chains.

use super::{TokenRule, mixed, random, table, varied};

table! {
    "stripe-key" "a Stripe secret key" ["[sr]k_live_" "[sr]k_test_" "[sr]k_prod_" "sk_org_" "whsec_"] r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|sk_org_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}";
    "stripe-client-secret" "a Stripe client secret" ["pi_" "seti_"] r"(?:pi|seti)_[A-Za-z0-9]{14,}_secret_[A-Za-z0-9]{16,}" => edge;
    "square-token" "a Square token" ["sq0atp-" "sq0csp-" "eaaa"] r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{22,}" => edge check(|token| varied(token) && random(token));
    "braintree-token" "a Braintree access token" ["access_token$"] r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}";
    "plaid-token" "a Plaid token" ["access-sandbox-" "access-development-" "access-production-"] r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}";
    "adyen-key" "an Adyen API key" ["aqe"] r#"AQE[a-z0-9][A-Za-z0-9+/]{42,}={0,2}(?:-[A-Za-z0-9+/]{20,}={0,2}-[^\s"'`|]{10,60})?"# => edge;
    "flutterwave-key" "a Flutterwave secret key" ["flwseck"] r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?";
    "live-key" "a live or test key of a payment service" ["live_" "test_" "sandbox_"] r"(?:live|sandbox)_[A-Za-z0-9_=-]{40}|(?:live|test)_(?:[a-f0-9]{35}|[A-Za-z0-9]{30})" => exact check(random);
    "checkout-key" "a Checkout.com secret key" ["sk_"] r"sk_(?:sbox_|test_)?(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[a-z0-9]{27})" => exact check(random);
    "rainforest-key" "a Rainforest API key" ["apikey_"] r"apikey_[a-f0-9]{64}" => edge;
    "paddle-key" "a Paddle API key" ["pdl_live_" "pdl_sdbx_" "pdl_ntfset_"] r"pdl_(?:(?:live|sdbx)_apikey|ntfset)_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]{3,})*";
    "polar-token" "a Polar token" ["polar_"] r"polar_[a-z]{2,4}_[A-Za-z0-9_-]{20,}" => edge check(random);
    "mercury-token" "a Mercury token" ["mercury_production_" "mercury_sandbox_"] r"mercury_(?:production|sandbox)_[a-z]{2,6}_[A-Za-z0-9]{30,}(?:_yrucrem)?";
    "ramp-secret" "a Ramp client secret" ["ramp_sec_"] r"ramp_sec_[A-Za-z0-9]{40,}";
    "brex-token" "a Brex token" ["bxt_"] r"bxt_[A-Za-z0-9]{36,}" => edge;
    "asaas-key" "an Asaas API key" ["$aact_"] r"\$aact_(?:(?:prod|hmlg)_)?[A-Za-z0-9_=:+/-]{20,}";
    "mercadopago-token" "a Mercado Pago token" ["app_usr-"] r"APP_USR-[0-9]{12,}-[0-9]{6}-[a-f0-9]{32}(?:__[A-Z_]+__)?-[0-9]{5,}";
    "pagarme-key" "a Pagar.me key" ["ak_live_" "ak_test_"] r"ak_(?:live|test)_[A-Za-z0-9]{28,}" => edge;
    "midtrans-key" "a Midtrans server key" ["mid-server-"] r"Mid-server-[A-Za-z0-9_-]{10,}" => check(random);
    "xendit-key" "a Xendit key" ["xnd_"] r"xnd_(?:production|development)_[A-Za-z0-9+/_-]{30,}={0,2}" => edge;
    "shopify-token" "a Shopify token" ["shpat_" "shpca_" "shppa_" "shpss_" "shprt_" "shpua_" "shptka_"] r"shp(?:at|ca|pa|ss|rt|ua|tka)_[A-Fa-f0-9]{32}";
    "easypost-key" "an EasyPost key" ["ezak" "eztk"] r"EZ[AT]K[A-Za-z0-9]{54}" => exact;
    "shippo-token" "a Shippo token" ["shippo_live_" "shippo_test_"] r"shippo_(?:live|test)_[A-Fa-f0-9]{40}";
    "duffel-token" "a Duffel token" ["duffel_live_" "duffel_test_"] r"duffel_(?:live|test)_[A-Za-z0-9_=-]{40,}";
    "persona-key" "a Persona API key" ["persona_production_" "persona_sandbox_"] r"persona_(?:production|sandbox)_[A-Za-z0-9_-]{20,}" => check(random);
    "onfido-token" "an Onfido token" ["api_live" "api_sandbox"] r"api_(?:live|sandbox)(?:_[a-z]{2})?\.[A-Za-z0-9_-]{11,}(?:\.[A-Za-z0-9_-]{20,})?" => edge check(random);
    "proof-key" "a Proof API key" ["prf_"] r"prf_(?:cli_)?[A-Za-z0-9_-]{20,}" => edge check(mixed);
    "ebay-secret" "an eBay client secret" ["prd-" "sbx-"] r"(?:PRD|SBX)-[a-f0-9]{8,12}(?:-[a-f0-9]{4}){3}-[a-f0-9]{4,12}" => exact;
    "extended-private-key" "an extended private key of a wallet" ["[xyztuv]prv"] r"[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{100,110}" => exact;
    "nostr-secret-key" "a Nostr secret key" ["nsec1"] r"nsec1[a-z0-9]{58}" => exact;
    "sui-private-key" "a Sui private key" ["suiprivkey1"] r"suiprivkey1[a-z0-9]{50,}" => exact;
    "cardano-secret-key" "a Cardano secret key" ["_xsk1" "ed25519_sk1" "ed25519e_sk1"] r"(?:_x|ed25519e?_)sk1[02-9a-z]{50,}";
    "tezos-secret-key" "a Tezos secret key" ["edsk" "edesk" "spsk" "p2sk"] r"(?:ede?sk|spsk|p2sk)[1-9A-HJ-NP-Za-km-z]{50,94}" => exact;
    "chain-node-key" "the key of a chain's node in its URL" ["infura.io/" ".alchemy.com/" ".alchemyapi.io/" ".quiknode.pro/" "rpc.ankr.com/"] r"(?:infura\.io/(?:ws/)?v3/([0-9a-f]{32})|\.alchemy(?:api\.io|\.com)/(?:nft/)?v[0-9]/([A-Za-z0-9_-]{32})|\.quiknode\.pro/([0-9a-f]{40})|rpc\.ankr\.com/[a-z0-9_]{2,40}/([0-9a-f]{64}))";
}
