use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;

/// Starts a server that answers each request with `answer` and keeps the connection until the client goes away.
pub(crate) async fn answering(answer: Vec<u8>) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/SECRET", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                // Held open, so that whoever expects more has to give up by itself.
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(&answer).await;
                }
            });
        }
    });
    url.parse().unwrap()
}

pub(crate) fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}
