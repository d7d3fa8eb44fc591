//! The `contextpack` program: the command line of the library.

fn main() -> std::process::ExitCode {
    contextpack::command_line()
}
