import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createUploadId, parseUploadId } from '../../../../lib/webhooks/features/upload/upload-id.ts';

const place = { workflowId: 'shop', triggerNodeId: 'start', path: '/orders' };
const content = { name: 'ö".csv', size: 1 };

/** An id as any caller can make it: the hash is no signature. */
const forge = (text: string): string => {
  const hash = createHash('sha256').update(JSON.stringify(['upload', 'shop', 'start', '/orders', text]));
  return `${hash.digest('base64url')}.${text}`;
};

test('an id has its content, and names the execution that it starts', () => {
  const { uploadId, executionId } = createUploadId(place, content);
  expect(parseUploadId(place, uploadId)).toEqual({ executionId, content });
  expect(executionId).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('the longest name fits', () => {
  const long = { name: '\u{10ffff}'.repeat(127), mediaType: `a/${'b'.repeat(253)}`, size: 5 * 1024 ** 3 };
  expect(parseUploadId(place, createUploadId(place, long).uploadId)).toMatchObject({ content: long });
  const escaped = { name: '"'.repeat(255), mediaType: `a/${'"'.repeat(253)}` };
  expect(parseUploadId(place, createUploadId(place, escaped).uploadId)).toMatchObject({ content: escaped });
});

test.each([
  ['another workflow', { ...place, workflowId: 'other' }],
  ['another trigger', { ...place, triggerNodeId: 'other' }],
  ['another path', { ...place, path: '/others' }],
])('%s does not recognise it', (_case, other) => {
  expect(parseUploadId(other, createUploadId(place, content).uploadId)).toBeNull();
});

test.each(['null', '[]', '7', 'x', '{', '"a"'])('a forged content of %s is refused', (json) => {
  expect(parseUploadId(place, forge(Buffer.from(json).toString('base64url')))).toBeNull();
});

test('a complete forged one is parsed: the store detects that nothing was put under it', () => {
  const id = forge(Buffer.from(JSON.stringify(content)).toString('base64url'));
  expect(parseUploadId(place, id)).toMatchObject({ content });
});
