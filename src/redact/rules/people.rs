//! Chat, mail, social networks and office tools.

use super::{TokenRule, decode, mixed, random, table, varied};

table! {
    "slack-token" "a Slack token" ["xox[abceoprsd]-" "xoxe." "xapp-" "xwfp-"] r"xox[abceoprsd]-[A-Za-z0-9%/+-]{10,}|xoxe\.xox[bp]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{14,}|xwfp-[A-Za-z0-9-]{20,}";
    "slack-webhook" "a Slack webhook" ["hooks.slack.com/" "hooks.slack-gov.com/"] r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})";
    "discord-token" "a Discord token" ["mfa."] r"mfa\.[A-Za-z0-9_-]{60,}" => edge;
    "discord-webhook" "a Discord webhook" ["discord.com/api/webhooks/" "discordapp.com/api/webhooks/"] r"discord(?:app)?\.com/api/webhooks/([0-9]{15,}/[A-Za-z0-9_-]{40,})";
    "teams-webhook" "a Microsoft Teams webhook" ["webhook.office.com/"] r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{60,})";
    "zapier-webhook" "a Zapier webhook" ["hooks.zapier.com/"] r"hooks\.zapier\.com/hooks/catch/([0-9]+/[a-z0-9]{5,})";
    "hook-link" "the secret part of a webhook" ["maker.ifttt.com/" ".make.com/" ".integromat.com/" "open.feishu.cn/open-apis/bot/" "open.larksuite.com/open-apis/bot/" "qyapi.weixin.qq.com/cgi-bin/webhook/"] r#"(?:maker\.ifttt\.com/[^\s"'`<>]{1,100}/key/([A-Za-z0-9_-]{20,})|\.(?:make|integromat)\.com/([a-z0-9]{32})|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{20,})|qyapi\.weixin\.qq\.com/cgi-bin/webhook/[a-z_]{1,20}\?key=([A-Za-z0-9-]{20,}))"# => check(random);
    "telegram-token" "a Telegram bot token" [":aa"] r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}" => back(10) exact;
    "matrix-token" "a Matrix access token" ["syt_"] r"syt_[A-Za-z0-9+/=-]{2,}_[A-Za-z]{18,22}_[A-Za-z0-9]{6}" => edge;
    "twilio-key" "a Twilio API key" ["sk0" "sk1" "sk2" "sk3" "sk4" "sk5" "sk6" "sk7" "sk8" "sk9" "ska" "skb" "skc" "skd" "ske" "skf"] r"SK[0-9A-Fa-f]{32}" => exact;
    "sendgrid-key" "a SendGrid API key" ["sg."] r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|SG\.[A-Za-z0-9_.=-]{65}[A-Za-z0-9_=-]" => edge;
    "mailgun-key" "a Mailgun API key" ["key-"] r"key-[0-9a-f]{32}" => exact;
    "mailchimp-key" "a Mailchimp API key" ["-us"] r"[0-9a-f]{32}-us[0-9]{1,2}" => back(32) exact;
    "mandrill-key" "a Mandrill API key" ["md-"] r"md-[A-Za-z0-9_-]{22}" => exact check(mixed);
    "mailersend-token" "a MailerSend token" ["mlsn."] r"mlsn\.[A-Za-z0-9]{30,}" => edge;
    "resend-key" "a Resend API key" ["re_"] r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}" => edge check(random);
    "brevo-key" "a Brevo API key" ["xkeysib-" "xsmtpsib-"] r"x(?:key|smtp)sib-[A-Fa-f0-9]{64}-[A-Za-z0-9]{16}";
    "klaviyo-key" "a Klaviyo private key" ["pk_"] r"pk_[a-z0-9]{34}" => exact check(random);
    "clickup-token" "a ClickUp token" ["pk_"] r"pk_[0-9]{5,10}_[A-Za-z0-9]{32}" => exact;
    "onesignal-key" "a OneSignal key" ["os_v2_"] r"os_v2_(?:app|org)_[a-z2-7]{60,}" => edge;
    "intercom-token" "an Intercom token" ["dg9ro"] r"dG9rOg?[A-Za-z0-9+/_-]{50,}={0,2}" => edge check(is_intercom);
    "hubspot-token" "a HubSpot token" ["pat-na" "pat-eu" "pat-ap" "pat-ca"] r"pat-[a-z]{2}[0-9]-[0-9a-f]{8}-[0-9a-f-]{27}" => edge;
    "salesforce-token" "a Salesforce token" ["00d" "5aep8"] r"00[A-Za-z0-9]{13}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._-]{79,}[A-Za-z0-9_-]|5Aep8[A-Za-z0-9._]{70,}" => edge;
    "linkedin-secret" "a LinkedIn client secret" ["wpl_ap"] r"WPL_AP[0-9]\.[A-Za-z0-9]{10,}\.[A-Za-z0-9+/]{6,}={0,2}";
    "facebook-token" "a Facebook token" ["eaa" "igq[vw]"] r"EAA[A-Za-z0-9]{70,}|IGQ[VW][A-Za-z0-9_-]{80,}" => edge check(varied);
    "twitter-bearer" "a Twitter bearer token" ["aaaaaaaaaaaaaaaaaaaa"] r"A{20,24}[B-Za-z0-9][A-Za-z0-9%]{55,}" => edge check(varied);
    "twitch-token" "a Twitch token" ["oauth:"] r"oauth:([a-z0-9]{30})" => edge exact check(random);
    "pinterest-token" "a Pinterest token" ["pina_"] r"pina_[A-Za-z0-9_-]{20,}" => edge check(random);
    "dropbox-token" "a Dropbox token" ["sl."] r"sl\.(?:u\.)?[A-Za-z0-9_=-]{60,}" => edge;
    "asana-token" "an Asana token" ["[012]/[123456789]"] r"[012]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32}" => edge;
    "trello-token" "a Trello token" ["atta"] r"ATTA[A-Fa-f0-9]{60,72}" => exact;
    "atlassian-token" "an Atlassian API token" ["atatt3"] r"ATATT3[A-Za-z0-9_=-]{50,}" => edge;
    "linear-key" "a Linear API key" ["lin_api_" "lin_oauth_"] r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}";
    "notion-token" "a Notion token" ["ntn_" "secret_"] r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}" => edge;
    "figma-token" "a Figma token" ["fig[dopur]_"] r"fig[dopur]_[A-Za-z0-9_-]{30,}";
    "canva-secret" "a Canva client secret" ["cnvca"] r"cnvca[A-Za-z0-9_-]{45,}" => edge;
    "miro-token" "a Miro token" ["eyjtaxjv"] r"eyJtaXJv[A-Za-z0-9+/=]{10,}_[A-Za-z0-9_-]{20,}" => edge;
    "typeform-token" "a Typeform token" ["tfp_"] r"tfp_[A-Za-z0-9_.=-]{39,}[A-Za-z0-9_-]" => edge;
    "mapbox-token" "a secret Mapbox token" ["sk.eyj" "tk.eyj"] r"[st]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}" => edge;
    "adobe-secret" "an Adobe client secret" ["p8e-"] r"p8e-[A-Za-z0-9_-]{32}" => edge;
    "frameio-token" "a Frame.io token" ["fio-u-"] r"fio-u-[A-Za-z0-9_=-]{60,}" => edge;
    "lichess-token" "a Lichess token" ["lip_"] r"lip_[A-Za-z0-9_]{16,}" => edge check(random);
    "telnyx-key" "a Telnyx API key" ["key0"] r"KEY0[0-9A-Za-z]{20,}_[A-Za-z0-9]{20,}" => edge;
    "adafruit-io-key" "an Adafruit IO key" ["aio_"] r"aio_[A-Za-z0-9]{26,}" => edge check(random);
    "riot-key" "a Riot Games API key" ["rgapi-"] r"RGAPI-[0-9a-f]{8}-[0-9a-f-]{27}";
}

/// Whether `token` is Base64 of `tok:` and something.
fn is_intercom(token: &[u8]) -> bool {
    decode(&token[..8]).starts_with(b"tok:")
}
