import { describe, expect, test } from '@jest/globals';
import { createPollTrigger, defineAction, type FindOptions, fromAttempt, readBody, Type } from '../index.ts';
import { runOptions } from '../testing/index.ts';

const findShops: FindOptions = async ({ parameters, context, page, search }) => {
  const url = `https://api.acme.example/${parameters.region}/shops?page=${page ?? 1}&name=${search}`;
  const answer = await context.services.http.request({ url, ...fromAttempt(context) });
  return { options: readBody(answer, 'auto') as { value: string }[], nextPage: page === null ? '2' : null };
};
const about = { id: 'acme', name: 'Acme', description: 'Of Acme' };
const parameters = Type.Object({ shop: Type.String({ description: 'A shop' }) });
const credentials = { types: ['httpBearer'] };

const finding = (find: FindOptions) =>
  defineAction({ ...about, parameters, options: { shop: find }, execute: () => ({}) });

describe('options of a parameter', () => {
  test.each([
    [
      'an action',
      defineAction({ ...about, credentials, parameters, options: { shop: findShops }, execute: () => ({}) }),
    ],
    [
      'a trigger that polls',
      createPollTrigger({
        ...{ ...about, credentials, parameters, options: { shop: findShops } },
        fetchItems: async () => ({ items: [], itemKey: '' }),
      }),
    ],
  ])('of %s are found with the credential, by page and search', async (_case, handle) => {
    const test = {
      parameters: { region: 'eu' },
      credential: { type: 'httpBearer', fields: { token: 'token-1' } },
      http: [
        {
          request: {
            url: 'https://api.acme.example/eu/shops?page=1&name=TEA',
            headers: { authorization: 'Bearer token-1' },
          },
          answer: { json: [{ value: 'tea' }, { value: 's2', label: 'Tea & more' }, { value: 'coffee' }] },
        },
      ],
    } as const;
    const { options, nextPage, requests } = await runOptions(handle, 'shop', { ...test, search: 'TEA' });
    expect(options).toEqual([
      { value: 'tea', label: 'tea' },
      { value: 's2', label: 'Tea & more' },
    ]);
    expect([nextPage, requests.length]).toEqual(['2', 1]);
    const http = () => ({ json: [] });
    expect(await runOptions(handle, 'shop', { ...test, http, page: '2' })).toMatchObject({
      nextPage: null,
      requests: [{ url: 'https://api.acme.example/eu/shops?page=2&name=' }],
    });
  });

  test.each<[string, unknown]>([
    ['no list of options', { options: null }],
    ['no list of options', undefined],
    ['a nextPage that is no text', { options: [], nextPage: 2 }],
    ['an option whose value or label is no text', [{ value: null }]],
    ['an option whose value or label is no text', ['tea']],
    ['an option whose value or label is no text', [{ value: 'a', label: 'x'.repeat(1_001) }]],
  ])('that are %s are refused', async (message, found) => {
    await expect(
      runOptions(
        finding(async () => found as never),
        'shop',
      ),
    ).rejects.toThrow(message);
  });

  test('are at most 1,000, after which there is no next page', async () => {
    const many = Array.from({ length: 1_001 }, (_, value) => ({ value }));
    const found = await runOptions(
      finding(async () => ({ options: many, nextPage: '2' })),
      'shop',
    );
    expect([found.options.length, found.nextPage]).toEqual([1_000, null]);
  });

  test('are not found for another parameter, which is an error of types, too', async () => {
    const misspelt = defineAction({
      ...{ ...about, parameters, execute: () => ({}) },
      // @ts-expect-error there is no such parameter
      options: { shopp: findShops },
    });
    await expect(runOptions(misspelt, 'shop')).rejects.toThrow('acme finds no options for "shop"');
  });
});
