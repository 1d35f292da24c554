//! Data of persons.

use std::sync::LazyLock;

use regex::Regex;

use super::{Hit, Text, credentials::compile};
use crate::Code;

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"([\w.%+'&\x{80}-\x{10ffff}-]+)@((?:[\w\x{80}-\x{10ffff}-]+\.)+[\w\x{80}-\x{10ffff}-]+)(:?)",
    )
});

/// Addresses that are written so that programs do not see them.
static HIDDEN_EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)([\w.+-]+)\s*[\[({]\s*at\s*[\])}]\s*([\w-]+(?:\s*(?:\.|[\[({]\s*dot\s*[\])}])\s*[\w-]+)+)",
    )
});

/// Words instead of signs: name dot name at host dot com.
static SPELLED_EMAIL: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\b(\w+(?: dot \w+)*) at ([\w-]+(?: dot [\w-]+)+)\b"));

static PHONE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?:^|[^\w+])\+[1-9](?:[ ().\-/]{0,2}[0-9]){7,14}(?:$|[^\w])"));

/// 00 in place of +.
static ACCESS_CODE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?:^|[^\w.+-])00[1-9][0-9]{0,2}(?:[ ().\-/]{1,2}[0-9]{1,6}){2,6}(?:$|[^\w-])")
});

/// What identifies a person, with a word that says so.
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)\b(?:(?:passport|(?:national|tax) id|id[ -]?card|driv(?:er'?s|ing) licen[cs]e|social security|insurance)[ -]*(?:no\.?|number|nr\.?|#)?\s*(?:is|:|=)?\s*[A-Z0-9-]{0,4}[0-9][A-Z0-9-]{4,}|(?:date of birth|born(?: on)?|birthday|d\.?o\.?b\.?)\s*(?:is|:|=)?\s*(?:[0-9]{1,4}[ ./-]|[0-9]{1,2}(?:st|nd|rd|th)?\s+[a-z]{3,9}|[a-z]{3,9}\s+[0-9]{1,2}))",
    )
});

/// A house number and a street.
static STREET: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:\b[0-9]{1,5}[a-z]?,? (?:[A-Z][\w'.]+ ){1,3}(?:Street|St\.|Avenue|Ave\.?|Road|Rd\.|Lane|Boulevard|Blvd|Drive|Court|Square|Terrace)\b|\b[A-Z][\w\x{80}-\x{24f}]+(?:stra\x{df}e|strasse|str\.|weg|platz|gasse|straat) [0-9]{1,4}\b|\b[0-9]{1,4},? (?:rue|avenue|via|calle|rua) [A-Za-z])",
    )
});

static TEL: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\b(?:tel|sms|callto|whatsapp):\+?[0-9().-]{6,}"));

/// (555) 123-4567 and 555-123-4567.
static NATIONAL: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[^\w.+-])(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}(?:$|[^\w-])",
    )
});

static STATED_PHONE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)\b(?:phone|telephone|tel|mobile|cell|fax|whatsapp|hotline)\b[^0-9+\n]{0,12}\+?[0-9](?:[ ().\-/]{0,2}[0-9]){6,14}",
    )
});

static SOCIAL_SECURITY: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?:^|[^\w-])[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}(?:$|[^\w-])"));

static CARD_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[^\w.])([3-6][0-9]{3}(?:[ -][0-9]{4}){2}[ -][0-9]{1,7}|[3-6][0-9]{12,18})(?:$|[^\w.])",
    )
});

static IBAN: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"));

/// Words of mailboxes that belong to a role.
const ROLES: &[&str] = &[
    "abuse",
    "admin",
    "administrator",
    "agent",
    "agents",
    "alerts",
    "api",
    "bd",
    "billing",
    "bot",
    "build",
    "careers",
    "ci",
    "community",
    "compliance",
    "contact",
    "core",
    "customer",
    "dao",
    "data",
    "desk",
    "dev",
    "developer",
    "developers",
    "devrel",
    "dns",
    "dpo",
    "editor",
    "eng",
    "engineering",
    "enquiries",
    "events",
    "feedback",
    "finance",
    "foundation",
    "gdpr",
    "general",
    "governance",
    "hello",
    "help",
    "helpdesk",
    "hi",
    "hostmaster",
    "hr",
    "infra",
    "info",
    "inquiries",
    "integrations",
    "invoice",
    "invoices",
    "it",
    "jobs",
    "labs",
    "legal",
    "mail",
    "maintainer",
    "maintainers",
    "marketing",
    "media",
    "merchant",
    "moderator",
    "news",
    "newsletter",
    "no",
    "noc",
    "noreply",
    "notifications",
    "office",
    "official",
    "oncall",
    "ops",
    "orders",
    "partner",
    "partners",
    "partnerships",
    "payments",
    "platform",
    "postmaster",
    "press",
    "privacy",
    "product",
    "protocol",
    "pr",
    "registry",
    "release",
    "releases",
    "reply",
    "research",
    "root",
    "sales",
    "sec",
    "secops",
    "security",
    "service",
    "services",
    "shop",
    "soc",
    "spec",
    "standards",
    "status",
    "store",
    "support",
    "sysadmin",
    "team",
    "tech",
    "trust",
    "safety",
    "us",
    "eu",
    "apac",
    "emea",
    "web",
    "webmaster",
    "welcome",
    "wg",
    "www",
];

