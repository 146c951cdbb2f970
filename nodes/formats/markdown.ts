import { defineAction, Type } from '@hookloom/plugin-kit';

export const markdown = defineAction({
  id: 'markdown',
  name: 'Markdown to HTML',
  description:
    'Converts Markdown (CommonMark, with the tables, strikethrough and task lists of GitHub) to HTML that is safe to show: HTML within the text is shown as text, and links lead to http, https, mailto and tel alone',
  pure: true,
  parameters: Type.Object({
    markdown: Type.String({
      maxLength: 200_000,
      description: 'The text: at most 200,000 characters, with words of at most 5,000',
    }),
    allowHtml: Type.Boolean({
      default: false,
      description: 'Keep HTML and links as they are: for texts of your own only, since they may run scripts',
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
