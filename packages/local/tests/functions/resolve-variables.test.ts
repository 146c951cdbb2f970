import { expect, test } from '@jest/globals';
import { resolveVariables } from '../../functions/resolve-variables.ts';

// Each is written with § for the dollar sign, which would look like a template of this file.
const resolve = (text: string) =>
  resolveVariables(text.replaceAll('§', '$'), {
    file: {
      service: 'shop',
      params: { default: { bus: 'orders', size: 5 }, dev: { size: 7 } },
      custom: { prefix: '$' + '{self:service}-$' + '{sls:stage}', count: 3, list: [1] },
    },
    stage: 'dev',
    environment: { REGION: 'eu-west-1', EMPTY: '' },
    readJson: (path) => ({ path, version: '1.2.3' }),
  });

test.each([
  ['plain', 'plain'],
  ['§{self:service}', 'shop'],
  ['a-§{self:custom.prefix}-z', 'a-shop-dev-z'],
  ['§{self:custom.count}', '3'],
  ['§{env:REGION}', 'eu-west-1'],
  ['§{env:EMPTY}', ''],
  ["§{env:OTHER, 'fallback'}", 'fallback'],
  ['§{opt:stage, "dev"}', 'dev'],
  ["§{opt:region, env:REGION, 'us-east-1'}", 'eu-west-1'],
  ["§{param:queue, 'default'}", 'default'],
  ["§{param:bus, 'default'}", 'orders'],
  ['§{param:size}', '7'],
  ["§{self:§{env:WHICH, 'service'}}", 'shop'],
  ['§{file(./package.json):version}', '1.2.3'],
  ['§{file(./package.json):path}', './package.json'],
])('%s is %s', (text, expected) => {
  expect(resolve(text)).toBe(expected);
});

test.each([
  ['an option without a fallback', '§{opt:stage}'],
  ['a variable that is not set', '§{env:OTHER}'],
  ['a place that there is not', '§{self:custom.other.more}'],
  ['what is not text', '§{self:custom.list}'],
  ['a property of every object', '§{self:custom.constructor}'],
  ['a source that only a deployment has', '§{ssm:/path}'],
  ['one unknown among others', '§{self:service}-§{cf:stack.Output}'],
])('%s has no value', (_, text) => {
  expect(resolve(text)).toBeUndefined();
});

test('a circular reference has no value', () => {
  const text = '$' + '{self:a}';
  const sources = { file: { a: text }, stage: 'dev', environment: {}, readJson: () => null };
  expect(resolveVariables(text, sources)).toBeUndefined();
});
