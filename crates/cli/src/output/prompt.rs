//! Interactive prompts, on standard error.
//!
//! Each answer ends with Enter and is read on its own: what was typed before a prompt is discarded, so that one answer cannot
//! confirm two prompts. A prompt leaves the terminal as it was, also on Ctrl-C.

use std::io;

use crate::{error::Error, output::Output};

/// Attempts per prompt.
const ATTEMPTS: usize = 3;

/// Asks for confirmation; the default is no.
pub(crate) fn confirm(output: &Output, prompt: &str) -> Result<bool, Error> {
    if !output.is_interactive() {
        return Err(Error::NotInteractive {
            subject: "confirmation",
            alternative: "use --yes to confirm, or --dry-run to print the plan",
        });
    }
    for _ in 0..ATTEMPTS {
        terminal::discard_input();
        output.prompt(&format!("{prompt} [y/N] "));
        let Some(answer) = terminal::read_line().map_err(|source| Error::Prompt { source })? else {
            output.prompt("\n");
            return Ok(false);
        };
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "" | "n" | "no" => return Ok(false),
            _ => output.prompt("answer y or n\n"),
        }
    }
    Ok(false)
}

/// Asks to type a word, for changes that cannot be undone.
pub(crate) fn confirm_by_typing(
    output: &Output,
    prompt: &str,
    expected: &str,
) -> Result<bool, Error> {
    if !output.is_interactive() {
        return Err(Error::NotInteractive {
            subject: "confirmation",
            alternative: "use --yes with --confirm, or --dry-run to print the plan",
        });
    }
    terminal::discard_input();
    output.prompt(&format!("{prompt} "));
    let typed = terminal::read_line().map_err(|source| Error::Prompt { source })?;
    if typed.is_none() {
        output.prompt("\n");
    }
    Ok(typed.is_some_and(|typed| typed.trim() == expected))
}

/// Asks for a value until it is valid. Also reads from a pipe.
pub(crate) fn ask(
    output: &Output,
    prompt: &'static str,
    check: impl Fn(&str) -> Result<(), Error>,
) -> Result<String, Error> {
    for _ in 0..ATTEMPTS {
        output.prompt(&format!("{prompt}: "));
        let mut line = String::new();
        match io::stdin().read_line(&mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let input = line.trim();
        match check(input) {
            Ok(()) => return Ok(input.to_owned()),
            Err(Error::InvalidField { reason, .. }) => output.prompt(&format!("  {reason}\n")),
            Err(error) => return Err(error),
        }
    }
    Err(Error::NoInput { prompt })
}

/// Asks for a secret without echoing it.
pub(crate) fn secret(
    output: &Output,
    prompt: &str,
    alternative: &'static str,
) -> Result<String, Error> {
    if !output.is_interactive() {
        return Err(Error::NotInteractive {
            subject: "a secret",
            alternative,
        });
    }
    let secret = terminal::read_secret(|| output.prompt(&format!("{prompt}: ")));
    output.prompt("\n");
    let end = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let secret = secret.and_then(|secret| secret.ok_or_else(end));
    secret.map_err(|source| Error::Prompt { source })
}

#[cfg(unix)]
mod terminal {
    use std::io;

    use rustix::{
        io::{Errno, read},
        process::{Signal, getpid, kill_process},
        termios::{
            LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
        },
    };

    const CTRL_C: u8 = 0x03;
    const CTRL_D: u8 = 0x04;
    const CTRL_U: u8 = 0x15;
    const BACKSPACE: [u8; 2] = [0x08, 0x7f];

    /// Discards input that was not read yet.
    pub(super) fn discard_input() {
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }

    /// A line, without buffering what follows; `None` at the end of the input.
    pub(super) fn read_line() -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            match read_byte()? {
                None if line.is_empty() => return Ok(None),
                None | Some(b'\n') => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                Some(byte) => line.push(byte),
            }
        }
    }

    /// A line that is not echoed, from the moment of the prompt on. The terminal does not send signals meanwhile, so that its
    /// settings are always restored.
    pub(super) fn read_secret(prompt: impl FnOnce()) -> io::Result<Option<String>> {
        let hidden = HiddenInput::start()?;
        prompt();
        let mut secret: Vec<u8> = Vec::new();
        loop {
            match read_byte()? {
                Some(CTRL_C) => {
                    drop(hidden);
                    // Ends the process as Ctrl-C does elsewhere.
                    kill_process(getpid(), Signal::INT)?;
                    return Err(io::ErrorKind::Interrupted.into());
                }
                None | Some(CTRL_D) if secret.is_empty() => return Ok(None),
                None | Some(CTRL_D | b'\n' | b'\r') => break,
                Some(CTRL_U) => secret.clear(),
                Some(byte) if BACKSPACE.contains(&byte) => remove_character(&mut secret),
                Some(byte) => secret.push(byte),
            }
        }
        String::from_utf8(secret)
            .map(Some)
            .map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn remove_character(text: &mut Vec<u8>) {
        let is_continuation = |byte: &u8| byte & 0xc0 == 0x80;
        while text.pop().is_some_and(|byte| is_continuation(&byte)) {}
    }

    fn read_byte() -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match read(io::stdin(), &mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => return Ok(Some(byte[0])),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Input without echo; restores the terminal when it is dropped.
    struct HiddenInput(Termios);

    impl HiddenInput {
        fn start() -> io::Result<Self> {
            let original = tcgetattr(io::stdin())?;
            let mut hidden = original.clone();
            hidden.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
            // Discards input that was typed before.
            tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
            Ok(Self(original))
        }
    }

    impl Drop for HiddenInput {
        fn drop(&mut self) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn backspace_removes_a_whole_character() {
            let mut text = "aé東".as_bytes().to_vec();
            for expected in ["aé", "a", "", ""] {
                remove_character(&mut text);
                assert_eq!(text, expected.as_bytes());
            }
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    use std::io;

    pub(super) const fn discard_input() {}

    pub(super) fn read_line() -> io::Result<Option<String>> {
        let mut line = String::new();
        let count = io::stdin().read_line(&mut line)?;
        Ok((count > 0).then_some(line))
    }

    /// Not supported: the input would be echoed.
    pub(super) fn read_secret(_: impl FnOnce()) -> io::Result<Option<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
