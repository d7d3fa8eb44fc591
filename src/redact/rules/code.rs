//! Code hosts, package registries, builds and deployments.

use super::{TokenRule, random, table};
use crate::redact::judge;

table! {
    "github-pat" "a GitHub personal access token" ["ghp_" "github_pat_"] r"ghp_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}";
    "github-token" "a GitHub app, user or refresh token" ["gho_" "ghu_" "ghs_" "ghr_"] r"gh[ousr]_[A-Za-z0-9_]{20,}";
    "gitlab-token" "a GitLab token" ["gl[dr]t-" "glpat-" "glcbt-" "glptt-" "glft-" "glimt-" "glwt-" "glrtr-" "glagent-" "gloas-" "glsoat-" "glffct-" "gr1348941"] r"gl(?:pat|dt|rt|rtr|wt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{18,}[A-Za-z0-9_-]|GR1348941[A-Za-z0-9_-]{20}";
    "gitlab-mail-token" "the token of a GitLab mail address" ["incoming+"] r"incoming\+(?:[A-Za-z0-9._-]{1,100}-)?[0-9]{1,12}-([A-Za-z0-9_-]{20,30})-(?:issue|merge-request)";
    "bitbucket-token" "a Bitbucket token" ["atbb" "atctt3"] r"ATBB[A-Za-z0-9_=-]{24,}|ATCTT3[A-Za-z0-9_=-]{50,}" => edge;
    "sourcegraph-token" "a Sourcegraph token" ["sgp_" "sgd_" "sgs_" "slk_"] r"sg[pds]_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}|sgd_[a-f0-9]{64}|slk_[a-f0-9]{64}" => edge;
    "npm-token" "an npm token" ["npm_"] r"npm_[A-Za-z0-9]{30,}";
    "pypi-token" "a PyPI token" ["pypi-"] r"pypi-[A-Za-z0-9_-]{50,}";
    "rubygems-key" "a RubyGems API key" ["rubygems_"] r"rubygems_[a-f0-9]{40,}";
    "crates-io-token" "a crates.io token" ["cio"] r"cio[A-Za-z0-9]{32}" => exact check(|token| token.iter().any(u8::is_ascii_digit) && !judge::is_sample(token));
    "nuget-key" "a NuGet API key" ["oy2"] r"oy2[a-z0-9]{43}" => exact;
    "docker-token" "a Docker Hub token" ["dckr_pat_" "dckr_oat_"] r"dckr_[po]at_[A-Za-z0-9_-]{20,}";
    "docker-swarm-token" "a Docker Swarm token" ["swmtkn-1-" "swmkey-1-"] r"SWM(?:TKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}|KEY-1-[A-Za-z0-9+/]{40,})";
    "clojars-token" "a Clojars token" ["clojars_"] r"(?i:clojars_)[a-z0-9]{60}";
    "cloudsmith-key" "a Cloudsmith API key" ["csa_"] r"csa_[A-Za-z0-9]{36,}" => edge;
    "deno-token" "a Deno Deploy token" ["ddp_" "ddo_" "ddw_"] r"dd[pow]_[A-Za-z0-9]{36,}" => edge;
    "jsr-token" "a JSR token" ["jsrt_" "jsrp_" "jsrd_"] r"jsr[tpd]_[A-Za-z0-9_-]{30,}" => edge;
    "artifactory-key" "an Artifactory key" ["akcp" "cmvmd"] r"AKCp[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{55,}" => edge;
    "buildkite-token" "a Buildkite token" ["bk[acu]a_" "bk[acr][jrt]_" "bkat_" "bkpt_" "bkpat_" "bkps_"] r"bk(?:ua|at|aa|aj|ar|ct|pt|pat|ps)_[A-Za-z0-9_-]{38,}" => edge;
    "circleci-token" "a CircleCI token" ["ccipat_" "cciprj_"] r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-z0-9]{40}";
    "octopus-key" "an Octopus Deploy API key" ["api-"] r"API-[A-Z0-9]{25,32}" => exact check(random);
    "harness-token" "a Harness token" ["pat." "sat."] r"[ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}" => edge;
    "mergify-key" "a Mergify key" ["mergify_application_key_"] r"mergify_application_key_[A-Za-z0-9_-]{40,}";
    "sonar-token" "a Sonar token" ["sqp_" "squ_" "sqa_" "sqb_"] r"sq[puab]_[A-Za-z0-9]{40}" => edge;
    "snyk-token" "a Snyk token" ["snyk_uat." "snyk_sat."] r"snyk_[us]at\.[A-Za-z0-9]{8}\.[A-Za-z0-9._-]{20,}[A-Za-z0-9_-]";
    "aikido-token" "an Aikido token" ["aik_ci_" "aik_secret_"] r"AIK_(?:CI|SECRET)_[A-Za-z0-9]{20,}";
    "endorlabs-key" "an Endor Labs key" ["endr+"] r"endr\+[A-Za-z0-9-]{16}" => edge;
    "infracost-key" "an Infracost API key" ["ico-"] r"ico-[A-Za-z0-9]{32}" => exact check(random);
    "prefect-key" "a Prefect API key" ["pnu_" "pnb_"] r"pn[ub]_[A-Za-z0-9]{36}" => edge;
    "rootly-key" "a Rootly API key" ["rootly_"] r"rootly_[a-f0-9]{64}";
    "pulumi-token" "a Pulumi token" ["pul-"] r"pul-[a-f0-9]{40}" => exact;
    "terraform-token" "a Terraform Cloud token" [".atlasv1."] r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}" => back(14);
    "postman-key" "a Postman API key" ["pmak-"] r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}";
    "contentful-token" "a Contentful token" ["cfpat-"] r"CFPAT-[A-Za-z0-9_-]{40,}";
    "readme-key" "a ReadMe API key" ["rdme_"] r"rdme_[a-z0-9]{70}" => edge;
    "zuplo-key" "a Zuplo API key" ["zpka_"] r"zpka_[a-z0-9]{32}_[0-9a-f]{8}" => edge;
    "unkey-key" "an Unkey root key" ["unkey_"] r"unkey_[A-Za-z0-9]{20,}" => edge check(random);
    "valtown-token" "a Val Town token" ["vtwn_"] r"vtwn_[A-Za-z0-9_-]{20,}" => edge check(random);
    "wakatime-key" "a WakaTime API key" ["waka_"] r"waka_(?:[a-f0-9]{8}-[a-f0-9-]{27}|[a-z0-9]{36,})" => edge;
    "workato-token" "a Workato token" ["wrka"] r"wrka[a-z]{0,2}-eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]{20,})?" => edge;
    "apify-token" "an Apify token" ["apify_api_"] r"apify_api_[A-Za-z0-9]{30,}";
    "rapidapi-key" "a RapidAPI key" ["jsn"] r"[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12}" => back(37) exact;
    "retool-token" "a Retool token" ["retool_01"] r"retool_01[A-Za-z0-9]{22,}" => edge;
    "govuk-notify-key" "a Notify API key" ["gcntfy-"] r"gcntfy-[a-z0-9_-]{1,60}-[0-9a-f]{8}-[0-9a-f-]{27}-[0-9a-f]{8}-[0-9a-f-]{27}" => edge;
    "settlemint-token" "a SettleMint token" ["sm_aat_" "sm_pat_" "sm_sat_"] r"sm_[aps]at_[A-Za-z0-9]{16,}" => edge;
    "intra42-secret" "an Intra 42 client secret" ["s-s4t2"] r"s-s4t2(?:ud|af)-[a-f0-9]{64}" => edge;
    "thunderstore-token" "a Thunderstore token" ["tss_"] r"tss_[A-Za-z0-9_-]{20,}" => edge check(random);
    "ionic-token" "an Ionic token" ["ion_"] r"ion_[A-Za-z0-9]{42}" => edge check(random);
}
