import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';

const aCommandLine = useCommandLine();

test('a variable is set, listed, read, changed and removed', async () => {
  const { call } = await aCommandLine();
  expect(await call('variable list')).toMatchObject({ code: 0, err: 'There are no variables.' });
  expect(await call('variable set region eu-central-1 --description Europe')).toMatchObject({
    code: 0,
    out: 'region: set, revision 1',
  });
  expect((await call('variable set region eu-central-1')).out).toBe('region: unchanged');
  expect((await call('variable set limit 12.5 --type number')).out).toBe('limit: set, revision 2');
  expect((await call('variable list')).out.split('\n')).toEqual([
    'NAME    TYPE    VALUE         EXPIRES  DESCRIPTION',
    'limit   number  12.5          -        -',
    'region  string  eu-central-1  -        Europe',
  ]);
  // The type stays what it was.
  expect((await call('variable set limit 13')).code).toBe(0);
  expect(JSON.parse((await call('variable get limit --json')).out)).toMatchObject({
    type: 'number',
    value: 13,
  });
  expect((await call('variable get region')).out).toBe('eu-central-1');
  expect((await call('variable remove region')).out).toBe('region: removed');
  expect(await call('variable get region')).toMatchObject({ code: 1, out: '' });
});

test.each([
  ['variable set limit many --type number', 1, 'The value of limit is not a number: "many"'],
  ['variable set limit true --type number', 1, 'The value of limit is not a number: "true"'],
  ['variable set limits {a} --type json', 1, 'value of limits:1:2: is not JSON'],
  ['variable set limit 1 --type integer', 2, 'is not a type: string, number, boolean, json'],
  ['variable set 1st x', 1, 'There is a problem. Nothing was stored.\n  #/name: must be a letter or _'],
  ['variable set apiKey x', 1, 'credential'],
  ['variable remove other', 1, 'no variable with this name'],
])('%s is refused', async (line, code, said) => {
  const { call } = await aCommandLine();
  const answer = await call(line);
  expect(answer).toMatchObject({ code, err: expect.stringContaining(said) });
});

test('a variable that a workflow reads is removed only by force', async () => {
  const { call, file } = await aCommandLine();
  await call('variable set greeting hello');
  const reader = {
    id: 'greet',
    name: 'Greet',
    enabled: true,
    nodes: [
      { id: 'start', type: 'manualTrigger', parameters: {} },
      { id: 'say', type: 'set', parameters: { values: { text: '{{ $vars.greeting }}' } } },
    ],
    connections: [{ sourceNodeId: 'start', targetNodeId: 'say' }],
  };
  expect(await call(`workflow put ${file('greet.json', reader)}`)).toMatchObject({ code: 0, err: '' });
  const refused = await call('variable remove greeting');
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/^greeting is in use and was not removed\. It is used by:\n {2}greet\b/);
  expect((await call('variable remove greeting --force')).code).toBe(0);
});
