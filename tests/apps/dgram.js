// SPDX-License-Identifier: Apache-2.0
// dgram.js serve HOST PORT [WORKERS] | send HOST PORT COUNT - echo of datagrams, by so many workers that
// share the socket; so many datagrams there and back, from a connected and from an unconnected socket
'use strict';
const cluster = require('cluster');
const dgram = require('dgram');
const { once } = require('events');

const [verb, host, port, number] = process.argv.slice(2);
const type = host.includes(':') ? 'udp6' : 'udp4';

function serve() {
	if (number && cluster.isPrimary) {
		for (let i = 0; i < Number(number); i++)
			cluster.fork();
		return;
	}
	const socket = dgram.createSocket(type);
	socket.on('message', (data, from) => socket.send(data, from.port, from.address));
	socket.bind(Number(port), host);
}

async function there_and_back(socket, data, ...to) {
	socket.send(data, ...to);
	const [back] = await once(socket, 'message', { signal: AbortSignal.timeout(60000) });
	if (!back.equals(data))
		throw new Error(`${back.length} bytes come back, not ${data.length}`);
}

async function send() {
	const free = dgram.createSocket(type);
	const connected = dgram.createSocket(type);
	connected.connect(Number(port), host);
	await once(connected, 'connect');
	for (let i = 0; i < Number(number); i++) {
		const data = Buffer.alloc(i * 41 % 9000, String(i));
		await there_and_back(free, data, Number(port), host);
		await there_and_back(connected, data);
	}
	free.close();
	connected.close();
}

if (verb === 'serve')
	serve();
else
	send().catch((error) => {
		console.error(error);
		process.exit(1);
	});
