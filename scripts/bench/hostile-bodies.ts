import type { JsonObject } from '../../lib/contract/json.ts';
import { createPrepareRun } from '../../lib/executions/prepare-run.ts';
import { createRunExecution } from '../../lib/executions/run-execution.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition.ts';
import { aBackgroundService, aFlow } from '../../tests/support/a-background-service.ts';
import { median, printTable } from './measure.ts';

/** Texts that are slow to search for those who try every way to read them; prose is what they are compared with. */
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

/** Parts of the size that are measured one after the other, so that what grows faster than its text shows early. */
const parts = [1 / 256, 1 / 64, 1 / 16, 1 / 4, 1];
const rounds = 3;
/** CPU milliseconds of one run, beyond which no larger one of its kind is made. */
const tooLong = 2_000;

/** The body of a request whose JSON text has about as many bytes; one quote or backslash takes two of them. */
const aBody = (unit: string, bytes: number): JsonObject => {
  const perUnit = JSON.stringify(unit).length - 2;
  return { total: 'x', note: unit.repeat(Math.ceil(bytes / perUnit)) };
};

const failing = aFlow({
  id: 'failing',
  nodes: [{ id: 'check', type: 'if', parameters: { condition: '{{ body.total }}' } }],
  edges: ['start -> check'],
});

const durable = aFlow({
  id: 'durable',
  nodes: [{ id: 'keep', type: 'set', parameters: { values: { note: '{{ body.note }}' } } }],
  edges: ['start -> keep'],
  settings: { recordData: 'always' },
});

/** As many nodes that hand the body on, and one at their end that fails or does not. */
const aChain = (id: string, length: number, condition: string): WorkflowDefinition => {
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  return aFlow({
    id,
    nodes: [
      ...ids.map((node) => ({ id: node, type: 'set', parameters: { values: { last: node } } })),
      { id: 'check', type: 'if', parameters: { condition } },
    ],
    edges: ['start', ...ids].map((node, at) => `${node} -> ${ids[at] ?? 'check'}`),
  });
};

/** CPU milliseconds of this process, for one call. */
const cpuOf = async (call: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
};

/** Runs with all their real parts, on stores and an engine in memory. */
const createRuns = async () => {
  const service = await aBackgroundService();
  const { parts } = service;
  const runExecution = createRunExecution({
    ...parts,
    prepare: createPrepareRun(parts),
    clock: parts.services.clock,
    ids: parts.services.ids,
  });
  let runs = 0;
  const runSynchronously = async (definition: WorkflowDefinition, body: JsonObject, expected: string) => {
    const { status, failure } = await runExecution({
      executionId: `e-${runs++}`,
      workflow: { version: 1, updatedAt: '', definition },
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      input: { body },
      timeLimitMs: 3_600_000,
      keepsResult: false,
    });
    if (status !== expected) throw new Error(`the run ${status}: ${failure?.message}`);
  };
  return {
    fail: (body: JsonObject) => runSynchronously(failing, body, 'failed'),
    runChain: (chain: WorkflowDefinition, body: JsonObject, expected: string) =>
      runSynchronously(chain, body, expected),
    runDurably: async (body: JsonObject) => {
      await service.put(durable);
      const executionId = await service.accept(`e-${runs++}`, { workflowId: 'durable', input: { body } });
      const { status } = await service.run(executionId);
      if (status !== 'succeeded') throw new Error(`the durable run: ${status}`);
    },
  };
};

type Run = (body: JsonObject) => Promise<unknown>;

/** For each kind the ratio to prose of the same size: of the whole size, or of the largest that did not take too long. */
const compareKinds = async (title: string, run: Run, bytes: number): Promise<void> => {
  const ended = new Set<string>();
  const rows = new Map<string, string[]>();
  await run(aBody('warm up ', 10_000));
  for (const part of parts) {
    const size = Math.round(bytes * part);
    const times = new Map<string, number[]>();
    // Interleaved: what else goes on in the machine hits all of them.
    for (let round = 0; round < rounds; round++) {
      for (const [kind, unit] of Object.entries(kinds)) {
        if (ended.has(kind)) continue;
        const time = await cpuOf(() => run(aBody(unit, size)));
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
  run: (chain: WorkflowDefinition, body: JsonObject, expected: string) => Promise<unknown>,
  bytes: number,
): Promise<void> => {
  const body = aBody(kinds.prose ?? '', bytes);
  const chains = [
    ['succeeds', aChain('good', 20, '{{ body.total = "x" }}'), 'succeeded'],
    ['fails', aChain('bad', 20, '{{ body.total }}'), 'failed'],
  ] as const;
  const times: number[][] = chains.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, [, chain, expected]] of chains.entries()) {
      const time = await cpuOf(() => run(chain, body, expected));
      if (round > 0) times[index]?.push(time);
    }
  }
  const base = median(times[0] ?? []);
  printTable(
    `A synchronous run of 20 set nodes, with a body of ${bytes} bytes (aim: at most 1.5)`,
    ['', 'CPU ms', '× succeeding'],
    chains.map(([name], index) => {
      const time = median(times[index] ?? []);
      return [name, time.toFixed(1), (time / base).toFixed(2)];
    }),
  );
};

/** @param bytes of the JSON text of the largest body; that of the chains is 5/6 of it */
export const benchHostileBodies = async (bytes: number): Promise<void> => {
  const { fail, runChain, runDurably } = await createRuns();
  await compareKinds('A synchronous run that fails (aim: at most 2 × prose)', fail, bytes);
  await compareKinds('A durable run that keeps its data (aim: at most 2 × prose)', runDurably, bytes);
  await compareChains(runChain, Math.round((bytes * 5) / 6));
};
