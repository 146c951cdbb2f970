import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PingAnswer } from '../../../lib/adapters/aws/lambda-ping.ts';
import { OPTIONAL_FUNCTIONS, type Pong } from '../../../lib/health/ping.ts';
import { projectFolder } from '../local/project-folder.ts';
import type { DoctorParts } from './ask-aws.ts';
import { type Line, linesOf, type TimeLimit } from './line.ts';

/** The keys of the functions of serverless.yml. @internal */
export const readFunctionKeys = (): readonly string[] => {
  const text = readFileSync(join(projectFolder(), 'serverless.yml'), 'utf8');
  const [, functions = ''] = /^functions:\n((?: .*\n|\n)*)/m.exec(text) ?? [];
  return [...functions.matchAll(/^ {2}(\w+):/gm)].map(([, key = '']) => key);
};

const DEADLINE_MS = 15_000;

/** Concurrent invocations: a new account allows ten. */
const CONCURRENCY = 4;

/** AWS rejects signatures that are off by more than five minutes. */
const MUCH_MS = 120_000;
const SOME_MS = 30_000;
/** AWS reports the time in whole seconds, and network latency adds to it. */
const SLACK_MS = 1_000;

const functions = linesOf('functions');
const clocks = linesOf('clocks');

interface Answered {
  readonly lines: readonly Line[];
  /** Functions that answered, by key. */
  readonly pongs: ReadonlyMap<string, Pong>;
  /**
   * Functions that can't work, each with the reason, such as `does not start`. One that is throttled or silent may answer next
   * time; one that refuses the doctor's ping may allow other callers.
   */
  readonly broken: ReadonlyMap<string, string>;
}

/** Pings every function and compares their clocks with those of AWS and this machine. */
export const checkFunctions = async (
  { ping }: Pick<DoctorParts, 'ping'>,
  { isOver }: Pick<TimeLimit, 'isOver'>,
  onProgress: (text: string) => void,
): Promise<Answered> => {
  const answers = new Map<string, PingAnswer>();
  const keys = readFunctionKeys();
  const left = [...keys];
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const key = left.shift();
      if (key === undefined) return;
      answers.set(key, await ping(key, DEADLINE_MS));
      onProgress(`${answers.size} of ${keys.length} functions pinged`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const isLeftOut = (key: string): boolean => {
    const answer = answers.get(key);
    return (
      OPTIONAL_FUNCTIONS.includes(key) &&
      answer !== undefined &&
      'problem' in answer &&
      answer.problem === 'missing'
    );
  };
  const deployed = keys.filter((key) => !isLeftOut(key));
  const all = deployed.flatMap((key) => {
    const answer = answers.get(key);
    return answer === undefined ? [] : [[key, answer] as const];
  });
  const pongs = new Map(
    all.flatMap(([key, answer]) => ('pong' in answer ? [[key, answer.pong] as const] : [])),
  );
  const broken = new Map(
    all.flatMap(([key, answer]) => {
      if ('pong' in answer || (answer.problem !== 'failed' && answer.problem !== 'missing')) return [];
      return [[key, PROBLEMS[answer.problem][0]] as const];
    }),
  );
  const unasked = left.map((key) => functions.unknown(`there was no time left to ping ${key}`));
  return {
    pongs,
    broken,
    lines: [...describeAnswers(all, pongs, deployed.length), ...unasked, ...compareClocks(all)],
  };
};

/** What is wrong with a function that does not answer, and what to do. */
const PROBLEMS = {
  failed: [
    'does not start',
    "Compare the function's variables with serverless.yml and deploy again. Its log has the full error.",
  ],
  missing: ['does not exist', 'Check --stage and --region, and deploy again.'],
  throttled: [
    'is throttled',
    'The concurrency of the account or of the function is exhausted: see the quotas, and request an increase.',
  ],
  silent: ['does not answer', 'See its log.'],
} as const;

const describeAnswers = (
  all: readonly (readonly [string, PingAnswer])[],
  pongs: ReadonlyMap<string, Pong>,
  count: number,
): readonly Line[] => {
  const failed = all.flatMap(([key, answer]) => ('pong' in answer ? [] : [describeProblem(key, answer)]));
  const versions = [...new Set([...pongs.values()].map(({ config }) => config.version))].sort();
  const mixed = functions.warning(
    `functions of several versions are deployed: ${versions.join(', ')}`,
    'A deployment is in progress or failed halfway: check the stack and deploy again.',
  );
  const sound = functions.ok(`all ${pongs.size} functions answer, version ${versions.join()}`);
  return [
    ...failed,
    ...(versions.length > 1 ? [mixed] : []),
    ...(pongs.size === count && versions.length === 1 ? [sound] : []),
  ];
};

const describeProblem = (
  key: string,
  { problem, reason }: Exclude<PingAnswer, { readonly pong: Pong }>,
): Line => {
  if (problem === 'denied')
    return functions.unknown(
      `the doctor is not allowed to invoke ${key}: ${reason}`,
      "Give the doctor's keys the policy of docs/operating.md.",
    );
  const [fault, remedy] = PROBLEMS[problem];
  return functions.wrong(`${key} ${fault}: ${reason}`, remedy);
};

/** A durable run is pinged through a queue, so the time that it reports may be seconds old. */
const compareClocks = (all: readonly (readonly [string, PingAnswer])[]): readonly Line[] => {
  const found: Line[] = [];
  let compared = 0;
  for (const [key, answer] of all) {
    if (!('pong' in answer)) continue;
    const { pong, askedAt, answeredAt, awsTime } = answer;
    const offset = Math.max(0, pong.time - answeredAt) || Math.min(0, pong.time - askedAt);
    const ofMachine = awsTime === null ? 0 : answeredAt - awsTime;
    compared += 1;
    if (Math.abs(ofMachine) + SLACK_MS >= SOME_MS) {
      const [line, text] = [severity(ofMachine), describeOffset(ofMachine)];
      return [
        clocks[line](
          `the clock of this machine is ${text} the clock of AWS`,
          'Set it: AWS rejects signatures that are off by more than five minutes.',
        ),
      ];
    }
    if (Math.abs(offset) + SLACK_MS < SOME_MS) continue;
    found.push(
      clocks[severity(offset)](
        `the clock of ${key} is ${describeOffset(offset)} the clock of this machine`,
        'Leases, schedules and signatures depend on it. Lambda sets the clocks of its sandboxes: deploy to replace them, and report it to AWS.',
      ),
    );
  }
  if (found.length > 0) return found;
  if (compared === 0) return [clocks.unknown('no function reported its time')];
  return [clocks.ok('this machine, AWS and the functions agree on the time')];
};

const severity = (ms: number): 'wrong' | 'warning' =>
  Math.abs(ms) + SLACK_MS >= MUCH_MS ? 'wrong' : 'warning';

const describeOffset = (ms: number): string =>
  `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'}`;
