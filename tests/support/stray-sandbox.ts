import { EventEmitter, once } from 'node:events';
import { writeSync } from 'node:fs';
import { setImmediate as immediate } from 'node:timers/promises';
import type { PluginProvider } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { createFunctionProcess } from '../../lib/adapters/runtime/function-process.ts';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { aWebhookEvent } from './a-webhook-event.ts';
import { aWebhookService } from './a-webhook-service.ts';

// A process of the webhook function, as Lambda runs one: for tests of what happens to it when a plugin lets errors loose.
// Its argument is a list of requests, each a list of nodes. It prints line by line what it does: which event it takes,
// what it answers, and, at its end, what the records and the log say.

const emitter = new EventEmitter();
/** The next node runs. */
const next = () => once(emitter, 'next');
/** Emitted right before a stray exception is handled. */
const thrown = () => once(process, 'uncaughtExceptionMonitor');
/** Settles when what is thrown after the last request was handled. */
let late: Promise<unknown> = Promise.resolve();

const ways: Readonly<Record<string, () => unknown>> = {
  rejects: () => void Promise.reject(new Error('let loose')),
  'rejects later': () => void next().then(() => Promise.reject(new Error('let loose'))),
  'throws in a timer': () =>
    setTimeout(() => {
      throw new Error('let loose');
    }),
  'throws in a microtask': () =>
    queueMicrotask(() => {
      throw new Error('let loose');
    }),
  'emits an error': () => setTimeout(() => emitter.emit('error', new Error('let loose'))),
  'throws after its execution': () => {
    late = thrown();
    void next().then(() =>
      setTimeout(() => {
        throw new Error('let loose');
      }),
    );
  },
  'throws what is no error': () =>
    setTimeout(() => {
      throw { toString: 1 };
    }),
  nothing: () => {},
};

const loose: PluginProvider = {
  id: 'loose',
  name: 'Loose',
  version: '1.0.0',
  description: 'For tests',
  category: 'test',
  handles: [
    {
      id: 'loose',
      name: 'Loose',
      description: 'Lets an error loose in some way, and succeeds',
      kind: 'action',
      pure: true,
      schema: { type: 'object' },
      execute: ({ parameters }) => {
        ways[String(parameters.way)]?.();
        return { way: String(parameters.way) };
      },
    },
    {
      id: 'busy',
      name: 'Busy',
      description: 'Runs until something is thrown, until it is aborted, or not at all',
      kind: 'action',
      pure: true,
      schema: { type: 'object' },
      execute: async ({ parameters }, _input, { signal }) => {
        emitter.emit('next');
        if (parameters.until === 'thrown') await thrown();
        if (parameters.until === 'aborted') await once(signal, 'abort');
        return { aborted: signal.aborted };
      },
    },
  ],
};

const say = (what: object): void => {
  writeSync(1, `${JSON.stringify(what)}\n`);
};

const lines: string[] = [];
// Listeners as those of Lambda's runtime client: they would end the process.
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => process.exit(129));

const functionProcess = createFunctionProcess({
  logger: createLogger({ write: (line) => lines.push(line) }),
});
const service = await aWebhookService({ plugins: [loose], guard: functionProcess.guard });
const handler = functionProcess.serve((event: unknown, context: Context) => service.call(event, context));
process.on('exit', () => {
  say({ log: lines.map((line) => JSON.parse(line)) });
  say({ records: service.executions.records() });
});

const requests = JSON.parse(process.argv[2] ?? '[]');
for (const [index, chain] of requests.entries()) {
  await service.put({ id: `flow-${index}`, chain });
  say({ takes: index });
  // In the order of Lambda's runtime client for Node 24: the result is posted by a call that waits for the answer.
  const result = await handler(aWebhookEvent({ workflowId: `flow-${index}`, path: 'orders' }), {} as Context);
  await immediate();
  const answer = JSON.stringify(result);
  writeSync(1, `{"answer":${answer}}\n`);
  for (let microtask = 0; microtask < 5; microtask++) await null;
}
say({ waits: true });
emitter.emit('next');
await late; // as a process lives on for the next event, which does not come
