use serde::Serialize;

use crate::output::{Palette, Report};

/// Printed when the server listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServeReport {
    pub(super) url: String,
    /// File of the database, or its kind.
    pub(super) database: String,
    /// Registries that this process indexes; none with `--no-index`.
    pub(super) registries: Vec<String>,
}

impl Report for ServeReport {
    fn render(&self, palette: &Palette) -> String {
        let heading = |text: &str| palette.heading(&format!("{text:<10}"));
        let url = &self.url;
        let index = match self.registries.as_slice() {
            [] => "off: another process fills the database".to_owned(),
            names => names.join(", "),
        };
        let mut text = format!(
            "{}{url}\n{}{}\n{}{index}\n\n",
            heading("serving"),
            heading("database"),
            self.database,
            heading("index"),
        );
        for command in [
            format!("open {url} in a browser"),
            format!("atr search <words> --api {url}"),
            format!("curl '{url}/api/v2/tools?include_unverified=true'"),
        ] {
            text += &palette.next(&command);
        }
        text
    }
}
