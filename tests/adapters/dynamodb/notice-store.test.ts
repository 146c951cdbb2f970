import { createNoticeStore } from '../../../lib/adapters/dynamodb/notices/notice-store.ts';
import { inMemoryNotices } from '../../support/in-memory-notices.ts';
import { describeNoticeStore } from '../../support/notice-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

describeNoticeStore('the store on DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createNoticeStore(client, tables);
});
describeNoticeStore('the store in memory', async () => inMemoryNotices());
