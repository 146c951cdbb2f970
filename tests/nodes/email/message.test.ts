import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { readMessage } from '../../../nodes/email/message.ts';
import { anSmtpCredential, sendMail } from '../../support/a-mail-node.ts';
import { aNodeContext } from '../../support/a-node-context.ts';

/** Nothing is sent: the context has no network. */
const refusalOf = async (changes: JsonObject): Promise<string> =>
  sendMail(changes, aNodeContext(), anSmtpCredential(25)).then(
    () => 'it was sent',
    (error: Error) => error.message,
  );

const aFile = (changes: JsonObject = {}): JsonObject => ({
  $file: 'execution-1/node-1/0/1',
  name: 'a.txt',
  mediaType: 'text/plain',
  size: 3,
  sha256: '0'.repeat(64),
  ...changes,
});

describe('a line break adds no header, and the error names its parameter:', () => {
  test.each<readonly [place: string, changes: JsonObject]>([
    ['subject', { subject: 'Hi\r\nBcc: eve@example.com' }],
    ['subject', { subject: 'Hi\nBcc: eve@example.com' }],
    ['subject', { subject: 'Hi\u0085' }],
    ['from', { from: 'Shop\r\nBcc: eve@example.com <shop@example.com>' }],
    ['from', { from: 'shop@example.com\r\nBcc: eve@example.com' }],
    ['to[0]', { to: ['bob@example.com\r\n'] }],
    ['cc[1]', { cc: ['bob@example.com', 'Bob\n <bob@example.com>'] }],
    ['bcc[0]', { bcc: ['bob\n@example.com'] }],
    ['replyTo[0]', { replyTo: ['bob@example.com\0'] }],
    ['headers', { headers: { 'X-A': 'b\r\nBcc: eve@example.com' } }],
    ['headers', { headers: { 'X-A\r\nBcc': 'eve@example.com' } }],
    ['attachments[0]', { attachments: [aFile({ name: 'a\r\nb.txt' })] }],
    ['attachments[0]', { attachments: [aFile({ mediaType: 'text/plain\r\nX-A: b' })] }],
  ])('%s (%j)', async (place, changes) => {
    const refused = await refusalOf(changes);
    expect(refused).toContain(`Parameter "${place}"`);
    expect(refused).not.toContain('eve@');
  });
});

test('a tab, as lines that were folded have, is a space', async () => {
  const sent = readMessage({
    from: 'The\tShop <shop@example.com>',
    to: ['bob@example.com'],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: 'Re: Your\torder',
    text: 'a\tb',
    headers: { 'X-Note': 'one\ttwo' },
    attachments: [aFile({ name: 'a\tb.txt' })],
    maxAttachmentBytes: 100,
  });
  expect(sent).toMatchObject({
    from: { name: 'The Shop', address: 'shop@example.com' },
    subject: 'Re: Your order',
    text: 'a\tb',
    headers: { 'X-Note': 'one two' },
    attachments: [{ name: 'a b.txt' }],
  });
});

describe('an address', () => {
  test.each([
    'eve@example.com, bob@example.com',
    'Bob <bob@example.com>, Eve <eve@example.com>',
    'Bob <bob@example.com> <eve@example.com>',
    'Bob <bob@example.com',
    'bob',
    'bob@',
    '@example.com',
    'bob@a@b',
    'bob smith@example.com',
    '"bob"@example.com',
    `${'b'.repeat(65)}@example.com`,
  ])('%j is not one', async (address) => {
    expect(await refusalOf({ to: [address] })).toContain('Parameter "to[0]"');
  });

  test.each([
    'b@c.de',
    'Bob <b@c.de>',
    '"Smith, Bob" <b@c.de>',
    '<b@c.de>',
    'Jürgen <jürgen@münchen.example>',
  ])('%j is one', async (address) => {
    expect(await refusalOf({ to: [address] })).toBe('no network in this test');
  });
});

test.each<readonly [what: string, changes: JsonObject, message: string]>([
  ['without a recipient', { to: [] }, 'to, cc and bcc are empty, but a mail needs a recipient'],
  [
    'with too many recipients',
    { to: Array(30).fill('a@b.c'), bcc: Array(21).fill('a@b.c') },
    'to, cc and bcc have 51 recipients; at most 50 are allowed: use a forEach',
  ],
  ['without a header name', { headers: { 'a b': 'c' } }, 'which is not a valid header name'],
  ['with a header of its own', { headers: { 'Content-Type': 'text/html' } }, 'which the service sets itself'],
  [
    'with an attachment that is no file',
    { attachments: ['a'] },
    '"attachments[0]" must be a file, got string',
  ],
  [
    'with attachments that are too large together',
    { attachments: [aFile({ size: 6 }), aFile({ size: 5 })], maxAttachmentBytes: 10 },
    'the attachments have 11 bytes; maxAttachmentBytes allows 10',
  ],
])('a mail %s is refused', async (_what, changes, message) => {
  expect(await refusalOf(changes)).toContain(message);
});

test('a mail without content is refused', async () => {
  const { text, ...rest } = { text: undefined, subject: 'a' };
  expect(text).toBe(undefined);
  const { email } = await import('../../../nodes/email/email.plugin.ts');
  const parameters = { from: 'a@b.c', to: ['a@b.c'], ...rest };
  const node = { id: 'node-1', type: 'email', parameters };
  await expect(async () => email.execute(node, {}, aNodeContext())).rejects.toThrow(
    'text and html are empty',
  );
});
