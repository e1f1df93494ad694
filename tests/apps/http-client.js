// SPDX-License-Identifier: Apache-2.0
// http-client.js URL MD5 - 10 GETs at once, each with the right sum, and each sent back by POST
'use strict';
const crypto = require('crypto');
const http = require('http');

const [url, want] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 10 });

function ask(method, body) {
	return new Promise((resolve, reject) => {
		const headers = body ? { 'Content-Length': body.length } : {};
		const request = http.request(url, { method, agent, headers }, (response) => {
			const parts = [];
			response.on('data', (part) => parts.push(part));
			response.on('end', () => resolve(Buffer.concat(parts)));
			response.on('error', reject);
		});
		request.on('error', reject);
		request.end(body);
	});
}

async function one() {
	const body = await ask('GET');
	if (crypto.createHash('md5').update(body).digest('hex') !== want)
		throw new Error('GET: wrong sum');
	if ((await ask('POST', body)).toString() !== want)
		throw new Error('POST: wrong sum');
}

Promise.all(Array.from({ length: 10 }, one)).then(
	() => new Promise((resolve, reject) => {
		http.get('http://127.0.0.1:1/', () => reject(new Error('a closed port answers')))
			.on('error', (error) => error.code === 'ECONNREFUSED' ? resolve() : reject(error));
	})
).then(() => agent.destroy(), (error) => {
	console.error(error);
	process.exit(1);
});
