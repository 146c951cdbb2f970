import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { routes } from '../../../packages/local/samples/systems.ts';
import sample from '../../../workflows/feed-to-slack.json' with { type: 'json' };
import { aPollService } from '../../support/a-poll-service.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** What the sample calls, with a feed that the test writes. */
const startSystems = async () => {
  const posted: string[] = [];
  let feed = '';
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = ((text: string) => {
    if (!text.startsWith('Slack, in ')) return write.call(stdout, text);
    posted.push(text.trim());
    return true;
  }) as typeof stdout.write;
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    if (url === '/feed.xml') return void response.writeHead(200, { 'content-type': 'text/xml' }).end(feed);
    const [, answer] = routes.find(([pattern]) => pattern.test(`${method} ${url}`)) ?? [];
    void answer?.(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    stdout.write = write;
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was posted since the last call, in alphabetical order. */
    posted: () => posted.splice(0).sort(),
    has: (...names: readonly string[]) => {
      const items = names.map(
        (name) =>
          `<item><guid>${name}</guid><title>${name}</title><link>https://tea.example.com/${name}</link><description>About ${name}</description></item>`,
      );
      feed = `<rss version="2.0"><channel><title>Tea</title>${items.join('')}</channel></rss>`;
    },
  };
};

const message = (name: string): string =>
  `Slack, in #news: In short: ${name}: About ${name} https://tea.example.com/${name}`;

test('feed-to-slack posts each new item once: none, one and three, and over a restart', async () => {
  const systems = await startSystems();
  const database = await openDatabase();
  const text = JSON.stringify({ ...sample, enabled: true }).replaceAll(
    'http://127.0.0.1:4400',
    systems.origin,
  );
  const start = () => aPollService(database, { runs: true, workflowId: sample.id });

  const before = await start();
  await before.put(JSON.parse(text) as WorkflowDefinition);
  systems.has('green', 'black');
  await before.poll('1');
  await before.poll('2');
  expect(systems.posted()).toEqual([]);
  systems.has('white', 'green', 'black');
  await before.poll('3');
  expect(systems.posted()).toEqual([message('white')]);

  const after = await start();
  await after.poll('4');
  expect(systems.posted()).toEqual([]);
  systems.has('oolong', 'mate', 'chai', 'white', 'green');
  await after.poll('5');
  await after.poll('6');
  expect(systems.posted()).toEqual(['chai', 'mate', 'oolong'].map(message));
  expect((await after.records()).map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
});

test('feed-to-slack has the nodes of the flow and no more', () => {
  expect(sample.nodes.map(({ type }) => type)).toEqual(['rssTrigger', 'llm', 'slackMessage']);
});
