import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';

const openCommandLine = useCommandLine();

/** A file of format 1 whose second node calls a URL. */
const calling = (url: string, top = '') => `{
  "$schema": "./workflow.schema.json",${top}
  "id": "shop", "name": "Shop",
  "nodes": [
    { "id": "start", "type": "webhookTrigger" },
    { "id": "call", "type": "httpRequest", "parameters": { "url": "${url}" } }
  ],
  "connections": [{ "sourceNodeId": "start", "targetNodeId": "call" }]
}
`;

const ORDER = 'https://api.example/orders/{{ body.id }}';
const CHANGE =
  '/nodes/1/parameters/url with "format": 2, the node fails if "{{ body.id }}" gives nothing; write "{{ body.id ?? \'\' }}" if it may be empty';

describe('workflow validate', () => {
  test('says what format 2 would change for a file', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(ORDER));
    expect(await call(`workflow validate ${path}`)).toEqual({
      code: 0,
      out: `${path}: shop is valid\n${path}:6:67: ${CHANGE}`,
      err: '',
    });
  });

  test.each([
    "https://api.example/{{ body.id ?? '' }}",
    "https://api.example/{{ body.id ?: '' }}",
    'https://api.example/{{ $exists(body.id) ? body.id : 0 }}',
    `https://api.example/{{ 'a-' & $string(body.id ?? 1) }}`,
    `https://api.example/{{ $execution.id }}/{{ $uuid() }}?{{ $rawUrl('a=' & (body.b ?? '')) }}`,
    '{{ $vars.base }}/orders',
    'https://api.example/orders',
  ])('says nothing of what has a value in each run: %s', async (url) => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(url));
    file('variables.stage.json', { base: { type: 'string' } });
    expect(await call(`workflow validate ${path}`)).toEqual({
      code: 0,
      out: `${path}: shop is valid`,
      err: '',
    });
  });

  test('says that a response would no longer wait for what follows', async () => {
    const { call, file } = await openCommandLine();
    const answering = (parameters: object) => ({
      id: 'shop',
      name: 'Shop',
      nodes: [
        { id: 'start', type: 'webhookTrigger', parameters: { responseMode: 'responseNode', ...parameters } },
        { id: 'answer', type: 'respondToWebhook' },
        { id: 'call', type: 'httpRequest', parameters: { url: 'https://api.example' } },
      ],
      connections: [
        { sourceNodeId: 'start', targetNodeId: 'answer' },
        { sourceNodeId: 'answer', targetNodeId: 'call' },
      ],
    });
    const path = file('w.json', JSON.stringify(answering({})));
    expect((await call(`workflow upgrade ${path} --dry-run`)).err).toContain(
      '/nodes/0/parameters/responseMode with "format": 2, the caller gets the response as soon as respondToWebhook has run, and "call" runs in the background; "continueAfterResponse": false makes the caller wait for it',
    );
    for (const continueAfterResponse of [true, false]) {
      const said = file('v.json', JSON.stringify(answering({ continueAfterResponse })));
      expect((await call(`workflow upgrade ${said} --dry-run`)).err).toBe('Nothing was written.');
    }
    const strict = file('u.json', JSON.stringify(answering({ onTimeout: 'fail' })));
    expect((await call(`workflow upgrade ${strict}`)).err).toContain(
      'cannot be "fail" with continueAfterResponse, the default here',
    );
  });

  test('says nothing of a file that has format 2', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(ORDER, '\n  "format": 2,'));
    expect(await call(`workflow validate ${path}`)).toEqual({
      code: 0,
      out: `${path}: shop is valid`,
      err: '',
    });
  });
});

describe('workflow upgrade', () => {
  test('writes the format into a file, and shows what changes', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(ORDER));
    expect(await call(`workflow upgrade ${path}`)).toEqual({
      code: 0,
      out: `${path}: format 1 to 2\n  + /format: 2`,
      err: `${path}:7:67: ${CHANGE}`,
    });
    expect(readFileSync(path, 'utf8')).toBe(calling(ORDER, '\n  "format": 2,'));
    expect(await call(`workflow upgrade ${path}`)).toEqual({
      code: 0,
      out: `${path}: has format 2`,
      err: '',
    });
  });

  test('writes nothing in a dry run', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(ORDER));
    const { code, out, err } = await call(`workflow upgrade ${path} --dry-run`);
    expect({ code, out }).toEqual({ code: 0, out: `${path}: format 1 to 2\n  + /format: 2` });
    expect(err).toMatch(/gives nothing; .*\nNothing was written\.$/);
    expect(readFileSync(path, 'utf8')).toBe(calling(ORDER));
  });

  test.each([
    ['{ "format": 1, "id": "a"', '{ "format": 2, "id": "a"'],
    ['{"id":"a"', '{"format": 2,"id":"a"'],
    ['\t{\n\t"id": "a"', '\t{\n\t"format": 2,\n\t"id": "a"'],
  ])('keeps the rest of a file as it is written: %j', async (start, upgraded) => {
    const { call, file } = await openCommandLine();
    const rest = ', "name": "A", "nodes": [{ "id": "start", "type": "manualTrigger" }], "connections": [ ] }';
    const path = file('w.json', `${start}${rest}`);
    expect(await call(`workflow upgrade ${path}`)).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe(`${upgraded}${rest}`);
  });

  test('writes no file if one has a problem, such as a key that format 2 refuses', async () => {
    const { call, file } = await openCommandLine();
    const [good, bad] = [
      file('good.json', calling(ORDER)),
      file('bad.json', calling(ORDER, '\n  "meta": 1,')),
    ];
    expect(await call(`workflow upgrade ${good} ${bad}`)).toEqual({
      code: 1,
      out: '',
      err: `${bad}:4:11: /meta is a key that a workflow does not have: nothing reads it\nNothing was written.`,
    });
    expect(readFileSync(good, 'utf8')).toBe(calling(ORDER));
  });

  test('refuses standard input', async () => {
    const { call } = await openCommandLine();
    expect(await call('workflow upgrade -')).toMatchObject({ code: 2 });
  });
});
