use std::{process::Command, sync::mpsc, thread, time::Duration};

use atr_manifest::Document;
use atr_schema::{CallSchema, Error, Mismatch};

/// How long anything may take, on a slow machine that does other things as well.
const DEADLINE: Duration = Duration::from_secs(20);

/// Half the stack of an ordinary thread: the other half is for whoever calls.
const STACK_BYTES: usize = 1 << 20;

pub(crate) fn document(text: impl Into<Vec<u8>>) -> Document {
    Document::parse(text).unwrap()
}

pub(crate) fn compile(schema: impl Into<Vec<u8>>) -> Result<CallSchema, Error> {
    CallSchema::try_new(document(schema).root())
}

pub(crate) fn check(schema: &str, call: &str) -> Result<(), Vec<Mismatch>> {
    compile(schema).unwrap().check(&document(call))
}

/// The pointers of the mismatches, and the rules they break.
pub(crate) fn places(mismatches: &[Mismatch]) -> Vec<(&str, &str)> {
    let places = mismatches.iter();
    places
        .map(|found| (found.pointer.as_str(), found.rule.as_str()))
        .collect()
}

/// Runs `work` on a thread of its own and fails when it has not finished in time.
#[track_caller]
pub(crate) fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let handle = thread.spawn(move || sender.send(work())).unwrap();
    match receiver.recv_timeout(DEADLINE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("not done after {DEADLINE:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(handle.join().unwrap_err())
        }
    }
}

/// Kilobytes of memory a child may have, its threads' stacks and the test itself included.
const CHILD_KILOBYTES: usize = 1 << 20;

/// Set in a child of ours.
const IN_CHILD: &str = "ATR_SCHEMA_TEST_CHILD";

/// Runs `work`, the body of the test called `name` in `hostile`, in time and in a process of its own with bounded memory: a stack
/// or a memory that runs out ends the process.
#[expect(
    clippy::disallowed_methods,
    reason = "a child knows by its environment that it is one"
)]
pub(crate) fn bounded(name: &str, work: impl FnOnce() + Send + 'static) {
    if std::env::var_os(IN_CHILD).is_some() {
        return in_time(work);
    }
    let test = std::env::current_exe().unwrap();
    let script = format!("ulimit -v {CHILD_KILOBYTES}; exec \"$0\" --exact \"hostile::$1\"");
    let mut child = Command::new("sh");
    child.args(["-c", &script]).arg(test).arg(name);
    let output = child.env(IN_CHILD, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(told.contains("1 passed"), "{told}");
}
