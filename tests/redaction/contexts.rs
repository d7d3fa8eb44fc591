//! The places in issues, decision records, comments and snippets where a secret stands.

use crate::kinds::{Kind, Shape};
use crate::random::Rng;

/// A place. Each template is for the kinds of secrets that can stand there; an empty one is for none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub(crate) name: &'static str,
    /// For a secret that needs no key, at `{}`.
    token: &'static str,
    /// For a key and its value, at `{k}` and `{v}`.
    pair: &'static str,
    /// For a line of code or configuration, at `{}`.
    code: &'static str,
    /// For words, at `{}`.
    prose: &'static str,
    /// What becomes of each line of a block.
    block: Option<Lines>,
    /// What the whole becomes at the end.
    finish: Finish,
}

/// What stands before the lines of a block, before each line, after each, and after all.
type Lines = (&'static str, &'static str, &'static str, &'static str);

/// What a file's format does to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    Nothing,
    /// A JSON string escapes it.
    Json,
    /// Line ends are those of Windows.
    Windows,
    /// Much text on the same line.
    Long,
}

/// A secret in its place.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) text: String,
    /// The field's name, where the text is the value of one.
    pub(crate) key: String,
    /// What must not survive.
    pub(crate) secrets: Vec<String>,
    /// The texts around the secret, whose words must survive.
    pub(crate) frame: Vec<String>,
}

/// A row: name, token, pair, code, prose, block.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, Option<Lines>);

