import type { Command } from 'commander';
import { ApiProblem } from './admin-api.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { CommandError, EXIT, explainAwsError, type StageOptions, usageError } from './command-error.ts';
import { checkFunctions } from './doctor/check-functions.ts';
import { checkQuotas } from './doctor/check-quotas.ts';
import { checkDeadLetters, checkStoredData, checkTables } from './doctor/check-stores.ts';
import { type Line, type LineStatus, linesOf, type TimeLimit } from './doctor/line.ts';
import { runProbes } from './doctor/probes.ts';
import { printJson, printLines } from './io.ts';
import { JSON_OUTPUT, numberThat } from './read-arguments.ts';

const QUEUE_ARN = /^arn:[a-z-]{3,20}:sqs:[a-z0-9-]{1,30}:\d{12}:[A-Za-z0-9_-]{1,80}$/;

/** A queue for local tests: on this machine, naming a queue creates it. */
const LOCAL_QUEUE = 'arn:aws:sqs:us-east-1:000000000000:hookloom-doctor';

/** Maximum of `--timeout`: it exceeds every probe's deadline, so a longer limit would change nothing. */
const MAX_TIMEOUT = 900;

const readQueue = (text: string): string => {
  if (!QUEUE_ARN.test(text)) throw usageError(`${JSON.stringify(text)} is not the ARN of a standard queue.`);
  return text;
};

const readTimeout = numberThat(
  (seconds) => Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_TIMEOUT,
  () => `--timeout must be a whole number of seconds, from 1 to ${MAX_TIMEOUT}.`,
);

const DOCTOR_OPTIONS = [
  ['--queue <arn>', 'test queue triggers with this queue, reserved for the doctor', readQueue],
  ['--no-probes', 'start no workflows and change nothing'],
  ['--timeout <seconds>', 'time limit; unfinished checks are reported as unknown', readTimeout, 180],
  JSON_OUTPUT,
] as const;

export const addDoctorCommand = (program: Command, context: CommandContext): void =>
  addTo(program, context)('doctor', {
    about: 'diagnose a service and say how to fix it',
    options: DOCTOR_OPTIONS,
    examples: ['doctor --no-probes'],
    failed: 'something is wrong',
    unknown: 'something could not be checked',
    run: (onTarget, options) => examineStage(options, onTarget, program.opts()),
  });

const examineStage = async (
  { queue, probes, timeout: seconds, json }: Options<typeof DOCTOR_OPTIONS>,
  { io, target }: TargetContext,
  stage: StageOptions,
): Promise<void> => {
  const { doctor, api } = target;
  const progress = createProgress(io, json === true);
  const endsAt = io.now() + seconds * 1_000;
  const limit: TimeLimit = { seconds, isOver: () => io.now() >= endsAt };
  const lines: Line[] = [];
  const report = (line: Line): void => {
    lines.push(line);
    if (json !== true) printLines(formatDoctorLine(line, io), io);
  };
  /** A check that can't run gets its own line; the others continue. */
  const look = async (check: string, act: () => Promise<readonly Line[]>): Promise<void> => {
    const { unknown } = linesOf(check);
    if (limit.isOver()) return report(unknown(`not checked within the ${seconds} s of --timeout`));
    try {
      for (const line of await act()) report(line);
    } catch (error) {
      const { message } = explainAwsError(error, stage, io.env) ?? (error as Error);
      report(
        unknown(`the doctor could not check this: ${message}`, error instanceof ApiProblem ? LOG : POLICY),
      );
    }
  };
  const { pongs, broken, lines: answered } = await checkFunctions(doctor, limit, progress);
  answered.forEach(report);
  await look('tables', () => checkTables(doctor));
  await look('stored data', () => checkStoredData(api, io.now()));
  const probe = async () => {
    await runProbes({
      target,
      io,
      pongs,
      broken,
      queue: queue ?? (doctor.isLocal ? LOCAL_QUEUE : null),
      limit,
      onLine: report,
      onProgress: progress,
    });
    return []; // reported one by one
  };
  if (probes !== false) await look('probes', probe);
  await look('dead letters', () => checkDeadLetters(doctor));
  await look('quotas', () => checkQuotas(doctor, io.now()));
  const worst = WORST_FIRST.find((status) => lines.some((line) => line.status === status)) ?? 'ok';
  if (json === true) printJson({ status: worst, lines }, io);
  if (worst === 'wrong') throw new CommandError('Something is wrong: see above.', EXIT.failed);
  if (worst === 'unknown')
    throw new CommandError('Not everything could be checked: see above.', EXIT.unknown, false);
};

const POLICY = "Give the doctor's keys the policy of docs/operating.md, and check --stage and --region.";

const LOG = 'See the other lines, and the log of the admin function that answered.';

const WORST_FIRST: readonly LineStatus[] = ['wrong', 'unknown', 'warning'];

const COLOURS = { ok: 'green', warning: 'yellow', wrong: 'red', unknown: 'yellow', skipped: null } as const;

const WIDTH = 9;

const formatDoctorLine = (
  { check, status, message, remedy }: Line,
  { paintOut }: Pick<TargetContext['io'], 'paintOut'>,
): readonly string[] => {
  const colour = COLOURS[status];
  const label = status.padEnd(WIDTH);
  const head = `${colour === null ? label : paintOut(colour, label)}${check}: ${message}`;
  return remedy === null ? [head] : [head, `${' '.repeat(WIDTH)}${remedy}`];
};

/** Returns a function that reports progress: on a terminal, it says once what the command is waiting for. */
const createProgress = ({ note, isTerminal }: TargetContext['io'], isJson: boolean) => {
  let last = '';
  return (text: string): void => {
    if (!isTerminal || isJson || text === last) return;
    last = text;
    note(text);
  };
};
