import { Type } from '@hookloom/plugin-kit';
import { problemsWhere } from '../../../workflows/definition/problem.ts';
import { defineFeature } from '../../webhook-feature.ts';

/**
 * Accepts a file that is too large for a request. `POST …?upload` describes the file and returns where to upload it;
 * `POST …?upload=ID` starts the run with it, once. Both pass all checks of the webhook.
 */
export const upload = defineFeature({
  name: 'upload',
  schema: Type.Object(
    {
      maxBytes: Type.Integer({
        minimum: 1,
        maximum: 5 * 1024 ** 3,
        description: 'Maximum size of a file in bytes; larger ones get 413',
      }),
      mediaTypes: Type.Optional(
        Type.Array(
          Type.String({ maxLength: 100, pattern: '^[a-z0-9!#$&^_.+-]+/([a-z0-9!#$&^_.+-]+|\\*)$' }),
          {
            minItems: 1,
            maxItems: 50,
            description: 'Accepted media types, in lower case, such as text/csv or image/*; all by default',
          },
        ),
      ),
    },
    {
      description:
        'Accept files that are too large for a request, through presigned uploads: POST with ?upload',
      examples: [{ maxBytes: 104_857_600 }, { maxBytes: 10_000_000, mediaTypes: ['text/csv', 'image/*'] }],
    },
  ),
  check: (_value, { parameters: { method = 'POST', methods, ...parameters } }) =>
    problemsWhere(
      [
        !(Array.isArray(methods) ? methods : [method]).includes('POST'),
        '',
        'needs the method POST, which requests uploads and starts their runs',
      ],
      ...OF_BODIES.map(
        (name) =>
          [
            (parameters[name] ?? null) !== null,
            '',
            `can't be combined with ${name}, since the body of an upload is a file: use a separate trigger`,
          ] as const,
      ),
    ),
  stages: async (rule, ports) => (await import('./upload-stages.ts')).acceptUploads(rule, ports),
});

/** Parameters for bodies that are sent directly; they do not apply to uploads. */
const OF_BODIES = ['body', 'schema'];
