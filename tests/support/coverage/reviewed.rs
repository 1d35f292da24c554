//! Rows settled by a reader, `tests/reviewed.md`.

use eyre::{Result, WrapErr, bail, ensure};

use super::{RequirementId, matrix::cells};

/// What the reader found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewVerdict {
    /// It holds, by the reasoning given.
    Reviewed,
    /// We do not follow it, for the reason given.
    Declined,
}

/// One row of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Which requirement.
    pub id: RequirementId,
    /// What was found.
    pub verdict: ReviewVerdict,
    /// Why; never empty.
    pub reasoning: String,
}

/// Reads the table; fails on a row without a known verdict or without reasoning, naming its line.
pub fn parse(text: &str) -> Result<Vec<Review>> {
    let mut reviews = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(cells) = cells(line) else { continue };
        if cells[0] == "ID" || cells[0].starts_with("---") {
            continue;
        }
        reviews.push(review(&cells).wrap_err_with(|| format!("reviewed.md:{}", index + 1))?);
    }
    Ok(reviews)
}

fn review(cells: &[String]) -> Result<Review> {
    let [id, verdict, reasoning] = cells else {
        bail!("a row has three cells: id, verdict, reasoning")
    };
    ensure!(!reasoning.is_empty(), "{id}: the reasoning is missing");
    let verdict = match verdict.as_str() {
        "reviewed" => ReviewVerdict::Reviewed,
        "declined" => ReviewVerdict::Declined,
        other => bail!("{id}: `{other}` is neither `reviewed` nor `declined`"),
    };
    Ok(Review {
        id: id.parse()?,
        verdict,
        reasoning: reasoning.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "prose\n\n| ID | Verdict | Reasoning |\n| --- | --- | --- |\n";

    #[test]
    fn rows_are_read_and_an_empty_table_is_fine() {
        let text = format!("{HEAD}| C-18 | reviewed | because |\n| B-07 | declined | no need |\n");
        let reviews = parse(&text).unwrap();
        assert_eq!(reviews[0].verdict, ReviewVerdict::Reviewed);
        assert_eq!(reviews[1].reasoning, "no need");
        assert!(parse(HEAD).unwrap().is_empty());
    }

    #[test]
    fn rows_without_reasoning_verdict_or_number_are_refused_with_their_line() {
        for row in [
            "| C-18 | reviewed | |",
            "| C-18 | maybe | x |",
            "| C18 | reviewed | x |",
            "| C-18 |",
        ] {
            let error = parse(&format!("{HEAD}{row}")).unwrap_err();
            assert!(
                format!("{error:#}").contains("reviewed.md:5"),
                "{row}: {error:#}"
            );
        }
    }
}
