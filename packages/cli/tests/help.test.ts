import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { runCli } from '../../../tests/support/run-command.ts';

const openCommandLine = useCommandLine();

const open = () =>
  openCommandLine({
    hasDatabase: false,
    openTarget: () => {
      throw new Error('it called the service');
    },
  });

/** The commands in the help of the program. */
const listCommands = async (): Promise<readonly string[]> => {
  const { out } = await (await open()).call('--help');
  const [, list = ''] = /\nCommands:\n(.*?)\n\n/s.exec(out) ?? [];
  return [...list.matchAll(/^ {2}(?:hookloom )?([a-z-]+(?: [a-z-]+)?)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('help'));
};

const examplesOf = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}npm run -s cli -- (.*)$/gm)].map(([, example = '']) => example);

test('the help of every command has flags, environment, exit codes and an example of it', async () => {
  const commands = await listCommands();
  expect(commands).toEqual(expect.arrayContaining(['workflow export', 'deploy', 'migrate', 'doctor']));
  const { call } = await open();
  for (const command of commands) {
    const { code, out } = await call(`${command} --help`);
    expect([command, code]).toEqual([command, 0]);
    for (const part of ['-h, --help', '--stage <name>', '\nEnvironment:\n', '\nExit codes:\n  0 done\n'])
      expect([command, out]).toEqual([command, expect.stringContaining(part)]);
    expect(examplesOf(out)[0]?.startsWith(`${command} `) || examplesOf(out)[0] === command).toBe(true);
  }
});

/** The arguments that a shell would pass. */
const toWords = (example: string): readonly string[] =>
  [...example.replace(/ > .*/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word = '']) => quoted ?? word,
  );

/** They write into the project, or read a file of the user's. */
const ofFiles = [
  'init my-automations',
  'plugin create acme-chat',
  'schema --output workflows/workflow.schema.json',
  'state put prices --file prices.json --store shop',
];

test('the examples are command lines that are accepted', async () => {
  const { call } = await open();
  const helps = ['', ...(await listCommands())].map(async (command) => (await call(`${command} --help`)).out);
  const examples = new Set((await Promise.all(helps)).flatMap(examplesOf));
  for (const example of examples) {
    if (ofFiles.includes(example)) continue;
    const result = await call(toWords(example)).catch((error: Error) => error.message);
    expect([example, result]).toEqual([
      example,
      typeof result === 'string' ? 'it called the service' : expect.objectContaining({ code: 0 }),
    ]);
  }
});

const NO_ACCOUNT = {
  HOME: '/nonexistent',
  AWS_CONFIG_FILE: '/nonexistent',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_REGION: '',
  AWS_DEFAULT_REGION: '',
  AWS_PROFILE: '',
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
};

test.each([
  ['no region', '--stage production', "No AWS region: name the stage's region with --region NAME"],
  ['no credentials', '--stage production --region eu-central-1', 'No AWS credentials were found. Log in'],
  [
    'no credentials for a known address',
    '--stage production --region eu-central-1 --url https://a.example',
    'No AWS credentials were found. Log in',
  ],
  [
    'no such profile',
    '--stage production --region eu-central-1 --profile none',
    'No AWS credentials were found in the profile none.',
  ],
])('%s is exit code 2, and says what to do', async (_what, options, message) => {
  const args = ['workflow', 'list', ...options.split(' ')];
  const { code, stdout, stderr } = await runCli(args, { cwd: '.', env: NO_ACCOUNT });
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});
