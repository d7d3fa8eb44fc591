//! Databases, analytics, monitoring and feature flags.

use super::{TokenRule, mixed, random, table};

table! {
    "databricks-token" "a Databricks token" ["dapi" "dkea" "dose"] r"(?:dapi|dkea|dose)[0-9a-f]{32}(?:-[0-9])?" => exact;
    "supabase-key" "a Supabase key" ["sbp_" "sb_secret_"] r"sbp_[a-z0-9_-]{40}|sb_secret_[A-Za-z0-9_-]{20,}" => edge;
    "planetscale-secret" "a PlanetScale secret" ["pscale_tkn_" "pscale_pw_" "pscale_oauth_"] r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{31,}[A-Za-z0-9_=-]";
    "neon-key" "a Neon API key" ["napi_"] r"napi_[A-Za-z0-9]{40,}" => edge check(random);
    "mongodb-atlas-secret" "a MongoDB Atlas service account secret" ["mdb_sa_sk_"] r"mdb_sa_sk_[A-Za-z0-9_-]{36,}";
    "cockroach-key" "a CockroachDB Cloud key" ["ccdb1_"] r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}";
    "astra-token" "an Astra DB token" ["astracs:"] r"AstraCS:[A-Za-z0-9]{20,}(?::[a-f0-9]{40,})?";
    "elastic-key" "an Elastic Cloud API key" ["essu_"] r"essu_[A-Za-z0-9_-]{50,}={0,2}" => edge;
    "clickhouse-key" "a ClickHouse Cloud key" ["4b1d"] r"4b1d[A-Za-z0-9]{38}" => exact check(|token| random(token) && !token.iter().all(u8::is_ascii_hexdigit));
    "aiven-password" "a password of an Aiven service" ["avns_"] r"AVNS_[A-Za-z0-9_-]{16,}" => edge check(random);
    "confluent-secret" "a Confluent API secret" ["cflt"] r"cflt[A-Za-z0-9+/]{60}" => edge check(random);
    "dbt-token" "a dbt Cloud token" ["dbt[cusp]_"] r"dbt[cusp]_[A-Za-z0-9_-]{30,}" => edge check(random);
    "tableau-token" "a Tableau token" ["==:"] r"[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}" => back(22) exact;
    "metabase-key" "a Metabase API key" ["mb_"] r"mb_[A-Za-z0-9+/]{40,}={0,2}" => edge check(random);
    "new-relic-key" "a New Relic key" ["nr[aij][ikaqrs]-" "nral"] r"NR(?:AK|II|AA|IQ|RA|JS)-[A-Za-z0-9_-]{18,}|[A-Za-z0-9]{32,40}NRAL" => back(40) edge;
    "sentry-token" "a Sentry token" ["sntry[sua]_"] r"sntrys_[A-Za-z0-9+/=_-]{30,}|sntry[ua]_[a-f0-9]{40,}";
    "dynatrace-token" "a Dynatrace token" ["dt0c01." "dt0s01." "dt0s02." "dt0s16."] r"dt0[cs][0-9]{2}\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{60,}";
    "grafana-token" "a Grafana token" ["glsa_" "glc_" "eyjrijoi"] r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}|eyJrIjoi[A-Za-z0-9+/]{40,}={0,2}" => edge;
    "honeycomb-key" "a Honeycomb key" ["hc[abx][im]k_" "hcaic_" "hcalk_"] r"hc[a-z](?:ik|mk|ic|lk)_[A-Za-z0-9]{30,}" => edge;
    "axiom-token" "an Axiom token" ["xaat-" "xapt-"] r"xa[ap]t-[0-9a-f]{8}-[0-9a-f-]{27}";
    "checkly-key" "a Checkly API key" ["cu_"] r"cu_[a-f0-9]{32}" => exact;
    "posthog-key" "a PostHog personal or secret key" ["phx_" "phs_"] r"ph[xs]_[A-Za-z0-9_-]{30,}" => edge check(random);
    "logfire-token" "a Logfire token" ["pylf_v"] r"pylf_v[0-9]_[a-z]{2,8}_[A-Za-z0-9]{30,}";
    "splunk-token" "a Splunk token" ["splunk "] r"(?i:splunk) {1,2}([0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12})" => edge spaced;
    "pagerduty-link" "the key of a PagerDuty integration" ["events.pagerduty.com/integration/"] r"events\.pagerduty\.com/integration/([a-z0-9]{32})";
    "launchdarkly-key" "a LaunchDarkly key" ["sdk-" "api-"] r"(?:sdk|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}" => exact;
    "configcat-key" "a ConfigCat SDK key" ["configcat-sdk-"] r"configcat-sdk-[0-9]/[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}";
    "flagsmith-key" "a Flagsmith server key" ["ser."] r"ser\.[A-Za-z0-9]{22}" => exact check(random);
    "devcycle-key" "a DevCycle server key" ["dvc_server_"] r"dvc_server_[A-Za-z0-9_]{8,}";
    "unleash-token" "an Unleash token" [":development." ":production."] r":(?:development|production)\.([a-f0-9]{50,})";
    "statsig-key" "a Statsig secret key" ["secret-"] r"secret-[A-Za-z0-9]{40,}" => edge check(random);
    "growthbook-key" "a GrowthBook secret key" ["secret_"] r"secret_(?:admin|readonly|user|env)_[A-Za-z0-9]{20,}" => edge check(random);
    "segment-token" "a Segment token" ["sgp_"] r"sgp_[A-Za-z0-9]{60,}" => edge check(random);
    "pubnub-key" "a PubNub secret key" ["sec-c-"] r"sec-c-[A-Za-z0-9=]{40,}" => edge;
    "maxmind-key" "a MaxMind licence key" ["_mmk"] r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" => back(36) exact;
    "samsara-token" "a Samsara token" ["samsara_api_"] r"samsara_api_[A-Za-z0-9]{24,}";
    "databento-key" "a Databento API key" ["db-"] r"db-[A-Za-z0-9]{29}" => exact check(mixed);
}
