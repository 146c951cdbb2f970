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
const data = /-d '([^']*)'/;

/** The curl lines of a text that print a whole answer right below, as requests that `fetch` can make. */
export const readmeExamples = (markdown: string): ReadmeExample[] =>
  [...markdown.matchAll(example)].map(([, url = '', options = '', answer = '']) => {
    const headers = [...options.matchAll(header)].map(([, single, double]) =>
      (single ?? double ?? '').split(/: (.*)/s),
    );
    const body = data.exec(options)?.[1];
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
