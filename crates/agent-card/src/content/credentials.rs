//! Credentials and tokens.

use std::sync::LazyLock;

use atr_manifest::Value;
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use bip39::Language;
use regex::Regex;

use super::{Hit, Text};
use crate::Code;

/// Words of a seed phrase. BIP-39 allows 12, 15, 18, 21 and 24.
const SEED_WORDS: usize = 12;

struct Pattern {
    kind: &'static str,
    regex: Regex,
    /// Whether the match, or its first group, must also look like random text.
    must_be_random: bool,
}

/// Kind, whether the match must look random, pattern.
const PATTERNS: &[(&str, bool, &str)] = &[
    (
        "a private key in PEM format",
        false,
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    ),
    (
        "a JSON Web Token",
        false,
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    ),
    (
        "an AWS access key id",
        false,
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    ),
    (
        "a GitHub token",
        false,
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    (
        "a GitLab token",
        false,
        r"\bgl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,}",
    ),
    (
        "a Slack token",
        true,
        r"\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}",
    ),
    (
        "a webhook URL with its secret",
        false,
        r"(?i)hooks\.slack\.com/(?:services|workflows)/[A-Z0-9]+/|discord(?:app)?\.com/api/webhooks/[0-9]{6,}/[\w-]{20,}|webhook\.office\.com/webhookb2/",
    ),
    (
        "a Telegram bot token",
        false,
        r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
    ),
    ("a Google API key", false, r"\bAIza[0-9A-Za-z_-]{35}"),
    (
        "a Google OAuth token",
        false,
        r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{20,})",
    ),
    (
        "a Stripe key",
        false,
        r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{10,}|whsec_[0-9A-Za-z]{16,})",
    ),
    ("an API key", true, r"\bsk-[A-Za-z0-9_-]{20,}"),
    (
        "an npm or PyPI token",
        false,
        r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,})",
    ),
    (
        "an access token",
        true,
        r"\b(?:hf_[A-Za-z0-9]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{60,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|xai-[A-Za-z0-9]{40,}|gsk_[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|lin_api_[A-Za-z0-9]{30,}|vercel_[A-Za-z0-9]{20,}|figd_[\w-]{30,})",
    ),
    ("a Twilio key", false, r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    (
        "an Azure key",
        false,
        r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/%=]{16,}",
    ),
    (
        "an extended private key",
        false,
        r"\b[tuvxyz]prv[1-9A-HJ-NP-Za-km-z]{90,}",
    ),
    (
        "a secret key",
        false,
        r"\b(?:nsec1[02-9ac-hj-np-z]{50,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})",
    ),
    (
        "a password in a URL",
        true,
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@]{1,64}:([^/\s@]{4,})@",
    ),
    (
        "a token in a header",
        true,
        r"(?i)\b(?:(?:set-)?cookie|(?:proxy-)?authorization|x-[a-z-]{0,20}(?:key|token|secret|auth))\s*:\s*(?:[a-z]{3,12} |[\w.-]{1,32}=)?([^\s;,]{12,})",
    ),
    (
        "a bearer token",
        true,
        r"(?i)\b(?:bearer|token)[ =:]+([A-Za-z0-9._~+/-]{16,}=*)",
    ),
    (
        "a secret in a URL",
        true,
        r"(?i)[?&#](?:api[_-]?key|access[_-]?token|auth[_-]?token|id[_-]?token|token|key|secret|client[_-]?secret|passw(?:or)?d|sig|signature|x-amz-signature|auth)=([^&#\s]{8,})",
    ),
];

static COMPILED: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let patterns = PATTERNS.iter();
    patterns
        .map(|(kind, must_be_random, pattern)| Pattern {
            kind,
            regex: compile(pattern),
            must_be_random: *must_be_random,
        })
        .collect()
});

/// A token with the prefix of its issuer: most issuers have one, so that scanners recognize their tokens.
static PREFIXED: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?:^|[^\w./:@-])([a-z][a-z0-9]{1,9}(?:[_.-][a-z0-9]{2,8})?[_.-]([A-Za-z0-9_-]{18,}))")
});

/// Prefixes of hashes and public keys, which are not secret.
const HASH_NAMES: &[&str] = &["sha", "md5", "blake", "keccak", "ed25519", "integrity"];

static BASIC: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\bbasic[ :]+([A-Za-z0-9+/]{6,})={0,2}"));

/// A password or key that is stated in a sentence.
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?i)\b(?:pass(?:word|wd|phrase|code)|pwd|(?:client|shared|api|app)?[ _-]?secret(?:[ _-]?key)?|api[ _-]?(?:key|token)|access[ _-]?(?:key|token)|auth[ _-]?token|private[ _-]?key)["']?\s*(?::|=|\bis\b)\s*["']?([^\s"',;&]{6,})"#,
    )
});

