import { createHttpClient } from '../../lib/adapters/http-client/http-client.chunk.ts';
import { anOutboundRequest } from './an-outbound-request.ts';
import { filesIn } from './in-memory-files.ts';
import { openStreams } from './open-streams.ts';

// A process that downloads files, saves them, opens them and uploads them, one after the other. For each one it prints the
// peak of its memory so far, in MB.

const [, , place = '', origin = '', ...sizes] = process.argv;

const client = createHttpClient({ allow: ['127.0.0.1'] });
const limits = { maxFileBytes: 1e9, maxFiles: 100 };
const openFiles = filesIn(openStreams(place), { limits })({ executionId: 'e-1', retryOf: null });
const files = openFiles('node/0', new AbortController().signal);

for (const size of sizes) {
  const large = { maxResponseBytes: 1e9, timeoutMs: 600_000 };
  const url = `${origin}/${size}`;
  const { stream } = await client.request(anOutboundRequest(url, { ...large, streamsBody: true }));
  if (stream === null) throw new Error('the response is not streamed');
  const file = await files.save(stream, { name: 'large', mediaType: 'application/octet-stream' });
  const upload = { method: 'PUT', body: await files.open(file), bodyBytes: file.size };
  const { body } = await client.request(anOutboundRequest(url, { ...large, ...upload }));
  const sha256 = Buffer.from(body).toString();
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1_024);
  process.stdout.write(`${JSON.stringify({ size: file.size, isSame: sha256 === file.sha256, peakMb })}\n`);
}
