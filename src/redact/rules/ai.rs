//! Models and what surrounds them.

use super::{TokenRule, mixed, random, table};

table! {
    "anthropic-key" "an Anthropic API key" ["sk-ant-"] r"sk-ant-[A-Za-z0-9_-]{20,}" => edge;
    "openai-key" "an OpenAI API key" ["sk-" "sess-"] r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{20,}|sess-[A-Za-z0-9]{40}" => edge;
    "openrouter-key" "an OpenRouter API key" ["sk-or-"] r"sk-or-[A-Za-z0-9_-]{20,}" => edge;
    "model-key" "a key of a model's provider" ["sk-"] r"sk-(?:api|kimi|cp|sp|ws|litellm|helicone|eu|us|ss|ai|bf)-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{8,}[A-Za-z0-9_-]{32,}" => edge check(random);
    "huggingface-token" "a Hugging Face token" ["hf_" "api_org_"] r"(?:hf|api_org)_[A-Za-z0-9]{30,}" => edge;
    "groq-key" "a Groq API key" ["gsk_"] r"gsk_[A-Za-z0-9]{40,}" => edge;
    "xai-key" "an xAI API key" ["xai-"] r"xai-[A-Za-z0-9_-]{60,}" => edge;
    "perplexity-key" "a Perplexity API key" ["pplx-"] r"pplx-[A-Za-z0-9]{40,}";
    "replicate-token" "a Replicate token" ["r8_"] r"r8_[A-Za-z0-9]{30,}" => edge;
    "nvidia-key" "an NVIDIA API key" ["nvapi-"] r"nvapi-[A-Za-z0-9_-]{40,}";
    "langsmith-key" "a LangSmith API key" ["lsv2_" "ls__"] r"lsv2_(?:pt|sk)_[A-Fa-f0-9]{32}(?:_[A-Fa-f0-9]{10})?|ls__[a-f0-9]{32}" => edge;
    "pinecone-key" "a Pinecone API key" ["pcsk_"] r"pcsk_[A-Za-z0-9_]{40,}";
    "cerebras-key" "a Cerebras API key" ["csk-"] r"csk-[a-z0-9]{40,}" => edge;
    "fireworks-key" "a Fireworks API key" ["fw_"] r"fw_[A-Za-z0-9]{22,}" => edge check(random);
    "together-key" "a Together API key" ["tgp_v1_"] r"tgp_v1_[A-Za-z0-9_-]{36,}";
    "elevenlabs-key" "an ElevenLabs API key" ["sk_"] r"sk_[0-9a-f]{48}" => exact;
    "cartesia-key" "a Cartesia API key" ["sk_car_"] r"sk_car_[A-Za-z0-9]{20,}" => edge;
    "runpod-key" "a RunPod API key" ["rpa_"] r"rpa_[A-Za-z0-9]{30,}" => edge check(random);
    "modal-token" "a Modal token" ["ak-" "as-"] r"a[ks]-[A-Za-z0-9]{22}" => exact check(mixed);
    "jina-key" "a Jina API key" ["jina_"] r"jina_[A-Za-z0-9_-]{40,}" => edge check(random);
    "voyage-key" "a Voyage API key" ["pa-"] r"pa-[A-Za-z0-9_-]{40,}" => edge check(mixed);
    "tavily-key" "a Tavily API key" ["tvly-"] r"tvly-[A-Za-z0-9-]{20,}" => edge check(random);
    "brave-key" "a Brave Search API key" ["bsa"] r"BSA[A-Za-z0-9_-]{24,40}" => edge check(mixed);
    "firecrawl-key" "a Firecrawl API key" ["fc-"] r"fc-[0-9a-f]{32}" => exact;
    "browserbase-key" "a Browserbase API key" ["bb_live_" "bb_test_"] r"bb_(?:live|test)_[A-Za-z0-9_-]{20,}" => edge check(random);
    "e2b-key" "an E2B API key" ["e2b_"] r"e2b_[a-f0-9]{40}" => exact;
    "wandb-key" "a Weights & Biases API key" ["wandb_v1_"] r"wandb_v1_[A-Za-z0-9_]{60,}";
    "anyscale-key" "an Anyscale API key" ["esecret_"] r"esecret_[A-Za-z0-9]{24,}" => edge check(random);
    "cursor-key" "a Cursor API key" ["key_"] r"key_[0-9a-f]{64}" => exact;
    "devin-key" "a Devin API key" ["apk_" "cog_"] r"apk_(?:user_)?[A-Za-z0-9+/]{80,}={0,2}|cog_[a-z2-7]{52}" => edge;
    "llamaindex-key" "a LlamaCloud API key" ["llx-"] r"llx-[A-Za-z0-9]{40,}" => edge;
    "context7-key" "a Context7 API key" ["ctx7sk-"] r"ctx7sk-[0-9a-f]{8}-[0-9a-f-]{27}";
    "mem0-key" "a Mem0 API key" ["m0-"] r"m0-[A-Za-z0-9]{40}" => exact;
    "upstage-key" "an Upstage API key" ["up_"] r"up_[A-Za-z0-9]{28}" => exact check(mixed);
    "langfuse-key" "a Langfuse secret key" ["sk-lf-"] r"sk-lf-[0-9a-f]{8}-[0-9a-f-]{27}" => edge;
}
