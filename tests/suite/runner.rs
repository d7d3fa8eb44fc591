//! A stand-in for GitHub Actions: it runs the jobs and steps of the workflow files of a repo in clones of a bare one.
//!
//! It knows what the workflows of `init` use. What it is strict about: a token may write only if its job's permissions say
//! so, each job begins on a machine of its own, the name of an artifact is new, and no artifact keeps its modes.

use crate::expressions::{Status, as_text, filled, holds};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use sha2::Digest as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// GitHub, for one repository.
pub(crate) struct Runner<'a> {
    sandbox: &'a Sandbox,
    /// The variables and secrets of the repository.
    settings: Value,
    jobs: AtomicUsize,
    runs: AtomicUsize,
}

/// A job that was run, or was not.
#[derive(Debug, Clone)]
pub(crate) struct JobRun {
    /// Its name; of a job that another workflow's job called, with that in front.
    pub(crate) name: String,
    /// `success`, `failure` or `skipped`.
    pub(crate) result: &'static str,
    /// What its steps printed.
    pub(crate) log: String,
    outputs: Value,
}

/// What the jobs of one run share.
struct RunOfEvent<'a> {
    number: usize,
    github: Value,
    time: u64,
    ran: &'a Mutex<Vec<JobRun>>,
}

/// How a step ended.
struct StepRun {
    success: bool,
    /// Whether its machine is gone.
    lost: bool,
    outputs: Value,
    log: String,
}

impl<'a> Runner<'a> {
    /// Makes the repo of a sandbox one on GitHub, with its files on the branch `main`.
    pub(crate) fn new(sandbox: &'a Sandbox, settings: Value) -> Self {
        let remote = sandbox.beside("remote.git");
        sandbox.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
        let program = |path: PathBuf, script: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        program(
            remote.join("hooks/pre-receive"),
            "#!/bin/sh\ncase $GH_TOKEN in write | app) ;; *) echo 'the token may not write'; exit 1 ;; esac\n",
        );
        let programs = sandbox.beside("programs");
        program(programs.join("rustup"), "#!/bin/sh\n");
        let bin = env!("CARGO_BIN_EXE_contextpack");
        program(
            programs.join("cargo"),
            &format!(
                "#!/bin/sh\nmkdir -p ~/.cargo/bin\nprintf '#!/bin/sh\\nexec \"{bin}\" \"$@\"\\n' > ~/.cargo/bin/contextpack\nchmod +x ~/.cargo/bin/contextpack\n"
            ),
        );
        // What a call of the API asks for is noted, one line a call. Pull requests are those of the file `pulls`.
        let gh = "#!/bin/sh\ncase \"$1 $2\" in\n'auth setup-git') ;;\n'pr list')\n  case \"$*\" in *--head*) ;; *) cat \"$PULLS_FILE\" ;; esac ;;\n'pr create' | 'pr edit' | 'api --method')\n  case $GH_TOKEN in write | app) ;; *) exit 1 ;; esac\n  echo \"$*\" >> \"$CALLS\" ;;\n*) exit 1 ;;\nesac\n";
        program(programs.join("gh"), gh);
        Self { sandbox, settings, jobs: AtomicUsize::new(0), runs: AtomicUsize::new(0) }
    }

    /// Runs a workflow file for an event at a time, and returns its jobs.
    pub(crate) fn run(&self, file: &str, event: Value, time: u64) -> Vec<JobRun> {
        self.call(self.runs.fetch_add(1, Ordering::SeqCst), file, event, json!({}), time)
    }

    /// Runs a workflow file with these inputs as a part of a run, which has its artifacts; runs are counted from 0.
    pub(crate) fn call(&self, number: usize, file: &str, mut event: Value, inputs: Value, time: u64) -> Vec<JobRun> {
        // Nothing but the schedule stands in the event of one.
        if event["schedule"].is_null() {
            event["repository"] = json!({"default_branch": "main", "fork": false});
        }
        let ran = Mutex::new(Vec::new());
        let github = json!({"event": event, "ref_name": "main"});
        let of_event = RunOfEvent { number, github, time, ran: &ran };
        self.workflow(&of_event, file, &inputs, &self.settings["secrets"], "", true);
        ran.into_inner().unwrap()
    }

