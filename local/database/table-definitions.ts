import { readFileSync } from 'node:fs';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { parse } from 'yaml';

const SERVERLESS_YML = new URL('../../serverless.yml', import.meta.url);
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of serverless.yml, not of this file
const PREFIX_VARIABLE = '${self:custom.tablePrefix}';

interface Resource {
  readonly Type: string;
  readonly Properties: CreateTableCommandInput & Record<string, unknown>;
}

/** The tables of serverless.yml as input of `CreateTable`, with a prefix (without the dash) for their names. */
export const readTableDefinitions = (prefix: string): CreateTableCommandInput[] =>
  Object.values(readResources())
    .filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
    .map(({ Properties }) => ({
      TableName: Properties.TableName?.replace(PREFIX_VARIABLE, prefix),
      BillingMode: Properties.BillingMode,
      AttributeDefinitions: Properties.AttributeDefinitions,
      KeySchema: Properties.KeySchema,
      GlobalSecondaryIndexes: Properties.GlobalSecondaryIndexes,
    }));

let resources: Readonly<Record<string, Resource>> | undefined;

/** Parsed once, since it takes longer than starting the database. */
const readResources = () => {
  // CloudFormation's tags (!GetAtt …) are not used in tables; elsewhere they may stay unresolved.
  resources ??= parse(readFileSync(SERVERLESS_YML, 'utf8'), { logLevel: 'silent' }).resources.Resources;
  return resources ?? {};
};
