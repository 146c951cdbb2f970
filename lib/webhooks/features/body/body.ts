import { Type } from '@hookloom/plugin-kit';
import { defineFeature } from '../../webhook-feature.ts';

/** Parses bodies of more types than JSON, forms and text, and provides the raw bytes on request. */
export const body = defineFeature({
  name: 'body',
  schema: Type.Object(
    {
      type: Type.Optional(
        Type.Enum(['auto', 'json', 'ndjson', 'form', 'multipart', 'xml', 'text', 'file'], {
          description: 'auto follows the content type; the others ignore it',
        }),
      ),
      nested: Type.Optional(
        Type.Boolean({ description: 'Nest the fields of forms by names such as a[b] and list[]' }),
      ),
      raw: Type.Optional(
        Type.Boolean({ description: 'Also pass on the body as received, in the key rawBody' }),
      ),
    },
    {
      additionalProperties: false,
      description:
        'How bodies are parsed, including JSON lines, multipart with files, XML, and charsets other than UTF-8; anything else becomes a file',
      examples: [{}, { type: 'ndjson' }, { type: 'auto', raw: true }],
    },
  ),
  stages: async (rule) => (await import('./body-stages.ts')).parseTypedBody(rule),
});
