import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { Template } from './cloudformation.ts';

interface Index {
  readonly IndexName: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: object;
}

interface Attribute {
  readonly AttributeName: string;
}

/** What of a table's properties DynamoDB changes one at a time. */
interface TableProperties {
  AttributeDefinitions?: readonly Attribute[];
  readonly KeySchema?: Index['KeySchema'];
  GlobalSecondaryIndexes?: readonly Index[];
  StreamSpecification?: { readonly StreamViewType?: string };
}

/** A change of a table's index or stream. */
export interface TableUpdate {
  /** For a person: `create the index byTime`. */
  readonly text: string;
  /** Leaves it out of the template. */
  readonly postpone: () => void;
}

/** Updates by the logical name of a table. */
export type TableUpdates = ReadonlyMap<string, readonly TableUpdate[]>;

/**
 * Finds the tables of which a deployment would change several indexes, or an index and the stream: DynamoDB accepts one such
 * change at a time, so CloudFormation would fail in the middle. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
 *
 * @param deployed - the tables of the stack as they are, by logical name
 * @returns the changes of these tables, in the order in which they should be made: indexes first, which the code needs
 */
export const findTableUpdates = (
  template: Template,
  deployed: Readonly<Record<string, TableDescription>>,
): TableUpdates =>
  new Map(
    Object.entries(deployed)
      .map(([id, table]) => [id, updatesOf(template, id, table)] as const)
      .filter(([, updates]) => updates.length > 1),
  );

const updatesOf = (template: Template, id: string, deployed: TableDescription): readonly TableUpdate[] => {
  const wanted = template.Resources[id]?.Properties as TableProperties | undefined;
  if (wanted === undefined) return [];
  const indexes = wanted.GlobalSecondaryIndexes ?? [];
  const known = (deployed.GlobalSecondaryIndexes ?? []).map(toIndex);
  const lacks = (list: readonly Index[], { IndexName }: Index) =>
    !list.some((one) => one.IndexName === IndexName);
  const setIndexes = (list: readonly Index[]): void => {
    wanted.GlobalSecondaryIndexes = list;
    if (list.length === 0) delete wanted.GlobalSecondaryIndexes;
    const keys = [wanted, ...list].flatMap(({ KeySchema = [] }) => KeySchema);
    const names = new Set(keys.map(({ AttributeName }) => AttributeName));
    const attributes = [wanted, deployed].flatMap(
      ({ AttributeDefinitions = [] }) => AttributeDefinitions as readonly Attribute[],
    );
    const used = attributes.filter(({ AttributeName }) => names.has(AttributeName));
    wanted.AttributeDefinitions = [...new Map(used.map((one) => [one.AttributeName, one])).values()];
  };
  const current = () => wanted.GlobalSecondaryIndexes ?? [];
  const viewOf = (
    table: Pick<TableDescription, 'StreamSpecification'> | TableProperties,
  ): string | undefined => table.StreamSpecification?.StreamViewType;
  return [
    ...indexes
      .filter((index) => lacks(known, index))
      .map((index) => ({
        text: `create the index ${index.IndexName}`,
        postpone: () => setIndexes(current().filter(({ IndexName }) => IndexName !== index.IndexName)),
      })),
    ...known
      .filter((index) => lacks(indexes, index))
      .map((index) => ({
        text: `remove the index ${index.IndexName}`,
        postpone: () => setIndexes([...current(), index]),
      })),
    ...(viewOf(wanted) === viewOf(deployed)
      ? []
      : [
          {
            text: `${viewOf(wanted) === undefined ? 'end' : viewOf(deployed) === undefined ? 'start' : 'change'} the stream`,
            postpone: () => postponeStream(template, id, viewOf(deployed)),
          },
        ]),
  ];
};

/** An index as in a template. */
const toIndex = ({
  IndexName = '',
  KeySchema = [],
  Projection = {},
}: NonNullable<TableDescription['GlobalSecondaryIndexes']>[number]): Index => ({
  IndexName,
  KeySchema: KeySchema.map(({ AttributeName = '', KeyType }) => ({ AttributeName, KeyType })),
  Projection,
});

/** Keeps the present stream; if there is none, the mappings that read it wait, too. */
const postponeStream = ({ Resources }: Template, id: string, StreamViewType: string | undefined): void => {
  const table = Resources[id]?.Properties as TableProperties;
  if (StreamViewType !== undefined) {
    table.StreamSpecification = { StreamViewType };
    return;
  }
  delete table.StreamSpecification;
  for (const [mapping, { Type, Properties }] of Object.entries(Resources)) {
    const isReader =
      JSON.stringify(Properties?.EventSourceArn) === JSON.stringify({ 'Fn::GetAtt': [id, 'StreamArn'] });
    if (Type === 'AWS::Lambda::EventSourceMapping' && isReader) delete Resources[mapping];
  }
};

/** Leaves all updates of a table but the first out of the template. */
export const keepFirstUpdates = (updates: TableUpdates): void => {
  for (const [, ...later] of updates.values()) for (const { postpone } of later) postpone();
};

/**
 * What a person has to do instead of a deployment with several updates of a table; null if it has none.
 *
 * @param command - the command of this deployment, without the parameter
 */
export const explainUpdates = (
  updates: TableUpdates,
  names: Readonly<Record<string, string>>,
  command: string,
): string | null => {
  if (updates.size === 0) return null;
  const most = Math.max(...[...updates.values()].map(({ length }) => length));
  return [
    'DynamoDB changes one index or stream of a table at a time, and this deployment needs several changes:',
    ...[...updates].map(([id, list]) => `  ${names[id] ?? id}: ${list.map(({ text }) => text).join(', ')}`),
    `Nothing was changed. Deploy ${most === 2 ? 'twice' : `${most} times`}, all but the last time with a parameter:`,
    ...Array(most - 1).fill(`  ${command} --param="tableUpdates=first"`),
    `  ${command}`,
    'See docs/deploying.md, "Upgrade".',
  ].join('\n');
};
