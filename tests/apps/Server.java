// SPDX-License-Identifier: Apache-2.0
// Server PORT FILE - GET answers with the file, POST with the MD5 sum of the body
import com.sun.net.httpserver.HttpServer;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.concurrent.Executors;

public class Server {
	public static void main(String[] args) throws Exception {
		byte[] file = Files.readAllBytes(Path.of(args[1]));
		HttpServer server = HttpServer.create(
			new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 50);
		server.createContext("/", exchange -> {
			byte[] answer = file;
			try {
				if (exchange.getRequestMethod().equals("POST")) {
					byte[] sum = MessageDigest.getInstance("MD5")
						.digest(exchange.getRequestBody().readAllBytes());
					answer = String.format("%032x", new BigInteger(1, sum)).getBytes();
				}
			} catch (java.security.NoSuchAlgorithmException e) {
				throw new RuntimeException(e);
			}
			exchange.sendResponseHeaders(200, answer.length);
			exchange.getResponseBody().write(answer);
			exchange.close();
		});
		server.setExecutor(Executors.newFixedThreadPool(4));
		server.start();
	}
}
