import { expect, test } from '@jest/globals';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';
import { createStepSerdes } from '../../../lib/adapters/durable/step-serdes.ts';
import { LIMITS } from '../../../local/engine/durable-state.ts';
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
