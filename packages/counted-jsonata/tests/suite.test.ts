import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import jsonata from 'jsonata';
import { evaluate } from '../src/evaluate.ts';
import { EvaluationError } from '../src/evaluation-error.ts';
import { loadNatives } from '../src/functions/natives.ts';
import { parse, SyntaxProblem } from '../src/parse.ts';

/** The folder `test/test-suite` of a clone of JSONata: the npm package does not have it. */
const { JSONATA_SUITE: folder = '' } = process.env;

interface Case {
  readonly name: string;
  readonly expr: string;
  readonly 'expr-file'?: string;
  readonly data?: unknown;
  readonly dataset?: string | null;
  readonly bindings?: Readonly<Record<string, unknown>>;
}

const readJson = (...path: readonly string[]) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

const readCases = (): Case[] =>
  readdirSync(join(folder, 'groups')).flatMap((group) =>
    readdirSync(join(folder, 'groups', group))
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => {
        const cases: Case[] = [readJson('groups', group, file)].flat();
        return cases.map((found, at) => ({
          ...found,
          name: `${group}/${file.replace('.json', '')}${cases.length === 1 ? '' : ` ${at}`}`,
          expr:
            found['expr-file'] === undefined
              ? found.expr
              : readFileSync(join(folder, 'groups', group, found['expr-file']), 'utf8'),
        }));
      }),
  );

const print = (value: unknown): string => (value === undefined ? 'no result' : JSON.stringify(value));

/** The value, or the code of the error; `S` for any syntax error, which our parser reports with the library's message. */
const toOutcome = (run: () => unknown): string => {
  try {
    return print(run());
  } catch (error) {
    if (error instanceof SyntaxProblem) return 'S';
    if (error instanceof EvaluationError) return error.code;
    throw error;
  }
};

const natives = await loadNatives();
const environment = {
  startedAt: () => Date.now(),
  random: Math.random,
  uuid: () => '',
  maxSteps: 10_000_000,
};

const ours = ({ expr, bindings = {} }: Case, input: unknown): string =>
  toOutcome(() =>
    evaluate(natives, parse(expr), input, { ...environment, variable: (name) => bindings[name] }),
  );

const theirs = async ({ expr, bindings }: Case, input: unknown): Promise<string> => {
  try {
    return print(await jsonata(expr).evaluate(structuredClone(input), bindings));
  } catch (error) {
    const code = String((error as { readonly code?: string }).code);
    return code.startsWith('S0') ? 'S' : code;
  }
};

/** The README says why. */
const ON_PURPOSE: readonly RegExp[] = [
  /^function-eval\//,
  /^function-fromMillis\/formatDateTime (?:0|1|4|66)$/,
  /^function-tomillis\/parseDateTime (?:0|1|38)$/,
  /^range-operator\/case02[1-4]$/,
  /^tail-recursion\//,
];

(folder === '' ? test.skip : test)(
  "the cases of JSONata's own suite have the library's outcome, but for what differs on purpose",
  async () => {
    const differing: string[] = [];
    const cases = readCases();
    expect(cases.length).toBeGreaterThan(1_600);
    for (const found of cases.filter(({ name }) => !ON_PURPOSE.some((pattern) => pattern.test(name)))) {
      const { data, dataset = null } = found;
      const input = data ?? (dataset === null ? undefined : readJson('datasets', `${dataset}.json`));
      const [one, other] = [ours(found, input), await theirs(found, input)];
      if (one !== other) differing.push(`${found.name}: ${one}, not ${other}`);
    }
    expect(differing).toEqual([]);
  },
);
