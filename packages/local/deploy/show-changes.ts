import type { Change, StackEvent } from '@aws-sdk/client-cloudformation';
import type { Io } from '../../cli/io.ts';

/** With another name or text, a new one is always made beside the former. */
const MADE_ANEW = new Set(['AWS::Lambda::Version', 'AWS::ApiGatewayV2::Deployment']);

type Kind = 'add' | 'change' | 'remove' | 'replace';

interface Shown {
  readonly kind: Kind;
  readonly id: string;
  readonly type: string;
  /** What of it changes: its properties, or its tags. */
  readonly what: readonly string[];
  readonly mayReplace: boolean;
}

const toShown = ({ ResourceChange: change = {} }: Change): Shown => {
  const { Action, LogicalResourceId: id = '', ResourceType: type = '', Replacement, Details = [] } = change;
  const names = Details.map(({ Target }) => Target?.Name ?? Target?.Attribute ?? '').filter(Boolean);
  const isReplaced = Replacement === 'True' && !MADE_ANEW.has(type);
  const kind = Action === 'Add' ? 'add' : Action === 'Remove' ? 'remove' : isReplaced ? 'replace' : 'change';
  const mayReplace = kind === 'change' && Replacement === 'Conditional';
  return { kind, id, type, what: [...new Set(names)], mayReplace };
};

const SIGNS = { add: '+', change: '~' } as const;

/** Prints what a change set would do: by type what is added and changed, and each resource that is removed or replaced. */
export const showChanges = (changes: readonly Change[], io: Pick<Io, 'print' | 'paintOut'>): void => {
  const all = changes.map(toShown);
  const ofKind = (kind: Kind) => all.filter((one) => one.kind === kind);
  for (const kind of ['add', 'change'] as const)
    for (const [type, found] of [...Map.groupBy(ofKind(kind), ({ type }) => type)].sort()) {
      const [first] = found;
      const name = found.length === 1 ? `${first?.id} (${type})` : `${found.length} × ${type}`;
      const what = [...new Set(found.flatMap((one) => one.what))];
      io.print(`${SIGNS[kind]} ${name}${what.length === 0 ? '' : `: ${what.join(', ')}`}`);
    }
  for (const { id, what } of all.filter(({ mayReplace }) => mayReplace))
    io.print(
      io.paintOut('yellow', `! ${id} may be REPLACED, if AWS can't change ${what.join(', ')} in place`),
    );
  for (const { id, type } of ofKind('remove')) io.print(io.paintOut('red', `- ${id} (${type}) is REMOVED`));
  for (const { id, type, what } of ofKind('replace'))
    io.print(
      io.paintOut(
        'red',
        `! ${id} (${type}) is REPLACED: a new one, without the data of the former (${what.join(', ')})`,
      ),
    );
};

/** What AWS cancels when another resource has failed is not the reason. */
const CONSEQUENCE = /cancelled|The following resource\(s\) failed/;

/** What failed of its own: its name, its type and AWS's reason. */
export const describeFailures = (events: readonly StackEvent[]): readonly string[] =>
  events
    .filter(
      ({ ResourceStatus = '', ResourceStatusReason = '' }) =>
        ResourceStatus.endsWith('_FAILED') && !CONSEQUENCE.test(ResourceStatusReason),
    )
    .map(
      ({ LogicalResourceId, ResourceType, ResourceStatusReason }) =>
        `${LogicalResourceId} (${ResourceType}): ${ResourceStatusReason ?? 'AWS gives no reason'}`,
    );

/** Counts the resources that are done, for one line whenever it grows by a step. */
export const createProgress = (total: number, io: Pick<Io, 'note'>) => {
  const done = new Set<string>();
  return (events: readonly StackEvent[]): void => {
    const before = done.size;
    for (const { LogicalResourceId, PhysicalResourceId, StackId, ResourceStatus = '' } of events)
      if (PhysicalResourceId !== StackId && /^(?:CREATE|UPDATE|DELETE)_COMPLETE$/.test(ResourceStatus))
        done.add(LogicalResourceId ?? '');
    if (done.size > before) io.note(`${Math.min(done.size, total)} of ${total} resources`);
  };
};
