import { defineAction, definePlugin, emit, requireValue, Type } from '@hookloom/plugin-kit';
import { crypto } from './crypto.ts';
import { csv } from './csv.ts';
import { dateTime } from './date-time.ts';
import { html } from './html.ts';
import { xml } from './xml.ts';

export const validate = defineAction({
  id: 'validate',
  name: 'Validate',
  description:
    'Checks a value against a JSON Schema (2020-12). Outputs { value } on "valid", or { value, errors } with up to 100 errors on "invalid"',
  pure: true,
  outputs: ['valid', 'invalid'],
  parameters: Type.Object({
    value: Type.Optional(
      Type.Unknown({
        description:
          'What to check: any JSON, usually an expression. An expression without a result is invalid',
      }),
    ),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      format: 'json-schema',
      description:
        'The JSON Schema. References must stay inside it, patterns have no look-around and no back-references, and patternProperties and $dynamicRef are not supported. Lists with uniqueItems have at most 1,000 items, or 100 if any is a list, an object or a long string',
    }),
  }),
  example: {
    parameters: {
      value: '{{ body }}',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    },
    input: { body: { id: 7 } },
    output: { value: { id: 7 } },
  },
  checkParameters: requireValue,
  execute: async ({ parameters: { value, schema } }) => {
    if (value === undefined) return emit({ invalid: { errors: [NO_VALUE] } });
    const { findErrors } = await import('@hookloom/bounded-schema');
    const errors = findErrors(schema, value);
    return errors.length === 0 ? emit({ valid: { value } }) : emit({ invalid: { value, errors } });
  },
});

const NO_VALUE = {
  place: '',
  keyword: 'required',
  message: 'There is no value, because its expression has no result.',
};

export const markdown = defineAction({
  id: 'markdown',
  name: 'Markdown to HTML',
  description:
    "Converts Markdown (CommonMark, with GitHub's tables, strikethrough and task lists) to HTML that is safe to show: HTML in it is shown as text, and only http, https, mailto and tel links are kept",
  pure: true,
  parameters: Type.Object({
    markdown: Type.String({
      maxLength: 200_000,
      description: 'The Markdown text: at most 200,000 characters, with words of at most 5,000',
    }),
    allowHtml: Type.Boolean({
      default: false,
      description: 'Keep HTML and links unchanged: only for your own texts, since they may run scripts',
    }),
  }),
  example: {
    parameters: { markdown: '{{ text }}' },
    input: { text: 'Hello **Ada**, see [docs](https://example.com)' },
    output: {
      html: '<p>Hello <strong>Ada</strong>, see <a href="https://example.com">docs</a></p>\n',
    },
  },
  execute: async ({ parameters: { markdown, allowHtml } }) => {
    const { renderMarkdown, safeRenderer } = await import('@hookloom/safe-markdown');
    return { html: renderMarkdown(markdown, allowHtml ? {} : safeRenderer, 'Parameter "markdown"') };
  },
});

/** Nodes that convert and check values. Packages that they need are loaded on use. */
export default definePlugin({
  id: 'formats',
  name: 'Formats',
  version: '1.0.0',
  description:
    'Reads and writes CSV, XML, HTML, Markdown and dates, validates with JSON Schema, hashes and signs',
  category: 'data',
  handles: [csv, xml, html, markdown, dateTime, crypto, validate],
});
