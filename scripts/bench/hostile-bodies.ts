import type { JsonObject } from '@hookloom/plugin-kit';
import { aBackgroundService, aFlow } from '../../tests/support/a-background-service.ts';
import { aJsonEvent } from '../../tests/support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../tests/support/a-webhook-service.ts';
import { cpuOfCall, median, printTable } from './measure.ts';

/** Repeated texts on which a backtracking search is slow; prose is the baseline. */
const kinds: Readonly<Record<string, string>> = {
  prose: 'It was the best of times, it was the worst of times, it was the age of wisdom. ',
  'a.': 'a.',
  'host names joined by dots': 'shop.example.com.',
  'host names joined by dashes': 'shop-example-com-',
  blanks: ' ',
  quotes: '"',
  'Bearer ': 'Bearer ',
  'URLs with passwords': 'https://ada:secret@shop.example.com/ ',
};

/** Fractions of the full size, in turn, so that superlinear growth shows early. */
const parts = [1 / 256, 1 / 64, 1 / 16, 1 / 4, 1];
const rounds = 3;
/** CPU milliseconds of one run, beyond which its kind is not measured with larger sizes. */
const tooLong = 2_000;

/** A body of about that size as JSON, where a quote takes two bytes. */
const aBody = (unit: string, bytes: number): JsonObject => {
  const perUnit = JSON.stringify(unit).length - 2;
  return { total: 'x', note: unit.repeat(Math.ceil(bytes / perUnit)) };
};

/** Fails, since its condition is not a boolean. */
const failing: AWorkflow = {
  id: 'failing',
  chain: [{ type: 'if', parameters: { condition: '{{ body.total }}' } }],
};

const durable = aFlow({
  id: 'durable',
  nodes: [{ id: 'keep', type: 'set', parameters: { values: { note: '{{ body.note }}' } } }],
  edges: ['start -> keep'],
  settings: { recordData: 'always' },
});

/** Nodes that pass the body on, one that may fail by its condition, and a short answer. */
const aChain = (id: string, length: number, condition: string): AWorkflow => ({
  id,
  chain: [
    ...Array.from({ length }, (_, at) => ({
      type: 'set',
      parameters: { values: { last: at }, keepInput: true },
    })),
    { type: 'filter', parameters: { condition } },
    { type: 'set', parameters: { values: { ok: true } } },
  ],
});

/** An order of about that size as JSON. */
const anOrder = (bytes: number): JsonObject => {
  const item = { sku: 'A-1042', name: 'Teapot, cast iron', price: 49.9, quantity: 2, tags: ['tea', 'iron'] };
  const count = Math.ceil(bytes / (JSON.stringify(item).length + 1));
  return { total: 'x', items: Array.from({ length: count }, (_, at) => ({ ...item, price: at / 100 })) };
};

/** The real requests and runs, on stores and an engine in memory. */
const createRuns = async () => {
  const background = await aBackgroundService();
  const webhooks = await aWebhookService();
  let runs = 0;
  const request = async (workflow: AWorkflow, body: JsonObject, expected: number) => {
    await webhooks.put(workflow);
    const event = aJsonEvent(body, { workflowId: workflow.id ?? 'shop' });
    return async () => {
      const { statusCode } = await webhooks.call(event);
      if (statusCode !== expected) throw new Error(`${workflow.id} answered ${statusCode}`);
    };
  };
  return {
    request,
    fail: (body: JsonObject) => request(failing, body, 500),
    runDurably: async (body: JsonObject) => {
      await background.put(durable);
      const executionId = await background.accept(`e-${runs++}`, { workflowId: 'durable', input: { body } });
      return async () => {
        const { status } = await background.run(executionId);
        if (status !== 'succeeded') throw new Error(`the durable run: ${status}`);
      };
    },
  };
};

/** Prepares a measured call. */
type Prepare = (body: JsonObject) => Promise<() => Promise<void>>;

/** For each kind the ratio to prose of the same size, at the largest size that did not take too long. */
const compareKinds = async (title: string, prepare: Prepare, bytes: number): Promise<void> => {
  const ended = new Set<string>();
  const rows = new Map<string, string[]>();
  await (await prepare(aBody('warm up ', 10_000)))();
  for (const part of parts) {
    const size = Math.round(bytes * part);
    const times = new Map<string, number[]>();
    // Interleaved, so that other load of the machine affects all of them.
    for (let round = 0; round < rounds; round++) {
      for (const [kind, unit] of Object.entries(kinds)) {
        if (ended.has(kind)) continue;
        const time = await cpuOfCall(await prepare(aBody(unit, size)));
        times.set(kind, [...(times.get(kind) ?? []), time]);
        if (time > tooLong) ended.add(kind);
      }
    }
    const prose = median(times.get('prose') ?? []);
    for (const [kind, measured] of times) {
      const time = median(measured);
      rows.set(kind, [kind, String(size), time.toFixed(1), (time / prose).toFixed(2)]);
    }
  }
  printTable(title, ['', 'bytes', 'CPU ms', '× prose'], [...rows.values()]);
};

const compareChains = async (
  request: (workflow: AWorkflow, body: JsonObject, expected: number) => ReturnType<Prepare>,
  bytes: number,
): Promise<void> => {
  const body = anOrder(bytes);
  const chains = [
    ['succeeds', aChain('good', 20, '{{ body.total = "x" }}'), 200],
    ['fails', aChain('bad', 20, '{{ body.total }}'), 500],
  ] as const;
  const times: number[][] = chains.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, [, chain, expected]] of chains.entries()) {
      const time = await cpuOfCall(await request(chain, body, expected));
      if (round > 0) times[index]?.push(time);
    }
  }
  const base = median(times[0] ?? []);
  printTable(
    `A synchronous request through 20 set nodes, with a body of ${bytes} bytes (aim: at most 1.5)`,
    ['', 'CPU ms', '× succeeding'],
    chains.map(([name], index) => {
      const time = median(times[index] ?? []);
      return [name, time.toFixed(1), (time / base).toFixed(2)];
    }),
  );
};

/** @param bytes - of the largest body as JSON; the body of the chains has 5/6 of it */
export const benchHostileBodies = async (bytes: number): Promise<void> => {
  const { request, fail, runDurably } = await createRuns();
  await compareKinds('A synchronous request that fails (aim: at most 2 × prose)', fail, bytes);
  await compareKinds('A durable run that keeps its data (aim: at most 2 × prose)', runDurably, bytes);
  await compareChains(request, Math.round((bytes * 5) / 6));
};
