import { createServer } from 'node:http';
import { listen } from 'lambda-stage/net';

/** Answers by operation, as JSON texts; `{}` for any other. */
const answers: Readonly<Record<string, string>> = JSON.parse(process.argv[2] ?? '{}');

const server = createServer((request, response) => {
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
  request.resume().on('end', () => {
    const body = answers[operation] ?? '{}';
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length });
    response.end(body);
  });
});

const port = await listen(server);
process.send?.(`http://127.0.0.1:${port}`);
process.once('disconnect', () => process.exit());
