import { closed, defineAction, Type } from '@hookloom/plugin-kit';

export const markdown = defineAction({
  id: 'markdown',
  name: 'Markdown to HTML',
  description:
    "Converts Markdown (CommonMark, with GitHub's tables, strikethrough and task lists) to HTML that is safe to show: HTML in it is shown as text, and only http, https, mailto and tel links are kept. Images keep their addresses, so their servers see who opens the HTML",
  pure: true,
  outputs: { main: closed({ html: Type.String() }) },
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
