//! Where records are kept when nobody says.

use std::path::{Path, PathBuf};

use atr_deploy::RecordFolder;

use crate::{context::Context, error::Error};

/// Below the root of this repository; found by the script beside it.
const IN_REPOSITORY: &str = "script/deployments";
const SIGN_OF_THE_REPOSITORY: &str = "script/Deploy.s.sol";

/// Below the folder for data of programs (XDG).
const AT_HOME: &str = "atr/deployments";

/// The folder the flag names; inside the repository the one it commits; elsewhere one in the user's home, so that a run that
/// was interrupted is taken up again from any folder.
pub(crate) fn record_folder(
    flag: Option<&Path>,
    context: &Context,
    here: &Path,
) -> Result<RecordFolder, Error> {
    let in_repository = || {
        here.ancestors()
            .find(|folder| folder.join(SIGN_OF_THE_REPOSITORY).is_file())
            .map(|root| root.join(IN_REPOSITORY))
    };
    let data = || {
        let home = || context.environment.path("HOME");
        let data = context.environment.path("XDG_DATA_HOME");
        data.or_else(|| Some(home()?.join(".local/share")))
    };
    let at_home = || data().map(|data: PathBuf| data.join(AT_HOME));
    let folder = flag
        .map(Path::to_owned)
        .or_else(in_repository)
        .or_else(at_home);
    folder.map(RecordFolder::new).ok_or(Error::NoRecordFolder)
}
