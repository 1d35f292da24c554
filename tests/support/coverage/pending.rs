//! Rows not yet due, `tests/pending.txt`.

use eyre::{Result, WrapErr, ensure};

use super::RequirementId;

/// Reads the list: one id, or one range `A-01..A-04` of a single group, to a line; `#` starts a comment.
/// Names are kept as often as they are written, so that a double entry can be reported.
pub fn parse(text: &str) -> Result<Vec<RequirementId>> {
    let mut ids = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let entry = line.split('#').next().unwrap_or_default().trim();
        if !entry.is_empty() {
            ids.extend(range(entry).wrap_err_with(|| format!("pending.txt:{}", index + 1))?);
        }
    }
    Ok(ids)
}

fn range(entry: &str) -> Result<Vec<RequirementId>> {
    let (first, last) = entry.split_once("..").unwrap_or((entry, entry));
    let (first, last): (RequirementId, RequirementId) = (first.parse()?, last.parse()?);
    ensure!(
        first.group == last.group && first.number <= last.number,
        "`{entry}` is not a rising range within one group"
    );
    Ok((first.number..=last.number)
        .map(|number| RequirementId { number, ..first })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ranges_and_comments_are_read() {
        let ids = parse("# heading\n\nA-09\nB-01..B-03   # why\n").unwrap();
        let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(ids, ["A-09", "B-01", "B-02", "B-03"]);
    }

    #[test]
    fn an_entry_named_twice_is_kept_twice() {
        assert_eq!(parse("A-01\nA-01..A-02").unwrap().len(), 3);
    }

    #[test]
    fn what_is_neither_an_id_nor_a_rising_range_is_refused_with_its_line() {
        for entry in [
            "A1",
            "A-01 A-02",
            "A-02..A-01",
            "A-01..B-02",
            "A-01...A-02",
            "A-01..",
        ] {
            let error = parse(&format!("\n{entry}")).unwrap_err();
            assert!(
                format!("{error:#}").contains("pending.txt:2"),
                "{entry}: {error:#}"
            );
        }
    }
}
