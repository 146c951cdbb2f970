import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packText, unpackText } from '../../../lib/executions/record/blob-store.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

const noise = (length: number) =>
  Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join('');

describe('a packed text', () => {
  test('unpacks to the same text, within its limit, whatever both are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ minLength: 200, maxLength: 2_000 })),
        fc.integer({ min: 40, max: 1_500 }),
        async (raw, limitBytes) => {
          const text = raw.toWellFormed();
          const blobs = inMemoryBlobs();
          const packed = await packText(text, { limitBytes, key: 'k', blobs });
          expect(Buffer.byteLength(packed)).toBeLessThanOrEqual(limitBytes);
          expect(await unpackText(packed, blobs)).toBe(text);
        },
      ),
    );
  });

  test.each([
    ['as it is', 'x'.repeat(99), 'j', 0],
    ['compressed', 'x'.repeat(5_000), 'z', 0],
    ['elsewhere', noise(5_000), 'b', 1],
  ])('is stored %s when that is enough', async (_how, text, mark, count) => {
    const blobs = inMemoryBlobs();
    expect((await packText(text, { limitBytes: 100, key: 'executions/e-1/input', blobs }))[0]).toBe(mark);
    expect(blobs.keys()).toHaveLength(count);
  });

  test('whose blob is missing names it', async () => {
    await expect(unpackText('bexecutions/e-1/input', inMemoryBlobs())).rejects.toThrow(
      'executions/e-1/input',
    );
  });

  test('is refused if it is invalid or would unpack to gigabytes', async () => {
    await expect(unpackText('x', inMemoryBlobs())).rejects.toThrow('not a packed text');
    const bomb = await packText(' '.repeat(100_000), { limitBytes: 1_000, key: 'k', blobs: inMemoryBlobs() });
    expect(await unpackText(bomb, inMemoryBlobs(), 100_000)).toHaveLength(100_000);
    await expect(unpackText(bomb, inMemoryBlobs(), 99_999)).rejects.toThrow();
  });
});
