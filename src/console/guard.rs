//! Protection against a system that provides less than expected: too few threads, and panics of libraries.

use super::{Exit, printable, stderr, without_secrets};
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// The longest message of a panic that is printed, in characters.
const LONGEST_MESSAGE: usize = 200;

/// Starts the thread pool: one thread for each processor, including this one, or as many as the system can start.
pub(crate) fn start_threads() {
    // rayon reads this variable only if no number is given.
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
    let wanted = asked.or_else(|| std::thread::available_parallelism().ok().map(NonZeroUsize::get)).unwrap_or(1);
    let (count, hand) = threads(wanted, &|work| std::thread::Builder::new().spawn(work).map(drop));
    // This fails only if there is a pool already.
    let _ = ThreadPoolBuilder::new().num_threads(count).use_current_thread().spawn_handler(hand).build_global();
}

type Work = Box<dyn FnOnce() + Send>;

/// Starts threads for a pool until there are `wanted` including this one, or `start` fails. Returns their number, and a
/// spawn handler that assigns them to the pool.
///
/// rayon panics if it cannot start a thread, so the threads are started before and wait for their assignment.
fn threads(
    wanted: usize,
    start: &dyn Fn(Work) -> io::Result<()>,
) -> (usize, impl FnMut(ThreadBuilder) -> io::Result<()> + use<>) {
    let mut started: Vec<Sender<ThreadBuilder>> = Vec::new();
    while started.len() + 1 < wanted {
        let (sender, receiver) = channel::<ThreadBuilder>();
        let work = move || {
            if let Ok(thread) = receiver.recv() {
                thread.run();
            }
        };
        if start(Box::new(work)).is_err() {
            break;
        }
        started.push(sender);
    }
    let count = started.len() + 1;
    let hand = move |thread| {
        let sent = started.pop().is_some_and(|sender| sender.send(thread).is_ok());
        if sent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    (count, hand)
}

/// Runs the program. A panic in any thread is reported on one line and ends it with [`Exit::Outside`].
pub(crate) fn guarded(run: impl FnOnce() -> Exit) -> Exit {
    static FIRST: Mutex<Option<Panic>> = Mutex::new(None);
    panic::set_hook(Box::new(|panic| {
        // Nothing that can panic may run here. If several threads panic, the first one counts.
        FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| Panic::new(panic));
    }));
    let exit = panic::catch_unwind(AssertUnwindSafe(run));
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (exit, first) {
        (Ok(exit), None) => exit,
        (_, first) => {
            // If standard error is closed, the report is lost.
            let _ = writeln!(stderr(), "{}", report(first.unwrap_or_default()));
            Exit::Outside
        }
    }
}

#[derive(Debug, Default)]
struct Panic {
    message: String,
    /// Whether the message is a literal of the program, so that it contains no data.
    is_fixed: bool,
    place: String,
}

impl Panic {
    fn new(panic: &PanicHookInfo<'_>) -> Self {
        let place = panic.location().map_or_else(String::new, |at| {
            // The path would reveal where the program was built.
            let file = at.file().rsplit(['/', '\\']).next().unwrap_or_default();
            format!(" ({file}:{})", at.line())
        });
        match (panic.payload().downcast_ref::<&str>(), panic.payload().downcast_ref::<String>()) {
            (Some(text), _) => Self { message: (*text).to_owned(), is_fixed: true, place },
            (None, Some(text)) => Self { message: text.clone(), is_fixed: false, place },
            (None, None) => Self { message: "it does not say why".to_owned(), is_fixed: true, place },
        }
    }
}

fn report(panic: Panic) -> String {
    format!(
        "error: contextpack failed where it should not: {}{}\n   = help: please report this line, and what you ran; no pack is incomplete",
        message(&panic),
        panic.place,
    )
}

/// Returns the part of a panic's message that contains no raw data: up to the first quotation mark, after which
/// libraries quote their input, and redacted.
fn message(panic: &Panic) -> String {
    let line = panic.message.lines().next().unwrap_or_default();
    if panic.is_fixed {
        return printable(line).into_owned();
    }
    let text: String = line.split(['`', '"', '\'']).next().unwrap_or_default().chars().take(LONGEST_MESSAGE).collect();
    // The redactor itself may be what panicked.
    let clean = panic::catch_unwind(AssertUnwindSafe(|| without_secrets(&text))).unwrap_or_default();
    printable(&clean).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_of_the_outside_world() {
        assert_eq!(guarded(|| Exit::Done), Exit::Done);
        assert_eq!(guarded(|| std::panic::panic_any("on purpose")), Exit::Outside);
        let _ = panic::take_hook();
    }

    #[test]
    fn a_pool_works_without_the_threads_that_cannot_be_started() {
        use rayon::prelude::*;
        for most in 0..3 {
            let work = move || {
                let started = std::cell::Cell::new(0);
                let (count, hand) = threads(4, &|work| match started.replace(started.get() + 1) < most {
                    true => std::thread::Builder::new().spawn(work).map(drop),
                    false => Err(io::ErrorKind::WouldBlock.into()),
                });
                // It takes this thread for its own.
                let pool = ThreadPoolBuilder::new().num_threads(count).use_current_thread().spawn_handler(hand).build();
                let sum: u64 = (0..1000_u64).into_par_iter().sum();
                (sum, rayon::current_num_threads(), pool.is_ok())
            };
            assert_eq!(std::thread::spawn(work).join().ok(), Some((499_500, most + 1, true)));
        }
    }

    #[test]
    fn the_message_of_a_panic_contains_no_raw_text() {
        let message = |text: &str| message(&Panic { message: text.to_owned(), ..Panic::default() });
        let shown = message("end byte index 4 is not a char boundary of `the secret text`\nand more");
        assert_eq!(shown, "end byte index 4 is not a char boundary of");
        assert_eq!(
            message("unexpected error during closedir: Os { code: 5 }"),
            "unexpected error during closedir: Os { code: 5 }"
        );
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        assert!(!message(&format!("no such token: {token}")).contains(&token));
        assert_eq!(message("\u{1b}[31mred"), message("\u{1b}[31mred").replace('\u{1b}', ""));
    }
}
