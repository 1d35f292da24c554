//! Entry point: parses arguments, resolves settings, runs the command and returns its exit code.

pub(crate) mod clock;
pub(crate) mod runtime;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{
    Parser, ValueEnum,
    error::{ContextKind, ContextValue},
};

use crate::{
    args::{self, Cli, RpcHeader},
    cmd::{DevError, GateError},
    config::{Environment, Foundry, Settings},
    context::{Context, current_directory},
    error::Error,
    outcome::Outcome,
    output::{
        self, Color, Format, Output,
        logging::{self, LogFormat},
        suggestion,
    },
};

/// Runs `atr` with the arguments and environment of this process.
#[must_use]
pub fn main() -> ExitCode {
    let environment = Environment::from_process();
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli, &environment),
        Err(mut message) => {
            suggest_groups(&mut message);
            suggest_signer(&mut message);
            // The arguments are invalid, so only the flag itself and the variable can be recognized.
            let is_json = std::env::args_os().any(|argument| argument == "--json")
                || matches!(environment.text("ATR_JSON"), Ok(Some("true" | "1")));
            output::print_clap_message(
                &message,
                color_of(std::env::args_os()),
                &environment,
                is_json,
            )
            .unwrap_or(Outcome::Unknown)
        }
    };
    outcome.into()
}

/// The value of `--color` in arguments that are otherwise invalid, or that ask for help.
fn color_of(args: impl Iterator<Item = OsString>) -> Color {
    let args = args.map(|argument| argument.to_string_lossy().into_owned());
    let mut args = args.peekable();
    while let Some(argument) = args.next() {
        let value = match argument.strip_prefix("--color") {
            Some("") => args.peek().map(String::as_str),
            Some(value) => value.strip_prefix('='),
            None => None,
        };
        if let Some(Ok(color)) = value.map(|value| Color::from_str(value, false)) {
            return color;
        }
    }
    Color::default()
}

/// For an unknown command such as `register`, suggests the commands of groups with this name, or the most similar one: `atr tool
/// register`.
fn suggest_groups(message: &mut clap::Error) {
    let Some(ContextValue::String(found)) = message.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let root = args::command();
    let commands: Vec<_> = root
        .get_subcommands()
        .flat_map(|group| {
            let names = group.get_subcommands().map(clap::Command::get_name);
            names.map(|name| (group.get_name(), name))
        })
        .collect();
    let has_suggestion = message.get(ContextKind::SuggestedSubcommand).is_some();
    let name = if commands.iter().any(|(_, name)| name == found) {
        Some(found.as_str())
    } else if has_suggestion {
        None
    } else {
        suggestion::closest(found, commands.iter().map(|(_, name)| *name))
    };
    let tips: Vec<_> = commands
        .iter()
        .filter(|(_, command)| Some(*command) == name)
        .map(|(group, name)| format!("run 'atr {group} {name}'").into())
        .collect();
    if !tips.is_empty() {
        message.remove(ContextKind::SuggestedSubcommand);
        message.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// For `--private-key`, a flag of Foundry, suggests what `atr` has instead: other users of the machine can read arguments.
fn suggest_signer(message: &mut clap::Error) {
    let found = message.get(ContextKind::InvalidArg);
    if !matches!(found, Some(ContextValue::String(found)) if found == "--private-key") {
        return;
    }
    let tip = "set ATR_PRIVATE_KEY, or use --account, --keystore or --interactive";
    message.remove(ContextKind::SuggestedArg);
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    message.insert(ContextKind::Suggested, tips);
}

fn run(cli: Cli, environment: &Environment) -> Outcome {
    // Configuration errors are printed in the format selected by flags.
    let owns_stdout = cli.command.owns_stdout();
    let format = |json: bool| match json && !owns_stdout {
        true => Format::Json,
        false => Format::Text,
    };
    let (is_full, is_quiet) = (cli.global.full, cli.global.quiet > 0);
    let flags_output = Output::new(
        format(cli.global.json),
        cli.global.color.unwrap_or_default(),
        is_full,
        is_quiet,
        environment,
    );
    // A host starts its servers in the directory of a project, whose files can be anybody's.
    let directory = match (owns_stdout, &cli.global.config) {
        (true, Some(file)) => std::path::absolute(file).map(parent).ok(),
        (true, None) => Some(PathBuf::from("/")),
        (false, _) => None,
    };
    let directory = match directory.map_or_else(current_directory, Ok) {
        Ok(directory) => directory,
        Err(error) => return fail(&flags_output, &error.into()),
    };

    let settings = match settings(&cli, environment, &directory) {
        Ok(settings) => settings,
        Err(error) => return fail(&flags_output, &error.into()),
    };
    let color: Color = settings.color.value;
    let output = Output::new(
        format(settings.json.value),
        color,
        is_full,
        is_quiet,
        environment,
    );
    let log_format = if settings.json.value && cli.command.is_server() {
        LogFormat::Json
    } else {
        let color = color.applies_to(&std::io::stderr(), environment);
        LogFormat::Text { color }
    };
    logging::init(&settings.log.value, log_format);
    tracing::debug!(file = ?settings.file, "settings resolved");

    let headers = match rpc_headers(&cli, environment) {
        Ok(headers) => headers,
        Err(error) => return fail(&output, &error.into()),
    };
    let context = Context {
        settings,
        output,
        environment: environment.clone(),
        foundry: Foundry::new(&directory),
        rpc_timeout: Duration::from_secs(cli.global.chain.rpc_timeout),
        send_rpc_url: cli.global.chain.send_rpc_url.clone(),
        rpc_headers: headers,
        flags: cli.global,
    };
    match cli.command.run(&context) {
        Ok(outcome) => outcome,
        Err(failure) => fail(&output, &failure),
    }
}

/// The folder of a file.
fn parent(file: PathBuf) -> PathBuf {
    file.parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// The headers of the flags and of the environment.
fn rpc_headers(cli: &Cli, environment: &Environment) -> Result<Vec<RpcHeader>, Error> {
    const VARIABLE: &str = "ATR_RPC_HEADER";
    let mut headers = cli.global.chain.rpc_header.clone();
    if let Some(text) = environment.text(VARIABLE)? {
        headers.push(text.parse().map_err(|reason| Error::InvalidVariable {
            name: VARIABLE,
            reason,
        })?);
    }
    Ok(headers)
}

fn settings(cli: &Cli, environment: &Environment, directory: &Path) -> Result<Settings, Error> {
    if cli.command.ignores_configuration() {
        return Settings::from_flags(&cli.global);
    }
    Settings::resolve(&cli.global, environment, directory)
}

fn fail(output: &Output, failure: &eyre::Report) -> Outcome {
    let outcome = outcome_of(failure);
    output.print_error(failure);
    outcome
}

/// The outcome of a command that ended with an error.
pub(crate) fn outcome_of(failure: &eyre::Report) -> Outcome {
    let cli = failure.downcast_ref::<Error>().map(Error::outcome);
    cli.or_else(|| failure.downcast_ref().map(Outcome::from_deploy_error))
        .or_else(|| failure.downcast_ref().map(Outcome::from_registry_error))
        .or_else(|| failure.downcast_ref().map(Outcome::from_rpc_error))
        .or_else(|| failure.downcast_ref().map(Outcome::from_client_error))
        .or_else(|| failure.downcast_ref().map(Outcome::from_gate_error))
        .or_else(|| failure.downcast_ref().map(GateError::outcome))
        .or_else(|| failure.downcast_ref().map(DevError::outcome))
        .or_else(|| failure.downcast_ref().map(Outcome::from_indexer_error))
        .unwrap_or(Outcome::Unknown)
}
