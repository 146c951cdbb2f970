import {
  closed,
  defineAction,
  eachOf,
  type JsonObject,
  orNull,
  pureWithoutFile,
  readSource,
  readTextFile,
  Type,
  wrongParameter,
} from '@hookloom/plugin-kit';

const MAX_LENGTH = 5_000_000;

export const html = defineAction({
  id: 'html',
  name: 'HTML extract',
  description: 'Extracts text, HTML or attributes from the elements of an HTML page that match CSS selectors',
  pure: pureWithoutFile,
  outputs: {
    main: ({ values }) => {
      const found = Object.entries(values as Readonly<Record<string, JsonObject>>).map(
        ([name, { all = false }]) => {
          const value = orNull(Type.String());
          return [name, all === false ? value : all === true ? Type.Array(value) : Type.Unknown()] as const;
        },
      );
      return closed(Object.fromEntries(found));
    },
  },
  parameters: Type.Object(
    {
      html: Type.Optional(
        Type.String({ maxLength: MAX_LENGTH, description: 'The page, of at most 5,000,000 characters' }),
      ),
      file: Type.Optional(
        Type.Unknown({ description: 'A file instead of the text: UTF-8, at most 5,000,000 bytes' }),
      ),
      values: Type.Record(
        Type.String(),
        Type.Object(
          {
            selector: Type.String({
              minLength: 1,
              maxLength: 500,
              format: 'css-selector',
              description: 'A CSS selector, such as ul.menu > li a',
            }),
            get: Type.Enum(['text', 'html', 'attribute'], {
              default: 'text',
              description:
                'What to take from the element: its text without markup, its inner HTML, or an attribute',
            }),
            attribute: Type.String({
              default: 'href',
              minLength: 1,
              description: 'The attribute, for get: attribute',
            }),
            all: Type.Boolean({
              default: false,
              description:
                'Take all matching elements as a list; otherwise the first, or null if there is none',
            }),
          },
          { additionalProperties: false },
        ),
        { description: 'Names of output fields, and where to find each' },
      ),
    },
    { allOf: [{ anyOf: eachOf('html', 'file') }] },
  ),
  example: {
    parameters: {
      html: '{{ body }}',
      values: { title: { selector: 'h1' }, links: { selector: 'a', get: 'attribute', all: true } },
    },
    input: { body: '<h1>Tea &amp; milk</h1><a href="/tea">Tea</a><a href="/milk">Milk</a>' },
    output: { title: 'Tea & milk', links: ['/tea', '/milk'] },
  },
  execute: async ({ parameters: { html, file, values }, context: { services } }) => {
    const source =
      file === undefined
        ? html
        : await readTextFile(readSource(file, html, 'html'), services.files, MAX_LENGTH);
    if (source === undefined) throw wrongParameter('html', 'a string', source);
    const { extractHtml } = await import('./html.chunk.ts');
    return extractHtml(source, values);
  },
});
