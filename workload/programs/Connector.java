// SPDX-License-Identifier: Apache-2.0
// Connector PORT: stands for the VSE Connector Server. A thread serves each connection.
//
// A request is a byte and the number of a member (two bytes). 'P' stores a member: its length (four bytes) and its bytes
// follow, and the answer is the length. 'G' reads one: the answer is its length and its bytes. All numbers are big-endian.
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ConcurrentHashMap;

public class Connector {
	private static final int MOST = 1 << 30;
	private static final ConcurrentHashMap<Integer, byte[]> members = new ConcurrentHashMap<>();

	public static void main(String[] args) throws IOException {
		try (ServerSocket server = new ServerSocket(Integer.parseInt(args[0]))) {
			while (true) {
				Socket user = server.accept();
				new Thread(() -> serve(user)).start();
			}
		}
	}

	private static void serve(Socket user) {
		try (user;
		     DataInputStream in = new DataInputStream(new BufferedInputStream(user.getInputStream()));
		     DataOutputStream out = new DataOutputStream(user.getOutputStream())) {
			for (int verb = in.read(); verb >= 0; verb = in.read()) {
				int member = in.readUnsignedShort();
				if (verb == 'P') {
					int length = in.readInt();
					byte[] data = length < 0 || length > MOST ? new byte[0] : in.readNBytes(length);
					if (data.length != length)
						throw new EOFException("a member of " + length + " bytes has " + data.length);
					members.put(member, data);
					out.writeInt(length);
				} else {
					byte[] data = members.getOrDefault(member, new byte[0]);
					out.writeInt(data.length);
					out.write(data);
				}
			}
		} catch (IOException error) {
			System.err.println("Connector: " + error);
		}
	}
}
