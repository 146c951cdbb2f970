import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { applyProposal } from '../../validation/proposals/proposal.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

/** A workflow that calls a URL for each request. */
const calling = (url: string) => ({
  id: 'shop',
  name: 'Shop',
  nodes: [
    { id: 'start', type: 'webhookTrigger', parameters: {} },
    { id: 'call', type: 'httpRequest', parameters: { url } },
  ],
  connections: [{ sourceNodeId: 'start', targetNodeId: 'call' }],
});

/** What is said about a URL: the warning, and the URL that it proposes. */
const check = async (url: string) => {
  const { problems, warnings } = await validateWorkflow(calling(url), findNodeType);
  expect(problems).toEqual([]);
  return warnings.map(({ path, message, proposal = [] }) => {
    const proposed = applyProposal(calling(url), proposal) as unknown as ReturnType<typeof calling>;
    return [path, message, proposed.nodes[1]?.parameters.url];
  });
};

const path = '/nodes/1/parameters/url';

describe('an expression in a URL', () => {
  test('that encodes its value is told that this is needless', async () => {
    expect(await check('https://a.example/{{ $encodeUrlComponent(body.id) }}/b')).toEqual([
      [
        path,
        '"{{ $encodeUrlComponent(body.id) }}" is encoded without $encodeUrlComponent, too: write "{{ body.id }}"',
        'https://a.example/{{ body.id }}/b',
      ],
    ]);
  });

  test('that uses $encodeUrl is told what this keeps', async () => {
    expect(await check('https://a.example/{{ $encodeUrl(body.id) }}')).toEqual([
      [
        path,
        '"{{ $encodeUrl(body.id) }}" keeps "/" and "&": without $encodeUrl, all is encoded; for several parts of the URL write "{{ $rawUrl($encodeUrl(body.id)) }}"',
        'https://a.example/{{ body.id }}',
      ],
    ]);
  });

  test.each([
    '"a=" & $encodeUrlComponent(body.id)',
    '$lowercase($encodeUrlComponent(body.id))',
    'body.id = "" ? body.a : $encodeUrlComponent(body.id)',
  ])('that is encoded twice is told so: %s', async (expression) => {
    expect(await check(`https://a.example/?{{ ${expression} }}`)).toEqual([
      [
        path,
        expect.stringContaining('is encoded twice, by the function and as a part of the URL'),
        `https://a.example/?{{ $rawUrl(${expression}) }}`,
      ],
    ]);
  });

  test.each([
    ['https://a.example/', 'body.path', ''],
    ['https://a.example/?', 'body.query', ''],
    ['https://a.example/x?a=1&', 'body.queryString', ''],
    ['https://a.example', 'body.rest', ''],
    ['https://a.example/', '"orders/" & body.id', ''],
    ['https://a.example/', '$join(body.parts, "/")', '/x'],
    ['https://a.example/x?a=', 'body.a & "&b=" & body.b', ''],
    ['https://a.example/x', 'body.id = "" ? "" : "?id=" & body.id', ''],
  ])(
    'that looks like several parts is told how to write them: %s{{ %s }}%s',
    async (before, expression, after) => {
      expect(await check(`${before}{{ ${expression} }}${after}`)).toEqual([
        [
          path,
          expect.stringContaining('is encoded as one part of the URL, with each "/", "?" and "&" in it'),
          `${before}{{ $rawUrl(${expression}) }}${after}`,
        ],
      ]);
    },
  );

  test.each(['"https://a.example/orders/" & body.id', '("https://a.example/" & body.id & "/card")'])(
    'that joins a whole URL from values is told that they are not encoded: %s',
    async (expression) => {
      const url = `{{ ${expression} }}`.replaceAll('"', "'");
      expect(await check(url)).toEqual([
        [
          path,
          expect.stringContaining('gives the URL as it is written, and values in it are not encoded'),
          url,
        ],
      ]);
    },
  );

  test.each([
    'https://a.example/{{ body.id }}',
    "{{ 'https://a.example/' & $encodeUrlComponent(body.id) }}",
    "{{ $vars.base & '/orders' }}/{{ body.id }}",
    'https://a.example/?url={{ body.url }}&query={{ body.query }}',
    'https://a.example/{{ $rawUrl(body.path) }}?{{ $rawUrl(body.query) }}',
    'https://a.example/{{ $rawUrl("a/" & $encodeUrlComponent(body.id)) }}',
    'https://a.example/{{ body.first & "-" & body.last }}',
    'https://{{ body.region }}.a.example/{{ body.id }}',
    'http://127.0.0.1:{{ body.port }}/{{ body.id }}',
    '{{ $vars.base }}/orders/{{ body.id }}',
    '{{ body.url }}',
  ])('is right: %s', async (url) => {
    expect(await check(url)).toEqual([]);
  });
});
