import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { AWS_OPERATIONS } from '../../packages/authoring/validation/mistakes/aws-operations.ts';
import { processIo } from '../../packages/cli/io.ts';
import { createProgram } from '../../packages/cli/run.ts';
import { projectRoot } from './run-command.ts';

/** A heading of a page with its text and what a reader would type there: fenced commands, and those within a sentence. */
export interface PageSection {
  readonly heading: string;
  readonly text: string;
  readonly commands: readonly (readonly string[])[];
}

/** Words of all commands of a script, nested ones included; variables and commands in words stay as they are written. */
const readCommands = (script: string): string[][] => {
  const { commands, errors = [] } = parse(script);
  if (errors[0] !== undefined) throw new Error(`${errors[0].message}: ${script}`);
  const found: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name !== undefined)
      found.push([node.name, ...node.args].map((word) => (word.type === 'Word' ? word.value : word.text)));
    forEachChild(node, visit);
  };
  for (const command of commands) visit(command);
  return found;
};

/** @param level - of the headings, such as `##` */
export const readSections = (page: string, level = '##'): readonly PageSection[] => {
  const text = readFileSync(join(projectRoot, page), 'utf8');
  return text.split(new RegExp(`^${level} `, 'm')).map((section) => {
    const fences = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script = '']) => script);
    const inline = [...section.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`((?:hookloom|aws)\s[^`]*)`/g)];
    return {
      heading: section.slice(0, section.indexOf('\n')),
      text: section,
      commands: [...fences, ...inline.map(([, script = '']) => script.replaceAll('\n', ' '))]
        .flatMap(readCommands)
        .filter(([name]) => name === 'hookloom' || name === 'aws'),
    };
  });
};

const unused = () => {
  throw new Error('Names of commands need no service and no node types.');
};
const program = createProgram({
  io: processIo,
  openTarget: unused,
  loadNodeTypes: unused,
  loadPlugins: unused,
  openLocal: unused,
});

/** @returns what the command line would refuse; null for nothing */
const checkHookloom = (words: readonly string[]): string | null => {
  let command: Command = program;
  let at = 0;
  const find = () => command.commands.find((one) => one.name() === words[at]);
  for (let next = find(); next !== undefined; next = find()) {
    command = next;
    at++;
  }
  if (command.commands.length > 0) return `no command "${words.slice(0, at + 1).join(' ')}"`;
  const options = [command, command.parent, program].flatMap((one) => one?.options ?? []);
  let given = 0;
  for (let rest = words.slice(at); rest.length > 0; ) {
    const [word = '', ...others] = rest;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (word.startsWith('-') && option === undefined) return `no option ${word}`;
    if (option === undefined) given++;
    rest = option?.required === true ? others.slice(1) : others;
  }
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  return given < needed || given > command.registeredArguments.length ? `${given} arguments` : null;
};

/** Of the AWS CLI itself, or of services whose operations are not in AWS_OPERATIONS: written as `aws help` has them. */
const OTHERS: Readonly<Record<string, string>> = {
  'logs tail': '--since --format --filter-pattern --follow',
  'dynamodb wait': '--table-name',
  'cloudformation deploy': '--template-file --s3-bucket --stack-name --capabilities --parameter-overrides',
  'cloudformation delete-stack': '--stack-name --retain-resources',
  'cloudformation describe-stack-resource': '--stack-name --logical-resource-id',
  'cloudformation detect-stack-drift': '--stack-name',
  'service-quotas list-service-quotas': '--service-code',
  'service-quotas request-service-quota-increase': '--service-code --quota-code --desired-value',
};

const SERVICES: Readonly<Record<string, string>> = { logs: 'cloudwatch-logs', events: 'eventbridge' };

const OF_CLI = ['--query', '--output', '--cli-binary-format', '--cli-input-json', '--region'];

/** @returns what the AWS CLI would refuse; null for nothing */
const checkAws = ([service = '', operation = '', ...words]: readonly string[]): string | null => {
  const options = words.filter((word) => word.startsWith('--') && !OF_CLI.includes(word));
  const other = OTHERS[`${service} ${operation}`]?.split(' ');
  if (other !== undefined) return options.find((option) => !other.includes(option)) ?? null;
  const line = AWS_OPERATIONS.split('\n').find((one) => one.startsWith(`${SERVICES[service] ?? service}: `));
  const call = operation.replaceAll('-', '');
  const [, members] = new RegExp(` ${call}\\(([^)]*)\\)`, 'i').exec(line ?? '') ?? [];
  if (members === undefined) return `no operation "${service} ${operation}"`;
  const known = members.toLowerCase().split(' ');
  const given = options.map((option) => option.replaceAll('-', '').toLowerCase());
  const isIn = (name: string) => known.includes(name) || known.includes(`${name}!`);
  const unknown = given.find((name) => !isIn(name) && !isIn(name.replace(/^no/, '')));
  if (unknown !== undefined) return `no option --${unknown}`;
  const missing = known.find((name) => name.endsWith('!') && !given.includes(name.slice(0, -1)));
  return missing === undefined || words.includes('--cli-input-json') ? null : `lacks ${missing}`;
};

/** What is wrong with the commands of a section, one line each. */
export const findWrongCommands = ({ commands }: PageSection): readonly string[] =>
  commands.flatMap(([name, ...words]) => {
    const problem = name === 'aws' ? checkAws(words) : checkHookloom(words);
    return problem === null ? [] : [`${name} ${words.join(' ')}: ${problem}`];
  });
