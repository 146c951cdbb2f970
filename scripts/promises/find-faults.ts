import type { CitedTest } from './find-cited-tests.ts';
import { splitPlace, type topics } from './promises.ts';

/** Promises without a test or a place, and ids that tests cite without a promise. @param read - the text of a page */
export const findFaults = (
  all: typeof topics,
  tests: readonly CitedTest[],
  read: (page: string) => string,
): string[] => {
  const promises = Object.values(all).flatMap((topic) => Object.entries(topic));
  const known = new Set(promises.map(([id]) => id));
  const cited = new Set(tests.flatMap(({ ids }) => ids));
  return [
    ...promises.flatMap(([id, [, place]]) => {
      const { page, heading } = splitPlace(place);
      return [
        ...(cited.has(id) ? [] : [`No test holds ${id}: cite it by "// holds: ${id}" above one.`]),
        ...(listHeadings(read(page)).includes(heading)
          ? []
          : [`${page} has no heading "${heading}", where ${id} is promised.`]),
      ];
    }),
    ...tests.flatMap(({ file, title, ids }) =>
      ids
        .filter((id) => !known.has(id))
        .map((id) => `${file}: "${title}" holds ${id}, which scripts/promises/promises.ts does not have.`),
    ),
  ];
};

/** Those outside of blocks of code. */
const listHeadings = (page: string): string[] =>
  page
    .split(/^```.*$/m)
    .filter((_, index) => index % 2 === 0)
    .flatMap((text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading));
