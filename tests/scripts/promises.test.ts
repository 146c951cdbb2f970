import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findCitedTests } from '../../scripts/promises/find-cited-tests.ts';
import { findFaults } from '../../scripts/promises/find-faults.ts';
import { printTopics, toAnchor } from '../../scripts/promises/print-topics.ts';
import { copyProject } from '../support/copy-project.ts';
import { runCommand } from '../support/run-command.ts';

test('each promise has a test and its heading, and the page follows the tests: `npm run docs:promises` writes it', async () => {
  expect(await runCommand('node', ['scripts/promises.ts', '--check'])).toMatchObject({ code: 0, stderr: '' });
});

test('a page that differs is named, and written anew', async () => {
  const project = copyProject();
  try {
    const page = join(project.folder, 'docs/promises.md');
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replaceAll('starts one run', 'starts two runs'));
    const run = (...args: string[]) =>
      runCommand('node', ['scripts/promises.ts', ...args], { cwd: project.folder });
    const { code, stderr } = await run('--check');
    expect(code).toBe(1);
    expect(stderr).toContain('docs/promises.md is out of date');
    expect((await run()).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toBe(text);
  } finally {
    project.remove();
  }
});

describe('tests that cite promises', () => {
  const cited = (text: string) =>
    findCitedTests('a.test.ts', text).map(({ title, ids, hasMoreCases }) => [title, ids, hasMoreCases]);

  test('are named with their groups, in the order of the file', () => {
    const text = `
      // holds: a, b
      test('one', () => {});
      describe('two', () => {
        // Why it matters.
        // holds: c
        // holds: d
        test.each([1])('of %s, and $name, is %j', async () => {});
      });
      // holds: e
      describe.each([1])(\`\${N} kills of %d\`, () => {});
      test('three', () => {});`;
    expect(cited(text)).toEqual([
      ['one', ['a', 'b'], false],
      ['two › of …, and …, is …', ['c', 'd'], false],
      ['… kills of …', ['e'], false],
    ]);
  });

  test('may cite invariants by number, which are not promises', () => {
    expect(
      cited("// holds: S1, a, B23\ntest('one', () => {});\n// holds: B3\ntest('two', () => {});"),
    ).toEqual([['one', ['a'], false]]);
  });

  test('have more cases in the deep run if they use what depends on it', () => {
    const text = `
      const KILLS = cases(20, 200);
      const half = () => KILLS / 2;
      // holds: a
      test('by a constant', () => half());
      // holds: a
      test('by a call', () => expect(cases(1, 2)).toBe(1));
      // holds: a
      test('not by a key', () => ({ cases: 1 }).KILLS);`;
    expect(cited(`import { cases } from '../support/deep.ts';${text}`).map(([, , more]) => more)).toEqual([
      true,
      true,
      false,
    ]);
    expect(cited(text).map(([, , more]) => more)).toEqual([false, false, false]);
  });

  test.each([
    '// holds: a\n',
    '// holds: a\nconst b = 1;\ntest("c", () => {});',
    'test("c", () => {\n  // holds: a\n  const b = 1;\n});',
  ])('are directly below: %j', (text) => {
    expect(() => cited(text)).toThrow(/^a\.test\.ts:\d: "\/\/ holds:" must be directly above a test$/);
  });
});

describe('the table of promises', () => {
  const topics = { Runs: { once: ['It runs once.', "docs/a.md: What it can't do, and `how`"] } } as const;
  const page = "# A\n\n```sh\n# Not one\n```\n\n## What it can't do, and `how`\n";
  const aTest = (...ids: string[]) => ({
    file: 'tests/a.test.ts',
    title: 'of | __a__',
    ids,
    hasMoreCases: true,
    runs: ['quick'],
    nightly: ['more cases'],
  });

  test('links each promise and its tests', () => {
    expect(printTopics(topics, [aTest('once'), aTest('other'), aTest('once')], (file) => `../${file}`)).toBe(
      `## Runs

| promise | test | run | nightly adds |
|---|---|---|---|
| It runs once. [docs/a.md: What it can't do, and \`how\`](../docs/a.md#what-it-cant-do-and-how) | of \\| \\_\\_a\\_\\_ ([tests/a.test.ts](../tests/a.test.ts)) | quick | more cases |
|  | of \\| \\_\\_a\\_\\_ ([tests/a.test.ts](../tests/a.test.ts)) | quick | more cases |`,
    );
  });

  test.each([
    [[aTest('once')], page, []],
    [[], page, ['No test holds once: cite it by "// holds: once" above one.']],
    [
      [aTest('once')],
      '# A\n',
      [expect.stringMatching(/^docs\/a\.md has no heading .*, where once is promised\.$/)],
    ],
    [[aTest('once', 'unce')], page, [expect.stringMatching(/^tests\/a\.test\.ts: .* holds unce, which /)]],
  ])('is at fault without a test, a heading or a promise: %#', (tests, text, faults) => {
    expect(findFaults(topics, tests, () => text)).toEqual(faults);
  });

  test.each([
    ['One, several or no items', 'one-several-or-no-items'],
    ['An item of another version', 'an-item-of-another-version'],
    ['Bodies: `forEach` and `approval`', 'bodies-foreach-and-approval'],
  ])('links to %s as GitHub does', (heading, anchor) => {
    expect(toAnchor(heading)).toBe(anchor);
  });
});
