import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { toAlarms } from '../../resources/alarms.ts';
import type { Template } from '../../resources/cloudformation.ts';
import { readStageTemplate } from '../support/a-stage-template.ts';
import { findWrongCommands, readSections } from '../support/page-commands.ts';
import { projectRoot } from '../support/run-command.ts';

const sections = readSections('docs/runbooks.md');
const [, ...runbooks] = sections;
const quotas = { concurrency: 1_000, durableStarts: 300 };
const alarms = Object.values(toAlarms(readStageTemplate() as Template, 'hookloom-dev', 'topic', quotas)).map(
  ({ Properties }) => Properties as { readonly AlarmName: string; readonly AlarmDescription: string },
);
const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

test('each alarm links to its section, in the version of the package, and each section has an alarm', () => {
  const { version } = JSON.parse(read('package.json'));
  const prefix = `https://github.com/hookloom/hookloom/blob/v${version}/docs/runbooks.md#`;
  const linked = alarms.map(({ AlarmDescription }) => AlarmDescription.split(prefix)[1] ?? AlarmDescription);
  const anchors = runbooks.map(({ heading }) => heading.toLowerCase());
  expect([...new Set(linked)].sort()).toEqual([...anchors].sort());
});

test('the name of an alarm is that of its section, with a function or a table in it', () => {
  for (const { AlarmName, AlarmDescription } of alarms) {
    const [, anchor] = AlarmDescription.split('#');
    const { heading } = runbooks.find((one) => one.heading.toLowerCase() === anchor) ?? { heading: '' };
    const pattern = heading.replace('FUNCTION', '[a-z-]+').replace('TABLE', '[a-z-]+-table');
    expect(AlarmName).toMatch(new RegExp(`^hookloom-dev/${pattern}$`));
  }
});

describe.each(runbooks)('$heading', (section) => {
  test('says what it means, how to look, what to do, when it is over, and what not to do', () => {
    const parts = [...section.text.matchAll(/^\*\*(Meaning|Look|Do|Over|Don't)\b/gm)].map(([, part]) => part);
    expect(parts).toEqual(['Meaning', 'Look', 'Do', 'Over', "Don't"]);
    const [, look = ''] = section.text.split('**Look.**');
    expect(look.split('**Do.**')[0]).toContain('```sh');
  });
});

/** Pages whose commands are typed when something is wrong; the runbooks link to them. */
const pages = [
  ...sections,
  ...readSections('docs/deploying.md').filter(({ heading }) => /^(Restore|Roll back|Remove)/.test(heading)),
  ...readSections('docs/operating.md', '###').filter(({ heading }) => heading.startsWith('Events that were')),
  ...readSections('docs/limits.md', '###').filter(({ heading }) => heading.startsWith('Raise')),
];

test('each command exists, with the options that it has there', () => {
  expect(pages.flatMap(findWrongCommands)).toEqual([]);
  expect(pages.flatMap(({ commands }) => commands).length).toBeGreaterThan(70);
});

test('a command, an option or an argument that is wrong is found', () => {
  const wrong = [
    'hookloom execution lst',
    'hookloom doctor --probes',
    'hookloom workflow disable',
    'hookloom workflow disable a b',
    'aws lambda get-functions --function-name a',
    'aws lambda get-function --name a',
    'aws dynamodb describe-table',
    'aws logs tail a --from 1h',
  ].map((command) => command.split(' '));
  expect(findWrongCommands({ heading: '', text: '', commands: wrong })).toHaveLength(wrong.length);
});
