import { type JsonObject, Type } from '@hookloom/plugin-kit';
import type { Problem } from '../definition/problem.ts';
import { defineRule } from './webhook-rule.ts';

/** Files that are too large for a request. */
export const upload = defineRule(
  Type.Object(
    {
      maxBytes: Type.Integer({
        minimum: 1,
        maximum: 5 * 1024 ** 3,
        description: 'The size of the largest file in bytes: larger ones get 413',
      }),
      mediaTypes: Type.Optional(
        Type.Array(
          Type.String({ maxLength: 100, pattern: '^[a-z0-9!#$&^_.+-]+/([a-z0-9!#$&^_.+-]+|\\*)$' }),
          {
            minItems: 1,
            maxItems: 50,
            description:
              'Media types that are taken, in lower case, such as text/csv or image/*; all when absent',
          },
        ),
      ),
    },
    {
      description: 'Take a file that is too large for a request, by a presigned upload: POST with ?upload',
      examples: [{ maxBytes: 104_857_600 }, { maxBytes: 10_000_000, mediaTypes: ['text/csv', 'image/*'] }],
    },
  ),
  { findProblems: (_value, { parameters }) => findProblems(parameters) },
);

/** What describes bodies that are sent as they are. */
const OF_BODIES = ['body', 'schema'];

const findProblems = ({ method = 'POST', methods, ...parameters }: JsonObject): Problem[] => [
  ...((Array.isArray(methods) ? methods : [method]).includes('POST')
    ? []
    : [{ path: '', message: 'needs the method POST, by which uploads are requested and started' }]),
  ...OF_BODIES.filter((name) => (parameters[name] ?? null) !== null).map((name) => ({
    path: '',
    message: `can not be together with ${name}: the body of an upload is a file. Use another trigger for it`,
  })),
];
