//! Interactive prompts, on standard error.

use dialoguer::{Confirm, Password};

use crate::{
    error::Error,
    output::{Output, escape_line},
};

/// Asks for confirmation; the default is no.
pub(crate) fn confirm(output: &Output, prompt: &str) -> Result<bool, Error> {
    if !output.is_interactive() {
        return Err(Error::NotInteractive {
            subject: "confirmation",
            alternative: "use --yes to confirm, or --dry-run to print the plan",
        });
    }
    Confirm::new()
        .with_prompt(escape_line(prompt))
        .default(false)
        .interact()
        .map_err(|source| Error::Prompt { source })
}

/// Asks for a secret without echoing it.
pub(crate) fn secret(
    output: &Output,
    prompt: &str,
    alternative: &'static str,
) -> Result<String, Error> {
    if !output.is_interactive() {
        return Err(Error::NotInteractive {
            subject: "a secret",
            alternative,
        });
    }
    Password::new()
        .with_prompt(escape_line(prompt))
        .interact()
        .map_err(|source| Error::Prompt { source })
}
