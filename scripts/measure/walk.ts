// Counts how many files and functions one warm request runs through, by V8's own coverage: the same on every machine.
// `npm run measure:walk`; with `-- --files` it lists the files, with `-- --functions` what ran in each.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Profiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import {
  createEvent,
  type Link,
  openService,
  order,
  storeWorkflow,
  tablePrefix,
  toChain,
} from '../bench/bench-service.ts';
import { fourNodes } from '../bench/requests/four-nodes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OURS = /^(?:lib|packages|nodes|functions|authoring|plugins)\//;
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const LIBRARIES = Object.keys(dependencies).map((name) => `node_modules/${name}/`);
const SERVERS_ON_THIS_MACHINE = 'packages/lambda-stage/'; // the database runs in this process

interface Walked {
  readonly path: string;
  readonly functions: readonly Profiler.FunctionCoverage[];
}

/** The functions that one call runs, by file; of libraries only the files. */
const walk = async (session: Session, call: () => Promise<unknown>) => {
  await call();
  await call();
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }): Walked => {
      const [path = ''] = fileURLToPath(url).replace(root, '').split('?');
      return { path, functions: functions.filter((one) => countOf(one) > 0) };
    })
    .filter(({ path, functions }) => functions.length > 0 && !path.startsWith(SERVERS_ON_THIS_MACHINE))
    .sort((one, other) => one.path.localeCompare(other.path));
  return {
    own: ran.filter(({ path }) => OURS.test(path) && !path.includes('/tests/')),
    libraries: ran.filter(({ path }) => LIBRARIES.some((folder) => path.startsWith(folder))),
  };
};

const countOf = ({ ranges: [range] }: Profiler.FunctionCoverage): number => range?.count ?? 0;

const print = (name: string, { own, libraries }: Awaited<ReturnType<typeof walk>>): void => {
  const functions = own.flatMap((file) => file.functions);
  const calls = functions.reduce((sum, one) => sum + countOf(one), 0);
  console.log(
    `${name}: ${own.length} files, ${functions.length} functions, ${calls} calls; ${libraries.length} files of libraries`,
  );
  const withFunctions = process.argv.includes('--functions');
  if (!withFunctions && !process.argv.includes('--files')) return;
  for (const file of [...own, ...libraries]) {
    const names = file.functions.map((one) => `${one.functionName || '(anonymous)'} ×${countOf(one)}`);
    console.log(`  ${file.path}${withFunctions ? `: ${names.join(', ')}` : ''}`);
  }
};

const database = await startEmbeddedDynamoDb(tablePrefix);
const api = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
await once(api, 'listening');
const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/x`;
const put = (id: string, mode: string, chain: readonly Link[]) =>
  storeWorkflow(database.endpoint, toChain(id, mode, chain, {}));
await put('sync', 'lastNode', fourNodes());
await put('jsonata', 'lastNode', fourNodes('{{ $length(name) > 0 }}'));
await put('later', 'onReceived', fourNodes());
const call = { type: 'httpRequest', parameters: { url, method: 'POST', body: '{{ body }}' } };
await put('calls', 'lastNode', [call]);

const parts = openService(database.endpoint).webhook;
const handler = createWebhookFunction({
  ...parts,
  settings: { ...parts.settings, cacheTtlMs: 3_600_000 },
  dispatcher: { dispatch: async () => {} },
});
const body = JSON.stringify(order);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const [name, id] of [
  ['answered by the last of four pure nodes', 'sync'],
  ['the same with an expression in JSONata', 'jsonata'],
  ['accepted, run later', 'later'],
  ['one httpRequest', 'calls'],
] as const)
  print(name, await walk(session, () => handler(createEvent(id, body), {} as never)));
api.close();
await database.stop();
process.exit(0);
