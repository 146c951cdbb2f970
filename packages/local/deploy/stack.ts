import {
  type Change,
  CloudFormationClient,
  CreateChangeSetCommand,
  type CreateChangeSetCommandInput,
  DeleteChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  paginateDescribeChangeSet,
  paginateListStackResources,
  type Stack,
  type StackEvent,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { AwsConfig } from '../../../resources/stored-data.ts';
import { CommandError } from '../../cli/command-error.ts';

/** A change set, as CloudFormation has computed it. */
export interface ChangeSet {
  /** Empty if the stack is as the template says. */
  readonly changes: readonly Change[];
  /** Makes the changes; the caller follows. */
  execute(): Promise<void>;
  /** Removes it, and the empty stack that a first one leaves. */
  discard(): Promise<void>;
}

/** A stack, and the clock by which it is watched. */
export interface StackOptions {
  /** Its name; or its id, by which it is still found once it is removed. */
  readonly stackName: string;
  readonly config: AwsConfig;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Between two looks at a change set or a stack. */
const POLL_MS = 3_000;

/** What a launch with all tables, functions and alarms takes many times over. */
const MAX_POLLS = 2_400;

const EMPTY = 'REVIEW_IN_PROGRESS';

/** Opens a stack in CloudFormation, existing or not. */
export const openStack = ({ stackName: StackName, config, sleep }: StackOptions) => {
  const client = new CloudFormationClient(config);

  const read = async (): Promise<Stack | null> => {
    try {
      const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
      return Stacks[0] ?? null;
    } catch (error) {
      if (error instanceof Error && /does not exist/.test(error.message)) return null;
      throw error;
    }
  };

  /** Calls `look` until its answer is not null. @throws CommandError after hours */
  const poll = async <Found>(look: () => Promise<Found | null>): Promise<Found> => {
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      const found = await look();
      if (found !== null) return found;
      await sleep(POLL_MS);
    }
    throw new CommandError(
      `CloudFormation is not done with ${StackName} yet: look at the stack in its console.`,
    );
  };

  /** @throws CommandError with CloudFormation's reason if it can't be computed */
  const propose = async (
    name: string,
    given: Pick<CreateChangeSetCommandInput, 'TemplateURL' | 'Parameters'>,
  ): Promise<ChangeSet> => {
    const stack = await read();
    refuseState(stack);
    const isNew = stack === null || stack.StackStatus === EMPTY;
    const set = { StackName, ChangeSetName: name };
    await client.send(
      new CreateChangeSetCommand({
        ...set,
        ...given,
        ChangeSetType: isNew ? 'CREATE' : 'UPDATE',
        Capabilities: ['CAPABILITY_NAMED_IAM'],
      }),
    );
    const { Status, StatusReason = '' } = await poll(async () => {
      const found = await client.send(new DescribeChangeSetCommand(set));
      return /(?:COMPLETE|FAILED)$/.test(found.Status ?? '') ? found : null;
    });
    const discard = async (): Promise<void> => {
      await client.send(new DeleteChangeSetCommand(set));
      if (isNew) await client.send(new DeleteStackCommand({ StackName }));
    };
    const changes: Change[] = [];
    if (Status === 'FAILED') {
      await discard();
      if (!UNCHANGED.test(StatusReason))
        throw new CommandError(`CloudFormation refuses the change: ${StatusReason}`);
    } else
      for await (const page of paginateDescribeChangeSet({ client }, set))
        changes.push(...(page.Changes ?? []));
    return {
      changes,
      execute: async () => {
        await client.send(new ExecuteChangeSetCommand(set));
      },
      discard,
    };
  };

  /**
   * Waits until a change is done.
   *
   * @param since - of CloudFormation's own clock
   * @param onEvents - called with what has happened, oldest first
   * @returns the stack
   */
  const follow = async (
    since: string | undefined,
    onEvents: (events: readonly StackEvent[]) => void,
  ): Promise<Stack> => {
    let last = since;
    return poll(async () => {
      const events = await readEvents(last);
      last = events.at(-1)?.EventId ?? last;
      if (events.length > 0) onEvents(events);
      return events.some(isEnd) ? read() : null;
    });
  };

  /** The events after one, oldest first; all if it is absent. */
  const readEvents = async (after: string | undefined): Promise<readonly StackEvent[]> => {
    const found: StackEvent[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(new DescribeStackEventsCommand({ StackName, NextToken }));
      for (const event of page.StackEvents ?? []) {
        if (event.EventId === after) return found.reverse();
        found.push(event);
      }
      ({ NextToken } = page);
    } while (NextToken !== undefined);
    return found.reverse();
  };

  return {
    read,
    propose,
    follow,
    /** What is in the stack now. */
    listResources: async (): Promise<readonly StackResourceSummary[]> => {
      const all: StackResourceSummary[] = [];
      for await (const page of paginateListStackResources({ client }, { StackName }))
        all.push(...(page.StackResourceSummaries ?? []));
      return all.filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE');
    },
    /** The text of its template. */
    readTemplate: async (): Promise<string> =>
      (await client.send(new GetTemplateCommand({ StackName }))).TemplateBody ?? '',
    /** Removes the stack, except for what its template retains; the caller follows. */
    remove: async (): Promise<void> => {
      await client.send(new DeleteStackCommand({ StackName }));
    },
    /** The id of the newest event; undefined for a stack without one. */
    readLastEvent: async (): Promise<string | undefined> => {
      if ((await read()) === null) return undefined;
      const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
      return StackEvents[0]?.EventId;
    },
    close: () => client.destroy(),
  };
};

/** Of a change set that would change nothing. */
const UNCHANGED = /didn't contain changes|No updates are to be performed/;

/** Whether a change of the stack is done: what follows it removes what was replaced. Its state may lag behind its events. */
const isEnd = ({ StackId, PhysicalResourceId, ResourceStatus }: StackEvent): boolean => {
  const status = String(ResourceStatus);
  const isDone = !status.endsWith('_IN_PROGRESS') || status === 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS';
  return PhysicalResourceId === StackId && isDone;
};

/** @throws CommandError for a stack that can't be changed now */
const refuseState = (stack: Stack | null): void => {
  const { StackName, StackStatus = '' } = stack ?? {};
  if (stack === null || StackStatus === EMPTY) return;
  if (StackStatus === 'ROLLBACK_COMPLETE' || StackStatus === 'DELETE_FAILED')
    throw new CommandError(
      `The stack ${StackName} is what a failed launch or removal left (${StackStatus}): remove it with \`stage remove\`, then deploy again.`,
    );
  if (StackStatus.endsWith('_IN_PROGRESS'))
    throw new CommandError(
      `The stack ${StackName} is being changed (${StackStatus}): wait until that is done.`,
    );
  if (StackStatus.endsWith('_FAILED'))
    throw new CommandError(
      `The stack ${StackName} is in the state ${StackStatus}: continue its roll-back in CloudFormation's console, then deploy again.`,
    );
};
