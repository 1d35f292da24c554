//! Many questions to one contract in few requests, all at one block.

use alloy::{providers::Provider, rpc::client::BatchRequest};
use alloy_primitives::{Address, Bytes, address};
use alloy_sol_types::{SolCall, sol};

use crate::{
    Error,
    view::{Answer, View, request},
};

/// Multicall3, at the same address on every chain that has it.
const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");

/// Questions in one request. A tool with the longest URI takes some 200,000 gas to read, and nodes stop a call at some
/// tens of millions.
const QUESTIONS_PER_REQUEST: usize = 64;

sol! {
    struct Question {
        address target;
        bool allowFailure;
        bytes callData;
    }
    struct Reply {
        bool success;
        bytes returnData;
    }
    function aggregate3(Question[] questions) external payable returns (Reply[] replies);
}

/// Puts all questions to a contract; answers come in their order.
pub(crate) async fn ask_all(
    view: View<'_>,
    to: Address,
    questions: &[Bytes],
) -> Result<Vec<Answer>, Error> {
    if let [question] = questions {
        return Ok(vec![view.ask(to, question.clone(), None).await?]);
    }
    let has_multicall = !view.code(MULTICALL3).await?.is_empty();
    let mut answers = Vec::with_capacity(questions.len());
    for chunk in questions.chunks(QUESTIONS_PER_REQUEST) {
        let together = if has_multicall {
            by_multicall(view, to, chunk).await?
        } else {
            by_batch(view, to, chunk).await
        };
        for (place, question) in chunk.iter().enumerate() {
            let answer = together.get(place).cloned().flatten();
            answers.push(match answer {
                Some(answer) => answer,
                None => view.ask(to, question.clone(), None).await?,
            });
        }
    }
    Ok(answers)
}

/// One call that makes the others. An answer is missing where it may be the multicall's fault: out of gas, say.
async fn by_multicall(
    view: View<'_>,
    to: Address,
    questions: &[Bytes],
) -> Result<Vec<Option<Answer>>, Error> {
    let questions = questions.iter().map(|question| Question {
        target: to,
        allowFailure: true,
        callData: question.clone(),
    });
    let call = aggregate3Call {
        questions: questions.collect(),
    };
    let answer = view.ask(MULTICALL3, call.abi_encode().into(), None).await?;
    let replies = answer
        .returned()
        .and_then(|bytes| aggregate3Call::abi_decode_returns_validate(&bytes).ok());
    let answers = replies.unwrap_or_default().into_iter().map(|reply| {
        if reply.success {
            return Some(Answer::Returned(reply.returnData));
        }
        (!reply.returnData.is_empty()).then(|| Answer::Failed {
            data: reply.returnData,
            message: "execution reverted".to_owned(),
        })
    });
    Ok(answers.collect())
}

/// One JSON-RPC batch. An answer is missing where the node gave none: not every node takes batches.
async fn by_batch(view: View<'_>, to: Address, questions: &[Bytes]) -> Vec<Option<Answer>> {
    let mut batch = BatchRequest::new(view.provider.client());
    let mut waiting = Vec::with_capacity(questions.len());
    for question in questions {
        let request = request(to, question.clone(), None);
        let answer = batch.add_call::<_, Bytes>("eth_call", &(request, view.block));
        waiting.push(answer.ok());
    }
    if let Err(error) = batch.send().await {
        tracing::info!(%error, "the node took no batch; asking one by one");
        return Vec::new();
    }
    let mut answers = Vec::with_capacity(questions.len());
    for answer in waiting {
        answers.push(match answer {
            Some(answer) => Answer::of_call(answer.await).ok(),
            None => None,
        });
    }
    answers
}
