//! The `contextpack` program: a thin shell around the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().into()
}
