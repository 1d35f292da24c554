use std::fs;

use crate::sample::SampleRepository;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn writes_missing_files() {
    let sample = SampleRepository::new();
    let written = sample.run(&[]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    assert_eq!(
        text(&written.stdout),
        "missing  IMarker.json\nmissing  ISample.json\nmissing  Sample.json\nmissing  build.json\n3 artifacts up to date\n"
    );

    let checked = sample.run(&["--check"]);
    assert_eq!(
        (checked.status.code(), text(&checked.stdout)),
        (Some(0), "3 artifacts up to date\n")
    );
}

#[test]
fn check_lists_outdated_files_and_writes_nothing() {
    let sample = SampleRepository::new();
    sample.run(&[]);
    fs::remove_file(sample.artifact("IMarker")).unwrap();
    fs::write(sample.artifact("Sample"), "{}\n").unwrap();
    fs::write(sample.artifact("Gone"), "{}\n").unwrap();

    let checked = sample.run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert_eq!(
        text(&checked.stdout),
        "missing  IMarker.json\nchanged  Sample.json\nstale    Gone.json\n\
         artifacts are out of date: run make artifacts\n"
    );
    assert!(!sample.artifact("IMarker").exists());
    assert_eq!(
        fs::read_to_string(sample.artifact("Sample")).unwrap(),
        "{}\n"
    );
    assert!(sample.artifact("Gone").exists());
}

#[test]
fn update_removes_stale_files_and_does_not_rewrite_others() {
    let sample = SampleRepository::new();
    sample.run(&[]);
    fs::write(sample.artifact("Gone"), "{}\n").unwrap();
    let before = fs::metadata(sample.artifact("Sample"))
        .unwrap()
        .modified()
        .unwrap();

    let updated = sample.run(&["--root", "."]);
    assert_eq!(
        text(&updated.stdout),
        "stale    Gone.json\n3 artifacts up to date\n"
    );
    assert!(!sample.artifact("Gone").exists());
    assert_eq!(
        fs::metadata(sample.artifact("Sample"))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
}
