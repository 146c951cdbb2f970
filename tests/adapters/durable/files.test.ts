import { buffer } from 'node:stream/consumers';
import { isFileValue, type JsonObject, type NodeContext, type NodeExecutor } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';

const content = async function* (text: string) {
  for (const character of text) yield Buffer.from(character);
};

const save = async ({ services }: NodeContext, text: string): Promise<JsonObject> => ({
  file: await services.files.save(content(text), { name: 'a.txt', mediaType: 'text/plain' }),
});

const load = async ({ file }: JsonObject, { services }: NodeContext): Promise<JsonObject> => {
  if (!isFileValue(file)) throw new Error('there is no file');
  return { text: (await buffer(await services.files.open(file))).toString() };
};

/** `save` saves a file, which `load` opens. */
const aService = async (changes: { save?: typeof save; load?: typeof load } = {}) => {
  const steps = { save, load, ...changes };
  const call: NodeExecutor['execute'] = (node, input, context) =>
    node.id === 'save' ? steps.save(context, 'hello') : steps.load(input, context);
  const service = await aBackgroundService({ call });
  await service.put(
    aFlow({
      nodes: ['save', 'load'].map((id) => ({
        id,
        type: 'call',
        settings: { retry: { maxAttempts: 2, intervalSeconds: 1 } },
      })),
      edges: ['start -> save', 'save -> load'],
    }),
  );
  await service.accept();
  const outputOf = async (executionId: string) => {
    const { nodes = [] } = (await service.executions.find(executionId)) ?? {};
    return nodes.at(-1)?.outputs ?? nodes.at(-1)?.failure;
  };
  const fileKeys = () => service.stored.keys().filter((key) => key.includes('/files/'));
  return { ...service, outputOf, fileKeys };
};

describe('files of a durable run', () => {
  // holds: files-all-or-nothing
  test('are complete and unique, wherever its process ends', async () => {
    for (let fatal = 1; ; fatal++) {
      const service = await aService();
      let points = 0;
      await service.run('e-1', { saboteur: { isFatal: () => ++points === fatal } });
      expect(await service.outputOf('e-1')).toEqual({ main: { text: 'hello' } });
      expect(service.fileKeys()).toEqual(['executions/e-1/files/save/0.1']);
      if (points < fatal) return;
    }
  });

  test('are written again by the next attempt, whose content counts', async () => {
    const service = await aService({
      save: async (context) => {
        if (context.attempt > 1) return save(context, 'second');
        await save(context, 'the first one');
        throw new Error('after the file was saved');
      },
    });
    await service.run();
    expect(await service.outputOf('e-1')).toEqual({ main: { text: 'second' } });
    expect(service.fileKeys()).toHaveLength(1);
  });

  test('are readable in a retry from a later node, and in a retry of that', async () => {
    let isBroken = true;
    const service = await aService({
      load: (...args) => (isBroken ? Promise.reject(new Error('broken')) : load(...args)),
    });
    const retry = async (executionId: string) => {
      const { clock, ids } = service.parts.services;
      const start = await retryExecution(
        executionId,
        { from: 'load', version: 'recorded' },
        {
          ...service.parts,
          clock,
          ids,
          dispatcher: { dispatch: async () => {} },
          modeOf: async () => 'durable',
        },
      );
      await service.run(start.executionId);
      return start.executionId;
    };
    await service.run();
    const first = await retry('e-1');
    expect(await service.outputOf(first)).toMatchObject({ message: 'broken' });
    isBroken = false;
    expect(await service.outputOf(await retry(first))).toEqual({ main: { text: 'hello' } });
    expect(service.fileKeys()).toHaveLength(1);
  });

  test('are not opened by a value that came with the request', async () => {
    const service = await aService({
      save: async () => ({
        file: { $file: 'e-2/save/0.1', name: 'a', mediaType: 'text/plain', size: 1, sha256: '0'.repeat(64) },
      }),
    });
    await service.run();
    expect(await service.outputOf('e-1')).toMatchObject({
      message: 'This is not a file of the execution: it belongs to another execution.',
    });
  });
});
