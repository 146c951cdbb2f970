import { describe, expect, test } from '@jest/globals';
import { resolveTemplate } from 'lambda-stage/door';
import { conditionsIn, mergeOptions, toLaunchable } from '../../../scripts/release/launchable-template.ts';

const queue = (properties: object) => ({ Type: 'AWS::SQS::Queue', Properties: properties });
const aTemplate = (properties: object, more: object = {}) => ({
  Resources: { Queue: queue(properties), ...more },
});

const launch = (
  base: ReturnType<typeof aTemplate>,
  options: Readonly<Record<string, ReturnType<typeof aTemplate>>>,
  chosen: readonly string[],
) => {
  const all = Object.entries(options);
  const { Resources } = mergeOptions(
    base,
    all.map(([condition, template]) => ({ condition, template })),
  );
  const Conditions = Object.fromEntries(
    all.map(([name]) => [name, { 'Fn::Equals': [chosen.includes(name), true] }]),
  );
  const place = { account: '123456789012', region: 'eu-west-1', stackName: 'a-stack' };
  const { resources } = resolveTemplate({ Resources, Conditions } as never, place);
  return Object.fromEntries(
    Object.values(resources).map(({ logicalId, properties }) => [logicalId, properties]),
  );
};

describe('a template for any choice of options', () => {
  const base = aTemplate({ Delay: 1, Tags: ['a'] });
  const options = {
    HasDelay: aTemplate({ Delay: 2, Tags: ['a'] }),
    HasTag: aTemplate({ Delay: 1, Tags: ['b', 'a'] }),
    HasKey: aTemplate({ Delay: 1, Tags: ['a'], Key: 'k' }),
    HasOther: aTemplate({ Delay: 1, Tags: ['a'] }, { Other: queue({ Delay: 3 }) }),
    HasNoTags: aTemplate({ Delay: 1 }),
  };

  test.each([
    [[], { Queue: { Delay: 1, Tags: ['a'] } }],
    [['HasDelay'], { Queue: { Delay: 2, Tags: ['a'] } }],
    [['HasTag'], { Queue: { Delay: 1, Tags: ['a', 'b'] } }],
    [['HasKey', 'HasTag'], { Queue: { Delay: 1, Tags: ['a', 'b'], Key: 'k' } }],
    [['HasOther', 'HasDelay'], { Queue: { Delay: 2, Tags: ['a'] }, Other: { Delay: 3 } }],
    [['HasNoTags'], { Queue: { Delay: 1 } }],
  ])('with %j', (chosen, expected) => {
    expect(launch(base, options, chosen)).toEqual(expected);
  });

  test('changes each of several statements in its place', () => {
    const policies = (first: object, second: object) =>
      aTemplate({ Policies: [{ Name: 'p', ...first }, second] });
    const changed = { HasOne: policies({ One: 1 }, {}), HasTwo: policies({}, { Two: 2 }) };
    expect(launch(policies({}, {}), changed, ['HasOne', 'HasTwo'])).toEqual({
      Queue: { Policies: [{ Name: 'p', One: 1 }, { Two: 2 }] },
    });
  });

  test('depends on all that an option adds: CloudFormation ignores what is not made', () => {
    const depending = (names: readonly string[]) => ({
      Resources: { Queue: { ...queue({}), DependsOn: names } },
    });
    const { Resources } = mergeOptions(depending(['A']), [
      { condition: 'HasB', template: depending(['A', 'B']) },
    ]);
    expect(Resources.Queue).toMatchObject({ DependsOn: ['A', 'B'] });
  });

  test('may be an option of another one: what needs both is under both conditions', () => {
    const alarmOf = (name: string) => ({ [`${name}Alarm`]: { Type: 'AWS::CloudWatch::Alarm' } });
    const without = mergeOptions(aTemplate({ Names: 'a' }), [
      { condition: 'HasAlarms', template: aTemplate({ Names: 'a' }, alarmOf('A')) },
    ]);
    const withIt = mergeOptions(aTemplate({ Names: 'a,b' }, { B: queue({}) }), [
      {
        condition: 'HasAlarms',
        template: aTemplate({ Names: 'a,b' }, { B: queue({}), ...alarmOf('A'), ...alarmOf('B') }),
      },
    ]);
    const merged = mergeOptions(without, [{ condition: 'HasB', template: withIt }]);
    expect(Object.entries(merged.Resources).map(([id, { Condition }]) => [id, Condition])).toEqual([
      ['Queue', undefined],
      ['AAlarm', 'HasAlarms'],
      ['B', 'HasB'],
      ['BAlarm', 'HasAlarmsAndHasB'],
    ]);
    expect(conditionsIn(merged)).toEqual(['HasAlarms', 'HasB', 'HasAlarmsAndHasB']);
  });

  test.each([
    [
      'another type',
      { Resources: { Queue: { Type: 'AWS::SNS::Topic' } } },
      'Resources.Queue.Type differs with HasIt',
    ],
    ['a resource less', { Resources: {} }, 'Queue is missing with HasIt'],
  ])('is refused for an option with %s', (_title, template, message) => {
    expect(() => mergeOptions(base, [{ condition: 'HasIt', template }])).toThrow(message);
  });
});

test('placeholders become references, and what looks like one in a text stays text', () => {
  const { Resources } = toLaunchable(
    aTemplate({
      Name: 'hook-STAGE',
      Text: `costs \${x}`,
      Sub: { 'Fn::Sub': `\${A}-STAGE` },
      Both: `\${x} STAGE`,
    }),
    { STAGE: `\${Stage}` },
  );
  expect(Resources.Queue?.Properties).toEqual({
    Name: { 'Fn::Sub': `hook-\${Stage}` },
    Text: `costs \${x}`,
    Sub: { 'Fn::Sub': `\${A}-\${Stage}` },
    Both: { 'Fn::Sub': `\${!x} \${Stage}` },
  });
});
