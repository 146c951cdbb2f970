import { describe, expect, test } from '@jest/globals';
import { Problem } from '../src/api/api.ts';
import {
  readFieldErrors,
  readHosts,
  toCredentialFields,
  toOutboundBody,
} from '../src/views/credentials/credential-form.ts';
import { findHealth } from '../src/views/credentials/health-of.ts';
import { EMPTY as NO_ENTRY, readForm as readEntry, whyNotEdited } from '../src/views/state/entry-form.ts';
import { EMPTY, readForm, textOfVariable, toForm } from '../src/views/variables/variable-form.ts';

describe('the form of a variable', () => {
  const form = { ...EMPTY, name: 'region' };

  test.each([
    ['string', ' 12 ', ' 12 '],
    ['number', '1e3', 1_000],
    ['boolean', 'false', false],
    ['json', '{"a": [1]}', { a: [1] }],
    ['json', '"text"', 'text'],
  ] as const)('sends a %s: %s', (type, text, value) => {
    expect(readForm({ ...form, type, text, description: ' Where ' })).toEqual({
      body: { type, value, description: 'Where', expiresAt: null },
      mistakes: null,
    });
  });

  test('removes a description that was emptied', () => {
    expect(readForm({ ...form, text: 'a' }).body).toMatchObject({ description: null });
  });

  test.each([
    [{ name: '' }, ['name']],
    [{ name: '1a' }, ['name']],
    [{ name: 'a'.repeat(65) }, ['name']],
    [{ type: 'number', text: '' }, ['text']],
    [{ type: 'number', text: '"1"' }, ['text']],
    [{ type: 'boolean', text: '1' }, ['text']],
    [{ type: 'json', text: '{' }, ['text']],
    [{ name: 'a-b', type: 'json', text: '' }, ['name', 'text']],
  ] as const)('names what is wrong with %j', (changes, names) => {
    const { body, mistakes } = readForm({ ...form, text: 'a', ...changes });
    expect([body, Object.keys(mistakes ?? {})]).toEqual([null, names]);
  });

  test('begins with what is stored, and sends it unchanged', () => {
    const stored = { name: 'limits', type: 'json', value: { a: 1 }, description: null } as const;
    const expiring = { ...stored, expiresAt: '2027-01-31T00:00:00.000Z' };
    const body = { type: 'json', value: { a: 1 }, description: null };
    expect(readForm(toForm(stored)).body).toEqual({ ...body, expiresAt: null });
    expect(readForm(toForm(expiring)).body).toEqual({ ...body, expiresAt: '2027-01-31' });
    expect(textOfVariable({ type: 'string', value: 'a "b"' })).toBe('a "b"');
  });
});