static ROWS: &[Row] = &[
    ("alone", "{}", "{k}: {v}", "{}", "{}", Some(("", "", "", ""))),
    (
        "sentence",
        "The reader failed with {} after the second deploy.",
        "We set {k}={v} on the runner before the deploy.",
        "Run {} to see it fail",
        "Hello, {} so that you can look into the logs.",
        None,
    ),
    (
        "sentence-end",
        "The leaked one was {}. It is gone from the runner now.",
        "On staging it is {k}: {v}. Please rotate it.",
        "Last week somebody pasted {}",
        "As discussed, {}. Thanks for the help!",
        None,
    ),
    (
        "comma",
        "First {}, then the other one, and both fail.",
        "With {k}={v}, the reader starts.",
        "",
        "{}, as before.",
        None,
    ),
    (
        "parentheses",
        "The old client (see {}) still works.",
        "The reader uses the wrong value ({k}={v}) since May.",
        "It is in the history ({}) of the runner.",
        "Try again ({}) and tell us.",
        None,
    ),
    ("brackets", "The list has [{}] as its only entry.", "Settings: [{k}={v}]", "", "[{}]", None),
    (
        "link-text",
        "See [{}](https://example.org/wiki/deploy) for more.",
        "See [{k}={v}](https://example.org/wiki/deploy) for more.",
        "",
        "",
        None,
    ),
    ("code-span", "The value is `{}` on staging.", "Put `{k}={v}` into the file.", "Run `{}` again.", "", None),
    ("code-spans", "", "Set `{k}`: `{v}` in the settings.", "", "", None),
    ("double-quotes", "It says \"{}\" and stops.", "Set {k} to \"{v}\" first.", "", "He wrote \"{}\" in chat.", None),
    ("curly-quotes", "It says “{}” and stops.", "{k}: “{v}”", "", "He wrote “{}” in chat.", None),
    ("bold", "Never use **{}** again.", "**{k}**: **{v}**", "", "**Note:** *{}*", None),
    ("italic-list", "- *{}*", "* _{k}_: {v}", "", "- *{}*", None),
    ("heading", "## Rotate {}", "## {k}: {v}", "### {}", "## {}", None),
    (
        "bullet",
        "- first\n- {}\n- last",
        "- first\n- {k}: {v}\n- last",
        "- first\n- {}\n- last",
        "- first\n- {}\n- last",
        Some(("- the key:\n\n", "  ", "", "\n- last")),
    ),
    (
        "task-list",
        "- [ ] rotate {}\n- [x] tell the team",
        "- [ ] rotate {k} `{v}`\n- [x] tell the team",
        "- [ ] run {}",
        "- [ ] {}",
        None,
    ),
    (
        "numbered",
        "1. open the page\n2. paste {} there",
        "1. open the page\n2. enter {k}: {v}",
        "1. open a shell\n2. {}",
        "1. open the page\n2. {}",
        Some(("1. paste this:\n\n", "   ", "", "\n2. done")),
    ),
    (
        "blockquote",
        "> It fails with {}\n\nReally?",
        "> {k}: {v}\n\nReally?",
        "> {}\n\nReally?",
        "> {}\n\nReally?",
        Some(("> it says\n>\n", "> ", "", "\n\nReally?")),
    ),
    (
        "table-cell",
        "| what | value |\n|---|---|\n| reader | {} |\n| other | none |",
        "| name | value |\n|---|---|\n| {k} | {v} |\n| other | none |",
        "| what | how |\n|---|---|\n| start | {} |",
        "| what | note |\n|---|---|\n| staging | {} |",
        None,
    ),
    ("table-code-cell", "| reader | `{}` |", "| `{k}` | `{v}` | needed |", "", "", None),
    ("html-bold", "It is <b>{}</b> now.", "<b>{k}:</b> {v}<br>", "", "Note: <b>{}</b>", None),
    ("html-cell", "<tr><td>reader</td><td>{}</td></tr>", "<tr><td>{k}</td><td>{v}</td></tr>", "", "<td>{}</td>", None),
    (
        "html-pre",
        "<pre>{}</pre>",
        "<pre>{k}={v}</pre>",
        "<pre><code>{}</code></pre>",
        "<p>{}</p>",
        Some(("<pre>\n", "", "", "\n</pre>")),
    ),
    ("html-comment", "<!-- {} -->", "<!-- {k}: {v} -->", "<!-- {} -->", "<!-- {} -->", None),
    (
        "details",
        "<details><summary>the value</summary>\n\n{}\n\n</details>",
        "<details><summary>settings</summary>\n\n{k}={v}\n\n</details>",
        "<details>\n\n{}\n\n</details>",
        "",
        Some(("<details>\n\n", "", "", "\n\n</details>")),
    ),
    (
        "cjk",
        "这个值是{}，请检查。",
        "请设置{k}：{v}。",
        "请运行{}",
        "说明：{}。",
        Some(("如下：\n", "", "", "\n以上。")),
    ),
    (
        "fence-sh",
        "```sh\n./deploy.sh {}\n```",
        "```sh\nexport {k}='{v}'\n./deploy.sh\n```",
        "```sh\n{}\n```",
        "",
        Some(("```\n", "", "", "\n```")),
    ),
    ("shell-prompt", "$ ./check {}", "$ {k}={v} ./check --all", "$ {}", "", None),
    ("flag", "", "`app --{k} {v} --port 80`", "", "", None),
    (
        "fence-yaml",
        "```yaml\nreader:\n  - {}\n```",
        "```yaml\nreader:\n  {k}: {v}\n  port: 80\n```",
        "",
        "",
        Some(("```yaml\nkey: |\n", "  ", "", "\nport: 80\n```")),
    ),
    ("yaml-quoted", "```yaml\nvalue: '{}'\n```", "```yaml\n{k}: \"{v}\"  # for staging\n```", "", "", None),
    (
        "yaml-name-value",
        "",
        "```yaml\nenv:\n  - name: {k}\n    value: {v}\n  - name: PORT\n    value: 80\n```",
        "",
        "",
        None,
    ),
    (
        "fence-json",
        "```json\n{\"value\": \"{}\", \"port\": 80}\n```",
        "```json\n{\n  \"{k}\": \"{v}\",\n  \"port\": 80\n}\n```",
        "",
        "",
        None,
    ),
    ("fence-toml", "```toml\nvalue = \"{}\"\n```", "```toml\n[reader]\n{k} = \"{v}\"\nport = 80\n```", "", "", None),
    ("fence-ini", "```ini\nvalue={}\n```", "```ini\n[reader]\n{k} = {v}\nport = 80\n```", "```ini\n{}\n```", "", None),
    ("fence-env", "```\nVALUE={}\nPORT=80\n```", "```\n{k}={v}\nPORT=80\n```", "```\nPORT=80\n{}\n```", "", None),
    (
        "dockerfile",
        "```dockerfile\nENV VALUE={}\n```",
        "```dockerfile\nFROM alpine\nENV {k}={v}\nRUN make\n```",
        "",
        "",
        None,
    ),
    ("compose-list", "", "```yaml\nenvironment:\n  - {k}={v}\n  - PORT=80\n```", "", "", None),
    (
        "python",
        "```python\nvalue = \"{}\"\n```",
        "```python\nsettings = {\n    '{k}': '{v}',\n    'port': 80,\n}\n```",
        "```python\n{}\n```",
        "",
        None,
    ),
    ("python-assign", "run('{}')", "{k} = '{v}'  # staging", "", "", None),
    (
        "javascript",
        "```js\nconst value = '{}';\n```",
        "```js\nconst {k} = '{v}';\nstart();\n```",
        "```js\n{}\n```",
        "",
        None,
    ),
    ("javascript-key", "start({ value: `{}` })", "start({ {k}: '{v}', port: 80 })", "", "", None),
    ("go", "```go\nvalue := \"{}\"\n```", "```go\nos.Setenv(\"{k}\", \"{v}\")\n```", "", "", None),
    (
        "java",
        "```java\nString value = \"{}\";\n```",
        "```java\nprivate static final String {k} = \"{v}\";\n```",
        "```java\n{}\n```",
        "",
        None,
    ),
    ("terraform", "", "```hcl\nvariable \"reader\" {\n  {k} = \"{v}\"\n}\n```", "", "", None),
    ("xml", "<value>{}</value>", "<property name=\"{k}\" value=\"{v}\"/>", "", "", None),
    ("properties", "", "{k}={v}", "", "", None),
    (
        "diff",
        "```diff\n-value = old\n+value = {}\n```",
        "```diff\n+{k}={v}\n port=80\n```",
        "```diff\n+{}\n```",
        "+ {}",
        Some(("```diff\n", "+", "", "\n```")),
    ),
    (
        "log-line",
        "2026-02-11T10:14:03.512Z ERROR reader: request failed value={} status=401",
        "2026-02-11 10:14:03,512 [main] DEBUG reader - {k}={v} port=80",
        "10:14:03 INFO sh: + {}",
        "10:14:03 INFO chat: {}",
        None,
    ),
    (
        "json-log",
        "{\"level\":\"error\",\"msg\":\"bad value {}\"}",
        "{\"level\":\"info\",\"{k}\":\"{v}\",\"port\":80}",
        "",
        "",
        None,
    ),
    (
        "http-dump",
        "```http\nGET /v1/reader?value={} HTTP/1.1\nHost: api.example.org\n```",
        "```http\nPOST /login HTTP/1.1\nHost: api.example.org\n\n{k}={v}&port=80\n```",
        "```http\nGET /v1 HTTP/1.1\nHost: api.example.org\n{}\nAccept: */*\n```",
        "",
        None,
    ),
    (
        "stack-trace",
        "java.lang.IllegalStateException: bad value {}\n\tat org.example.Reader.open(Reader.java:42)",
        "ValueError: bad config {k}='{v}'\n  File \"reader.py\", line 42, in open",
        "Error: command failed: {}\n    at ChildProcess.exithandler (node:child_process:402:12)",
        "",
        None,
    ),
    (
        "front-matter",
        "---\ntitle: Reader\nvalue: {}\n---\n\nText.",
        "---\ntitle: Reader\n{k}: {v}\n---\n\nText.",
        "",
        "---\ntitle: Reader\nnote: {}\n---",
        None,
    ),
    ("cut-off", "and then it printed {}…", "and then it printed {k}={v}…", "and then it ran {}", "and then: {}", None),
    ("at-the-end", "Last: {}", "Last: {k}={v}", "Last: {}", "Last: {}", None),
    ("semicolon", "one; {}; three", "{k}={v}; port=80", "", "{}; see above", None),
    (
        "indented",
        "Text:\n\n    {}\n\nMore.",
        "Text:\n\n    {k}={v}\n\nMore.",
        "Text:\n\n    {}\n\nMore.",
        "",
        Some(("Text:\n\n", "    ", "", "\n\nMore.")),
    ),
    ("code-comment", "// value: {}", "# {k}: {v}", "# {}", "// TODO {}", Some(("", "// ", "", "\n"))),
    (
        "quoted-reply",
        "On Monday, Ann wrote:\n>> {}\n> why?",
        "On Monday, Ann wrote:\n>> {k}: {v}\n> why?",
        ">> {}\n> why?",
        ">> {}\n> why?",
        Some(("Ann wrote:\n", ">> ", "", "\n> why?")),
    ),
];

