// SPDX-License-Identifier: Apache-2.0

//! Servers and clients with tokio's runtime of several threads
//!
//!	tokio-test echo ADDRESS:PORT                   send back what comes, by TCP and by UDP
//!	tokio-test streams ADDRESS:PORT COUNT BYTES    so many connections at once, with so much there and back
//!	tokio-test datagrams ADDRESS:PORT COUNT        so many datagrams there and back, and a refused port

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

fn wrong(text: String) -> Error {
    Error::new(ErrorKind::Other, text)
}

fn byte(seed: usize, at: usize) -> u8 {
    ((seed * 31 + at) % 251) as u8
}

async fn echo_stream(stream: TcpStream) -> Result<u64> {
    stream.set_nodelay(true)?;
    let (mut reading, mut writing) = stream.into_split();
    let bytes = tokio::io::copy(&mut reading, &mut writing).await?;
    writing.shutdown().await?;
    Ok(bytes)
}

async fn echo_datagrams(socket: UdpSocket) -> Result<()> {
    let mut data = vec![0; 65536];
    loop {
        let (length, from) = socket.recv_from(&mut data).await?;
        socket.send_to(&data[..length], from).await?;
    }
}

async fn echo(address: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind(address).await?;
    tokio::spawn(echo_datagrams(UdpSocket::bind(address).await?));
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo_stream(stream));
    }
}

async fn one_stream(address: SocketAddr, seed: usize, bytes: usize) -> Result<()> {
    let (mut reading, mut writing) = TcpStream::connect(address).await?.into_split();
    let sending = tokio::spawn(async move {
        let data: Vec<u8> = (0..bytes).map(|at| byte(seed, at)).collect();
        writing.write_all(&data).await?;
        writing.shutdown().await
    });
    let mut back = Vec::new();
    reading.read_to_end(&mut back).await?;
    sending.await??;
    if back.len() != bytes || back.iter().enumerate().any(|(at, &b)| b != byte(seed, at)) {
        return Err(wrong(format!("stream {}: {} bytes come back", seed, back.len())));
    }
    Ok(())
}

async fn streams(address: SocketAddr, count: usize, bytes: usize) -> Result<()> {
    let tasks: Vec<_> = (0..count)
        .map(|seed| tokio::spawn(one_stream(address, seed, bytes)))
        .collect();
    for task in tasks {
        task.await??;
    }
    match TcpStream::connect("127.0.0.1:1").await {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(()),
        other => Err(wrong(format!("a refused port: {:?}", other))),
    }
}

async fn one_datagram(socket: &UdpSocket, data: &[u8]) -> Result<()> {
    let mut back = vec![0; 65536];
    socket.send(data).await?;
    match timeout(Duration::from_secs(60), socket.recv(&mut back)).await? {
        Ok(length) if &back[..length] == data => Ok(()),
        other => Err(wrong(format!("{} bytes come back as {:?}", data.len(), other))),
    }
}

async fn datagrams(address: SocketAddr, count: usize) -> Result<()> {
    let any = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(address).await?;
    for seed in 0..count {
        let data: Vec<u8> = (0..seed * 37 % 9000).map(|at| byte(seed, at)).collect();
        one_datagram(&socket, &data).await?;
    }
    let refused = UdpSocket::bind("127.0.0.1:0").await?;
    refused.connect("127.0.0.1:1").await?;
    // This tokio does not wake a receiver for an error alone; the next send has it.
    for _ in 0..6000 {
        match refused.send(b"x").await {
            Ok(_) => sleep(Duration::from_millis(10)).await,
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Err(wrong("a refused port takes everything".to_string()))
}

async fn run(args: &[String]) -> Result<()> {
    let number = |text: &String| text.parse().map_err(|_| wrong(format!("not a number: {}", text)));
    let place = |text: &String| text.parse().map_err(|_| wrong(format!("not ADDRESS:PORT: {}", text)));
    match args {
        [verb, at] if verb == "echo" => echo(place(at)?).await,
        [verb, at, count, bytes] if verb == "streams" => streams(place(at)?, number(count)?, number(bytes)?).await,
        [verb, at, count] if verb == "datagrams" => datagrams(place(at)?, number(count)?).await,
        _ => Err(wrong("tokio-test echo | streams | datagrams".to_string())),
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(run(&args))
}
