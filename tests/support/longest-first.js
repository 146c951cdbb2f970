import Sequencer from '@jest/test-sequencer';

/**
 * Starts the end-to-end suites first, which take longest. Jest goes by the time that each file took before; in a fresh
 * checkout it knows none, and goes by size.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isEndToEnd), ...sorted.filter((test) => !isEndToEnd(test))];
  }
}

const isEndToEnd = ({ path }) => path.includes('/tests/e2e/');
