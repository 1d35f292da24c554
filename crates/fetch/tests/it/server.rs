use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;

/// Starts a server that responds to each request with `response` and keeps the connection open until the client closes it.
pub(crate) async fn serve(response: Vec<u8>) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/SECRET", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let response = response.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                // A client that expects more bytes has to time out.
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(&response).await;
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
