//! The file that `batch fork` reads: a plan of tasks, with the place of every fault.

#![expect(missing_docs, reason = "`schema/batch-file.schema.json` says what each field means")]

use super::deserialize::read;
use super::tree::{self, ConfigFaults, SettingPlace};
use crate::model::named_enum;
use serde::{Deserialize, Serialize};

named_enum! {
    /// The log that an agent appends to.
    pub enum TargetStrategy {
        /// A log of its own.
        New = "new",
        /// The log of the agent that it is for.
        Reuse = "reuse",
        /// A log of its own, and the log of the agent that hands over is inherited.
        Clone = "clone",
    }
}

/// The longest deadline, in seconds: more than thirty years.
pub const LONGEST_DEADLINE: u64 = 1_000_000_000;

/// A plan of tasks that agents work on at once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchFile {
    pub parent_agent: String,
    pub tasks: Vec<PlannedTask>,
    pub fail_fast: Option<bool>,
    pub deadline: Option<String>,
    pub deadline_seconds: Option<u64>,
    pub tool_call_id: Option<String>,
    pub key: Option<String>,
}

/// A task of a plan, and of the batch that is forked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    pub target_strategy: TargetStrategy,
    pub target_ref: String,
    pub instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchFileFault {
    /// Where, from 1; `None` if it is about the whole.
    pub line: Option<u32>,
    /// What is wrong and what to do.
    pub message: String,
}

impl BatchFile {
    /// Reads a plan, in YAML or JSON, and returns it with the line of each task.
    pub fn read(text: &str, max_tasks: u32) -> Result<(Self, Vec<u32>), Vec<BatchFileFault>> {
        let mut faults = ConfigFaults::default();
        let read = match tree::read(text) {
            Err(fault) => {
                faults.0.push(fault);
                None
            }
            Ok(mut root) => read::<Self>(&mut root, None, &mut faults.0).map(|file| {
                let lines = file.check(SettingPlace::root(&root), max_tasks, &mut faults);
                (file, lines)
            }),
        };
        match read {
            Some(read) if faults.0.is_empty() => Ok(read),
            _ => {
                let mut found: Vec<BatchFileFault> = faults
                    .0
                    .into_iter()
                    .map(|fault| BatchFileFault {
                        line: fault.at.map(|at| at.line),
                        message: match fault.help {
                            Some(help) => format!("{} (help: {help})", fault.message),
                            None => fault.message,
                        },
                    })
                    .collect();
                found.sort();
                found.dedup();
                Err(found)
            }
        }
    }

    /// Returns the deadline in seconds, if the plan states one.
    pub fn deadline(&self) -> Option<u64> {
        self.deadline.as_deref().and_then(seconds_of).or(self.deadline_seconds)
    }

    /// Checks the values, and returns the lines of the tasks.
    fn check(&self, at: SettingPlace<'_>, max_tasks: u32, faults: &mut ConfigFaults) -> Vec<u32> {
        let at_tasks = at.key("tasks");
        let count = self.tasks.len();
        if count == 0 && !at_tasks.lost_a_value() {
            faults.add(at_tasks, "there are no tasks");
        } else if count > max_tasks as usize {
            let help = "`handover.max_tasks` in `contextpack.yml` raises the limit";
            faults.add_help(at_tasks, format!("{count} tasks, and at most {max_tasks} are allowed"), help);
        }
        let is_allowed = |seconds: u64| (1..=LONGEST_DEADLINE).contains(&seconds);
        if self.deadline_seconds.is_some_and(|seconds| !is_allowed(seconds)) {
            let message = format!("`deadline_seconds` is not from 1 to {LONGEST_DEADLINE}");
            faults.add(at.key("deadline_seconds"), message);
        }
        if let Some(deadline) = &self.deadline {
            let at = at.key("deadline");
            let fault = match seconds_of(deadline) {
                _ if self.deadline_seconds.is_some() => {
                    Some("`deadline` and `deadline_seconds` say the same: give one of them".to_owned())
                }
                None => Some("`deadline` is a time such as `10m` or `2h`, or a number of seconds".to_owned()),
                Some(seconds) if !is_allowed(seconds) => {
                    Some(format!("`deadline` is not from 1 to {LONGEST_DEADLINE} seconds"))
                }
                Some(_) => None,
            };
            if let Some(message) = fault {
                faults.add(at, message);
            }
        }
        let whole = [
            ("parent_agent", Some(&self.parent_agent)),
            ("tool_call_id", self.tool_call_id.as_ref()),
            ("key", self.key.as_ref()),
        ];
        not_empty(at, &whole, faults);
        let mut lines = Vec::with_capacity(count);
        for (index, task) in self.tasks.iter().enumerate() {
            let at = at_tasks.item(index);
            lines.push(at.line());
            let texts = [
                ("target_ref", Some(&task.target_ref)),
                ("instruction", Some(&task.instruction)),
                ("context_box_id", task.context_box_id.as_ref()),
                ("root", task.root.as_ref()),
            ];
            not_empty(at, &texts, faults);
        }
        lines
    }
}

/// Reads a time such as `10m` or `900` as whole seconds.
fn seconds_of(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| Some(humantime::parse_duration(text).ok()?.as_secs()))
}

fn not_empty(at: SettingPlace<'_>, texts: &[(&str, Option<&String>)], faults: &mut ConfigFaults) {
    for (name, text) in texts {
        if text.is_some_and(|text| text.trim().is_empty()) {
            faults.add(at.key(name), format!("`{name}` is empty"));
        }
    }
}
