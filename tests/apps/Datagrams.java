// SPDX-License-Identifier: Apache-2.0
// Datagrams serve ADDRESS PORT | send ADDRESS PORT COUNT - echo by a channel and a selector; so many
// datagrams there and back by a socket, and a refused port
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;

public class Datagrams {
	static void serve(InetSocketAddress at) throws Exception {
		DatagramChannel channel = DatagramChannel.open();
		Selector selector = Selector.open();
		ByteBuffer data = ByteBuffer.allocateDirect(65536);
		channel.bind(at).configureBlocking(false).register(selector, SelectionKey.OP_READ);
		while (true) {
			selector.select();
			selector.selectedKeys().clear();
			while (true) {
				SocketAddress from = channel.receive(data.clear());
				if (from == null)
					break;
				channel.send(data.flip(), from);
			}
		}
	}

	static boolean thereAndBack(DatagramSocket socket, byte[] data) throws Exception {
		DatagramPacket back = new DatagramPacket(new byte[65536], 65536);
		socket.setSoTimeout(60000);
		socket.send(new DatagramPacket(data, data.length));
		socket.receive(back);
		return Arrays.equals(Arrays.copyOf(back.getData(), back.getLength()), data);
	}

	static void send(InetSocketAddress to, int count) throws Exception {
		try (DatagramSocket socket = new DatagramSocket()) {
			socket.connect(to);
			for (int i = 0; i < count; i++) {
				byte[] data = new byte[1 + i * 43 % 9000];
				Arrays.fill(data, (byte) i);
				if (!thereAndBack(socket, data))
					throw new Exception("datagram " + i + " does not come back");
			}
		}
		try (DatagramSocket socket = new DatagramSocket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", 1));
			thereAndBack(socket, new byte[1]);
			throw new Exception("a closed port is not refused");
		} catch (PortUnreachableException expected) {
			System.out.println(expected);
		}
	}

	public static void main(String[] args) throws Exception {
		InetSocketAddress at = new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
		if (args[0].equals("serve"))
			serve(at);
		else
			send(at, Integer.parseInt(args[3]));
	}
}