/// Rows whose whole text is changed once more.
static FINISHED: &[(&str, Finish, Row)] = &[
    (
        "json-string",
        Finish::Json,
        (
            "",
            "body:\n\"{}\"\nnext",
            "env:\n{k}=\"{v}\"\nnext",
            "run:\n{}\nnext",
            "hi,\n{}\nnext",
            Some(("key:\n", "", "", "\nnext")),
        ),
    ),
    (
        "windows-ends",
        Finish::Windows,
        (
            "",
            "one\n{}\nthree\n",
            "one\n{k}={v}\nthree\n",
            "one\n{}\nthree\n",
            "one\n{}\nthree\n",
            Some(("one\n", "", "", "\nthree\n")),
        ),
    ),
    ("long-line", Finish::Long, ("", "value {} here", "value {k}={v} here", "ran {} here", "note {} here", None)),
];

/// All places.
pub(crate) fn all() -> Vec<Context> {
    let context = |row: &Row, name, finish| {
        let (_, token, pair, code, prose, block) = *row;
        Context { name, token, pair, code, prose, block, finish }
    };
    let plain = ROWS.iter().map(|row| context(row, row.0, Finish::Nothing));
    let mut all: Vec<Context> = plain.chain(FINISHED.iter().map(|(name, how, row)| context(row, name, *how))).collect();
    all.push(Context {
        name: "field",
        token: "{}",
        pair: "{v}",
        code: "",
        prose: "",
        block: None,
        finish: Finish::Nothing,
    });
    all.push(Context {
        name: "two-on-a-line",
        token: "either {} or {} works",
        pair: "{k}={v} was {k}={v}",
        code: "",
        prose: "",
        block: None,
        finish: Finish::Nothing,
    });
    all
}