/// A number of 32 bytes that is called a key.
static RAW_KEY: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)(?:priv(?:ate)?[ _-]*key|secret[ _-]*key|signing[ _-]*key|wallet[ _-]*key|deployer[ _-]*key|\bpk\b|\bseed\b)\W{0,4}(?:is|of[ \w]{0,20})?\W{0,4}(?:0x)?[0-9a-f]{64}\b",
    )
});

static KEY_DIGITS: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:0x)?[0-9a-fA-F]{64}$"));

/// Compiles a pattern with the ASCII meaning of classes: those of Unicode take a hundred times as long to compile.
pub(super) fn compile(pattern: &str) -> Regex {
    let ascii = pattern
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\W", "[^0-9A-Za-z_]")
        .replace(r"\s", r"[ \t\r\n]")
        .replace(r"\S", r"[^ \t\r\n]")
        .replace(r"\b", r"(?-u:\b)");
    Regex::new(&ascii).expect("the patterns of this crate compile")
}

pub(super) fn search(text: Text<'_>) -> Vec<Hit> {
    let hit = |kind, found: &str| Hit::new(Code::Credential, kind, found);
    let mut hits = Vec::new();
    for pattern in &*COMPILED {
        let found = pattern.regex.captures_iter(text.text).find_map(|captures| {
            let found = captures.get(1).or_else(|| captures.get(0))?.as_str();
            (!pattern.must_be_random || is_random(found)).then_some(found)
        });
        hits.extend(found.map(|found| hit(pattern.kind, found)));
    }
    // The patterns above name the issuer.
    let is_unknown = hits.is_empty();
    let mut prefixed = PREFIXED.captures_iter(text.text);
    let is_token = |captures: &regex::Captures<'_>| {
        !HASH_NAMES.iter().any(|name| captures[1].starts_with(name)) && is_mixed(&captures[2])
    };
    if let Some(captures) = prefixed.find(is_token).filter(|_| is_unknown) {
        hits.push(hit("a token with the prefix of its issuer", &captures[1]));
    }
    for captures in BASIC.captures_iter(text.text) {
        let decoded = STANDARD_NO_PAD.decode(&captures[1]);
        let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if decoded.is_some_and(|text| text.contains(':')) {
            hits.push(hit(
                "credentials of HTTP basic authentication",
                &captures[1],
            ));
        }
    }
    for captures in STATED.captures_iter(text.text) {
        let value = captures[1].trim_end_matches(['.', ')', '!', '?']);
        if is_secret(value)
            && value
                .chars()
                .any(|one| one.is_ascii_digit() || "!@#$%^*".contains(one))
        {
            hits.push(hit("a password or key", value));
        }
    }
    let names_key = ["privatekey", "secretkey", "signingkey", "privkey", "seed"];
    let is_key =
        KEY_DIGITS.is_match(text.text) && names_key.iter().any(|name| text.field.contains(name));
    if is_key || RAW_KEY.is_match(text.text) {
        hits.push(hit("a raw private key", "0x"));
    }
    if is_secret_field(text.field) && is_secret(text.text) {
        hits.push(hit("the value of a secret", ""));
    }
    let is_token = TOKEN_FIELDS.iter().any(|name| text.field.ends_with(name));
    if is_token && !text.field.contains("public") && is_random(text.text) {
        hits.push(hit("a token", text.text));
    }
    let separators = |one: char| one.is_whitespace() || matches!(one, ',' | ';' | '-' | '|');
    let words: Vec<_> = text
        .text
        .split(separators)
        .filter(|word| !word.is_empty())
        .collect();
    hits.extend(word_list(&words));
    hits
}

/// A seed phrase: consecutive words of the English list of BIP-39. Prose is interrupted by words such as "the", "of" and "and",
/// which the list does not have.
pub(super) fn word_list(words: &[&str]) -> Option<Hit> {
    let mut run = 0;
    for word in words {
        let trimmed = word.trim_matches(|one: char| !one.is_ascii_alphabetic());
        let is_listed = Language::English
            .find_word(&trimmed.to_ascii_lowercase())
            .is_some();
        run = if is_listed { run + 1 } else { 0 };
        if run == SEED_WORDS {
            return Some(Hit::new(Code::Credential, "a seed phrase", ""));
        }
    }
    None
}

