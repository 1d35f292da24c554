//! Prompts for missing values.

use std::io::{self, IsTerminal};

use atr_manifest::{MAX_DESCRIPTION_CODE_POINTS, MAX_NAME_CODE_POINTS};

use super::draft::{self, Draft, Fields};
use crate::{
    args::{Chain, InvalidValue},
    context::Context,
    error::Error,
    output::prompt::ask,
};

#[derive(Debug)]
pub(crate) struct Prompts<'a> {
    context: &'a Context,
}

impl<'a> Prompts<'a> {
    pub(crate) const fn new(context: &'a Context) -> Self {
        Self { context }
    }

    pub(crate) fn is_possible() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Prompts for missing values.
    pub(crate) fn complete(&self, fields: Fields) -> Result<Draft, Error> {
        let Fields {
            name,
            description,
            endpoint,
            creator_address,
            slug,
            tags,
            price,
            recipient,
            chain,
        } = fields;
        let has_required = [&name, &description, &endpoint, &creator_address]
            .iter()
            .all(|value| value.is_some());
        let name = self.value_or_prompt(name, "Name", |text| length(text, MAX_NAME_CODE_POINTS))?;
        let description = self.value_or_prompt(description, "Description", |text| {
            length(text, MAX_DESCRIPTION_CODE_POINTS)
        })?;
        let endpoint = self.value_or_prompt(endpoint, "Endpoint URL (https)", |text| {
            draft::parse_endpoint(text).map(|_| ())
        })?;
        let creator_address = self.value_or_prompt(creator_address, "Creator address", |text| {
            draft::parse_creator(text).map(|_| ())
        })?;
        let slug = match slug.or_else(|| draft::default_slug(&name).map(|slug| slug.to_string())) {
            Some(slug) => slug,
            None => ask(
                &self.context.output,
                "Slug (a-z, 0-9 and inner hyphens)",
                |text| draft::parse_slug(text).map(|_| ()),
            )?,
        };
        // Not if the command is complete without prompts.
        let price = match price {
            None if !has_required => self
                .optional("Price per call in USDC (empty: free)", |text| {
                    draft::parse_price(text).map(|_| ())
                })?,
            price => price,
        };
        let is_new = price.is_some() && !has_required;
        let chain = match chain {
            None if is_new => {
                let name = ask(
                    &self.context.output,
                    "Chain of payments, for example base",
                    |text| parse_chain(text).map(|_| ()),
                )?;
                Some(parse_chain(&name)?)
            }
            chain => chain,
        };
        let recipient = match recipient {
            None if is_new => self
                .optional("Recipient of payments (empty: the creator)", |text| {
                    draft::parse_recipient(text).map(|_| ())
                })?,
            recipient => recipient,
        };
        Draft::from_fields(Fields {
            price,
            recipient,
            chain,
            name: Some(name),
            description: Some(description),
            endpoint: Some(endpoint),
            creator_address: Some(creator_address),
            slug: Some(slug),
            tags,
        })
    }

    fn value_or_prompt(
        &self,
        value: Option<String>,
        prompt: &'static str,
        check: impl Fn(&str) -> Result<(), Error>,
    ) -> Result<String, Error> {
        match value {
            Some(value) => Ok(value),
            None => ask(&self.context.output, prompt, check),
        }
    }

    /// As [`ask`]; `None` if the input is empty.
    fn optional(
        &self,
        prompt: &'static str,
        check: impl Fn(&str) -> Result<(), Error>,
    ) -> Result<Option<String>, Error> {
        let text = ask(&self.context.output, prompt, |text| match text {
            "" => Ok(()),
            text => check(text),
        })?;
        Ok((!text.is_empty()).then_some(text))
    }
}

fn parse_chain(text: &str) -> Result<Chain, Error> {
    text.parse()
        .map_err(|error: InvalidValue| Error::InvalidField {
            flag: "--chain",
            reason: error.to_string(),
        })
}

fn length(text: &str, max: usize) -> Result<(), Error> {
    let count = text.chars().count();
    if (1..=max).contains(&count) {
        return Ok(());
    }
    Err(Error::InvalidField {
        flag: "text",
        reason: format!("{count} characters; allowed: 1 to {max}"),
    })
}
