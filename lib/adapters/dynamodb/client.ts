import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DeleteItemCommandInput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';

type Page<Output extends QueryCommandOutput | ScanCommandOutput> = Pick<
  Output,
  'Items' | 'Count' | 'LastEvaluatedKey'
>;

/**
 * The operations that the stores use, in DynamoDB's own terms. An error has DynamoDB's name, such as
 * `ConditionalCheckFailedException`, and in `$metadata.attempts` how often the call was sent. Bytes in an answer are
 * base64 or a `Uint8Array`.
 */
export interface DynamoDbClient {
  getItem(input: GetItemCommandInput): Promise<Pick<GetItemCommandOutput, 'Item'>>;
  putItem(input: PutItemCommandInput): Promise<unknown>;
  updateItem(input: UpdateItemCommandInput): Promise<Pick<UpdateItemCommandOutput, 'Attributes'>>;
  deleteItem(input: DeleteItemCommandInput): Promise<unknown>;
  batchGetItem(
    input: BatchGetItemCommandInput,
  ): Promise<Pick<BatchGetItemCommandOutput, 'Responses' | 'UnprocessedKeys'>>;
  query(input: QueryCommandInput): Promise<Page<QueryCommandOutput>>;
  scan(input: ScanCommandInput): Promise<Page<ScanCommandOutput>>;
}
