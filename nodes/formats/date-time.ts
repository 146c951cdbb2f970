import { closed, defineAction, type JsonObject, Type, when } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { describeFormat, describeValue, describeZone, units } from './date-time.chunk.ts';

/** The problems of parameters without expressions, in the words of a run. */
const findProblems = (parameters: JsonObject) => {
  const { timeZone = 'UTC', locale = 'en', inputFormat } = parameters;
  const check = (name: string, describe: (given: string) => string | null) => {
    const given = parameters[name];
    const message = typeof given === 'string' && !given.includes('{{') ? describe(given) : null;
    return message === null ? [] : [{ path: `/${name}`, message }];
  };
  const problems = [
    ...check('format', describeFormat),
    ...check('inputFormat', describeFormat),
    ...check('timeZone', describeZone),
  ];
  const isReadable = problems.length === 0 && !`${timeZone} ${locale} ${inputFormat}`.includes('{{');
  const reader = { timeZone, locale, ...(inputFormat === undefined ? {} : { inputFormat }) };
  return [
    ...problems,
    ...['value', 'until'].flatMap((name) =>
      isReadable ? check(name, (given) => describeValue({ ...reader, value: given })) : [],
    ),
  ];
};

const converted = Given.merged(
  closed({ iso: Type.String(), epochMs: Type.Integer() }),
  Given.ifGiven('format', closed({ text: Type.String() }), closed({})),
);

export const dateTime = defineAction({
  id: 'dateTime',
  name: 'Date and time',
  description:
    'Reads, formats, rounds and shifts a date and time, or computes the time between two. Outputs { iso, epochMs } and, with a format, text; or { difference }',
  pure: true,
  outputs: {
    main: Given.by(
      'operation',
      {
        ...Object.fromEntries(
          ['convert', 'add', 'startOf', 'endOf'].map((operation) => [operation, converted]),
        ),
        difference: closed({ difference: Type.Number() }),
      },
      'convert',
    ),
  },
  parameters: Type.Object(
    {
      operation: Type.Enum(['convert', 'add', 'startOf', 'endOf', 'difference'], {
        default: 'convert',
        description:
          'convert: converts to the time zone and the format; add: adds the duration; startOf, endOf: the start or the end of the unit, with weeks that begin on Monday; difference: the time from the value to "until", in the unit',
      }),
      value: Type.Optional(
        Type.Union([Type.String({ maxLength: 200 }), Type.Number()], {
          description: 'ISO 8601, or milliseconds since 1970; by default the start of the execution',
        }),
      ),
      inputFormat: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            'The format of the value, in Luxon tokens such as dd.MM.yyyy. Without a day, it is the day of the start of the execution',
        }),
      ),
      timeZone: Type.String({
        default: 'UTC',
        maxLength: 100,
        description:
          'Time zone of values without an offset and of the output, such as Europe/Oslo or +05:30. Of two equal local times, when clocks are set back, it is the first',
      }),
      format: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'The format of "text", in Luxon tokens such as d LLLL yyyy',
        }),
      ),
      locale: Type.String({
        default: 'en',
        maxLength: 35,
        description: 'The language of month and day names in the formats',
      }),
      duration: Type.Record(Type.String(), Type.Number(), {
        default: {},
        description: `What to add, such as { "days": 3, "hours": -2 }: ${units.join(', ')}. Months and days follow the calendar of the time zone`,
      }),
      unit: Type.Enum(units, { default: 'days', description: 'The unit of startOf, endOf and difference' }),
      until: Type.Optional(
        Type.Union([Type.String({ maxLength: 200 }), Type.Number()], {
          description: 'The end of the difference, in the same format as the value',
        }),
      ),
    },
    {
      allOf: [
        when('operation', 'add', { required: ['duration'] }),
        when('operation', 'difference', { required: ['until'] }),
      ],
    },
  ),
  example: {
    parameters: { operation: 'add', value: '{{ due }}', duration: { months: 1 }, format: 'd LLLL yyyy' },
    input: { due: '2026-01-31T10:00:00Z' },
    output: { iso: '2026-02-28T10:00:00.000Z', epochMs: 1_772_272_800_000, text: '28 February 2026' },
  },
  checkParameters: findProblems,
  execute: async ({ parameters, context }) => {
    const { computeDateTime } = await import('./date-time.chunk.ts');
    return computeDateTime(parameters, context.services.clock.now());
  },
});
