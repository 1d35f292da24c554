//! `atr deploy --predict`.

use alloy_primitives::{Address, B256};
use atr_deploy::{FACTORY, Suite};
use serde::Serialize;

use crate::output::{Palette, Report, Table};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PredictionReport {
    factory: Address,
    salt: B256,
    registry: Address,
    contracts: Vec<Prediction>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Prediction {
    contract: &'static str,
    address: Address,
    init_code_hash: B256,
}

impl PredictionReport {
    pub(crate) fn new(suite: &Suite) -> Self {
        let predictions = suite.targets().iter().map(|target| Prediction {
            contract: target.name(),
            address: target.address(),
            init_code_hash: target.init_code_hash(),
        });
        Self {
            factory: FACTORY,
            salt: suite.salt(),
            registry: suite.registry(),
            contracts: predictions.collect(),
        }
    }
}

impl PredictionReport {
    /// Without the hashes if they do not fit: the addresses are copied, so they are not shortened.
    fn table(&self, palette: &Palette) -> String {
        const WIDTH: usize = 136;
        let rows = self.contracts.iter();
        if !palette.fits(WIDTH) {
            let mut table = Table::new(["CONTRACT", "ADDRESS"]);
            rows.for_each(|row| table.add_row([row.contract.to_owned(), row.address.to_string()]));
            return table.render(palette) + "\nUse --full to show the hashes of the init code.\n";
        }
        let mut table = Table::new(["CONTRACT", "ADDRESS", "INIT CODE HASH"]);
        for row in rows {
            table.add_row([
                row.contract.to_owned(),
                row.address.to_string(),
                row.init_code_hash.to_string(),
            ]);
        }
        table.render(palette)
    }
}

impl Report for PredictionReport {
    fn render(&self, palette: &Palette) -> String {
        format!(
            "{}\nThe addresses are the same on every chain. They depend on the CREATE2 factory {}, the salt {} and the init code.\n",
            self.table(palette),
            self.factory,
            self.salt
        )
    }
}
