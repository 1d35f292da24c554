//! Questions to the person at the terminal. They go to standard error: standard output is for answers.

use dialoguer::{Confirm, Password};

use crate::{error::Error, output::Output};

/// Asks for a yes; only an explicit one counts.
pub(crate) fn confirm(output: &Output, question: &str) -> Result<bool, Error> {
    if !output.allows_questions() {
        return Err(Error::NobodyToAsk {
            what: "for your consent",
            instead: "add --yes to go ahead, or --dry-run to stop at the plan",
        });
    }
    Confirm::new()
        .with_prompt(question)
        .default(false)
        .interact()
        .map_err(|source| Error::NotAnswered { source })
}

/// Asks for something nobody should see.
pub(crate) fn secret(
    output: &Output,
    question: &str,
    instead: &'static str,
) -> Result<String, Error> {
    if !output.allows_questions() {
        return Err(Error::NobodyToAsk {
            what: "for a secret",
            instead,
        });
    }
    Password::new()
        .with_prompt(question)
        .interact()
        .map_err(|source| Error::NotAnswered { source })
}
