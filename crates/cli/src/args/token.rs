//! Options of commands that configure tokens.

use crate::error::Error;

#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct TokenArgs {
    /// Accept a token that is not of the stated standard, or whose calls fail
    ///
    /// Access checks with such a token grant access to the wrong accounts, or have no result.
    #[arg(long)]
    allow_unverified_token: bool,
}

impl TokenArgs {
    /// An error if a token has problems. If the user accepts them, they are warnings.
    pub(crate) fn check(
        self,
        problems: Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Error> {
        if self.allow_unverified_token || problems.is_empty() {
            warnings.extend(problems);
            return Ok(());
        }
        Err(Error::UnverifiedToken { problems })
    }
}
