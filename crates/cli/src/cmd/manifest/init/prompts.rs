//! Asking a person for what a manifest needs.

use std::io::{self, IsTerminal};

use atr_manifest::{MAX_DESCRIPTION_CODE_POINTS, MAX_NAME_CODE_POINTS};

use super::draft::{self, Answers, Draft};
use crate::{context::Context, error::Error};

/// How often a question is asked before we give up.
const TRIES: usize = 3;

/// A person at standard input.
#[derive(Debug)]
pub(crate) struct Questions<'a> {
    context: &'a Context,
}

impl<'a> Questions<'a> {
    pub(crate) const fn new(context: &'a Context) -> Self {
        Self { context }
    }

    /// Whether somebody is there to answer.
    pub(crate) fn can_be_asked() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks for what is missing.
    pub(crate) fn complete(&self, answers: Answers) -> Result<Draft, Error> {
        let Answers {
            name,
            description,
            endpoint,
            creator_address,
            slug,
            tags,
        } = answers;
        let name = self.unless(name, "Name of the tool", |text| {
            length(text, MAX_NAME_CODE_POINTS)
        })?;
        let description = self.unless(description, "What it does", |text| {
            length(text, MAX_DESCRIPTION_CODE_POINTS)
        })?;
        let endpoint = self.unless(endpoint, "https URL where it is called", |text| {
            draft::parse_endpoint(text).map(|_| ())
        })?;
        let creator_address =
            self.unless(creator_address, "Address that will register it", |text| {
                draft::parse_creator(text).map(|_| ())
            })?;
        let slug = match slug.or_else(|| draft::default_slug(&name).map(|slug| slug.to_string())) {
            Some(slug) => slug,
            None => self.ask("Slug (a-z, 0-9 and inner hyphens)", |text| {
                draft::parse_slug(text).map(|_| ())
            })?,
        };
        Draft::of(Answers {
            name: Some(name),
            description: Some(description),
            endpoint: Some(endpoint),
            creator_address: Some(creator_address),
            slug: Some(slug),
            tags,
        })
    }

    fn unless(
        &self,
        given: Option<String>,
        question: &'static str,
        check: impl Fn(&str) -> Result<(), Error>,
    ) -> Result<String, Error> {
        match given {
            Some(answer) => Ok(answer),
            None => self.ask(question, check),
        }
    }

    /// Asks until the answer can be used.
    fn ask(
        &self,
        question: &'static str,
        check: impl Fn(&str) -> Result<(), Error>,
    ) -> Result<String, Error> {
        for _ in 0..TRIES {
            self.context.output.ask(&format!("{question}: "));
            let mut line = String::new();
            match io::stdin().read_line(&mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let answer = line.trim();
            match check(answer) {
                Ok(()) => return Ok(answer.to_owned()),
                Err(Error::UnusableAnswer { reason, .. }) => {
                    self.context.output.ask(&format!("  {reason}\n"));
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::NoAnswer { question })
    }
}

fn length(text: &str, max: usize) -> Result<(), Error> {
    let count = text.chars().count();
    if (1..=max).contains(&count) {
        return Ok(());
    }
    Err(Error::UnusableAnswer {
        flag: "the text",
        reason: format!("{count} characters, allowed are 1 to {max}"),
    })
}
