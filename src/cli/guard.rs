//! What keeps the program standing where the system gives it less than it takes for granted: threads, and, in the
//! last line, everything else that a library meets with a panic.

use super::console::{self, printable};
use super::exit::Exit;
use super::workspace::environment;
use crate::config::RedactionSettings;
use crate::redact::Redactor;
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// How much of a panic's message is told, in characters.
const TOLD: usize = 200;

/// Starts the threads that share the work, as many as the system has processors, this one among them; without those
/// that it does not start.
pub(crate) fn start_threads() {
    // rayon reads it too where nobody says how many.
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
    let wanted = asked.or_else(|| std::thread::available_parallelism().ok().map(NonZeroUsize::get)).unwrap_or(1);
    let (count, hand) = threads(wanted, &|work| std::thread::Builder::new().spawn(work).map(drop));
    // This fails only where there is a pool already.
    let _ = ThreadPoolBuilder::new().num_threads(count).use_current_thread().spawn_handler(hand).build_global();
}

/// Work of a thread.
type Work = Box<dyn FnOnce() + Send>;

/// Starts threads for a pool until there are `wanted` together with this one, or `start` fails. Gives how many there
/// are, and what hands its part of the pool to each.
///
/// rayon panics for good where it cannot start a thread itself, so that each is started before and waits for its part.
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

/// Runs the program. A panic, which is a fault of it or of a library, is told in one line and ends it as a failure of
/// the outside world does, whichever thread it came from.
pub(crate) fn guarded(run: impl FnOnce() -> Exit) -> Exit {
    static FIRST: Mutex<Option<Panic>> = Mutex::new(None);
    panic::set_hook(Box::new(|panic| {
        // Nothing that can panic itself may run here. Of several threads the first says why.
        FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| Panic::new(panic));
    }));
    let exit = panic::catch_unwind(AssertUnwindSafe(run));
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (exit, first) {
        (Ok(exit), None) => exit,
        (_, first) => {
            // Where stderr is gone there is nobody left to tell.
            let _ = writeln!(console::stderr(), "{}", report(first.unwrap_or_default()));
            Exit::Outside
        }
    }
}

/// What is known of a panic.
#[derive(Debug, Default)]
struct Panic {
    message: String,
    /// Whether the message is part of the program, so that it holds nothing of what was worked on.
    is_fixed: bool,
    /// The file's name and the line.
    place: String,
}

impl Panic {
    fn new(panic: &PanicHookInfo<'_>) -> Self {
        let place = panic.location().map_or_else(String::new, |at| {
            // Where the program was built is nobody's business.
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
        "error: contextpack failed where it should not: {}{}\n   = help: please report this line, and what you ran; no pack was left half written",
        message(&panic),
        panic.place,
    )
}

/// What a panic says of itself, as far as it cannot hold raw text: up to the first quotation mark, after which
/// libraries put what they worked on, and scrubbed.
fn message(panic: &Panic) -> String {
    let line = panic.message.lines().next().unwrap_or_default();
    if panic.is_fixed {
        return printable(line).into_owned();
    }
    let text: String = line.split(['`', '"', '\'']).next().unwrap_or_default().chars().take(TOLD).collect();
    // What scrubs may be what failed.
    let clean = || environment().mask(&Redactor::new(&RedactionSettings::default()).line(&text));
    let clean = panic::catch_unwind(AssertUnwindSafe(clean)).unwrap_or_default();
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
    fn threads_that_cannot_be_started_are_done_without() {
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
    fn what_a_panic_says_holds_no_raw_text() {
        let message = |text: &str| message(&Panic { message: text.to_owned(), ..Panic::default() });
        let told = message("end byte index 4 is not a char boundary of `the secret text`\nand more");
        assert_eq!(told, "end byte index 4 is not a char boundary of");
        assert_eq!(
            message("unexpected error during closedir: Os { code: 5 }"),
            "unexpected error during closedir: Os { code: 5 }"
        );
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        assert!(!message(&format!("no such token: {token}")).contains(&token));
        assert_eq!(message("\u{1b}[31mred"), message("\u{1b}[31mred").replace('\u{1b}', ""));
    }
}
