/** What is read here of the output of `jest --json`. */
export interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    /** All failures of the file, or why it could not be loaded. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

export interface Failure {
  readonly file: string;
  /** The tests that it fails: those of a file have one failure if it is of a hook. None if the file itself fails. */
  readonly titles: readonly string[];
  readonly message: string;
}

export const findFailures = ({ testResults }: Report): Failure[] =>
  testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const byMessage = Map.groupBy(failed, ({ failureMessages }) => failureMessages?.[0] ?? '');
    const found = [...byMessage].map(([text, tests]) => ({
      file,
      message: text,
      titles: tests.map(({ fullName }) => fullName),
    }));
    return found.length === 0 && status === 'failed' ? [{ file, titles: [], message }] : found;
  });

export interface Verdict {
  readonly isGreen: boolean;
  /** Failures of the first try that the second one does not have. */
  readonly flaky: readonly Failure[];
  /** Failures of the second try, and those of the first whose tests did not pass in it. */
  readonly failed: readonly Failure[];
}

/** More than these are a fault of the code or of the machine. */
const MOST_FLAKY = 2;

/** @param second - the report of the files that had the failures; null if it ended without one */
export const judge = (first: readonly Failure[], second: Report | null): Verdict => {
  const passed = ({ file, titles }: Failure): boolean => {
    const result = second?.testResults.find(({ name }) => name === file);
    return (
      result?.status === 'passed' &&
      titles.every((title) =>
        result.assertionResults.some(({ fullName, status }) => fullName === title && status === 'passed'),
      )
    );
  };
  const again = second === null ? [] : findFailures(second);
  const flaky = first.filter(passed);
  const others = first.filter(
    (failure) => !passed(failure) && !again.some(({ file }) => file === failure.file),
  );
  const failed = [...again, ...others];
  return { isGreen: failed.length === 0 && flaky.length <= MOST_FLAKY, flaky, failed };
};

/** Control sequences of colors. */
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** The tests of a failure and the first line of its message. */
export const printFailure = (word: string, { file, titles, message }: Failure, root: string): string => {
  const [title = 'the file itself', ...more] = titles;
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  const text = message.replaceAll(COLORS, '').trim().split('\n').slice(0, 3).join('\n  ');
  return `${word}  ${file.replace(`${root}/`, '')} › ${title}${rest}\n  ${text}\n`;
};