impl Context {
    /// A secret of `kind` here; `None` where that makes no sense.
    pub(crate) fn case(&self, kind: &Kind, rng: &mut Rng) -> Option<Case> {
        let template = match kind.shape {
            Shape::Block(make) => return self.block_case(&make(rng), rng),
            Shape::Token(_) => self.token,
            Shape::Pair(..) => self.pair,
            Shape::Code(_) => self.code,
            Shape::Prose(_) => self.prose,
        };
        if template.is_empty() || matches!(kind.shape, Shape::Pair(key, form) if !fits(template, key, form)) {
            return None;
        }
        let key = if let Shape::Pair(key, _) = kind.shape { key } else { "" };
        let template = template.replace("{k}", key);
        let mut case = Case { text: String::new(), key: String::new(), secrets: Vec::new(), frame: Vec::new() };
        if self.name == "field" {
            case.key = if key.is_empty() { "note".to_owned() } else { key.to_owned() };
        }
        let slot = if key.is_empty() { "{}" } else { "{v}" };
        let mut parts = template.split(slot).peekable();
        let mut open = String::new();
        while let Some(part) = parts.next() {
            open.push_str(part);
            case.text.push_str(part);
            if parts.peek().is_none() {
                break;
            }
            let sample = kind.sample(rng)?;
            case.text.extend([&*sample.before, &*sample.secret, &*sample.after]);
            // The rest of an address may go with the secret.
            let loose = matches!(kind.shape, Shape::Token(_));
            case.frame.push(std::mem::take(&mut open) + if loose { "" } else { &sample.before });
            open = if loose { String::new() } else { sample.after };
            case.secrets.push(sample.secret);
        }
        case.frame.push(open);
        Some(self.finished(case, rng))
    }

    fn block_case(&self, block: &crate::kinds::Block, rng: &mut Rng) -> Option<Case> {
        let (start, before, after, end) = self.block?;
        let lines: Vec<String> = block.text.lines().map(|line| format!("{before}{line}{after}")).collect();
        let secrets = block.body.iter().map(|part| part.replace('\n', &format!("{after}\n{before}"))).collect();
        let text = format!("{start}{}{end}", lines.join("\n"));
        let case = Case { text, key: String::new(), secrets, frame: vec![start.to_owned(), end.to_owned()] };
        Some(self.finished(case, rng))
    }

    fn finished(&self, case: Case, rng: &mut Rng) -> Case {
        let change = |text: &str| match self.finish {
            Finish::Nothing | Finish::Long => text.to_owned(),
            Finish::Json => serde_json::Value::from(text).to_string().trim_matches('"').to_owned(),
            Finish::Windows => text.replace('\n', "\r\n"),
        };
        let mut done = Case {
            text: change(&case.text),
            key: case.key,
            secrets: case.secrets.iter().map(|text| change(text)).collect(),
            frame: case.frame.iter().map(|text| change(text)).collect(),
        };
        match self.finish {
            Finish::Json => done.text = format!("{{\"body\": \"{}\"}}", done.text),
            Finish::Long => {
                let (before, after) = (filler(rng), filler(rng));
                done.text = format!("{before} {} {after}", done.text);
                done.frame.extend([before, after]);
            }
            Finish::Nothing | Finish::Windows => {}
        }
        done
    }
}

/// Whether anybody would write such a key, and a value of such a form, in this place.
fn fits(template: &str, key: &str, form: &str) -> bool {
    let label = !key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    let names = ["{k}=", "{k} =", "--{k}", "Setenv"].iter().any(|name| template.contains(name));
    let after = template.rsplit_once("{v}").and_then(|(_, after)| after.chars().next());
    let words = form.starts_with("{S");
    !(label && names) && !(words && after.is_some_and(|c| !"\"'`”|<\n)*".contains(c)))
}

/// A few hundred words without meaning.
pub(crate) fn filler(rng: &mut Rng) -> String {
    const WORDS: [&str; 16] = [
        "the", "reader", "waits", "until", "queue", "is", "empty", "and", "then", "writes", "its", "index", "to",
        "disk", "again", "slowly",
    ];
    (0..300).map(|_| WORDS[rng.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}
