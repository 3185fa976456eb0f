/** A collector for the bench: takes whatever is sent, reads it to its end, and keeps nothing. A process of its own, so that its work is not counted as the sender's. */
import { createServer } from 'node:http';
import process from 'node:process';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
});
// It ends with whoever started it.
process.on('disconnect', () => process.exit(0));
