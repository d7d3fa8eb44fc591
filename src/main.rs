//! The `contextpack` program: the command line of the library.

/// Packs are made of many short texts: the allocator of the system takes a fifth of a build.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    contextpack::command_line()
}
