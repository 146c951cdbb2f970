import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { createSpanSender } from '../../../lib/adapters/otlp/span-sender.ts';
import { SPAN_FLAGS, type Span } from '../../../lib/executions/traces/otlp.ts';
import { aCollector } from '../../support/a-collector.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';

const aSpan = (spanId = '00f067aa0ba902b7'): Span => ({
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId,
  flags: SPAN_FLAGS.local,
  name: 'workflow orders',
  kind: 2,
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: [],
  events: [],
  links: [],
  status: {},
});

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A clock that jumps to the end of each sleep. */
const aJumpingClock = () => {
  let now = 1_700_000_000_000;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  return { now: () => now, sleep, slept };
};

const open = async (answers: Parameters<typeof aCollector>[0] = [], headers: Record<string, string> = {}) => {
  const collector = await aCollector(answers);
  opened.push(collector.close);
  const { logger, entries } = aRecordingLogger();
  const clock = aJumpingClock();
  const options = {
    resource: { 'service.name': 'hookloom' },
    version: '1.2.3',
    random: () => 1,
    logger,
    clock,
  };
  const http = createHttpClient({ allow: [new URL(collector.url).host] });
  const send = createSpanSender({ ...options, url: collector.url, readHeaders: async () => headers, http });
  return { ...collector, send, entries, clock, until: (ms: number) => clock.now() + ms };
};

describe('spans', () => {
  test('are posted as compressed JSON, with what sends them, and the headers of the collector', async () => {
    const { send, received, until } = await open([], { authorization: 'Basic QQ==' });
    expect(await send([aSpan()], until(0))).toBe(true);
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/traces',
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          authorization: 'Basic QQ==',
        },
        resource: { 'service.name': 'hookloom' },
        spans: [{ name: 'workflow orders', startTimeUnixNano: '1700000000000000000' }],
      },
    ]);
  });

  test('are sent again after the time for which a collector asks that takes none now', async () => {
    const busy = { status: 503, headers: { 'retry-after': '7' } };
    const { send, received, clock, until } = await open([busy, { ...busy, status: 429 }]);
    expect(await send([aSpan()], until(60_000))).toBe(true);
    expect(clock.slept).toEqual([7_000, 7_000]);
    expect(received.map(({ json }) => json)).toEqual(new Array(3).fill(received[0]?.json));
  });

  test('are sent again after growing times if it names none', async () => {
    const { send, clock, until } = await open([{ status: 502 }, { status: 504 }, { status: 503 }]);
    expect(await send([aSpan()], until(60_000))).toBe(true);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  });

  test('wait in the next call for what is left of the time, without a request before', async () => {
    const { send, received, clock, until } = await open([{ status: 503, headers: { 'retry-after': '100' } }]);
    expect(await send([aSpan()], until(45_000))).toBe(false);
    expect(await send([aSpan()], until(45_000))).toBe(false);
    expect(received).toHaveLength(1);
    expect(await send([aSpan()], until(45_000))).toBe(true);
    expect(clock.slept).toEqual([45_000, 45_000, 10_000]);
  });

  test('wait for a quarter of an hour at most', async () => {
    const { send, clock, until } = await open([{ status: 429, headers: { 'retry-after': '86400' } }]);
    expect(await send([aSpan()], until(1_000_000))).toBe(true);
    expect(clock.slept).toEqual([900_000]);
  });

  test('that the collector refuses for good are dropped, with its reason in the log', async () => {
    const { send, received, entries, until } = await open([{ status: 400, body: 'no such tenant' }]);
    expect(await send([aSpan()], until(60_000))).toBe(true);
    expect(received).toHaveLength(1);
    expect(entries).toMatchObject([
      {
        level: 'error',
        message: 'The collector refuses traces.',
        fields: { status: 400, spans: 1, answer: 'no such tenant' },
      },
    ]);
  });

  test('that it leaves out are in the log, which has only the start of its message', async () => {
    const partialSuccess = { rejectedSpans: '2', errorMessage: `too old${' '.repeat(1_000)}` };
    const { send, entries, until } = await open([
      { status: 200, body: JSON.stringify({ partialSuccess }) },
      { status: 200, body: JSON.stringify({ partialSuccess: {} }) },
      { status: 200, body: 'OK' },
    ]);
    for (const _ of [1, 2, 3]) expect(await send([aSpan()], until(0))).toBe(true);
    expect(entries).toMatchObject([{ level: 'warn', fields: { rejectedSpans: 2 } }]);
    expect(String(entries[0]?.fields.answer)).toHaveLength(200);
  });

  test('stay to be sent while the collector can not be reached', async () => {
    const { send, close, entries, until } = await open();
    await close();
    expect(await send([aSpan()], until(2_000))).toBe(false);
    expect(entries.map(({ message }) => message)).toEqual([
      'The collector can not be reached.',
      'The collector can not be reached.',
    ]);
  });
});
