import { expect, test } from '@jest/globals';
import { aMultipart, aServiceWithBody, multipartType } from '../../../support/a-body-service.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Fields as text of a form. */
const send = async (text: string, type = FORM) => {
  const service = await aServiceWithBody({ nested: true });
  return service.send(text, type);
};

test.each<[string, unknown]>([
  ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
  ['a%5Bb%5D=1', { a: { b: '1' } }],
  ['a[b][c]=1&a[b][d]=2&x=y', { a: { b: { c: '1', d: '2' } }, x: 'y' }],
  ['list[]=1', { list: ['1'] }],
  ['list[]=1&list[]=2', { list: ['1', '2'] }],
  ['list=1&list=2', { list: ['1', '2'] }],
  ['a[1]=x&a[0]=y', { a: ['y', 'x'] }],
  ['a[1]=x&a[15]=y', { a: ['x', 'y'] }],
  ['a[19]=x', { a: ['x'] }],
  ['a[20]=x', { a: { 20: 'x' } }],
  ['a[999999999]=x&a[0]=y', { a: { 0: 'y', 999999999: 'x' } }],
  ['a[01]=x&a[-1]=y', { a: { '01': 'x', '-1': 'y' } }],
  [
    'items[0][name]=tea&items[0][count]=2&items[1][name]=milk',
    {
      items: [{ name: 'tea', count: '2' }, { name: 'milk' }],
    },
  ],
  ['a[][b]=1&a[][c]=2', { a: [{ b: '1', c: '2' }] }],
  ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
  ['a[b][c][d][e][f][g][h]=1', { a: { b: { c: { d: { e: { f: { '[g][h]': '1' } } } } } } }],
  ['a=1&a[b]=2', { a: ['1', { b: '2' }] }],
  ['[a]=1', { a: '1' }],
  ['a[b=1&a]=2&a[b]c=3&[]=4&a[[b]]=5', { 'a[b': '1', 'a]': '2', 'a[b]c': '3', '[]': '4', 'a[[b]]': '5' }],
  ['a[]=', { a: [''] }],
  [`${'a[]=1&'.repeat(25)}`, { a: Array(25).fill('1') }],
  ['__proto__[x]=1&a[__proto__][x]=1&constructor[prototype][x]=1&a[b]=1', { a: { b: '1' } }],
])('%.80s', async (text, body) => {
  expect(bodyOf(await send(text)).body).toEqual(body);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('fields and files of a multipart body nest, too', async () => {
  const form = aMultipart(
    ['name="order[id]"', '7'],
    ['name="order[files][]"; filename="a"', 'A'],
    ['name="order[files][]"; filename="b"', 'BB'],
  );
  expect(bodyOf(await send(form, multipartType)).body).toMatchObject({
    order: {
      id: '7',
      files: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
    },
  });
});

test('400: more than 1,000 fields', async () => {
  expect((await send('a[b]=1&'.repeat(1_000))).statusCode).toBe(200);
  expect(await send('a[b]=1&'.repeat(1_001))).toEqual(aProblem(400, 'body-invalid'));
});

test('without the parameter, names stay as they are', async () => {
  const service = await aServiceWithBody();
  expect(bodyOf(await service.send('a[b]=1&list[]=2', FORM)).body).toEqual({ 'a[b]': '1', 'list[]': '2' });
});
