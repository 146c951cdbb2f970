import { describe, expect, test } from '@jest/globals';
import { createRouter } from '../../src/gateway/routes.ts';

const router = (...events: string[]) =>
  createRouter(events.map((event) => ({ event, functionKey: `to ${event}` })));

const WEBHOOK = ['* /api/webhook/{workflowId}', '* /api/webhook/{workflowId}/{path+}'];

describe('a path', () => {
  test.each([
    ['/api/webhook/shop', { workflowId: 'shop' }],
    ['/api/webhook/shop/orders', { workflowId: 'shop', path: 'orders' }],
    ['/api/webhook/shop/orders/new', { workflowId: 'shop', path: 'orders/new' }],
    ['/api/webhook/shop/orders/', { workflowId: 'shop', path: 'orders/' }],
    ['/api/webhook/shop/a%20b%2Fc', { workflowId: 'shop', path: 'a b/c' }],
    ['/api/webhook/a%2Fb', { workflowId: 'a/b' }],
    ['/api/webhook/shop/%252e%252e', { workflowId: 'shop', path: '%2e%2e' }],
    ['/api/webhook/shop/..', { workflowId: 'shop', path: '..' }],
    ['/api/webhook/shop//x', { workflowId: 'shop', path: '/x' }],
    ['/%61pi/webhook/%E8%AA%9E', { workflowId: '語' }],
  ])('%s is decoded once into its parameters', (path, pathParameters) => {
    expect(router(...WEBHOOK)('POST', path)?.pathParameters).toEqual(pathParameters);
  });

  test.each([
    '/api/webhook',
    '/api/webhook/',
    '/api/webhook/shop/',
    '/api//webhook/shop',
    '/api/webhook//orders',
    '//api/webhook/shop',
    '/API/webhook/shop',
    '*',
    '',
  ])('%s has no route', (path) => {
    expect(router(...WEBHOOK)('POST', path)).toBeNull();
  });

  test('that is not percent-encoded UTF-8 is a URIError', () => {
    for (const path of ['/api/webhook/%', '/api/webhook/%zz', '/api/webhook/shop/%ff']) {
      expect(() => router(...WEBHOOK)('POST', path)).toThrow(URIError);
    }
  });
});

describe('of several routes', () => {
  const key = (method: string, path: string, ...events: string[]) =>
    router(...events)(method, path)?.routeKey;

  test.each([
    ['a full match comes before a greedy one', ['GET /a/{x+}', 'ANY /{x}/{y}'], 'ANY /{x}/{y}'],
    ['a literal segment before a variable', ['GET /{x}/b', 'GET /a/b'], 'GET /a/b'],
    ['a method before ANY', ['* /a/b', 'GET /a/b'], 'GET /a/b'],
    ['the longer greedy one before the shorter', ['* /{x+}', '* /a/{x+}'], 'ANY /a/{x+}'],
    ['anything before $default', ['*', '* /{x+}'], 'ANY /{x+}'],
    ['$default when nothing else', ['GET /other', '*'], '$default'],
  ])('%s', (_, events, expected) => {
    expect(key('GET', '/a/b', ...events)).toBe(expected);
    expect(key('GET', '/a/b', ...events.toReversed())).toBe(expected);
  });

  test('one for another method does not match', () => {
    expect(key('POST', '/a', 'get /a')).toBeUndefined();
    expect(key('GET', '/a', 'get /a')).toBe('GET /a');
  });
});

test('the match names the function', () => {
  expect(router('GET /a')('GET', '/a')).toEqual({
    functionKey: 'to GET /a',
    isPrivate: false,
    routeKey: 'GET /a',
    pathParameters: {},
  });
});
