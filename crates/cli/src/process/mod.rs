//! The life of the process: read the world once, run one command, end with its code.

pub(crate) mod clock;
pub(crate) mod runtime;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::Cli,
    config::{Environment, Settings},
    context::Context,
    error::Error,
    outcome::Outcome,
    output::{self, Color, Form, Output, logging},
};

/// Runs `atr` with this process's arguments and environment.
#[must_use]
pub fn main() -> ExitCode {
    let environment = Environment::of_process();
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli, &environment),
        Err(message) => output::present_parser(&message, &environment).unwrap_or(Outcome::Unknown),
    };
    outcome.into()
}

fn run(cli: Cli, environment: &Environment) -> Outcome {
    // Until the configuration is known, its own errors are printed as the flags alone ask for.
    let form = |json: bool| if json { Form::Json } else { Form::Human };
    let early = Output::new(
        form(cli.global.json),
        cli.global.color.unwrap_or_default(),
        environment,
    );

    let settings = match settings(&cli, environment) {
        Ok(settings) => settings,
        Err(error) => return fail(&early, &error.into()),
    };
    let color: Color = settings.color.value;
    let output = Output::new(form(settings.json.value), color, environment);
    logging::init(
        &settings.log.value,
        color.reaches(&std::io::stderr(), environment),
    );
    tracing::debug!(file = ?settings.file, "settings resolved");

    let context = Context {
        settings,
        output,
        environment: environment.clone(),
    };
    match cli.command.run(&context) {
        Ok(outcome) => outcome,
        Err(failure) => fail(&output, &failure),
    }
}

fn settings(cli: &Cli, environment: &Environment) -> Result<Settings, Error> {
    if cli.command.stands_apart_from_configuration() {
        return Settings::of_flags(&cli.global);
    }
    let here = std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })?;
    Settings::resolve(&cli.global, environment, &here)
}

fn fail(output: &Output, failure: &eyre::Report) -> Outcome {
    let ours = failure.downcast_ref::<Error>().map(Error::outcome);
    let outcome = ours
        .or_else(|| failure.downcast_ref().map(Outcome::of_deploy_error))
        .or_else(|| failure.downcast_ref().map(Outcome::of_registry_error))
        .unwrap_or(Outcome::Unknown);
    output.present_failure(failure, outcome);
    outcome
}