/// A JSON Web Key with its private part.
pub(super) fn private_jwk(object: Value<'_>) -> Option<Hit> {
    object.get("kty")?.as_str()?;
    let private = ["d", "k"].into_iter().find_map(|name| object.get(name));
    private?.as_str()?;
    Some(Hit::new(Code::Credential, "a private JSON Web Key", ""))
}

/// Member names whose value is a secret, whatever it looks like. Longer names may end with them.
const SECRET_FIELDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "clientsecret",
    "secretkey",
    "secretaccesskey",
    "apikey",
    "apitoken",
    "apisecret",
    "accesskey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "bearertoken",
    "sessiontoken",
    "privatekey",
    "privkey",
    "signingkey",
    "mnemonic",
    "seedphrase",
    "recoveryphrase",
    "sessionid",
    "sessioncookie",
    "connectionstring",
];

/// Member names that may also name a token contract, an authentication scheme or a public key.
const TOKEN_FIELDS: &[&str] = &[
    "token",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "jwt",
    "key",
    "cookie",
];

fn is_secret_field(field: &str) -> bool {
    SECRET_FIELDS.iter().any(|name| field.ends_with(name))
}

/// Values that describe a secret instead of containing it.
const DESCRIPTIONS: &[&str] = &[
    "none",
    "null",
    "required",
    "optional",
    "true",
    "false",
    "redacted",
    "hidden",
    "string",
    "header",
    "query",
    "cookie",
    "bearer",
    "basic",
    "oauth2",
    "oauth",
    "apikey",
    "api_key",
    "x-api-key",
    "api-key",
    "authorization",
    "env",
    "vault",
    "not-required",
    "unsupported",
    "password",
    "secret",
    "token",
    "changeme",
    "n/a",
    "yes",
    "no",
];

/// Whether the value of a secret is given: one word that neither describes it nor stands for it.
fn is_secret(value: &str) -> bool {
    let lowercase = value.to_ascii_lowercase();
    let is_word = value.len() >= 4 && !value.contains(char::is_whitespace);
    let is_template = value.starts_with(['$', '<', '{', '%', '['])
        || [
            "your",
            "my_",
            "my-",
            "example",
            "placeholder",
            "env:",
            "env.",
            "process.env",
            "https://",
            "http://",
            "urn:",
            "vault:",
            "ipfs://",
        ]
        .iter()
        .any(|start| lowercase.starts_with(start));
    let is_masked = value
        .chars()
        .all(|one| matches!(one, '*' | 'x' | 'X' | '.' | '-' | '•' | '_'));
    is_word && !is_template && !is_masked && !DESCRIPTIONS.contains(&lowercase.as_str())
}

/// Whether a text could be a random token: long, with letters and digits, few of them repeated. Words, versions, addresses and
/// hashes are not tokens.
fn is_random(text: &str) -> bool {
    let text = text.trim();
    if text.len() < 8 || text.contains(char::is_whitespace) || !is_secret(text) {
        return false;
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let mut different: Vec<_> = text.chars().collect();
    different.sort_unstable();
    different.dedup();
    let hex = text.trim_start_matches("0x").trim_start_matches("sha256:");
    let is_hash = hex.len() >= 32 && hex.chars().all(|one| one.is_ascii_hexdigit());
    let is_name =
        text.contains("://") || text.contains(':') || text.ends_with(".eth") || is_cid(text);
    digits >= 1 && letters >= 2 && different.len() >= 8 && !is_hash && !is_name && !is_words(text)
}

/// Whether upper case, lower case and digits alternate as in random text: words, names of classes and versions do not.
fn is_mixed(text: &str) -> bool {
    let class = |one: char| match one {
        'a'..='z' => 0,
        'A'..='Z' => 1,
        '0'..='9' => 2,
        _ => 3,
    };
    let classes: Vec<_> = text.chars().map(class).collect();
    let has = |wanted| classes.contains(&wanted);
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    has(0) && has(1) && has(2) && changes * 3 >= classes.len() && is_random(text)
}

fn is_cid(text: &str) -> bool {
    crate::cid::Cid::try_from(text).is_ok()
}

/// Words, numbers and versions that are joined with hyphens, such as `erc-8004-registration-v1`.
fn is_words(text: &str) -> bool {
    text.split(['-', '_', '.', '/', '+']).all(|part| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        let letters = part.trim_start_matches(char::is_alphabetic);
        // Letters, then digits: a word, a number or a version.
        letters.chars().all(|one| one.is_ascii_digit())
            && digits <= 8
            && (part.chars().all(|one| !one.is_ascii_uppercase())
                || part.chars().all(|one| !one.is_ascii_lowercase())
                || part.len() <= 12)
    })
}
