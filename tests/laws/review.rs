//! Comparing packs: nothing is lost, nothing is made up, whatever the texts and the damage.

use contextpack::internals::review::{Pair, SalvagedPack, SectionChange, compare, salvage};
use contextpack::internals::wire::Pack;
use proptest::prelude::*;

const PACK: &str = include_str!("../golden/minimal/packs/feat-greeting.coding.json");

fn reading(content: &str) -> SalvagedPack {
    let mut pack: Pack = serde_json::from_str(PACK).unwrap();
    pack.sections[1].content = content.to_owned();
    SalvagedPack { pack: Some(pack), ..SalvagedPack::default() }
}

/// The change of the one section whose text differs.
fn change(old: &str, new: &str) -> Option<SectionChange> {
    let (old, new) = (reading(old), reading(new));
    let pair = Pair { name: "a.json".to_owned(), old: Some(old), new: Some(new), rebuilt: None };
    let diff = compare(&[pair], false);
    diff.sections.into_iter().next().map(|shared| shared.section)
}

/// The old lines with what a change says done to them.
fn applied(old: &str, change: &SectionChange) -> Vec<String> {
    let mut rest = old.lines().map(str::to_owned).enumerate().peekable();
    let mut new = Vec::new();
    for hunk in &change.hunks {
        while rest.peek().is_some_and(|(at, _)| at + 1 < hunk.old_line) {
            new.extend(rest.next().map(|(_, line)| line));
        }
        for line in &hunk.lines {
            if line.change != "added" {
                assert_eq!(rest.next().map(|(_, text)| text), Some(line.text()), "an old line that is not there");
            }
            if line.change != "removed" {
                new.push(line.text());
            }
        }
    }
    new.extend(rest.map(|(_, line)| line));
    new
}

fn text() -> impl Strategy<Value = String> {
    let line =
        prop_oneof![4 => "[abc ]{0,6}", 1 => "\\PC{0,8}", 1 => Just(String::new()), 1 => Just("same line".to_owned())];
    proptest::collection::vec(line, 0..25).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_changed_done_to_the_old_text_gives_the_new_one(old in text(), new in text()) {
        match change(&old, &new) {
            None => prop_assert_eq!(old, new),
            Some(change) => prop_assert_eq!(applied(&old, &change), new.lines().collect::<Vec<_>>()),
        }
    }

    #[test]
    fn a_pack_that_is_torn_anywhere_makes_nothing_up(cut in 0..PACK.len() - 1) {
        let (whole, torn) = (salvage(PACK.as_bytes()), salvage(&PACK.as_bytes()[..cut]));
        prop_assert!(!torn.faults.is_empty());
        prop_assert!(torn.pack.is_none());
        let pair = Pair { name: "a.json".to_owned(), old: Some(whole), new: Some(torn), rebuilt: None };
        let diff = compare(&[pair], false);
        prop_assert!(diff.sections.is_empty() && diff.packs.len() == 1, "{:?}", diff.sections);
    }

    #[test]
    fn bytes_changed_anywhere_are_read_without_a_fault_of_this_program(at in 0..PACK.len(), byte in any::<u8>()) {
        let mut bytes = PACK.as_bytes().to_vec();
        bytes[at] = byte;
        let read = salvage(&bytes);
        prop_assert!(read.pack.is_some() || !read.faults.is_empty());
    }
}

#[test]
fn other_files_are_not_packs() {
    for text in ["", "{}", "[1]", "# Notes", "{\"schema_version\": \"x/1\"}", "\u{0}"] {
        let read = salvage(text.as_bytes());
        assert!(read.pack.is_none() && read.faults.len() == 1, "{text}: {:?}", read.faults);
    }
}
