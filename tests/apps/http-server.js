// SPDX-License-Identifier: Apache-2.0
// http-server.js PORT FILE [WORKERS] - GET answers with the file, POST with the MD5 sum of the body
'use strict';
const cluster = require('cluster');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

const [port, file, workers] = process.argv.slice(2);

if (workers && cluster.isPrimary) {
	for (let i = 0; i < Number(workers); i++)
		cluster.fork();
} else {
	http.createServer((request, response) => {
		response.setHeader('X-Pid', process.pid);
		if (request.method === 'GET') {
			fs.createReadStream(file).pipe(response);
			return;
		}
		const md5 = crypto.createHash('md5');
		request.on('data', (data) => md5.update(data));
		request.on('end', () => response.end(md5.digest('hex')));
	}).listen(Number(port), '127.0.0.1');
}
