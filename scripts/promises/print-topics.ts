import type { CitedTest } from './find-cited-tests.ts';
import { splitPlace, type topics } from './promises.ts';

/** A test with the runs that it is in, and what the nightly one adds. */
export interface RunTest extends CitedTest {
  readonly runs: readonly string[];
  readonly nightly: readonly string[];
}

/** The anchor of a heading, as GitHub makes it. @internal */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Text of a title in a cell of a table. */
const toCell = (text: string): string => text.replaceAll(/[\\`*_<>[\]|$]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** A table per topic. @param toLink - the path of a file of the project, as the page links to it */
export const printTopics = (
  all: typeof topics,
  tests: readonly RunTest[],
  toLink: (file: string) => string,
): string =>
  Object.entries(all)
    .flatMap(([topic, promises]) => [
      `## ${topic}`,
      '',
      '| promise | test | run | nightly adds |',
      '|---|---|---|---|',
      ...Object.entries(promises).flatMap(([id, [sentence, place]]) =>
        tests
          .filter(({ ids }) => ids.includes(id))
          .map(({ file, title, runs, nightly }, index) => {
            const { page, heading } = splitPlace(place);
            const promise = `${sentence} [${place}](${toLink(page)}#${toAnchor(heading)})`;
            const test = `${toCell(title)} ([${file}](${toLink(file)}))`;
            return `| ${[index === 0 ? promise : '', test, runs.join(', '), nightly.join(', ')].join(' | ')} |`;
          }),
      ),
      '',
    ])
    .join('\n')
    .trimEnd();
