import type { Clock } from '@hookloom/plugin-kit';
import { WORKFLOW_CHANGED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import type {
  RegistrationState,
  RegistrationStore,
  StoredRegistration,
} from '../../../triggers/registrations/registration-store.ts';
import { type Item, json, readJson, readNumber, readText } from '../attributes.ts';
import { deleteItem, findItem, ifStill, onTable, putItem, queryAll, scanAll } from '../items.ts';

/** Another command or the sweeper may change the registration between the read and the write. */
const MAX_TRIES = 3;

/** One item per registration; each change is conditional on the previous revision. */
export const createRegistrationStore = onTable(
  'registrations',
  (table, clock: Pick<Clock, 'now'>): RegistrationStore => {
    const find = (name: string) => findItem(table, { name }, toStored);

    const findIn = (IndexName: string, key: string, value: string) =>
      queryAll(table, { IndexName, KeyConditionExpression: `${key} = :key`, values: { ':key': value } });

    const write = (stored: StoredRegistration): Promise<boolean> => {
      const { name, workflowId, triggerNodeId, nodeType, state, changedAt, revision } = stored;
      const parameters = json(stored.parameters);
      const attributes = { workflowId, triggerNodeId, nodeType, parameters, state, changedAt, revision };
      return putItem(
        table,
        { name },
        attributes,
        ifStill('revision', revision === 1 ? null : revision - 1, 'name'),
      );
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

      remove: ({ name, revision }) => deleteItem(table, { name }, ifStill('revision', revision, 'name')),

      namesOf: async (workflowId) =>
        (await findIn('byWorkflow', 'workflowId', workflowId)).map((item) => readText(item, 'name')),

      list: async () => (await scanAll(table, { ConsistentRead: true })).map(toStored),

      listOfType: async (nodeType) => (await findIn('byNodeType', 'nodeType', nodeType)).map(toStored),
    };
  },
);

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
