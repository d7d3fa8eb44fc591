//! Who is known by name, and the forms of their keys.

use super::{Alphabet, FindingLabel, Provider, TokenForm, form};

macro_rules! providers {
    ($($name:literal $what:literal [$($word:literal)+] $($alphabet:ident($($length:literal)+)),+;)+) => {
        /// Every provider that is known by name.
        pub(in crate::redact) static PROVIDERS: &[Provider] = &[$(Provider {
            label: FindingLabel {
                name: $name,
                reason: concat!("stands under the name of ", $what, " and has the form of its keys"),
                rank: 4,
            },
            words: &[$($word),+],
            forms: {
                const FORMS: &[TokenForm] = &[$(form(Alphabet::$alphabet, &[$($length),+])),+];
                FORMS
            },
        }),+];
    };
}

providers! {
    "abuseipdb-key" "AbuseIPDB" ["abuseipdb"] Hex(80);
    "adafruit-key" "Adafruit" ["adafruit"] Word(32);
    "adobe-key" "Adobe" ["adobe"] Hex(32);
    "airtable-key" "Airtable" ["airtable"] Alnum(17);
    "alchemy-key" "Alchemy" ["alchemy"] Word(32);
    "algolia-key" "Algolia" ["algolia"] Alnum(32);
    "alibaba-key" "Alibaba Cloud" ["alibaba" "aliyun"] Alnum(30 64);
    "amplitude-key" "Amplitude" ["amplitude"] Hex(32);
    "appcenter-key" "App Center" ["appcenter" "app_center"] Hex(40);
    "asana-key" "Asana" ["asana"] Alnum(32);
    "assemblyai-key" "AssemblyAI" ["assemblyai" "assembly_ai"] Alnum(32);
    "atlassian-key" "Atlassian" ["atlassian" "confluence" "jira"] Alnum(24);
    "auth0-key" "Auth0" ["auth0"] Word(64);
    "azure-devops-key" "Azure DevOps" ["azure_devops" "azuredevops" "azdo" "vsts"] Alnum(52);
    "beamer-key" "Beamer" ["beamer"] Word(46);
    "binance-key" "Binance" ["binance"] Alnum(64);
    "bitbucket-key" "Bitbucket" ["bitbucket"] Alnum(32), Word(64);
    "bitly-key" "Bitly" ["bitly"] Hex(40);
    "bitrise-key" "Bitrise" ["bitrise"] Word(60 120);
    "bittrex-key" "Bittrex" ["bittrex"] Alnum(32);
    "box-key" "Box" ["box"] Alnum(32);
    "browserstack-key" "BrowserStack" ["browserstack"] Alnum(20);
    "bugsnag-key" "Bugsnag" ["bugsnag"] Hex(32);
    "censys-key" "Censys" ["censys"] Alnum(32);
    "circleci-key" "CircleCI" ["circleci" "circle_ci"] Hex(40);
    "civo-key" "Civo" ["civo"] Alnum(50);
    "clarifai-key" "Clarifai" ["clarifai"] Hex(32);
    "cloudflare-key" "Cloudflare" ["cloudflare"] Hex(37), Word(40);
    "cloudinary-key" "Cloudinary" ["cloudinary"] Word(27), Alnum(32);
    "codacy-key" "Codacy" ["codacy"] Alnum(20), Hex(32);
    "codeclimate-key" "Code Climate" ["codeclimate" "code_climate"] Hex(64);
    "codecov-key" "Codecov" ["codecov"] Uuid(36), Word(36);
    "cohere-key" "Cohere" ["cohere"] Alnum(40);
    "coinbase-key" "Coinbase" ["coinbase"] Word(64);
    "configcat-key" "ConfigCat" ["configcat"] Base64(45);
    "confluent-key" "Confluent" ["confluent"] Alnum(64), Alnum(16);
    "contentful-key" "Contentful" ["contentful"] Word(43);
    "couchbase-key" "Couchbase" ["couchbase" "capella"] Base64(60 120);
    "coveralls-key" "Coveralls" ["coveralls"] Word(37);
    "cypress-key" "Cypress" ["cypress"] Uuid(36);
    "datadog-key" "Datadog" ["datadog"] Alnum(32), Alnum(40), Word(40);
    "datagov-key" "data.gov" ["data.gov" "data_gov" "datagov"] Alnum(40);
    "deepgram-key" "Deepgram" ["deepgram"] Hex(40);
    "discord-key" "Discord" ["discord"] Hex(64), Word(32);
    "disqus-key" "Disqus" ["disqus"] Alnum(64);
    "drone-key" "Drone" ["drone" "droneci"] Alnum(32);
    "dropbox-key" "Dropbox" ["dropbox"] Alnum(15), Word(64);
    "elevenlabs-key" "ElevenLabs" ["elevenlabs" "eleven_labs" "xi-api-key"] Hex(32);
    "etherscan-key" "Etherscan" ["etherscan" "bscscan" "polygonscan" "arbiscan" "basescan" "snowtrace"] Alnum(34);
    "etsy-key" "Etsy" ["etsy"] Alnum(24), Dotted(35 89);
    "exoscale-key" "Exoscale" ["exoscale"] Word(40 60);
    "facebook-key" "Facebook" ["facebook"] Hex(32);
    "fastly-key" "Fastly" ["fastly"] Word(32);
    "finicity-key" "Finicity" ["finicity"] Hex(32), Alnum(20);
    "finnhub-key" "Finnhub" ["finnhub"] Alnum(20), Alnum(40);
    "flickr-key" "Flickr" ["flickr"] Alnum(32);
    "freshbooks-key" "FreshBooks" ["freshbooks"] Alnum(64);
    "freshdesk-key" "Freshdesk" ["freshdesk"] Alnum(20);
    "fullstory-key" "FullStory" ["fullstory"] Dotted(24 200);
    "ghost-key" "Ghost" ["ghost"] Dotted(89);
    "giphy-key" "Giphy" ["giphy"] Alnum(32);
    "gitea-key" "Gitea" ["gitea" "forgejo" "codeberg"] Hex(40);
    "gitter-key" "Gitter" ["gitter"] Word(40);
    "greptile-key" "Greptile" ["greptile"] Base64(48);
    "gumroad-key" "Gumroad" ["gumroad"] Hex(64), Word(43);
    "heroku-key" "Heroku" ["heroku"] Uuid(36);
    "hetzner-key" "Hetzner" ["hetzner" "hcloud"] Alnum(64);
    "honeybadger-key" "Honeybadger" ["honeybadger"] Hex(32);
    "honeycomb-key" "Honeycomb" ["honeycomb"] Hex(32), Alnum(22);
    "hubspot-key" "HubSpot" ["hubspot"] Uuid(36);
    "hunter-key" "Hunter" ["hunter_io" "hunter.io" "hunterio"] Hex(40);
    "ibm-cloud-key" "IBM Cloud" ["ibm" "ibmcloud"] Word(42 44);
    "influxdb-key" "InfluxDB" ["influx" "influxdb"] Base64(86 88);
    "infomaniak-key" "Infomaniak" ["infomaniak"] Word(60 100);
    "infura-key" "Infura" ["infura"] Hex(32);
    "intercom-key" "Intercom" ["intercom"] Word(60);
    "ipstack-key" "ipstack" ["ipstack"] Hex(32);
    "jenkins-key" "Jenkins" ["jenkins"] Hex(34), Hex(32);
    "jumpcloud-key" "JumpCloud" ["jumpcloud"] Alnum(40);
    "kagi-key" "Kagi" ["kagi"] Dotted(55);
    "kraken-key" "Kraken" ["kraken"] Base64(80 90), Base64(56);
    "kucoin-key" "KuCoin" ["kucoin"] Hex(24), Uuid(36);
    "lark-key" "Lark" ["lark" "larksuite" "feishu"] Alnum(32);
    "lastfm-key" "Last.fm" ["lastfm" "last_fm"] Hex(32);
    "launchdarkly-key" "LaunchDarkly" ["launchdarkly"] Word(40);
    "lighton-key" "LightOn" ["lighton" "paradigm"] Word(40 80);
    "linear-key" "Linear" ["linear"] Hex(32);
    "linkedin-key" "LinkedIn" ["linkedin" "linked_in" "linked-in"] Alnum(16);
    "linode-key" "Linode" ["linode"] Hex(64);
    "loggly-key" "Loggly" ["loggly"] Uuid(36);
    "looker-key" "Looker" ["looker"] Alnum(24);
    "mailgun-key" "Mailgun" ["mailgun"] Word(50);
    "mailjet-key" "Mailjet" ["mailjet"] Hex(32);
    "mapquest-key" "MapQuest" ["mapquest"] Alnum(32);
    "mattermost-key" "Mattermost" ["mattermost"] Alnum(26);
    "maxmind-key" "MaxMind" ["maxmind"] Alnum(16);
    "meraki-key" "Cisco Meraki" ["meraki"] Hex(40);
    "messagebird-key" "MessageBird" ["messagebird" "message_bird" "message-bird"] Alnum(25), Uuid(36);
    "mistral-key" "Mistral" ["mistral"] Alnum(32);
    "mixpanel-key" "Mixpanel" ["mixpanel"] Hex(32);
    "mollie-key" "Mollie" ["mollie"] Word(35);
    "netlify-key" "Netlify" ["netlify"] Word(40 46);
    "newrelic-key" "New Relic" ["newrelic" "new_relic" "new-relic"] Hex(40), Alnum(64);
    "newsapi-key" "NewsAPI" ["newsapi" "news_api"] Hex(32);
    "ngrok-key" "ngrok" ["ngrok"] Word(43 50);
    "nytimes-key" "New York Times" ["nytimes" "newyorktimes" "new-york-times"] Word(32);
    "okta-key" "Okta" ["okta"] Word(42);
    "ollama-key" "Ollama" ["ollama"] Dotted(57);
    "onelogin-key" "OneLogin" ["onelogin"] Hex(64);
    "openweather-key" "OpenWeather" ["openweather" "openweathermap" "pyowm" "owm"] Alnum(32);
    "opsgenie-key" "Opsgenie" ["opsgenie"] Uuid(36);
    "ovh-key" "OVH" ["ovh"] Alnum(32), Alnum(16);
    "packagecloud-key" "packagecloud" ["packagecloud"] Hex(48);
    "pagerduty-key" "PagerDuty" ["pagerduty"] Word(20), Hex(32);
    "papertrail-key" "Papertrail" ["papertrail"] Alnum(20);
    "percy-key" "Percy" ["percy"] Hex(64);
    "pexels-key" "Pexels" ["pexels"] Alnum(56);
    "pinecone-key" "Pinecone" ["pinecone"] Uuid(36);
    "plaid-key" "Plaid" ["plaid"] Alnum(30);
    "plivo-key" "Plivo" ["plivo"] Word(40);
    "polymarket-key" "Polymarket" ["polymarket"] Uuid(36), Base64(40 64);
    "postmark-key" "Postmark" ["postmark"] Uuid(36);
    "privateai-key" "Private AI" ["privateai" "private_ai" "private-ai"] Alnum(32);
    "pusher-key" "Pusher" ["pusher"] Hex(20);
    "railway-key" "Railway" ["railway"] Uuid(36);
    "rapidapi-key" "RapidAPI" ["rapidapi"] Word(50);
    "razorpay-key" "Razorpay" ["razorpay"] Alnum(24);
    "recaptcha-key" "reCAPTCHA's secrets" ["recaptcha"] Word(40);
    "recurly-key" "Recurly" ["recurly"] Hex(32);
    "rollbar-key" "Rollbar" ["rollbar"] Hex(32);
    "saucelabs-key" "Sauce Labs" ["saucelabs" "sauce_labs" "sauce"] Uuid(36);
    "scaleway-key" "Scaleway" ["scaleway" "scw"] Uuid(36);
    "securitytrails-key" "SecurityTrails" ["securitytrails"] Alnum(32);
    "semgrep-key" "Semgrep" ["semgrep"] Hex(64);
    "sendbird-key" "Sendbird" ["sendbird"] Hex(40);
    "sentry-key" "Sentry" ["sentry"] Hex(64);
    "serpapi-key" "SerpApi" ["serpapi"] Hex(64);
    "shodan-key" "Shodan" ["shodan"] Alnum(32);
    "sidekiq-key" "Sidekiq" ["contribsys"] Dotted(17);
    "snowflake-key" "Snowflake" ["snowflake"] Word(100 500);
    "snyk-key" "Snyk" ["snyk"] Uuid(36);
    "sonar-key" "Sonar" ["sonar" "sonarqube" "sonarcloud"] Hex(40);
    "soundcloud-key" "SoundCloud" ["soundcloud"] Alnum(32);
    "sparkpost-key" "SparkPost" ["sparkpost"] Hex(40);
    "spotify-key" "Spotify" ["spotify"] Hex(32);
    "squarespace-key" "Squarespace" ["squarespace"] Uuid(36);
    "sslmate-key" "SSLMate" ["sslmate"] Alnum(36);
    "steam-key" "Steam" ["steam"] Hex(32);
    "sumologic-key" "Sumo Logic" ["sumologic" "sumo_logic" "sumo"] Alnum(64), Alnum(14);
    "telegram-key" "Telegram" ["telegram"] Dotted(41 51);
    "telnyx-key" "Telnyx" ["telnyx"] Word(58);
    "yandex-cloud-key" "Yandex" ["yandex"] Word(40), Dotted(90 400);
    "tmdb-key" "TMDB" ["tmdb" "themoviedb"] Hex(32);
    "todoist-key" "Todoist" ["todoist"] Hex(40);
    "tomtom-key" "TomTom" ["tomtom"] Alnum(32);
    "trakt-key" "Trakt" ["trakt"] Hex(64);
    "travis-key" "Travis CI" ["travis" "travisci" "travis_ci"] Alnum(22);
    "trello-key" "Trello" ["trello"] Hex(32), Hex(64);
    "twilio-key" "Twilio" ["twilio"] Hex(32);
    "twitch-key" "Twitch" ["twitch"] Alnum(30);
    "twitter-key" "Twitter" ["twitter"] Alnum(25), Alnum(35 50), Word(36 66);
    "unsplash-key" "Unsplash" ["unsplash"] Word(43);
    "upstage-key" "Upstage" ["upstage"] Alnum(40 50);
    "urlscan-key" "urlscan" ["urlscan"] Uuid(36);
    "vercel-key" "Vercel" ["vercel"] Alnum(24);
    "vimeo-key" "Vimeo" ["vimeo"] Hex(32);
    "virustotal-key" "VirusTotal" ["virustotal"] Hex(64);
    "vonage-key" "Vonage" ["vonage" "nexmo"] Alnum(16);
    "vultr-key" "Vultr" ["vultr"] Alnum(36);
    "wakatime-key" "WakaTime" ["wakatime" "waka_time"] Uuid(36);
    "wandb-key" "Weights & Biases" ["wandb" "weightsandbiases"] Hex(40);
    "weatherstack-key" "Weatherstack" ["weatherstack"] Alnum(32);
    "wise-key" "Wise" ["transferwise"] Uuid(36);
    "zai-key" "Z.ai" ["zai" "z_ai" "z.ai" "zhipu" "zhipuai" "glm"] Dotted(49);
    "zendesk-key" "Zendesk" ["zendesk"] Alnum(40);
    "zerotier-key" "ZeroTier" ["zerotier"] Alnum(32);
}
