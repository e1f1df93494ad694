#!/usr/bin/ruby
# SPDX-License-Identifier: Apache-2.0
# net.rb serve HOST PORT | streams HOST PORT COUNT BYTES | datagrams HOST PORT COUNT - an echo server of
# TCP, a thread for each connection, and of UDP; its clients; exit 1 if anything differs
require 'socket'
require 'io/wait'

verb, host, port, count, bytes = ARGV
port = port.to_i
count = count.to_i
Thread.abort_on_exception = true

def serve(host, port)
  datagrams = UDPSocket.new(Addrinfo.ip(host).afamily)
  datagrams.bind(host, port)
  Thread.new do
    loop do
      data, from = datagrams.recvfrom(65_536)
      datagrams.send(data, 0, from[3], from[1])
    end
  end
  Socket.tcp_server_loop(host, port) do |stream, _|
    Thread.new do
      IO.copy_stream(stream, stream)
    ensure
      stream.close
    end
  end
end

def stream(host, port, seed, bytes)
  data = Random.new(seed).bytes(bytes)
  TCPSocket.open(host, port) do |stream|
    sending = Thread.new do
      stream.write(data)
      stream.close_write
    end
    back = stream.read
    sending.join
    back == data
  end
end

def refused
  TCPSocket.new('127.0.0.1', 1)
  false
rescue Errno::ECONNREFUSED
  true
end

def datagram(socket, seed)
  data = "#{seed}," * (seed * 3 % 900)
  socket.send(data, 0)
  socket.wait_readable(60) && socket.recvfrom_nonblock(65_536)[0] == data
end

case verb
when 'serve'
  serve(host, port)
when 'streams'
  good = (1..count).map { |seed| Thread.new { stream(host, port, seed, bytes.to_i) } }.count(&:value)
  good = 0 unless refused
when 'datagrams'
  socket = UDPSocket.new(Addrinfo.ip(host).afamily)
  socket.connect(host, port)
  good = (1..count).count { |seed| datagram(socket, seed) }
end
puts "#{good} of #{count} good"
exit good == count
