//! A revm inspector that records calls, logs and cold storage reads.

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

/// Gas of a cold SLOAD (EIP-2929).
const COLD_SLOAD_GAS: u64 = 2_100;

/// One call or contract creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) depth: usize,
    pub(crate) scheme: &'static str,
    pub(crate) target: Option<Address>,
    pub(crate) input: Bytes,
    pub(crate) gas_limit: u64,
    pub(crate) gas_used: u64,
    pub(crate) cold_reads: u64,
    /// Logs of this frame, without those of inner calls.
    pub(crate) logs: Vec<Log>,
    /// revm's name of the result, and the output.
    pub(crate) end: Option<(String, Bytes)>,
}

/// Records every frame, log and cold storage read.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTracer {
    pub(crate) frames: Vec<Frame>,
    open: Vec<usize>,
    gas_before_read: Option<u64>,
}

impl CallTracer {
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

impl<CTX: ContextTr> Inspector<CTX, EthInterpreter> for CallTracer {
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
