// SPDX-License-Identifier: Apache-2.0
// Client URL MD5 - 10 GETs at once by HttpClient, a POST, the same by URLConnection, a refused port
import java.math.BigInteger;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

public class Client {
	static void check(String what, byte[] body, String want) throws Exception {
		byte[] sum = MessageDigest.getInstance("MD5").digest(body);
		if (!String.format("%032x", new BigInteger(1, sum)).equals(want))
			throw new Exception(what + ": wrong sum");
	}

	public static void main(String[] args) throws Exception {
		URI url = URI.create(args[0]);
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpRequest get = HttpRequest.newBuilder(url).build();

		List<CompletableFuture<byte[]>> bodies = IntStream.range(0, 10)
			.mapToObj(i -> client.sendAsync(get, BodyHandlers.ofByteArray()).thenApply(r -> r.body()))
			.toList();
		for (CompletableFuture<byte[]> body : bodies)
			check("GET", body.get(), args[1]);

		HttpRequest post = HttpRequest.newBuilder(url)
			.POST(HttpRequest.BodyPublishers.ofByteArray(bodies.get(0).get())).build();
		if (!client.send(post, BodyHandlers.ofString()).body().equals(args[1]))
			throw new Exception("POST: wrong sum");

		check("URLConnection", url.toURL().openStream().readAllBytes(), args[1]);
		try {
			new Socket("127.0.0.1", 1).close();
			throw new Exception("a closed port answers");
		} catch (ConnectException expected) {
			System.out.println(expected.getMessage());
		}
	}
}
