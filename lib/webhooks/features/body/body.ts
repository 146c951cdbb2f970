import { Type } from '@hookloom/plugin-kit';
import { defineFeature } from '../../webhook-feature.ts';

/** Parses bodies of more types than JSON, forms and text, and provides the raw bytes on request. */
export const body = defineFeature({
  name: 'body',
  schema: Type.Object(
    {
      type: Type.Optional(
        Type.Enum(['auto', 'json', 'ndjson', 'form', 'multipart', 'xml', 'text', 'file'], {
          description: 'auto: by the content type; else whatever the content type is',
        }),
      ),
      raw: Type.Optional(
        Type.Boolean({ description: 'Hand the body over as received, too, as the key rawBody' }),
      ),
    },
    {
      additionalProperties: false,
      description:
        'How bodies are parsed: also JSON lines, multipart with files, XML, other charsets than UTF-8, and anything else as a file',
      examples: [{}, { type: 'ndjson' }, { type: 'auto', raw: true }],
    },
  ),
  stages: async (rule) => (await import('./body-stages.ts')).parseTypedBody(rule),
});
