//! Default directory of deployment records.

use std::path::{Path, PathBuf};

use atr_deploy::RecordFolder;

use crate::{context::Context, error::Error};

/// Relative to the root of this repository, which is recognized by its deploy script.
const IN_REPOSITORY: &str = "script/deployments";
const DEPLOY_SCRIPT: &str = "script/Deploy.s.sol";

/// Relative to the XDG data directory.
const IN_DATA_HOME: &str = "atr/deployments";

/// The directory of `--records`, else `script/deployments` inside this repository, else one in the user's data directory, so that
/// an interrupted run can be resumed from any working directory.
pub(crate) fn record_folder(
    flag: Option<&Path>,
    context: &Context,
    directory: &Path,
) -> Result<RecordFolder, Error> {
    let in_repository = || {
        directory
            .ancestors()
            .find(|folder| folder.join(DEPLOY_SCRIPT).is_file())
            .map(|root| root.join(IN_REPOSITORY))
    };
    let data = || {
        let home = || context.environment.path("HOME");
        let data = context.environment.path("XDG_DATA_HOME");
        data.or_else(|| Some(home()?.join(".local/share")))
    };
    let in_data_home = || data().map(|data: PathBuf| data.join(IN_DATA_HOME));
    let folder = flag
        .map(Path::to_owned)
        .or_else(in_repository)
        .or_else(in_data_home);
    folder.map(RecordFolder::new).ok_or(Error::NoRecordFolder)
}
