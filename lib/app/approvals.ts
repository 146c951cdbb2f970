import * as v from 'valibot';
import { approvalsQuery } from '../approvals/list-approvals.ts';
import { defineRoute } from '../http/api-route.ts';
import { instant, nextCursor } from './answers.ts';

export const approval = v.object({
  executionId: v.string(),
  workflowId: v.string(),
  nodeId: v.string(),
  title: v.nullable(v.string()),
  askedBy: v.nullable(v.string()),
  since: instant,
  until: instant,
});

const approvalsPage = { nextCursor, omitsEarlier: v.optional(v.literal(true)), timestamp: instant };

export const listApprovalsRoute = defineRoute({
  route: 'GET /api/admin/approvals',
  summary: 'a page of the pending approvals, by expiry',
  query: approvalsQuery,
  answers: { 200: v.object({ count: v.number(), approvals: v.array(approval), ...approvalsPage }) },
});

export const listAddressesRoute = defineRoute({
  route: 'POST /api/admin/approvals/addresses',
  summary: 'the same page with callback URLs, with which anyone can decide',
  query: approvalsQuery,
  answers: {
    200: v.object({
      count: v.number(),
      approvals: v.array(v.object({ ...approval.entries, address: v.optional(v.string()) })),
      ...approvalsPage,
    }),
  },
});
