export interface ReadmeExample {
  readonly url: string;
  readonly init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  };
  readonly answer: unknown;
}

const example = /```sh\ncurl -s '?([^\s']+)'?(.*)\n```\n```json\n([\s\S]*?)```/g;
const header = /-H (?:'([^']*)'|"([^"]*)")/g;
const data = /(-d|--json) '([^']*)'/;

/** The curl lines of a text that print a whole answer right below, as requests that `fetch` can make. */
export const readmeExamples = (markdown: string): ReadmeExample[] =>
  [...markdown.matchAll(example)].map(([, url = '', options = '', answer = '']) => {
    const headers = [...options.matchAll(header)].map(([, single, double]) =>
      (single ?? double ?? '').split(/: (.*)/s),
    );
    const [, option, body] = data.exec(options) ?? [];
    if (option === '--json') headers.push(['content-type', 'application/json']);
    return {
      url,
      init: {
        method: body === undefined ? 'GET' : 'POST',
        headers: Object.fromEntries(headers.map(([name = '', value = '']) => [name, value])),
        ...(body === undefined ? {} : { body }),
      },
      answer: JSON.parse(answer),
    };
  });