describe('the form of a credential', () => {
  const declared = {
    secretFields: ['token', 'key'],
    schema: {
      type: 'object',
      required: ['token'],
      properties: {
        token: { type: 'string', description: 'The token' },
        key: { type: 'string', description: 'A private key in PEM' },
        testUrl: { type: 'string', description: 'An address' },
        accessToken: { type: 'string', readOnly: true },
      },
    },
  };

  test('has the public fields first, and none that the service maintains', () => {
    const fields = toCredentialFields(declared);
    expect(fields.map(({ name, isSecret, isLong }) => [name, isSecret, isLong])).toEqual([
      ['testUrl', false, false],
      ['token', true, false],
      ['key', true, true],
    ]);
  });

  test('has no fields for a schema that is none', () => {
    expect(toCredentialFields({ schema: null, secretFields: [] })).toEqual([]);
  });

  test('sends what was typed, and leaves out what was not', () => {
    const fields = toCredentialFields(declared);
    const values = { token: 't', testUrl: 'https://a.example', key: '', other: 'of an earlier type' };
    expect(toOutboundBody('desk', fields, { values, ref: null, hosts: 'a.example\n\n b.example, ' })).toEqual(
      {
        type: 'desk',
        fields: { testUrl: 'https://a.example' },
        secrets: { token: 't' },
        hosts: ['a.example', 'b.example'],
      },
    );
  });

  test('sends the ARN in place of the secrets', () => {
    const form = { values: { token: 't' }, ref: ' arn:aws:x ', hosts: '' };
    expect(toOutboundBody('desk', toCredentialFields(declared), form)).toEqual({
      type: 'desk',
      fields: {},
      ref: 'arn:aws:x',
    });
  });

  test('shows what was refused at the field', () => {
    const errors = [
      { pointer: '#/secrets/token', detail: 'is too short' },
      { pointer: '#/fields/a~1b%20c', detail: 'is unknown' },
      { pointer: '#/hosts/0', detail: 'is no host' },
      { pointer: '#/hosts/1', detail: 'neither' },
    ];
    expect(readFieldErrors(new Problem(400, { errors }))).toEqual({
      token: 'is too short',
      'a/b c': 'is unknown',
      hosts: 'is no host neither',
    });
    const missing = [{ pointer: '#', detail: 'lacks the key "tokenUrl"' }];
    expect(readFieldErrors(new Problem(400, { errors: missing }))).toEqual({
      tokenUrl: 'lacks the key "tokenUrl"',
    });
    expect(readFieldErrors(new Problem(400, {}))).toEqual({});
  });

  test('takes hosts from lines and commas', () => {
    expect(readHosts(' a, b\n\nc ,')).toEqual(['a', 'b', 'c']);
  });
});

test('the health of a credential is the worst that a plugin reports', () => {
  const aHealth = (status: string) => ({ type: 'httpBearer', status, workflows: ['orders'] });
  const report = {
    plugins: {
      http: { credentials: { crm: aHealth('healthy') } },
      desk: { credentials: { crm: aHealth('unhealthy'), constructor: aHealth('warning') } },
      code: {},
    },
  } as unknown as NonNullable<Parameters<typeof findHealth>[0]['data']>;
  const read = { data: report, error: null };
  expect(findHealth(read, 'crm')).toMatchObject({ is: 'reported', health: { status: 'unhealthy' } });
  expect(findHealth(read, 'toString')).toEqual({ is: 'unused' });
  expect(findHealth({ error: null }, 'crm')).toEqual({ is: 'loading' });
  expect(findHealth({ error: new Error('late') }, 'crm')).toEqual({ is: 'unknown', reason: 'late' });
});

describe('the form of an entry of state', () => {
  const now = Date.parse('2026-01-01T00:00:00.000Z');
  const form = { ...NO_ENTRY, key: 'a', text: '{"n": 1}' };

  test.each([
    [{ expiry: 'never' }, '2026-01-01T00:01:00.000Z', null],
    [{ expiry: 'after', seconds: '90' }, null, 90],
    [{ expiry: 'kept' }, '2026-01-01T00:01:00.001Z', 61],
    [{ expiry: 'kept' }, '2025-01-01T00:00:00.000Z', 1],
    [{ expiry: 'kept' }, null, null],
  ] as const)('says when it expires: %j, before: %s', (changes, expiresAt, ttlSeconds) => {
    expect(readEntry({ ...form, ...changes }, expiresAt, now)).toEqual({
      body: { value: { n: 1 }, ttlSeconds },
      mistakes: null,
    });
  });

  test.each([
    [{ key: '' }, ['key']],
    [{ text: 'Ada' }, ['text']],
    [{ text: '' }, ['text']],
    [{ expiry: 'after', seconds: '0' }, ['seconds']],
    [{ expiry: 'after', seconds: '1.5' }, ['seconds']],
  ] as const)('names what is wrong with %j', (changes, names) => {
    const { body, mistakes } = readEntry({ ...form, ...changes }, null, now);
    expect([body, Object.keys(mistakes ?? {})]).toEqual([null, names]);
  });
});

test('a value of state that is too large for an editor is changed with the command line', () => {
  expect(whyNotEdited('x'.repeat(399_998))).toBeNull();
  expect(whyNotEdited('x'.repeat(399_999))).toContain('--file');
});