    /// Returns the digest of the program that jobs install.
    pub(crate) fn program(&self) -> String {
        let script = format!("#!/bin/sh\nexec \"{}\" \"$@\"\n", env!("CARGO_BIN_EXE_contextpack"));
        sha2::Sha256::digest(script).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns what steps asked GitHub's API for since the last time.
    pub(crate) fn calls(&self) -> Vec<String> {
        let path = self.sandbox.beside("calls");
        let lines = fs::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
        let _none = fs::remove_file(path);
        lines
    }

    /// Runs the jobs of a workflow, each as soon as those that it needs have ended; returns whether none failed.
    fn workflow(
        &self,
        run: &RunOfEvent<'_>,
        file: &str,
        inputs: &Value,
        secrets: &Value,
        above: &str,
        may_write: bool,
    ) -> bool {
        let text = self.sandbox.read(&format!(".github/workflows/{file}"));
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        for (name, input) in workflow["on"]["workflow_call"]["inputs"].as_object().into_iter().flatten() {
            assert!(input["required"] != true || !as_text(&inputs[name]).is_empty(), "`{name}` is not given");
        }
        let mut contexts = json!({
            "github": run.github, "inputs": inputs, "vars": self.settings["vars"], "secrets": secrets,
        });
        contexts["env"] = values(&workflow["env"], &contexts);
        let mut waiting: Vec<(&String, &Value)> = workflow["jobs"].as_object().unwrap().iter().collect();
        let mut ended: Vec<JobRun> = Vec::new();
        while !waiting.is_empty() {
            let is_ready = |job: &Value| needs(job).iter().all(|need| ended.iter().any(|job| job.name == **need));
            let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, job)| is_ready(job));
            assert!(!ready.is_empty(), "jobs need each other");
            waiting = rest;
            let round: Vec<JobRun> = std::thread::scope(|scope| {
                let begin = |(name, job): (&'_ String, &'_ Value)| {
                    let mut contexts = contexts.clone();
                    contexts["needs"] = json!({});
                    for need in needs(job) {
                        let before = ended.iter().find(|job| job.name == need).unwrap();
                        contexts["needs"][&need] = json!({"result": before.result, "outputs": before.outputs});
                    }
                    let (workflow, name, job) = (&workflow, name.clone(), job.clone());
                    scope.spawn(move || self.job(run, workflow, &name, &job, contexts, above, may_write))
                };
                let begun: Vec<_> = ready.into_iter().map(begin).collect();
                begun.into_iter().map(|job| job.join().unwrap()).collect()
            });
            ended.extend(round);
        }
        ended.iter().all(|job| job.result != "failure")
    }

    #[expect(clippy::too_many_arguments, reason = "what a job is made of")]
    fn job(
        &self,
        run: &RunOfEvent<'_>,
        workflow: &Value,
        name: &str,
        job: &Value,
        mut contexts: Value,
        above: &str,
        may_write: bool,
    ) -> JobRun {
        let success = contexts["needs"].as_object().unwrap().values().all(|need| need["result"] == "success");
        let mut ended = JobRun { name: name.to_owned(), result: "skipped", log: String::new(), outputs: json!({}) };
        if holds(job["if"].as_str(), &contexts, Status { success }) {
            let writes = job["permissions"]["contents"] == "write";
            assert!(may_write || !writes, "`{above}` does not give `{name}` the right to write");
            contexts["github"]["token"] = json!(if writes { "write" } else { "read" });
            ended = if job["uses"].is_string() {
                let success = self.called(run, job, &contexts, name, writes);
                JobRun { result: if success { "success" } else { "failure" }, ..ended }
            } else {
                self.machine(run, workflow, job, contexts, ended)
            };
        }
        let shown = if above.is_empty() { name.to_owned() } else { format!("{above} / {name}") };
        run.ran.lock().unwrap().push(JobRun { name: shown, ..ended.clone() });
        ended
    }

    /// Calls a workflow for each job of a matrix; returns whether none failed.
    fn called(&self, run: &RunOfEvent<'_>, job: &Value, contexts: &Value, name: &str, may_write: bool) -> bool {
        let file = job["uses"].as_str().unwrap().rsplit('/').next().unwrap();
        let matrix = filled(job["strategy"]["matrix"].as_str().unwrap(), contexts);
        let jobs = matrix["include"].as_array().unwrap();
        assert!((1..=256).contains(&jobs.len()), "a matrix has 1 to 256 jobs");
        let at_once = job["strategy"]["max-parallel"].as_u64().map_or(jobs.len(), |most| most as usize);
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while let Some(matrix) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                        let mut contexts = contexts.clone();
                        contexts["matrix"] = matrix.clone();
                        let inputs = values(&job["with"], &contexts);
                        let secrets = values(&job["secrets"], &contexts);
                        let above = format!("{name} {}", matrix["task_index"]);
                        if !self.workflow(run, file, &inputs, &secrets, &above, may_write) {
                            failed.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        failed.into_inner() == 0
    }

    /// Runs the steps of a job on a machine of its own.
    fn machine(
        &self,
        run: &RunOfEvent<'_>,
        workflow: &Value,
        job: &Value,
        mut contexts: Value,
        mut ended: JobRun,
    ) -> JobRun {
        let machine = self.sandbox.beside(&format!("machines/{}", self.jobs.fetch_add(1, Ordering::SeqCst)));
        for folder in ["work", "temp", "home/.cargo/bin"] {
            fs::create_dir_all(machine.join(folder)).unwrap();
        }
        contexts["runner"] = json!({"temp": machine.join("temp")});
        contexts["steps"] = json!({});
        let mut success = true;
        for step in job["steps"].as_array().unwrap() {
            if !holds(step["if"].as_str(), &contexts, Status { success }) {
                continue;
            }
            let result = match step["uses"].as_str() {
                Some(action) => self.action(run, action, &values(&step["with"], &contexts), &machine),
                None => self.script(run, workflow, step, &contexts, &machine),
            };
            ended.log += &format!("--- {}\n{}", step["name"].as_str().or(step["uses"].as_str()).unwrap(), result.log);
            if result.lost {
                return JobRun { result: "failure", ..ended };
            }
            success &= result.success || step["continue-on-error"] == true;
            if let Some(id) = step["id"].as_str() {
                contexts["steps"][id] = json!({"outputs": result.outputs});
            }
        }
        ended.outputs = values(&job["outputs"], &contexts);
        JobRun { result: if success { "success" } else { "failure" }, ..ended }
    }

    fn script(
        &self,
        run: &RunOfEvent<'_>,
        workflow: &Value,
        step: &Value,
        contexts: &Value,
        machine: &Path,
    ) -> StepRun {
        let script = machine.join("temp/step.sh");
        let text = step["run"].as_str().unwrap();
        assert!(!text.contains("${{"), "an expression in a script: {text}");
        fs::write(&script, text).unwrap();
        let mut command = Command::new("bash");
        match workflow["defaults"]["run"]["shell"].as_str() {
            Some("bash") => command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]),
            _ => command.arg("-e"),
        };
        let home = machine.join("home");
        let path = [self.sandbox.beside("programs"), home.join(".cargo/bin")].map(|path| path.display().to_string());
        let path = format!("{}:{}", path.join(":"), std::env::var("PATH").unwrap());
        command.arg(&script).current_dir(machine.join("work")).env_clear();
        command.env("PATH", path).env("HOME", home).env("CI", "true").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("RUNNER_TEMP", machine.join("temp")).env("GITHUB_WORKSPACE", machine.join("work"));
        command.env("GITHUB_SERVER_URL", "https://github.com").env("GITHUB_REPOSITORY", "owner/name");
        command.env("GITHUB_RUN_ID", run.number.to_string()).env("SOURCE_DATE_EPOCH", run.time.to_string());
        command.env("CALLS", self.sandbox.beside("calls")).env("PULLS_FILE", self.sandbox.beside("pulls"));
        for (name, file) in [("GITHUB_OUTPUT", "temp/output"), ("GITHUB_STEP_SUMMARY", "summary")] {
            command.env(name, machine.join(file));
        }
        for env in [&contexts["env"], &values(&step["env"], contexts)] {
            command.envs(env.as_object().into_iter().flatten().map(|(name, value)| (name, as_text(value))));
        }
        let _none = fs::remove_file(machine.join("temp/output"));
        let output = command.output().unwrap();
        let outputs = fs::read_to_string(machine.join("temp/output")).unwrap_or_default();
        let outputs = outputs.lines().map(|line| line.split_once('=').unwrap());
        let summary = fs::read_to_string(machine.join("summary")).unwrap_or_default();
        StepRun {
            success: output.status.success(),
            lost: output.status.signal().is_some(),
            outputs: outputs.map(|(name, value)| (name.to_owned(), json!(value))).collect(),
            log: [&*String::from_utf8_lossy(&output.stdout), &*String::from_utf8_lossy(&output.stderr), &summary]
                .concat(),
        }
    }

    fn action(&self, run: &RunOfEvent<'_>, action: &str, with: &Value, machine: &Path) -> StepRun {
        let artifacts = self.sandbox.beside(&format!("artifacts/{}", run.number));
        let at = |path: &str| match path.strip_prefix("~/") {
            Some(path) => machine.join("home").join(path),
            None => machine.join("work").join(path),
        };
        let text = |name: &str| with[name].as_str().unwrap_or_else(|| panic!("{action} lacks `{name}`"));
        let success = match action.split_once('@').unwrap().0 {
            "actions/checkout" => {
                assert_eq!(with["persist-credentials"], false);
                let remote = format!("file://{}", self.sandbox.beside("remote.git").display());
                let work = machine.join("work");
                let git = |args: &[&str]| self.sandbox.git(&[&["-C", work.to_str().unwrap()], args].concat());
                let branch = with["ref"].as_str().unwrap_or("main");
                let depth = with["fetch-depth"].as_u64().unwrap_or(1);
                git(&["init", "-q", "-b", "none"]);
                git(&["remote", "add", "origin", &remote]);
                // A depth of 0 is all of all branches.
                let spec = match depth {
                    0 => "+refs/heads/*:refs/remotes/origin/*".to_owned(),
                    _ => format!("+refs/heads/{branch}:refs/remotes/origin/{branch}"),
                };
                let limit = format!("--depth={depth}");
                let depth = if depth == 0 { &[][..] } else { &[&*limit] };
                git(&[&["fetch", "-q", "--no-tags"], depth, &["origin", &spec]].concat());
                git(&["checkout", "-q", "--force", "-B", branch, &format!("refs/remotes/origin/{branch}")]);
                true
            }
            "actions/upload-artifact" => {
                let to = artifacts.join(text("name"));
                assert!(!to.exists(), "there is an artifact `{}` in this run", text("name"));
                text("path").lines().all(|path| {
                    let from = at(path.trim());
                    let to = if from.is_dir() { to.clone() } else { to.join(from.file_name().unwrap()) };
                    copied(&from, &to)
                })
            }
            "actions/create-github-app-token" => {
                assert_eq!((text("client-id"), text("private-key")), ("Iv1", "key"));
                return StepRun { success: true, lost: false, outputs: json!({"token": "app"}), log: String::new() };
            }
            "actions/download-artifact" => copied(&artifacts.join(text("name")), &at(text("path"))),
            _ => panic!("`{action}` is not known"),
        };
        StepRun { success, lost: false, outputs: json!({}), log: String::new() }
    }
}

fn needs(job: &Value) -> Vec<String> {
    let one = job["needs"].as_str().map(str::to_owned);
    one.into_iter().chain(job["needs"].as_array().into_iter().flatten().map(as_text)).collect()
}

/// Evaluates the values of a mapping.
fn values(mapping: &Value, contexts: &Value) -> Value {
    let value = |value: &Value| value.as_str().map_or_else(|| value.clone(), |text| filled(text, contexts));
    mapping.as_object().into_iter().flatten().map(|(name, it)| (name.clone(), value(it))).collect()
}

/// Copies a file or a folder without modes; `false` if there is none.
fn copied(from: &Path, to: &Path) -> bool {
    if from.is_dir() {
        for (path, bytes) in crate::sandbox::files(from) {
            fs::create_dir_all(to.join(&path).parent().unwrap()).unwrap();
            fs::write(to.join(path), bytes).unwrap();
        }
    } else if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, fs::read(from).unwrap()).unwrap();
    }
    from.exists()
}
