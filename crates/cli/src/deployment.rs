//! Deployments as `atr deploy` answers them: one struct each, for people and for programs.

mod audit_report;
mod deploy_report;
mod explorers;
mod plan_report;
mod prediction_report;
mod records;
mod watch;

pub(crate) use audit_report::AuditReport;
pub(crate) use deploy_report::DeployReport;
pub(crate) use explorers::ExplorerArgs;
pub(crate) use plan_report::PlanReport;
pub(crate) use prediction_report::PredictionReport;
pub(crate) use records::record_folder;
pub(crate) use watch::Watch;
