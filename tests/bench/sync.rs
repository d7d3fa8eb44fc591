//! A large sync against the stand-in of GitHub: `cargo bench --bench sync`.
//!
//! 1,000 issues with comments and relations are synced once in peace, which tells requests, time and memory; then
//! again and again in new repos, killed at random points until there were 50 kills, taken up each time until they end.
//! Each snapshot must be that of the run in peace, byte for byte. `cargo bench --bench sync -- ISSUES KILLS SEED`
//! takes other numbers.
//!
//! `cargo bench --bench sync -- serve ISSUES MS` serves such a repo until it is stopped, each answer so many milliseconds
//! late, to try `contextpack sync` by hand.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop, and prints what it found")]

#[path = "../suite/interrupted.rs"]
mod interrupted;
#[path = "../suite/sandbox.rs"]
#[expect(dead_code, reason = "the suite uses all of it")]
mod sandbox;
#[path = "../suite/stand_in/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the suite uses all of it")]
mod stand_in;

use stand_in::StandIn;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(usual, |arg| arg.parse().unwrap());
    if args.first().is_some_and(|arg| arg == "serve") {
        let mut world = interrupted::world(number(1, 100));
        let late = std::time::Duration::from_millis(number(2, 0));
        world.fault = Some(Box::new(move |_, _| {
            std::thread::sleep(late);
            None
        }));
        let server = StandIn::new(world);
        println!("in a repo with `github: {{repo: o/r}}` in its `contextpack.yml`:");
        println!("GITHUB_API_URL={} CONTEXTPACK_GITHUB_TOKEN=any contextpack sync", server.url);
        loop {
            std::thread::park();
        }
    }
    let (issues, kills, seed) = (number(0, 1000), number(1, 50), number(2, 4));
    let server = StandIn::new(interrupted::world(issues));
    let report = interrupted::interrupted(&server, usize::try_from(kills).unwrap(), seed);
    println!("{issues} issues, seed {seed}; {report}: every snapshot is the same");
}
