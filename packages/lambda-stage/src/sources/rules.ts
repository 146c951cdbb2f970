import { randomUUID } from 'node:crypto';
import { ApiError } from '../net/api-error.ts';
import { isPlainObject, type JsonObject, tryJson } from '../net/json.ts';
import type { Deliver } from './deliver.ts';
import { LOCAL_BUSES } from './local-arns.ts';
import { findPatternProblem } from './pattern/find-pattern-problem.ts';
import { matchesPattern } from './pattern/matches-pattern.ts';
import type { LocalRule, SourcesStore } from './sources-state.ts';

/** EventBridge on this machine: some operations on rules, and events. @throws ApiError */
export type Rules = Readonly<Record<string, (input: JsonObject) => JsonObject>>;

const DEFAULT_BUS = 'default';

/**
 * Rules on local event buses. The operations have the names of EventBridge's API:
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/
 */
export const createRules = (store: SourcesStore, deliver: Deliver): Rules => {
  const { rules } = store.state;

  const keyOf = ({ EventBusName = DEFAULT_BUS }: JsonObject, name: unknown): string =>
    `${toBusName(EventBusName)}/${String(name)}`;

  const find = (input: JsonObject, name: unknown): LocalRule => {
    const found = rules.get(keyOf(input, name));
    if (found === undefined)
      throw new ApiError('ResourceNotFoundException', `Rule ${String(name)} does not exist.`);
    return found;
  };

  const keep = (rule: LocalRule): void => {
    rules.set(`${rule.bus}/${rule.name}`, rule);
    store.save();
  };

  const send = (bus: string, event: JsonObject): void => {
    for (const rule of rules.values()) {
      if (rule.bus !== bus || !rule.isEnabled || !matchesPattern(rule.pattern, event)) continue;
      for (const target of Object.values(rule.targets))
        void deliver(toInput(target, event), {
          label: `rule ${rule.name}`,
          arn: toRuleArn(rule),
          target,
        });
    }
  };

  return {
    ListRules: ({ EventBusName = DEFAULT_BUS }) => {
      const ofBus = [...rules.values()].filter(({ bus }) => bus === toBusName(EventBusName));
      return {
        Rules: ofBus.map((rule) => ({ Name: rule.name, Arn: toRuleArn(rule), EventBusName: rule.bus })),
      };
    },
    PutRule: (input) => {
      const { Name, EventPattern, EventBusName = DEFAULT_BUS, State = 'ENABLED' } = input;
      const pattern = readPattern(EventPattern);
      const bus = toBusName(EventBusName);
      const targets = rules.get(keyOf(input, Name))?.targets ?? {};
      const rule = { name: String(Name), bus, pattern, isEnabled: State === 'ENABLED', targets };
      keep(rule);
      return { RuleArn: toRuleArn(rule) };
    },
    PutTargets: (input) => {
      const rule = find(input, input.Rule);
      const put = (Array.isArray(input.Targets) ? input.Targets : []) as JsonObject[];
      keep({
        ...rule,
        targets: { ...rule.targets, ...Object.fromEntries(put.map((one) => [String(one.Id), one])) },
      });
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    RemoveTargets: (input) => {
      const rule = find(input, input.Rule);
      const ids = (Array.isArray(input.Ids) ? input.Ids : []).map(String);
      keep({
        ...rule,
        targets: Object.fromEntries(Object.entries(rule.targets).filter(([id]) => !ids.includes(id))),
      });
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    DeleteRule: (input) => {
      const rule = rules.get(keyOf(input, input.Name)); // a missing rule is not an error
      if (rule !== undefined && Object.keys(rule.targets).length > 0)
        throw new ApiError('ValidationException', "Rule can't be deleted since it has targets.");
      rules.delete(keyOf(input, input.Name));
      store.save();
      return {};
    },
    DescribeRule: (input) => {
      const { name, bus, pattern, isEnabled } = find(input, input.Name);
      const State = isEnabled ? 'ENABLED' : 'DISABLED';
      return { Name: name, EventBusName: bus, EventPattern: JSON.stringify(pattern), State };
    },
    PutEvents: ({ Entries }) => {
      const events = (Array.isArray(Entries) ? Entries : []).map((entry) => toEvent(entry as JsonObject));
      for (const { bus, event } of events) send(bus, event);
      return { FailedEntryCount: 0, Entries: events.map(({ event }) => ({ EventId: String(event.id) })) };
    },
  };
};

const toRuleArn = ({ bus, name }: LocalRule): string =>
  `arn:aws:events:us-east-1:000000000000:rule/${bus === DEFAULT_BUS ? '' : `${bus}/`}${name}`;

/**
 * Returns the name of a bus, which is identified by name or ARN; here, every name is a bus.
 * @throws ApiError `ResourceNotFoundException` for a bus of a different account or region
 */
const toBusName = (bus: unknown): string => {
  const text = String(bus);
  if (!text.startsWith('arn:')) return text;
  if (text.startsWith(LOCAL_BUSES)) return text.slice(LOCAL_BUSES.length);
  throw new ApiError('ResourceNotFoundException', `Event bus ${text} does not exist.`);
};

/** @throws ApiError `InvalidEventPatternException` */
const readPattern = (text: unknown): JsonObject => {
  const pattern = tryJson(String(text)) ?? null;
  const problem = findPatternProblem(pattern);
  if (problem === null) return pattern as JsonObject;
  throw new ApiError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${problem}`);
};

/** An entry of `PutEvents` as its targets receive it: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html */
const toEvent = ({
  EventBusName = DEFAULT_BUS,
  Source,
  DetailType,
  Detail,
  Resources,
  Time,
  Id,
}: JsonObject) => {
  const detail = tryJson(String(Detail)) ?? null;
  if (typeof Source !== 'string' || typeof DetailType !== 'string' || !isPlainObject(detail))
    throw new ApiError(
      'ValidationException',
      'An entry needs Source, DetailType and a Detail, a JSON object.',
    );
  const event: JsonObject = {
    version: '0',
    id: typeof Id === 'string' ? Id : randomUUID(), // AWS assigns a new one; here a sample may repeat its event
    'detail-type': DetailType,
    source: Source,
    account: '000000000000',
    time: new Date(typeof Time === 'number' ? Time * 1_000 : Date.now())
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    region: 'us-east-1',
    resources: Array.isArray(Resources) ? Resources : [],
    detail: detail as JsonObject,
  };
  return { bus: toBusName(EventBusName), event };
};

/**
 * What a target receives: the event, or its input transformer's output, of which `<aws.events.event.json>` is supported.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
const toInput = ({ InputTransformer }: JsonObject, event: JsonObject): JsonObject => {
  if (!isPlainObject(InputTransformer)) return event;
  const template = String(InputTransformer.InputTemplate);
  return JSON.parse(template.replaceAll('<aws.events.event.json>', () => JSON.stringify(event)));
};
