import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';

const aCommandLine = useCommandLine();

test('entries are put, listed, read, replaced by version, exported and deleted', async () => {
  const { call } = await aCommandLine();
  expect(await call('state list --workflow orders')).toMatchObject({ code: 0, err: 'There are no entries.' });
  const put = await call('state put customer/7 {"visits":1} --workflow orders --if-version 0');
  expect(put).toMatchObject({ code: 0, out: 'customer/7: stored, version 1' });
  const again = await call('state put customer/7 2 --workflow orders --if-version 0');
  expect(again).toMatchObject({
    code: 1,
    err: expect.stringContaining('version of the entry customer/7 is 1'),
  });
  await call('state put customer/8 [1] --workflow orders --ttl 600');
  await call('state put customer/7 true --store other');
  expect((await call('state get customer/7 --workflow orders')).out).toBe('{\n  "visits": 1\n}');
  const shown = JSON.parse((await call('state get customer/7 --store other --json')).out);
  expect(shown).toMatchObject({ key: 'customer/7', value: true, version: 1, claim: null });
  const listed = (await call('state list --workflow orders --prefix customer/')).out.split('\n');
  expect(listed.map((line) => line.split(/ {2,}/))).toEqual([
    ['KEY', 'VERSION', 'WRITTEN', 'EXPIRES', 'VALUE'],
    ['customer/7', '1', expect.any(String), '-', '{"visits":1}'],
    ['customer/8', '1', expect.any(String), expect.stringMatching(/Z$/), '[1]'],
  ]);
  const page = await call('state list --workflow orders --limit 1');
  expect(page.err).toMatch(/^There are more: --cursor \S+$/);
  const next = await call(`state list --workflow orders --json ${page.err.slice('There are more: '.length)}`);
  expect(JSON.parse(next.out)).toMatchObject({ entries: [{ key: 'customer/8' }], nextCursor: null });

  expect((await call('state put customer/7 2 --workflow orders --if-version 1')).out).toBe(
    'customer/7: stored, version 2',
  );
  const exported = await call('state export --workflow orders');
  expect(exported.out.split('\n').map((line) => JSON.parse(line).value)).toEqual([2, [1]]);
  expect(exported.err).toBe('2 entries.');
  expect((await call('state delete customer/7 --workflow orders')).out).toBe('customer/7: deleted');
  expect(await call('state get customer/7 --workflow orders')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no entry of state with this key'),
  });
});

test('a large value comes from a file, is shown and exported whole, and listed as its size', async () => {
  const { call } = await aCommandLine();
  const text = JSON.stringify('x'.repeat(400_000));
  expect((await call('state put prices --file - --store shop', text)).out).toBe('prices: stored, version 1');
  await call('state put small 1 --store shop');
  expect((await call('state get prices --store shop')).out).toBe(text);
  expect((await call('state list --store shop')).out).toContain('400,002 bytes: state get shows them');
  const exported = (await call('state export --store shop')).out.split('\n').map((line) => JSON.parse(line));
  expect(exported).toMatchObject([
    { key: 'prices', value: JSON.parse(text), omittedBytes: null },
    { key: 'small', value: 1 },
  ]);
});

test('an export reads every page', async () => {
  const { call } = await aCommandLine();
  for (let at = 0; at < 101; at++) await call(`state put key/${at} ${at} --store many`);
  const { out, err } = await call('state export --store many');
  expect(new Set(out.split('\n').map((line) => JSON.parse(line).value)).size).toBe(101);
  expect(err).toBe('101 entries.');
});

test.each([
  ['state list', 2, 'either --workflow ID or --store NAME'],
  ['state list --workflow a --store b', 2, 'either --workflow ID or --store NAME'],
  ['state list --store .', 1, 'store must be a letter or digit'],
  ['state put a --store b', 2, 'or a file with it: --file FILE'],
  ['state put a 1 --file b.json --store b', 2, 'or a file with it: --file FILE'],
  ['state put a --file nowhere.json --store b', 1, 'nowhere.json: no such file'],
  ['state put a {x} --store b', 1, 'value:1:2: is not JSON'],
  ['state put a 1 --store b --ttl soon', 2, '"soon" is not a whole number'],
  ['state put a 1 --store b --ttl 0', 1, 'ttlSeconds must be an integer of 1 or more'],
  ['state delete a --store b', 1, 'no entry of state'],
])('%s is refused', async (line, code, said) => {
  const { call } = await aCommandLine();
  expect(await call(line)).toMatchObject({ code, err: expect.stringContaining(said) });
});
