import { expect, test } from '@jest/globals';
import { aMultipart, aServiceWithBody } from '../support/a-body-service.ts';
import { cases } from '../support/deep.ts';
import { contentTypes, type HostileBody, hostileBodies } from '../support/hostile-bodies.ts';

/** Bytes of the largest bodies: 6 MB in all tests, where the storing takes most of the time. */
const LARGEST = cases(60_000, 6_000_000);
/** Of a text that is cut off, every n-th length. */
const CUT_STEP = cases(7, 1);

const cuts = (text: string, contentType: string): HostileBody[] =>
  Array.from({ length: Math.ceil(text.length / CUT_STEP) }, (_, n) => ({
    name: `cut off at ${n * CUT_STEP}`,
    contentType,
    body: text.slice(0, n * CUT_STEP),
  }));

const { multipart, xml, ndjson } = contentTypes;
const bodies = [
  ...hostileBodies(LARGEST),
  ...cuts(aMultipart(['name="a"', '1'], ['name="f"; filename="f"', '2']), multipart),
  ...cuts('<a b="1"><!-- c --><![CDATA[d]]>&lt;</a>', xml),
  ...cuts('{"a":[1]}\n{"b":"\\u00e9"}', ndjson),
];

/** A bomb is a 413, in memory no longer than its limit. */
const isExpected = ({ name }: HostileBody, status: number): boolean =>
  name.startsWith('a bomb') ? status === 413 : status === 202 || (status >= 400 && status < 500);

// holds: bad-input-is-no-5xx
test('hostile bodies are parsed or get a 4xx', async () => {
  const { send } = await aServiceWithBody({ raw: true }, { webhook: { responseMode: 'onReceived' } });
  const failed: string[] = [];
  for (const hostile of bodies) {
    const { name, contentType, body, encoding } = hostile;
    const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
    const { statusCode = 0 } = await send(body, contentType, headers);
    if (!isExpected(hostile, statusCode)) failed.push(`${name} (${contentType}): ${statusCode}`);
  }
  expect(failed).toEqual([]);
});
