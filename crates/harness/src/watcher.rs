//! Looks over the machine's shoulder while it runs a transaction.

use alloy_primitives::{Address, Bytes, Log};
use revm::{
    Inspector,
    bytecode::opcode::SLOAD,
    context_interface::ContextTr,
    interpreter::{
        CallInputs, CallOutcome, CallScheme, CreateInputs, CreateOutcome, Interpreter,
        InterpreterResult, interpreter::EthInterpreter, interpreter_types::Jumps,
    },
};

/// What a first access to a slot costs (EIP-2929).
const COLD_SLOAD_GAS: u64 = 2_100;

/// One call or creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) depth: usize,
    pub(crate) scheme: &'static str,
    pub(crate) target: Option<Address>,
    pub(crate) input: Bytes,
    pub(crate) gas_limit: u64,
    pub(crate) gas_used: u64,
    pub(crate) cold_reads: u64,
    /// What it logged itself, in order.
    pub(crate) logs: Vec<Log>,
    /// How it ended: the machine's word for it, and what it returned.
    pub(crate) end: Option<(String, Bytes)>,
}

/// Notes every frame, every log and every cold read of storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watcher {
    pub(crate) frames: Vec<Frame>,
    open: Vec<usize>,
    gas_before_read: Option<u64>,
}

impl Watcher {
    fn begin(&mut self, frame: Frame) {
        self.open.push(self.frames.len());
        self.frames.push(frame);
    }

    fn end(&mut self, result: &InterpreterResult) {
        let Some(index) = self.open.pop() else { return };
        let frame = &mut self.frames[index];
        frame.gas_used = frame.gas_limit.saturating_sub(result.gas.remaining());
        frame.end = Some((format!("{:?}", result.result), result.output.clone()));
    }
}

impl<CTX: ContextTr> Inspector<CTX, EthInterpreter> for Watcher {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut CTX) {
        self.gas_before_read =
            (interpreter.bytecode.opcode() == SLOAD).then(|| interpreter.gas.remaining());
    }

    fn step_end(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut CTX) {
        let Some(before) = self.gas_before_read.take() else {
            return;
        };
        if before - interpreter.gas.remaining() != COLD_SLOAD_GAS {
            return;
        }
        if let Some(&index) = self.open.last() {
            self.frames[index].cold_reads += 1;
        }
    }

    fn log(&mut self, _: &mut CTX, log: Log) {
        if let Some(&index) = self.open.last() {
            self.frames[index].logs.push(log);
        }
    }

    fn call(&mut self, context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.begin(Frame {
            depth: self.open.len(),
            scheme: match inputs.scheme {
                CallScheme::Call => "call",
                CallScheme::CallCode => "callcode",
                CallScheme::DelegateCall => "delegatecall",
                CallScheme::StaticCall => "staticcall",
            },
            target: Some(inputs.target_address),
            input: inputs.input.bytes(context),
            gas_limit: inputs.gas_limit,
            gas_used: 0,
            cold_reads: 0,
            logs: Vec::new(),
            end: None,
        });
        None
    }

    fn call_end(&mut self, _: &mut CTX, _: &CallInputs, outcome: &mut CallOutcome) {
        self.end(&outcome.result);
    }

    fn create(&mut self, _: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.begin(Frame {
            depth: self.open.len(),
            scheme: "create",
            target: None,
            input: inputs.init_code().clone(),
            gas_limit: inputs.gas_limit(),
            gas_used: 0,
            cold_reads: 0,
            logs: Vec::new(),
            end: None,
        });
        None
    }

    fn create_end(&mut self, _: &mut CTX, _: &CreateInputs, outcome: &mut CreateOutcome) {
        self.end(&outcome.result);
    }
}
