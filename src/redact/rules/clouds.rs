//! Clouds, platforms, networks, identities and stores of secrets.

use super::{Rule, mixed, random, table};

table! {
    "aws-access-key-id" "an AWS access key id" ["akia" "asia" "abia" "acca" "a3t"] r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" => exact check(|token| !token.ends_with(b"EXAMPLE") && random(token));
    "aws-session-token" "an AWS session token" ["iqojb3jpz2lu" "fwogzxivyxdz" "fqogzxivyxdz"] r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=%]{60,}" => edge long;
    "aws-bedrock-key" "an Amazon Bedrock API key" ["absk" "bedrock-api-key-"] r"ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}" => edge;
    "aws-appsync-key" "an AWS AppSync key" ["da2-"] r"da2-[a-z0-9]{26}" => exact;
    "aws-mws-token" "an Amazon MWS token" ["amzn.mws."] r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f-]{27}";
    "aws-signature" "the signature of a presigned URL" ["x-amz-signature=" "x-goog-signature="] r"(?i:x-(?:amz|goog)-signature)=([A-Fa-f0-9]{64,})";
    "google-api-key" "a Google API key" ["aiza"] r"AIza[A-Za-z0-9_-]{35}";
    "google-oauth" "a Google OAuth secret or token" ["gocspx-" "ya29." "4/0a" "aq.ab8rn6"] r"GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}|4/0A[A-Za-z0-9_-]{40,}|AQ\.Ab8RN6[A-Za-z0-9_-]{40,}";
    "google-refresh-token" "a Google refresh token" ["1//0"] r"1//0[A-Za-z0-9_-]{40,}" => edge();
    "google-hmac-id" "a Google Cloud HMAC access id" ["goog1"] r"GOOG1[A-Z0-9]{50,60}" => exact;
    "firebase-key" "a Firebase server key" [":apa91b"] r"[A-Za-z0-9_-]{4,40}:APA91b[A-Za-z0-9_-]{100,}" => back(40);
    "google-calendar-link" "a private calendar link" ["/private-"] r"/private-([0-9a-f]{32})/";
    "azure-client-secret" "a Microsoft Entra client secret" ["q~"] r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-]" => back(4);
    "azure-sas" "an Azure shared access signature" ["sig="] r"(?:[?&;]|\\u0026)sig=([A-Za-z0-9%/+]{40,}={0,2})" => back(6);
    "azure-service-key" "the key of an Azure service" ["azfu" "+ast" "acdb" "+asb" "+aeh" "aiot" "azse" "+acr" "azca" "azeg" "+arm" "+amc" "+aba" "jqqj99" "azdo"] r"[A-Za-z0-9+/_-]{44}AzFu[A-Za-z0-9+/_-]{5}[AQgw]==|[A-Za-z0-9+/]{76}(?:\+ASt|ACDb|\+ABa|\+AMC)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9+/]{33}(?:\+ASb|\+AEh|\+ARm|AIoT|AzEG|AZEG)[A-Za-z0-9+/]{5}[A-Za-z0-9+/]=|[A-Za-z0-9+/]{42}(?:AzSe|\+ACR)[A-D][A-Za-z0-9+/]{5}|[A-Za-z0-9+/]{33}AzCa[A-P][A-Za-z0-9+/]{5}=|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}" => back(76) edge;
    "azure-function-code" "the code of an Azure function" [".azurewebsites.net/api/"] r#"\.azurewebsites\.net/api/[^\s"'`<>?]{1,100}\?(?:[^\s"'`<>]{0,100}&)?code=([A-Za-z0-9_/=%-]{20,})"#;
    "alibaba-key" "an Alibaba Cloud access key" ["ltai" "sts." "cais"] r"LTAI[A-Za-z0-9]{12,30}|STS\.[A-Za-z0-9]{16,64}|CAIS[A-Za-z0-9+/_=-]{100,}" => edge check(random);
    "tencent-key" "a Tencent Cloud secret id" ["akid"] r"AKID[A-Za-z0-9]{32}" => exact check(random);
    "baidu-key" "a Baidu Cloud key" ["bce-v3/altak-"] r"bce-v3/ALTAK-[A-Za-z0-9]{15,}/[a-f0-9]{40}";
    "volcengine-key" "a Volcengine access key" ["aklt"] r"AKLT[A-Za-z0-9+/=_-]{30,}" => edge check(random);
    "yandex-key" "a Yandex Cloud key or token" ["aqvn" "y[0123]_a" "t1.9eu" "ycaje"] r"AQVN[A-Za-z0-9_-]{35,}|y[0-3]_A[A-Za-z0-9_-]{40,}|t1\.9eu[A-Za-z0-9_=-]{20,}\.[A-Za-z0-9_-]{80,}|YCAJE[A-Za-z0-9_-]{20}" => edge;
    "digitalocean-token" "a DigitalOcean token" ["dop_v1_" "doo_v1_" "dor_v1_"] r"do[por]_v1_[a-f0-9]{40,}";
    "digitalocean-spaces-key" "a DigitalOcean Spaces key" ["do[08]0"] r"DO[08]0[A-Z0-9]{16,17}" => exact check(random);
    "scaleway-key" "a Scaleway access key" ["scw"] r"SCW[A-Z0-9]{17}" => exact check(random);
    "exoscale-key" "an Exoscale API key" ["exo"] r"EXO[a-f0-9]{24}" => exact;
    "upcloud-token" "an UpCloud token" ["ucat_"] r"ucat_[A-Za-z0-9]{24,}" => edge;
    "heroku-key" "a Heroku API key" ["hrku-"] r"HRKU-[A-Za-z0-9_-]{30,}";
    "fly-token" "a Fly.io token" ["fm1_" "fm1r_" "fm1a_" "fm2_" "fo1_"] r"f(?:m1r?|m1a|m2|o1)_[A-Za-z0-9+/=_-]{40,}" => edge();
    "netlify-token" "a Netlify token" ["nf[pcoub]_"] r"nf[pcoub]_[A-Za-z0-9]{36,}" => edge;
    "vercel-token" "a Vercel token" ["vc[kacripu]_"] r"vc[kacripu]_[A-Za-z0-9_-]{40,}" => edge check(random);
    "render-key" "a Render API key" ["rnd_"] r"rnd_[A-Za-z0-9]{26,}" => edge check(random);
    "scalingo-token" "a Scalingo token" ["tk-us-"] r"tk-us-[A-Za-z0-9_-]{40,}" => edge;
    "cloudflare-token" "a Cloudflare token or key" ["v1.0-" "cfut_" "cfat_" "cfk_" "eyjhijoi"] r"v1\.0-[a-f0-9]{24}-[a-f0-9]{120,}|cf(?:ut|at|k)_[A-Za-z0-9_-]{40,}|eyJhIjoi[A-Za-z0-9+/_-]{80,}={0,2}" => edge;
    "akamai-token" "an Akamai token" ["akab-"] r"akab-[a-z0-9]{16}-[a-z0-9]{16}" => exact;
    "tailscale-key" "a Tailscale key" ["tskey-"] r"tskey-[a-z]+-[A-Za-z0-9_-]{20,}";
    "netbird-token" "a NetBird token" ["nbp_"] r"nbp_[A-Za-z0-9]{36}" => edge;
    "defined-networking-key" "a Defined Networking key" ["dnkey-"] r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}";
    "vault-token" "a Vault token" ["hv[sbr]."] r"hv[sbr]\.[A-Za-z0-9_-]{20,}" => edge;
    "vault-legacy-token" "an older Vault token" [" s." "=s." "\"s." "'s." "`s." ":s." "(s."] r#"[ ="'`:(](s\.[A-Za-z0-9]{24})"# => whole spaced check(mixed);
    "openshift-token" "an OpenShift token" ["sha256~"] r"sha256~[A-Za-z0-9_-]{43}" => edge;
    "rancher-token" "a Rancher token" ["token-"] r"token-[a-z0-9]{5}:[a-z0-9]{50,}" => edge;
    "k3s-token" "a k3s node token" ["k10"] r"K10[a-f0-9]{50,}::[A-Za-z0-9_.-]{1,40}:[A-Za-z0-9]{16,}" => edge;
    "doppler-token" "a Doppler token" ["dp.pt." "dp.st." "dp.ct." "dp.sa." "dp.scim." "dp.audit."] r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{39,}[A-Za-z0-9_-]" => edge();
    "infisical-token" "an Infisical token" ["st."] r"st\.[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}" => edge;
    "age-secret-key" "an age secret key" ["age-secret-key-"] r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Za-z]{50,}";
    "onepassword-token" "a 1Password token or secret key" ["ops_eyj" "a3-"] r"ops_eyJ[A-Za-z0-9+/_-]{60,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}" => edge;
    "jumpcloud-key" "a JumpCloud API key" ["jca_"] r"jca_[A-Za-z0-9]{36,}" => edge;
    "stytch-secret" "a Stytch secret" ["secret-live-" "secret-test-"] r"secret-(?:live|test)-[A-Za-z0-9_=-]{30,}" => edge check(random);
    "authress-key" "an Authress key" [".acc-" ".acc_"] r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}" => back(48) edge;
    "okta-token" "an Okta token" ["ssws "] r"(?i:ssws) {1,2}([A-Za-z0-9_-]{30,})" => edge spaced;
    "panos-key" "a PAN-OS API key" ["lufrpt"] r"LUFRPT[A-Za-z0-9+/]{50,}={0,2}" => edge;
    "session-cookie" "a session cookie" ["phpsessid=" "jsessionid=" "connect.sid=" "_gitlab_session=" "session-token=" "laravel_session=" "aspxauth=" "aspnetcore.cookies=" "sessionid=" "user_session="] r"(?i:phpsessid|jsessionid|connect\.sid|_gitlab_session|session-token|laravel_session|aspxauth|aspnetcore\.cookies|sessionid|user_session)=([A-Za-z0-9%._+/-]{19,}[A-Za-z0-9%_+/=-])" => check(random);
    "roblox-cookie" "a Roblox cookie" ["_|warning:-do-not-share-this"] r"_\|(?i:warning:-do-not-share-this)[A-Za-z.,:_-]{0,160}\|_([A-Fa-f0-9]{60,})";
}
