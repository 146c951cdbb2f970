import { createSendTick } from '../../adapters/aws/lambda-events.ts';
import { createNoticeStore } from '../../adapters/dynamodb/notices/notice-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import type { Config } from '../config.ts';
import { need, openLambda } from './parts.ts';

/** Asks whether there is any notice; only then, what is due is sent by the function for the events of triggers. */
export const openNoticeTick = (config: Config, { client, tables }: StageTables) => {
  const { hasAny } = createNoticeStore(client, tables);
  const send = createSendTick(openLambda(config, {}), need(config.dispatchFunction, 'DISPATCH_FUNCTION'));
  return async (): Promise<void> => {
    if (await hasAny()) await send();
  };
};
