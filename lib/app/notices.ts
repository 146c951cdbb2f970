import * as v from 'valibot';
import { toFields } from '../health/notices/compose-message.ts';
import type { NoticeStore, StoredNotice } from '../health/notices/notice.ts';
import { defineRoute } from '../http/api-route.ts';
import { NOTICE_KINDS } from '../shared/notice-kinds.ts';
import { described, instant } from './answers.ts';

export const notice = v.object({
  kind: v.picklist(NOTICE_KINDS),
  subject: described(v.string(), 'What it is about: `workflow:orders`, `credential:shop`'),
  workflowId: v.nullable(v.string()),
  nodeId: v.nullable(v.string()),
  cause: described(v.string(), 'With kind and subject, it identifies the notice'),
  message: v.string(),
  count: described(v.number(), 'How often it was raised since `firstAt`'),
  firstAt: instant,
  lastAt: instant,
  executionId: described(v.nullable(v.string()), 'The last execution that shows it'),
});

export const listNoticesRoute = defineRoute({
  route: 'GET /api/admin/notices',
  summary: 'the open notices, the latest first; kept while a workflow receives notices',
  answers: {
    200: v.object({
      count: v.number(),
      notices: v.array(notice),
      more: described(v.number(), 'How many further notices are open'),
      timestamp: instant,
    }),
  },
});

/** Notices in one answer. */
const MAX_LISTED = 100;

/** The open notices, the latest first. @throws AppError `STORE_UNAVAILABLE` */
export const listNotices = async ({ list }: Pick<NoticeStore, 'list'>) => {
  const open = (await list()).filter(({ settledAt }) => settledAt === null);
  const listed = open.sort((one, other) => other.lastAt - one.lastAt).slice(0, MAX_LISTED);
  return { count: listed.length, notices: listed.map(describeNotice), more: open.length - listed.length };
};

const describeNotice = (stored: StoredNotice) => {
  const { url: _url, status: _status, ...described } = toFields(stored, null);
  return described;
};
