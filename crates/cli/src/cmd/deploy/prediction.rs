//! Where contracts will be, without asking anyone.

use alloy_primitives::{Address, B256};
use atr_deploy::{FACTORY, Suite};
use serde::Serialize;

use crate::output::{Palette, Report, Table};

/// The addresses of a suite.
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
    pub(crate) fn of(suite: &Suite) -> Self {
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

impl Report for PredictionReport {
    fn human(&self, palette: &Palette) -> String {
        let mut table = Table::new(["CONTRACT", "ADDRESS", "INIT CODE HASH"]);
        for row in &self.contracts {
            table.add([
                row.contract.to_owned(),
                row.address.to_string(),
                row.init_code_hash.to_string(),
            ]);
        }
        format!(
            "{}\nThe same on every chain: they follow from the factory {}, the salt {} and the init code.\n",
            table.human(palette),
            self.factory,
            self.salt
        )
    }
}
