import { expect, test } from '@jest/globals';
import { LIMITS } from 'lambda-stage/engine';
import { createStepSerdes, toOperationName } from '../../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

const aResult = (bytes: number) => {
  const result = (text: string) => ({ outputs: { main: { text } }, attempts: 1 });
  return result('x'.repeat(bytes - JSON.stringify(result('')).length));
};

test.each([-3, -2, -1, 0, 1])(
  'a result of the engine’s limit and %i bytes fits when serialised, and is read back',
  async (more) => {
    const serdes = createStepSerdes('e-1', inMemoryBlobs(), createPendingIo());
    const about = { entityId: 'step-1', durableExecutionArn: 'arn' };
    const result = aResult(LIMITS.operationBytes + more);
    const written = await serdes.serialize(result, about);
    expect(Buffer.byteLength(written ?? '')).toBeLessThanOrEqual(LIMITS.operationBytes);
    expect(await serdes.deserialize(written, about)).toEqual(result);
  },
);

test('a name within the limit is unchanged', () => {
  expect(toOperationName('each/0/3/call/0')).toBe('each/0/3/call/0');
  expect(toOperationName('x'.repeat(256))).toBe('x'.repeat(256));
});

test('long names keep their start and stay distinct', () => {
  const [a, b] = ['a', 'b'].map((end) => toOperationName(`${'x'.repeat(300)}${end}`));
  expect(a).toHaveLength(256);
  expect(a).toMatch(/^x{200}/);
  expect(a).not.toBe(b);
});
