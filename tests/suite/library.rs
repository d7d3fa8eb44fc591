//! The library as other programs use it.

use crate::sandbox::Sandbox;
use contextpack::{BudgetLimits, EngineError, ItemState, OpenRequest, PackRequest, Repository, verify};
use std::path::Path;

fn open(folder: &Path) -> Result<Repository, EngineError> {
    Repository::open(&OpenRequest::new(folder))
}

#[test]
fn roots_are_listed_and_their_packs_are_those_of_a_build() {
    let sandbox = crate::cli::small();
    sandbox.expect(0, &["build", "-q"]);
    let repository = open(sandbox.root()).unwrap();
    let snapshot = repository.snapshot();
    let roots = snapshot.roots().unwrap();
    let ids: Vec<(&str, ItemState)> = roots.iter().map(|root| (root.id.as_str(), root.state)).collect();
    assert_eq!(ids[1], ("feat:cache", ItemState::Open), "{ids:?}");
    assert_eq!(roots[1].title, "Cache answers");
    assert_eq!(repository.profiles(), ["coding"]);

    let requests: Vec<PackRequest> = roots.iter().map(|root| PackRequest::new(root.id.as_str())).collect();
    let packs: Vec<_> = snapshot.packs(&requests).into_iter().map(Result::unwrap).collect();
    for (root, pack) in roots.iter().zip(&packs) {
        let file = format!("packs/{}.coding.json", root.id.replace(':', "-"));
        assert!(pack.is_unchanged(sandbox.read(&file).as_bytes()), "{file}");
        let verification = verify(pack.bytes());
        assert!(verification.is_valid() && verification.hash.unwrap().to_string() == pack.pack().hash);
    }
    assert_eq!(snapshot.pack(&requests[1]).unwrap().pack().hash, packs[1].pack().hash);
}

#[test]
fn a_pack_that_cannot_be_built_stops_no_other() {
    let sandbox = crate::cli::small();
    let repository = open(sandbox.root()).unwrap();
    let mut small = PackRequest::new("feat:cache");
    small.limits = BudgetLimits { max_chars: Some(10), ..BudgetLimits::default() };
    let built = repository.snapshot().packs(&[small, PackRequest::new("feat:cache"), PackRequest::new("feat:cach")]);
    let errors: Vec<String> = built.iter().filter_map(|pack| Some(pack.as_ref().err()?.to_string())).collect();
    assert!(built[1].is_ok() && errors.len() == 2, "{errors:?}");
    assert!(errors[0].contains("error[budget-too-small]: ") && errors[0].contains("max_chars: "), "{errors:?}");
    assert!(errors[1].contains("did you mean `feat:cache`"), "{errors:?}");
}

#[test]
fn the_text_of_an_error_names_its_cause() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\nwork_itms: []\n")]);
    let text = |folder: &Path| open(folder).err().unwrap().to_string();
    assert_eq!(
        text(sandbox.root()),
        "the configuration cannot be used: contextpack.yml:2:1: error[invalid-config]: unknown setting `work_itms` \
         (help: did you mean `work_items`?)"
    );
    let nowhere = sandbox.root().join("nowhere");
    let text = text(&nowhere);
    assert!(text.starts_with("cannot read `") && text.contains("nowhere`: "), "{text}");
}
