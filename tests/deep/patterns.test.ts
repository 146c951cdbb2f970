import { describe, expect, test } from '@jest/globals';
import { check } from 'recheck';
import { findPatterns } from './find-patterns.ts';

/** Patterns that would take the square of a long text, but never see a long one from outside. */
const neverSeeOutsideData: Readonly<Record<string, string>> = {
  'lib/app/config.ts /\\/+$/': 'an address that the operator of the service has set',
  'packages/cli/plugin-commands.ts /To install it, add one line to[\\s\\S]*?```ts[\\s\\S]*?```/':
    'the README of the template of plugins',
  'lib/health/notices/failure-notice.ts /"[^"]*"|`[^`]*`|“[^”]*”|(?<!\\w)\'[^\']*\'(?!\\w)/g':
    'the start of a message, of 1,000 characters',
};

/** Files that make patterns of texts. */
const madeOfTexts: Readonly<Record<string, string>> = {
  'packages/linear-regex/src/parse-pattern.ts': 'a property of one character',
  'packages/counted-jsonata/src/functions/read-date.ts':
    'made of a picture of limited length; the run pays for the ways in which it can match before it is tried',
  'packages/plugin-kit/declare/read-parameters.ts':
    'made of the pattern of a plugin, matched against a parameter, 8,192 characters at most',
  'packages/plugin-kit/tools/oauth2-server.ts':
    'made of a constant, which is also the pattern of a field; it reads at most 260 characters and does not backtrack',
  'lib/adapters/aws/role-sessions.ts':
    'made of the name of an element of XML, a constant; matched against the answer of STS',
  'packages/bounded-schema/src/bound-schema.ts':
    'made of the pattern of a schema, from the workflow, to be read: the linear matcher matches it',
  'lib/plugins/metadata/find-keyword-fault.ts':
    'made to see whether the pattern of a plugin can be read; matched against nothing',
  'packages/bounded-schema/src/find-schema-fault.ts':
    'made to see whether a pattern can be read; matched against nothing',
  'packages/authoring/validation/schema/check-schema.ts':
    'made of the pattern of a plugin, matched against what the author of a workflow wrote, 200 characters at most',
  'lib/workflows/expressions/simple-expression.ts':
    'one pattern in pieces; matched against an expression of an author, 1,000 characters at most',
  'packages/counted-jsonata/src/signature.ts':
    'made of the signature of a function, from the workflow; matched against one letter for each argument',
  'packages/console/serve/build-console.ts':
    'made of names of files and of a constant; matched against what is built on this machine',
  'packages/console/serve/sign-ins.ts':
    'made of a constant; matched against the path of a request, in one pass',
  'packages/console/src/node/net.ts': 'made of constants; matched against 64 characters at most',
  'packages/cdk/index.ts':
    'made of the AllowedPattern of a parameter, from the template; matched against the value that its deployer gives',
  'packages/local/deploy/deploy-stage.ts':
    'made of the AllowedPattern of a parameter, from the template; matched against the value that its deployer gives',
  'lib/workflows/definition/read-duration.ts': 'made of a constant, of which the schema has the text',
  'packages/lambda-stage/src/stage/door/template.ts':
    'made of the AllowedPattern of a parameter, from the template; matched against the value that its deployer gives',
};

const { literals, madeIn } = findPatterns(['packages', 'nodes', 'lib', 'functions']);
const distinct = new Map(literals.map(({ source, flags }) => [`/${source}/${flags}`, { source, flags }]));

/**
 * The same result on every machine, with recheck's native program where there is one for it: a proof by automata wherever the pattern is regular, counted repetitions
 * included; what remains is searched from one seed, within steps and never within a time.
 */
const ANALYSIS = {
  maxRepeatCount: 2_000,
  maxNFASize: 200_000,
  randomSeed: 0,
  timeout: null,
  incubationTimeout: null,
  attackTimeout: null,
} as const;

/** Null when it is safe. */
const describeWeakness = async (source: string, flags: string): Promise<string | null> => {
  const result = await check(source, flags, ANALYSIS);
  if (result.status === 'safe') return null;
  if (result.status === 'unknown') return `could not be analysed: ${result.error.kind}`;
  return `${result.complexity.summary}, with ${result.attack.pattern}`;
};

describe('regular expressions that see data from outside', () => {
  test('exist, and the analysis detects a quadratic one', async () => {
    expect(literals.length).toBeGreaterThan(50);
    expect(await describeWeakness('\\s+$', '')).toContain('2nd degree polynomial');
    expect(await describeWeakness('^(a+)+$', '')).toContain('exponential');
    expect(await describeWeakness('^[a-z]+$', '')).toBeNull();
  });

  test.each([...distinct])('%s takes no more than linear time', async (name, { source, flags }) => {
    const places = literals
      .filter((literal) => `/${literal.source}/${literal.flags}` === name)
      .map(({ file }) => `${file} ${name}`)
      .filter((place) => !Object.hasOwn(neverSeeOutsideData, place));
    const weakness = places.length === 0 ? null : await describeWeakness(source, flags);
    expect(weakness === null ? [] : places.map((place) => `${place}: ${weakness}`)).toEqual([]);
  });

  test('are never built from text, except where that is known to be safe', () => {
    expect(madeIn.filter((file) => !Object.hasOwn(madeOfTexts, file))).toEqual([]);
  });

  test('have no outdated exceptions', () => {
    const places = literals.map(({ file, source, flags }) => `${file} /${source}/${flags}`);
    expect(Object.keys(neverSeeOutsideData).filter((place) => !places.includes(place))).toEqual([]);
    expect(Object.keys(madeOfTexts).filter((file) => !madeIn.includes(file))).toEqual([]);
  });
});
