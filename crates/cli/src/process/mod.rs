//! Entry point: parses arguments, resolves settings, runs the command and returns its exit code.

pub(crate) mod clock;
pub(crate) mod runtime;

use std::{process::ExitCode, time::Duration};

use clap::Parser;

use crate::{
    args::Cli,
    config::{Environment, Settings},
    context::Context,
    error::Error,
    outcome::Outcome,
    output::{self, Color, Format, Output, logging},
};

/// Runs `atr` with the arguments and environment of this process.
#[must_use]
pub fn main() -> ExitCode {
    let environment = Environment::from_process();
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli, &environment),
        Err(message) => {
            output::print_clap_message(&message, &environment).unwrap_or(Outcome::Unknown)
        }
    };
    outcome.into()
}

fn run(cli: Cli, environment: &Environment) -> Outcome {
    // Configuration errors are printed in the format selected by flags.
    let format = |json: bool| if json { Format::Json } else { Format::Text };
    let flags_output = Output::new(
        format(cli.global.json),
        cli.global.color.unwrap_or_default(),
        environment,
    );

    let settings = match settings(&cli, environment) {
        Ok(settings) => settings,
        Err(error) => return fail(&flags_output, &error.into()),
    };
    let color: Color = settings.color.value;
    let output = Output::new(format(settings.json.value), color, environment);
    logging::init(
        &settings.log.value,
        color.applies_to(&std::io::stderr(), environment),
    );
    tracing::debug!(file = ?settings.file, "settings resolved");

    let context = Context {
        settings,
        output,
        environment: environment.clone(),
        rpc_timeout: Duration::from_secs(cli.global.chain.rpc_timeout),
    };
    match cli.command.run(&context) {
        Ok(outcome) => outcome,
        Err(failure) => fail(&output, &failure),
    }
}

fn settings(cli: &Cli, environment: &Environment) -> Result<Settings, Error> {
    if cli.command.ignores_configuration() {
        return Settings::from_flags(&cli.global);
    }
    let directory = std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })?;
    Settings::resolve(&cli.global, environment, &directory)
}

fn fail(output: &Output, failure: &eyre::Report) -> Outcome {
    let cli = failure.downcast_ref::<Error>().map(Error::outcome);
    let outcome = cli
        .or_else(|| failure.downcast_ref().map(Outcome::from_deploy_error))
        .or_else(|| failure.downcast_ref().map(Outcome::from_registry_error))
        .unwrap_or(Outcome::Unknown);
    output.print_error(failure, outcome);
    outcome
}
