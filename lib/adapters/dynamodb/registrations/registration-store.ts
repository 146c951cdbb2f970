import type { Clock } from '@hookloom/plugin-kit';
import { WORKFLOW_CHANGED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import type {
  RegistrationState,
  RegistrationStore,
  StoredRegistration,
} from '../../../triggers/registrations/registration-store.ts';
import { type Item, json, number, readJson, readNumber, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { deleteItem, getItem, putItem, queryAll, sameAs, scanAll } from '../items.ts';
import type { TableNames } from '../table-names.ts';

/** Another command or the sweeper may change the registration between the read and the write. */
const MAX_TRIES = 3;

/** One item per registration; each change is conditional on the previous revision. */
export const createRegistrationStore = (
  client: DynamoDbClient,
  { registrations: TableName }: Pick<TableNames, 'registrations'>,
  clock: Pick<Clock, 'now'>,
): RegistrationStore => {
  const find = async (name: string): Promise<StoredRegistration | null> => {
    const item = await getItem(client, { TableName, Key: { name: text(name) }, ConsistentRead: true });
    return item === null ? null : toStored(item);
  };

  const write = (stored: StoredRegistration): Promise<boolean> => {
    const Item = toItem(stored);
    const input = {
      TableName,
      Key: { name: text(stored.name) },
      Item,
      ConditionExpression: stored.revision === 1 ? 'attribute_not_exists(#name)' : '#revision = :before',
      ...(stored.revision === 1
        ? { ExpressionAttributeNames: { '#name': 'name' } }
        : {
            ExpressionAttributeNames: { '#revision': 'revision' },
            ExpressionAttributeValues: { ':before': number(stored.revision - 1) },
          }),
    };
    return putItem(client, input, sameAs(Item));
  };

  const next = (stored: StoredRegistration, changes: Partial<StoredRegistration>): StoredRegistration => ({
    ...stored,
    ...changes,
    changedAt: clock.now(),
    revision: stored.revision + 1,
  });

  return {
    find,

    claim: async (registration) => {
      for (let tries = 1; ; tries++) {
        const known = await find(registration.name);
        if (known !== null && known.workflowId !== registration.workflowId) return known;
        const before = known ?? { ...registration, state: 'pending', changedAt: 0, revision: 0 };
        const claimed = next(before, { ...registration, state: 'pending' });
        if (await write(claimed)) return claimed;
        if (tries === MAX_TRIES)
          throw new AppError(WORKFLOW_CHANGED, { workflowId: registration.workflowId });
      }
    },

    change: async (stored, state) => {
      const changed = next(stored, { state });
      return (await write(changed)) ? changed : null;
    },

    remove: ({ name, revision }) =>
      deleteItem(client, {
        TableName,
        Key: { name: text(name) },
        ConditionExpression: '#revision = :revision',
        ExpressionAttributeNames: { '#revision': 'revision' },
        ExpressionAttributeValues: { ':revision': number(revision) },
      }),

    namesOf: async (workflowId) => {
      const items = await queryAll(client, {
        TableName,
        IndexName: 'byWorkflow',
        KeyConditionExpression: 'workflowId = :workflowId',
        ExpressionAttributeValues: { ':workflowId': text(workflowId) },
      });
      return items.map((item) => readText(item, 'name'));
    },

    list: async () => (await scanAll(client, { TableName, ConsistentRead: true })).map(toStored),

    listOfType: async (nodeType) => {
      const items = await queryAll(client, {
        TableName,
        IndexName: 'byNodeType',
        KeyConditionExpression: 'nodeType = :nodeType',
        ExpressionAttributeValues: { ':nodeType': text(nodeType) },
      });
      return items.map(toStored);
    },
  };
};

const toItem = (stored: StoredRegistration): Item => ({
  name: text(stored.name),
  workflowId: text(stored.workflowId),
  triggerNodeId: text(stored.triggerNodeId),
  nodeType: text(stored.nodeType),
  parameters: json(stored.parameters),
  state: text(stored.state),
  changedAt: number(stored.changedAt),
  revision: number(stored.revision),
});

const toStored = (item: Item): StoredRegistration => ({
  name: readText(item, 'name'),
  workflowId: readText(item, 'workflowId'),
  triggerNodeId: readText(item, 'triggerNodeId'),
  nodeType: readText(item, 'nodeType'),
  parameters: readJson(item, 'parameters'),
  state: readText(item, 'state') as RegistrationState,
  changedAt: readNumber(item, 'changedAt'),
  revision: readNumber(item, 'revision'),
});