/// Member names whose value is data of a person.
const PERSON_FIELDS: &[&str] = &[
    "firstname",
    "lastname",
    "surname",
    "givenname",
    "familyname",
    "fullname",
    "middlename",
    "maidenname",
    "dateofbirth",
    "birthdate",
    "birthday",
    "dob",
    "ssn",
    "socialsecuritynumber",
    "passport",
    "passportnumber",
    "nationalid",
    "taxid",
    "driverslicense",
    "homeaddress",
    "streetaddress",
    "postaladdress",
    "personaladdress",
    "iban",
    "creditcard",
    "cardnumber",
];

const PHONE_FIELDS: &[&str] = &[
    "phone",
    "phonenumber",
    "telephone",
    "tel",
    "mobile",
    "mobilephone",
    "cell",
    "fax",
    "whatsapp",
    "contactphone",
];

pub(super) fn search(text: Text<'_>) -> Vec<Hit> {
    let personal = |kind, found: &str| Hit::new(Code::PersonalData, kind, found);
    let mut hits = Vec::new();
    for captures in EMAIL.captures_iter(text.text) {
        let (local, domain) = (&captures[1], &captures[2]);
        let top = domain.rsplit('.').next().unwrap_or_default();
        // `package@1.2.3` is a version, `git@host:path` a repository.
        let is_name = top.chars().all(|one| one.is_ascii_digit() || one == '_')
            || !top.starts_with(char::is_alphabetic)
            || (local == "git" && &captures[3] == ":");
        if !is_name {
            hits.push(mailbox(local, domain));
        }
    }
    let hidden = HIDDEN_EMAIL.captures_iter(text.text);
    for captures in hidden.chain(SPELLED_EMAIL.captures_iter(text.text)) {
        let domain = captures[2].replace(char::is_whitespace, "");
        hits.push(mailbox(&captures[1], &domain));
    }
    let found = [&PHONE, &ACCESS_CODE, &TEL, &NATIONAL, &STATED_PHONE]
        .into_iter()
        .any(|regex| regex.is_match(text.text));
    let digits = text.text.chars().filter(char::is_ascii_digit).count();
    let is_phone = PHONE_FIELDS.contains(&text.field) && (7..=15).contains(&digits);
    if found || is_phone {
        hits.push(personal("a phone number", ""));
    }
    if STATED.is_match(text.text) {
        hits.push(personal("data that identifies a person", ""));
    }
    if STREET.is_match(text.text) {
        hits.push(personal("a street address", ""));
    }
    if SOCIAL_SECURITY.is_match(text.text) {
        hits.push(personal("a social security number", ""));
    }
    let mut cards = CARD_NUMBER.captures_iter(text.text);
    if cards.any(|captures| is_luhn(&captures[1])) {
        hits.push(personal("the number of a payment card", ""));
    }
    if IBAN
        .find_iter(text.text)
        .any(|found| is_iban(found.as_str()))
    {
        hits.push(personal("an IBAN", ""));
    }
    let is_given = text.text.trim().len() >= 2
        && !matches!(
            text.text,
            "none" | "n/a" | "string" | "required" | "optional"
        );
    if PERSON_FIELDS.contains(&text.field) && is_given {
        hits.push(personal("data of a person", text.text));
    }
    hits
}

/// A mailbox belongs to a role if every word of it does, or if it is named after its domain.
fn mailbox(local: &str, domain: &str) -> Hit {
    let local = local.split('+').next().unwrap_or_default().to_lowercase();
    let words = local.split(['.', '-', '_']).filter(|word| !word.is_empty());
    let is_role = |word: &str| {
        let word = word.trim_end_matches(|one: char| one.is_ascii_digit());
        ROLES.contains(&word)
    };
    let mut words = words.peekable();
    let has_words = words.peek().is_some();
    let is_organization = domain
        .split('.')
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(&local));
    if has_words && (words.all(is_role) || is_organization) {
        Hit::new(Code::RoleMailbox, "the mailbox of a role", local)
    } else {
        Hit::new(Code::PersonalData, "the e-mail address of a person", "")
    }
}

fn is_luhn(text: &str) -> bool {
    let digits: Vec<_> = text.chars().filter_map(|one| one.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10)
}

fn is_iban(text: &str) -> bool {
    let text: String = text.chars().filter(|one| *one != ' ').collect();
    if !(15..=34).contains(&text.len()) {
        return false;
    }
    let (start, rest) = text.split_at(4);
    let remainder = rest
        .chars()
        .chain(start.chars())
        .fold(0_u32, |remainder, one| {
            let value = one.to_digit(36).unwrap_or_default();
            let shift = if value > 9 { 100 } else { 10 };
            (remainder * shift + value) % 97
        });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_verified() {
        assert!(is_luhn("4111 1111 1111 1111"));
        assert!(!is_luhn("4111 1111 1111 1112"));
        assert!(is_iban("GB82 WEST 1234 5698 7654 32"));
        assert!(!is_iban("GB82 WEST 1234 5698 7654 33"));
    }

    #[test]
    fn a_mailbox_of_a_role_has_only_words_of_roles() {
        for (local, domain, code) in [
            ("dev", "a.example", Code::RoleMailbox),
            ("security-team", "a.example", Code::RoleMailbox),
            ("support+cards", "a.example", Code::RoleMailbox),
            ("acme", "acme.example", Code::RoleMailbox),
            ("jane.support", "a.example", Code::PersonalData),
            ("jdoe", "a.example", Code::PersonalData),
            ("+", "a.example", Code::PersonalData),
        ] {
            assert_eq!(mailbox(local, domain).code, code, "{local}");
        }
    }
}
