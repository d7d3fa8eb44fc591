//! Damaged files below the folder of cards: what `verify` finds, and what is refused.

use crate::cards::{card, id, path, refused};
use crate::sandbox::Sandbox;
use std::fs;

/// Damages one file, and returns what `verify` says about it.
fn faults_after(damage: impl FnOnce(&Sandbox, &str, &str)) -> String {
    let sandbox = Sandbox::configured(&[]);
    let card_id = card(&sandbox, "a");
    sandbox.expect(0, &["box", "append", "log", &card_id]);
    let box_id = id(&sandbox.expect(0, &["box", "snapshot", "log"]));
    sandbox.expect(0, &["verify", "context"]);
    damage(&sandbox, &path("cards", &card_id), &path("boxes", &box_id));
    sandbox.expect(5, &["verify", "context"])
}

#[test]
fn verify_finds_every_kind_of_damage() {
    let log_file = |sandbox: &Sandbox| {
        let found = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/logs/"));
        found.map(|(path, _)| path).unwrap()
    };
    let said = faults_after(|sandbox, card, _| sandbox.write(card, sandbox.read(card).replace("\"a\"", "\"b\"")));
    assert!(said.contains("its content was changed"), "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write(card, sandbox.read(card) + "\n"));
    assert!(said.contains("its content was changed") && said.contains("canonical form"), "{said}");
    let said = faults_after(|sandbox, card, _| fs::remove_file(sandbox.path(card)).unwrap());
    assert_eq!(said.matches("card not found: sha256:").count(), 2, "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write(&card.replace(".json", ".deleted.json"), "{}"));
    assert!(said.contains("a tombstone holds exactly"), "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write("context/cards/00/x.json", sandbox.read(card)));
    assert!(said.contains("its path is none of a card"), "{said}");
    let said = faults_after(|sandbox, _, found| sandbox.write(found, sandbox.read(found).replace("card_ids", "cards")));
    assert!(said.contains("unknown field `cards`"), "{said}");
    let said = faults_after(|sandbox, _, found| sandbox.write("context/boxes/README.md", sandbox.read(found)));
    assert!(said.contains("no file of this program is here"), "{said}");
    let said = faults_after(|sandbox, _, _| sandbox.write("context/logs/log/notes.txt", "x"));
    assert!(said.contains("its name is none that this program gives"), "{said}");
    let said = faults_after(|sandbox, _, _| {
        let file = log_file(sandbox);
        sandbox.write(&file, sandbox.read(&file).replace("\"log\"", "\"other\""));
    });
    assert!(said.contains("its content was changed"), "{said}");
    // A card under the hash of its bytes that is not canonical, or not a card.
    for (text, fault) in [
        ("{\"a\": 1}", "canonical form"),
        ("{\"a\":1}", "`schema_version` is not `card/v1`"),
        ("{\"a\":1,\"a\":1}", "the key `a` is repeated"),
        ("no", "is no JSON"),
    ] {
        let said = faults_after(|sandbox, _, _| {
            let hash = contextpack::Digest::of(text).to_string();
            sandbox.write(&path("cards", &hash), text);
        });
        assert!(said.contains(fault) && said.matches("invalid: ").count() >= 1, "{text}: {said}");
    }
    #[cfg(unix)]
    {
        let said = faults_after(|sandbox, card, _| {
            fs::rename(sandbox.path(card), sandbox.beside("card.json")).unwrap();
            std::os::unix::fs::symlink(sandbox.beside("card.json"), sandbox.path(card)).unwrap();
        });
        assert!(said.contains("it is not a regular file"), "{said}");
    }
}

#[test]
fn a_damaged_file_is_reported_where_it_is_read() {
    let sandbox = Sandbox::configured(&[]);
    let (a, b) = (card(&sandbox, "a"), card(&sandbox, "b"));
    sandbox.expect(0, &["box", "append", "log", &a]);
    let box_id = id(&sandbox.expect(0, &["box", "snapshot", "log"]));
    sandbox.write(&path("cards", &a), "{}");
    sandbox.write(&path("boxes", &box_id), "{}");
    for args in [
        &["card", "show", &a][..],
        &["box", "new", &b, &a],
        &["box", "append", "log", &a],
        &["box", "show", &box_id],
        &["box", "new", &b, "--parent", &box_id],
    ] {
        refused(&sandbox, 3, args, "", "its content was changed");
    }
    sandbox.write("context/logs/log/00000001-x.json", "{}");
    refused(&sandbox, 3, &["box", "append", "log", &b], "", "move it out of the log");
    refused(&sandbox, 3, &["box", "show", "log"], "", "move it out of the log");
    // Written again, a card is whole again.
    assert_eq!(card(&sandbox, "a"), a);
    assert_eq!(sandbox.run(&["card", "show", &a]).code, 0);
}
