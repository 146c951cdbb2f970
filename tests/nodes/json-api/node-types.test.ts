import { describe, test } from '@jest/globals';
import { nodeTypeChecks } from '../../../lib/contract/testing/index.ts';
import github from '../../../lib/nodes/github/github.plugin.ts';
import graphql from '../../../lib/nodes/graphql/graphql.plugin.ts';
import rss from '../../../lib/nodes/rss/rss.plugin.ts';
import slack from '../../../lib/nodes/slack/slack.plugin.ts';

const handles = [slack, github, graphql, rss].flatMap((plugin) => plugin.handles);

describe.each(handles.map((handle) => [handle.id, handle] as const))('%s', (_id, handle) => {
  for (const { name, run } of nodeTypeChecks(handle)) test(name, run);
});
